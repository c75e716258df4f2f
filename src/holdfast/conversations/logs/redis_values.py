"""The keys of a message list in Redis, the arguments of its scripts, and values out of their replies."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from holdfast.conversations.logs.protocol import Terms
from holdfast.conversations.logs.values import (
    ReadRange,
    error_from_json,
    flush_from_json,
    from_json,
    head_of,
    to_json,
)
from holdfast.conversations.model import Draft, Instance, MessageHead, StoredMessage, Totals
from holdfast.kernel import clock
from holdfast.kernel.caller import Caller
from holdfast.kernel.ids import new_id

TOTALS, MESSAGES, IDS, WRITE_LOCK, FLUSH_LOCK = 0, 1, 5, 6, 7  # places in `keys_of`


def _prefix(caller: Caller, resource_id: str) -> str:
    """Everything of a resource is in one slot of a cluster, since a script must find its keys on one node."""
    return f"holdfast:{{{caller.org_id}/{resource_id}}}"


def keys_of(caller: Caller, instance: Instance) -> list[str]:
    """The keys of an instance, in the order of lua/prelude.lua. Neither an owner nor a key contains a slash."""
    base = f"{_prefix(caller, instance.resource_id)}:{instance.audience}/{instance.key}"
    return [
        *(f"{base}/{name}" for name in "imhorkwf"),
        index_of(caller, instance.resource_id),
        index_of(caller, instance.resource_id, instance),
    ]


def index_of(caller: Caller, resource_id: str, owner: Instance | None = None) -> str:
    """The key of the index of a resource's instances: all, or those of one owner."""
    index = f"{_prefix(caller, resource_id)}/instances"
    return index if owner is None else f"{index}/{owner.audience}"


def common_args(caller: Caller, instance: Instance) -> list[Any]:
    """The arguments that every script takes first."""
    return [instance.within or "", label_of(instance), caller.workspace_id, now_us()]


def label_of(instance: Instance) -> str:
    """What follows the id of an instance in an index."""
    return f"{instance.audience} {instance.key}"


def instance_of(resource_id: str, member: str) -> tuple[str, Instance]:
    """The id and the instance of a member of an index."""
    id, audience, key = member.split(" ", 2)
    return id, Instance.of(resource_id, audience, key)


def write_args(token: str, terms: Terms, drafts: Sequence[Draft], fourth: str) -> list[Any]:
    """The arguments of `append` and `replace`."""
    at = now_us()
    fields = [field for draft in drafts for field in fields_of(draft, at)]
    return [token, new_id("conv"), ttl_ms(terms), fourth, *fields]


def fields_of(draft: Draft, at_us: int) -> list[Any]:
    """A message as the scripts take it, stored at this time."""
    head = head_of(0, draft, draft.created_at)
    compact = {
        "role": head.role,
        "tokens": head.tokens,
        "share": head.share,
        "calls": list(head.calls),
        "answers": head.answers,
        "type": head.type,
        "at": at_us,
    }
    message, short = json.dumps(to_json(draft)), json.dumps(compact)
    return [draft.id, message, short, draft.role, draft.tokens, draft.share]


def heads_from(flat: list[str]) -> list[MessageHead]:
    """Messages without their texts, out of a reply of places and heads."""
    return [
        _head(int(seq), json.loads(head)) for seq, head in zip(flat[::2], flat[1::2], strict=True)
    ]


def _head(seq: int, data: dict[str, Any]) -> MessageHead:
    return MessageHead(
        seq,
        data["role"],
        data["tokens"],
        data["share"],
        _from_us(data["at"]),
        tuple(data["calls"]),
        data["answers"],
        data["type"],
    )


def reads_from(flat: list[str]) -> list[ReadRange]:
    """Reads out of a reply of ranges and times."""
    found = []
    for places, at in zip(flat[::2], flat[1::2], strict=True):
        first, _, last = places.partition(":")
        found.append(ReadRange(int(first), int(last), _from_us(at)))
    return found


def messages_from(flat: list[str]) -> list[StoredMessage]:
    """Messages out of a reply of places and texts, in order."""
    pairs = zip(flat[::2], flat[1::2], strict=True)
    stored = [
        StoredMessage(int(seq), from_json(json.loads(text)), clock.now()) for seq, text in pairs
    ]
    return sorted(stored, key=lambda each: each.seq)


def totals_from(found: Any) -> Totals:
    """The totals out of their hash."""
    data = found if isinstance(found, dict) else dict(zip(found[::2], found[1::2], strict=True))

    def by(prefix: str) -> dict[str, int]:
        counts = {
            name.removeprefix(prefix): int(n) for name, n in data.items() if name.startswith(prefix)
        }
        return {name: n for name, n in counts.items() if n}

    def parsed(name: str) -> Any:
        return json.loads(data[name]) if name in data else None

    return Totals(
        conversation_id=data["id"],
        version=int(data["version"]),
        message_count=int(data["count"]),
        token_count=int(data["tokens"]),
        roles=by("role:"),
        shares=by("share:"),
        workspace_id=data["workspace"],
        created_at=_from_us(data["created_us"]),
        updated_at=_from_us(data.get("updated_us", data["created_us"])),
        expires_at=_from_us(data["expires_us"]) if "expires_us" in data else None,
        pending_job=data.get("pending_job"),
        last_flush=flush_from_json(parsed("last_flush")),
        last_error=error_from_json(parsed("last_error")),
    )


def now_us() -> int:
    """Now, in microseconds."""
    return int(clock.now().timestamp() * 1_000_000)


def _from_us(text: Any) -> datetime:
    return datetime.fromtimestamp(float(text) / 1_000_000, UTC)


def ttl_ms(terms: Terms) -> str:
    """The time to live of an instance; '' is for ever."""
    return "" if terms.ttl_s is None else str(max(1, int(terms.ttl_s * 1000)))
