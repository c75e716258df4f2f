"""What a message list is called in Redis, how a message goes in, and how it comes back."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from holdfast.conversations.logs.protocol import (
    Terms,
    error_from_json,
    flush_from_json,
    from_json,
    head_of,
    to_json,
)
from holdfast.conversations.model import Draft, Head, Instance, StoredMessage, Totals
from holdfast.kernel import clock
from holdfast.kernel.caller import Caller
from holdfast.kernel.ids import new_id


def _tag(caller: Caller, resource_id: str) -> str:
    """Everything of a resource is in one slot of a cluster, for a script must find its keys together."""
    return f"holdfast:{{{caller.org_id}/{resource_id}}}"


def keys_of(caller: Caller, instance: Instance) -> list[str]:
    """The keys of an instance, as lua/prelude.lua names them."""
    base = f"{_tag(caller, instance.resource_id)}:{instance.key}"
    return [f"{base}/{name}" for name in "imhoakwf"] + [index_of(caller, instance.resource_id)]


def index_of(caller: Caller, resource_id: str) -> str:
    """The key of a resource's index of instances."""
    return f"{_tag(caller, resource_id)}/instances"


def writing(
    instance: Instance, token: str, terms: Terms, drafts: Sequence[Draft], gone: list[int]
) -> list[Any]:
    """The arguments of a script that writes."""
    fields = [field for draft in drafts for field in fields_of(draft)]
    return [token, instance.key, new_id("conv"), now_us(), ttl_ms(terms), json.dumps(gone), *fields]


def fields_of(draft: Draft) -> list[Any]:
    """A message, as the scripts take it."""
    head = head_of(0, draft, draft.created_at)
    compact = {
        "role": head.role,
        "tokens": head.tokens,
        "share": head.share,
        "calls": list(head.calls),
        "answers": head.answers,
    }
    message, short = json.dumps(to_json(draft)), json.dumps(compact)
    return [draft.id, message, short, draft.role, draft.tokens, draft.share]


def head_from(seq: int, data: dict[str, Any], score: str) -> Head:
    """A message without its text."""
    return Head(
        seq,
        data["role"],
        data["tokens"],
        data["share"],
        _from_us(score),
        tuple(data["calls"]),
        data["answers"],
    )


def kept_from(flat: list[str]) -> list[StoredMessage]:
    """Messages out of a reply of places and texts, in order."""
    pairs = zip(flat[::2], flat[1::2], strict=True)
    kept = [
        StoredMessage(int(seq), from_json(json.loads(text)), clock.now()) for seq, text in pairs
    ]
    return sorted(kept, key=lambda each: each.seq)


def totals_from(found: Any) -> Totals:
    """The totals out of their hash."""
    data = found if isinstance(found, dict) else dict(zip(found[::2], found[1::2], strict=True))

    def by(prefix: str) -> dict[str, int]:
        counts = {
            name.removeprefix(prefix): int(n) for name, n in data.items() if name.startswith(prefix)
        }
        return {name: n for name, n in counts.items() if n}

    return Totals(
        conversation_id=data["id"],
        version=int(data["version"]),
        message_count=int(data["count"]),
        token_count=int(data["tokens"]),
        roles=by("role:"),
        shares=by("share:"),
        created_at=_from_us(data["created_us"]),
        updated_at=_from_us(data.get("updated_us", data["created_us"])),
        expires_at=_from_us(data["expires_us"]) if "expires_us" in data else None,
        pending_job=data.get("pending_job"),
        last_flush=flush_from_json(json.loads(data["last_flush"]))
        if "last_flush" in data
        else None,
        last_error=error_from_json(json.loads(data["last_error"]))
        if "last_error" in data
        else None,
    )


def now_us() -> int:
    """Now, in microseconds."""
    return int(clock.now().timestamp() * 1_000_000)


def texts(found: list[Any]) -> list[str]:
    """Members of a set."""
    return [str(each) for each in found]


def _from_us(text: Any) -> datetime:
    return datetime.fromtimestamp(float(text) / 1_000_000, UTC)


def ttl_ms(terms: Terms) -> str:
    """How long an instance lives on; '' is for ever."""
    return "" if terms.ttl_s is None else str(max(1, int(terms.ttl_s * 1000)))
