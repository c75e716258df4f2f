"""The protocol of a message log. Three implement it: in Postgres, in Redis, and in this process.

`tests/conversations/logs/test_protocol.py` states the contract once and runs it on all three.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, Protocol

from holdfast.conversations.budget import Budget
from holdfast.conversations.model import (
    LOCK_WAIT_S,
    Appended,
    Draft,
    Instance,
    InstanceRow,
    LastError,
    Lease,
    MessageHead,
    Removal,
    Span,
    StoredMessage,
    Totals,
    Window,
)
from holdfast.kernel.caller import Caller
from holdfast.kernel.pages import Cursor, Page

Replacing = Literal["written", "cleared", "restored"]


class Overtaken(Exception):
    """The lock ended before its holder was done, or the list changed meanwhile: nothing was written."""


@dataclass(frozen=True, slots=True)
class Terms:
    """Options of a write: the instance's time to live, and how long the lock is held and waited for."""

    ttl_s: float | None = None
    lock_ttl_s: float = 30.0
    lock_wait_s: float = LOCK_WAIT_S
    buffer: Budget | None = None  # drop the oldest on append, to be within these limits

    def lives_until(self, now: datetime) -> datetime | None:
        """When an instance that is written to now expires; None: never."""
        return None if self.ttl_s is None else now + timedelta(seconds=self.ttl_s)


class MessageLog(Protocol):
    """Message lists of any number of orgs. An expired instance is absent.

    An instance that is in another workspace than `Instance.within` is absent for every read; a write to it raises NotFound,
    since its key is taken. Every change writes a revision and stores what it flushed in Postgres: in the same transaction
    where the messages are there too; otherwise before messages are removed, and after messages are added.
    """

    durable: bool
    in_the_database: bool  # a change joins the transaction that is open, and is rolled back with it

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
        """Replace all messages by these; the messages before, and the totals after."""
        ...

    async def pop(
        self, caller: Caller, instance: Instance, terms: Terms
    ) -> tuple[StoredMessage | None, int]:
        """Remove the newest message; the message, and how many are left."""
        ...

    async def delete(self, caller: Caller, instance: Instance) -> bool:
        """Delete the instance; whether there was one."""
        ...

    async def read(
        self, caller: Caller, instance: Instance, span: Span, *, note_access: bool = True
    ) -> Window:
        """The messages of a span. The read counts as an access of them, unless `note_access` is false."""
        ...

    async def totals(self, caller: Caller, instance: Instance) -> Totals | None:
        """The running totals; None when there is no such instance."""
        ...

    async def heads(self, caller: Caller, instance: Instance) -> list[MessageHead]:
        """Every message without its text, in order, with the time of its last access."""
        ...

    async def fetch(
        self, caller: Caller, instance: Instance, seqs: Sequence[int]
    ) -> list[StoredMessage]:
        """The messages at these places that are still there, in order."""
        ...

    async def lock(self, caller: Caller, instance: Instance, ttl_s: float) -> Lease | None:
        """Try to take the lock of a flush; None while another holds it, or when there is no instance."""
        ...

    async def release(self, caller: Caller, instance: Instance, lease: Lease) -> None:
        """Release the lock, unless another holds it by now."""
        ...

    async def remove(
        self, caller: Caller, instance: Instance, lease: Lease, removal: Removal
    ) -> Totals:
        """Carry out a flush; Overtaken when the lock ended or a message to be removed is gone."""
        ...

    async def note_pending(self, caller: Caller, instance: Instance, job_id: str | None) -> None:
        """Store which job will flush the instance; None: no job will."""
        ...

    async def note_error(self, caller: Caller, instance: Instance, error: LastError) -> None:
        """Store an error, which stands until a flush succeeds."""
        ...

    async def instances(
        self, caller: Caller, resource_id: str, owner: Instance | None, cursor: Cursor
    ) -> Page[InstanceRow]:
        """The instances of a resource, newest first: those with the owner (and within the workspace) of `owner`, whatever
        its key; None for those of every owner."""
        ...

    async def delete_all(self, caller: Caller, resource_id: str) -> None:
        """Delete every instance of a resource, each with a revision."""
        ...
