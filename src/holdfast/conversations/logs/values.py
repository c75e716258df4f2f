"""What the logs compute alike: heads, totals, windows, access times; and messages as JSON."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from holdfast.conversations.model import (
    Appended,
    Change,
    Draft,
    Instance,
    InstanceRow,
    LastError,
    LastFlush,
    MessageHead,
    Span,
    StoredMessage,
    Totals,
    Window,
)
from holdfast.kernel.clock import rfc3339
from holdfast.kernel.errors import NotFound


@dataclass(frozen=True, slots=True)
class ReadRange:
    """A range of places that was read, and when."""

    first_seq: int
    last_seq: int
    read_at: datetime


def with_reads(heads: list[MessageHead], reads: Iterable[ReadRange]) -> list[MessageHead]:
    """The heads (ordered by place), each accessed when it was last read."""
    seqs = [head.seq for head in heads]
    for read in reads:
        for at in range(bisect_left(seqs, read.first_seq), bisect_right(seqs, read.last_seq)):
            if heads[at].accessed_at < read.read_at:
                heads[at] = replace(heads[at], accessed_at=read.read_at)
    return heads


def append_of(
    totals: Totals,
    drafts: Sequence[Draft],
    fresh: Sequence[Draft],
    removed: Sequence[StoredMessage],
) -> tuple[Change, Appended]:
    """An append as its history records it, and as its caller is answered."""
    state = {"message_ids": [draft.id for draft in fresh]}
    change = Change("appended", totals, state, removed, fresh)
    return change, Appended(len(fresh), len(drafts) - len(fresh), totals, len(removed))


def head_of(seq: int, draft: Draft, accessed_at: datetime) -> MessageHead:
    """A message without its text."""
    calls = tuple(
        call["id"]
        for call in draft.tool_calls or ()
        if isinstance(call, dict) and isinstance(call.get("id"), str)
    )
    return MessageHead(
        seq,
        draft.role,
        draft.tokens,
        draft.share,
        accessed_at,
        calls,
        draft.tool_call_id,
        draft.type,
    )


def count_in(
    roles: Mapping[str, int], shares: Mapping[str, int], messages: Iterable[Draft], sign: int = 1
) -> tuple[dict[str, int], dict[str, int]]:
    """Messages by role and tokens by share, with these added, or taken away."""
    roles, shares = dict(roles), dict(shares)
    for each in messages:
        roles[each.role] = roles.get(each.role, 0) + sign
        shares[each.share] = shares.get(each.share, 0) + sign * each.tokens
    return {k: v for k, v in roles.items() if v}, {k: v for k, v in shares.items() if v}


def new_ones(drafts: Sequence[Draft], known: Collection[str]) -> list[Draft]:
    """The drafts whose ids were not there before, nor earlier in the same call."""
    seen: set[str] = set()
    fresh = []
    for draft in drafts:
        if draft.id not in known and draft.id not in seen:
            seen.add(draft.id)
            fresh.append(draft)
    return fresh


def window_of(
    messages: list[StoredMessage], total: int, span: Span, conversation_id: str | None
) -> Window:
    """A window, which has more where the list goes on (or, of the newest, where older ones are)."""
    shown = len(messages) + (0 if span.tail else span.offset)
    return Window(messages, total, shown < total, conversation_id)


def elsewhere() -> NotFound:
    """The error of a write to an instance whose key is taken in another workspace."""
    return NotFound("there is no such conversation in this workspace")


def row_of(instance: Instance, totals: Totals) -> InstanceRow:
    """An instance in a list."""
    return InstanceRow(
        id=totals.conversation_id,
        key=instance.key,
        user_id=instance.user_id,
        agent_id=instance.agent_id,
        message_count=totals.message_count,
        token_count=totals.token_count,
        created_at=totals.created_at,
        updated_at=totals.updated_at,
        expires_at=totals.expires_at,
    )


# --- messages as JSON: in Redis, in revisions, in backups ------------------------------------------------------------


def to_json(draft: Draft) -> dict[str, Any]:
    """A message as JSON; fields that say nothing are left out."""
    data = {name: getattr(draft, name) for name in Draft.__slots__}
    data["created_at"] = rfc3339(draft.created_at)
    return {name: value for name, value in data.items() if value not in (None, {})}


def from_json(data: Mapping[str, Any]) -> Draft:
    """The message that `to_json` made this of."""
    return Draft(**{**data, "created_at": datetime.fromisoformat(data["created_at"])})


def stored_to_json(kept: StoredMessage) -> dict[str, Any]:
    """A message and its place."""
    return {**to_json(kept.draft), "seq": kept.seq}


def stored_from_json(data: Mapping[str, Any], accessed_at: datetime) -> StoredMessage:
    """The message and place that `stored_to_json` made this of."""
    fields = dict(data)
    seq = fields.pop("seq")
    return StoredMessage(seq, from_json(fields), accessed_at)


def flush_to_json(flush: LastFlush | None) -> dict[str, Any] | None:
    """The last flush, to be kept."""
    return None if flush is None else {**asdict(flush), "at": rfc3339(flush.at)}


def flush_from_json(data: Mapping[str, Any] | None) -> LastFlush | None:
    """The last flush, as it was kept."""
    return None if data is None else LastFlush(**{**data, "at": datetime.fromisoformat(data["at"])})


def error_to_json(error: LastError | None) -> dict[str, Any] | None:
    """The last error, to be kept."""
    return None if error is None else {**asdict(error), "at": rfc3339(error.at)}


def error_from_json(data: Mapping[str, Any] | None) -> LastError | None:
    """The last error, as it was kept."""
    return None if data is None else LastError(**{**data, "at": datetime.fromisoformat(data["at"])})
