"""The protocol a message log is kept behind. Three keep it: in Postgres, in Redis, and in this process.

`tests/conversations/logs/test_protocol.py` states the contract once and runs it on all three.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, Protocol

from holdfast.conversations.budget import Budget
from holdfast.conversations.model import (
    LOCK_WAIT_S,
    Appended,
    Draft,
    Head,
    Instance,
    InstanceRow,
    LastError,
    LastFlush,
    Lease,
    Removal,
    Span,
    StoredMessage,
    Totals,
    Window,
)
from holdfast.kernel.caller import Caller
from holdfast.kernel.clock import rfc3339
from holdfast.kernel.pages import Cursor, Page

Replacing = Literal["written", "cleared", "restored"]


class Overtaken(Exception):
    """The lock ended before its holder was done, or the list changed under it: nothing was written."""


@dataclass(frozen=True, slots=True)
class Terms:
    """On which terms an operation runs: how long the instance lives on, and how long a lock is held and waited for."""

    ttl_s: float | None = None
    lock_ttl_s: float = 30.0
    lock_wait_s: float = LOCK_WAIT_S
    buffer: Budget | None = None  # drop the oldest on append, to be within these limits

    def lives_until(self, now: datetime) -> datetime | None:
        """Until when an instance that is written to now lives on; None: for ever."""
        return None if self.ttl_s is None else now + timedelta(seconds=self.ttl_s)


class MessageLog(Protocol):
    """Message lists of any number of orgs. An instance whose time is over is absent.

    Every change writes a revision: with it in Postgres; beside it (before anything is removed, after anything is added)
    where the messages are kept elsewhere.
    """

    durable: bool
    in_the_database: bool  # a change joins the transaction that is open, and is taken back with it

    async def append(
        self, caller: Caller, instance: Instance, drafts: Sequence[Draft], terms: Terms
    ) -> Appended:
        """Add messages at the end, all or none; an id that was there before is ignored."""
        ...

    async def replace(
        self,
        caller: Caller,
        instance: Instance,
        drafts: Sequence[Draft],
        terms: Terms,
        action: Replacing,
    ) -> tuple[list[StoredMessage], Totals]:
        """Put these messages in the place of all; what was there before, and the totals."""
        ...

    async def pop(
        self, caller: Caller, instance: Instance, terms: Terms
    ) -> tuple[StoredMessage | None, int]:
        """Take the newest message off; it, and how many are left."""
        ...

    async def delete(self, caller: Caller, instance: Instance) -> bool:
        """Remove the instance; whether there was one."""
        ...

    async def read(
        self, caller: Caller, instance: Instance, span: Span, *, note_access: bool
    ) -> Window:
        """The messages of a span; where asked, the look is remembered."""
        ...

    async def totals(self, caller: Caller, instance: Instance) -> Totals | None:
        """The running totals; None when there is no such instance."""
        ...

    async def heads(self, caller: Caller, instance: Instance) -> list[Head]:
        """Every message without its text, in order."""
        ...

    async def fetch(
        self, caller: Caller, instance: Instance, seqs: Sequence[int]
    ) -> list[StoredMessage]:
        """The messages at these places that are still there, in order."""
        ...

    async def lock(self, caller: Caller, instance: Instance, ttl_s: float) -> Lease | None:
        """Try to get the lock of a flush; None while somebody else has it, or there is no instance."""
        ...

    async def release(self, caller: Caller, instance: Instance, lease: Lease) -> None:
        """Give the lock back, unless it is somebody else's by now."""
        ...

    async def remove(
        self, caller: Caller, instance: Instance, lease: Lease, removal: Removal
    ) -> Totals:
        """Do what a flush decided, if the lock still holds and all of it is still there; Overtaken otherwise."""
        ...

    async def note_pending(self, caller: Caller, instance: Instance, job_id: str | None) -> None:
        """Remember which job will flush it; None: none will."""
        ...

    async def note_error(self, caller: Caller, instance: Instance, error: LastError) -> None:
        """Remember what went wrong, until a flush succeeds."""
        ...

    async def instances(
        self, caller: Caller, resource_id: str, cursor: Cursor
    ) -> Page[InstanceRow]:
        """The instances of a resource, newest first."""
        ...

    async def delete_all(self, caller: Caller, resource_id: str) -> None:
        """Remove every instance of a resource, each with a revision of its own."""
        ...


# --- what all of them reckon alike -----------------------------------------------------------------------------------


def head_of(seq: int, draft: Draft, accessed_at: datetime) -> Head:
    """A message without its text."""
    calls = tuple(
        call["id"]
        for call in draft.tool_calls or ()
        if isinstance(call, dict) and isinstance(call.get("id"), str)
    )
    return Head(seq, draft.role, draft.tokens, draft.share, accessed_at, calls, draft.tool_call_id)


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


def row_of(key: str, totals: Totals) -> InstanceRow:
    """An instance in a list."""
    return InstanceRow(
        id=totals.conversation_id,
        key=key,
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
