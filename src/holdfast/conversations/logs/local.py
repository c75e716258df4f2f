"""Message lists in this process, for tests: they end with it. Nothing is awaited inside a change, so each is atomic."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from holdfast.conversations import history
from holdfast.conversations.flush.plan import plan_trim
from holdfast.conversations.logs.protocol import Overtaken, Replacing, Terms
from holdfast.conversations.logs.values import (
    append_of,
    count_in,
    elsewhere,
    head_of,
    new_ones,
    row_of,
    window_of,
)
from holdfast.conversations.model import (
    Appended,
    Change,
    Draft,
    Instance,
    InstanceRow,
    LastError,
    LastFlush,
    Lease,
    MessageHead,
    Removal,
    Span,
    StoredMessage,
    Totals,
    Window,
)
from holdfast.kernel import clock
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.ids import new_id
from holdfast.kernel.pages import Cursor, Page


@dataclass(slots=True)
class _List:
    """One instance."""

    instance: Instance
    id: str
    workspace_id: str
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None = None
    version: int = 0
    next_seq: int = 1
    messages: dict[int, StoredMessage] = field(default_factory=dict)
    order: list[int] = field(default_factory=list)
    tokens: int = 0
    roles: dict[str, int] = field(default_factory=dict)
    shares: dict[str, int] = field(default_factory=dict)
    known_ids: set[str] = field(default_factory=set)
    lease: Lease | None = None
    pending_job: str | None = None
    last_flush: LastFlush | None = None
    last_error: LastError | None = None

    @property
    def in_order(self) -> list[StoredMessage]:
        return [self.messages[seq] for seq in self.order]

    @property
    def totals(self) -> Totals:
        return Totals(
            conversation_id=self.id,
            version=self.version,
            message_count=len(self.order),
            token_count=self.tokens,
            roles=self.roles,
            shares=self.shares,
            workspace_id=self.workspace_id,
            created_at=self.created_at,
            updated_at=self.updated_at,
            expires_at=self.expires_at,
            pending_job=self.pending_job,
            last_flush=self.last_flush,
            last_error=self.last_error,
        )

    def put(self, kept: StoredMessage) -> None:
        """Keep a message at its place: the last, or, a summary, the first."""
        self.messages[kept.seq] = kept
        self.order.insert(
            0 if self.order and kept.seq < self.order[0] else len(self.order), kept.seq
        )
        self.tokens += kept.draft.tokens
        self.roles, self.shares = count_in(self.roles, self.shares, [kept.draft])

    def take(self, seqs: Sequence[int]) -> list[StoredMessage]:
        """Take messages out."""
        taken = [self.messages.pop(seq) for seq in sorted(seqs)]
        self.order = [seq for seq in self.order if seq in self.messages]
        self.tokens -= sum(kept.draft.tokens for kept in taken)
        self.roles, self.shares = count_in(
            self.roles, self.shares, [kept.draft for kept in taken], -1
        )
        return taken

    def changed(self, ttl_s: float | None) -> None:
        now = clock.now()
        self.version += 1
        self.updated_at = max(now, self.updated_at + timedelta(microseconds=1))
        self.expires_at = None if ttl_s is None else now + timedelta(seconds=ttl_s)

    def add(self, drafts: Sequence[Draft]) -> None:
        now = clock.now()
        for draft in drafts:
            self.put(StoredMessage(self.next_seq, draft, now))
            self.known_ids.add(draft.id)
            self.next_seq += 1


_Place = tuple[str, str, str, str]  # org, resource, owner, key


class LocalLog:
    """See `MessageLog`."""

    durable = False
    in_the_database = False
    _tokens = itertools.count(1)

    def __init__(self, db: Database) -> None:
        self._db = db
        self._lists: dict[_Place, _List] = _in_this_process

    async def append(
        self, caller: Caller, instance: Instance, drafts: Sequence[Draft], terms: Terms
    ) -> Appended:
        found = self._open(caller, instance)
        fresh = new_ones(drafts, found.known_ids)
        found.add(fresh)
        removed: list[StoredMessage] = []
        if terms.buffer is not None and terms.buffer.is_over(len(found.order), found.tokens):
            heads = [head_of(kept.seq, kept.draft, kept.accessed_at) for kept in found.in_order]
            removed = found.take(plan_trim(heads, terms.buffer))
        found.changed(terms.ttl_s)
        change, appended = append_of(found.totals, drafts, fresh, removed)
        await history.record_beside(self._db, caller, instance, change)
        return appended

    async def replace(
        self,
        caller: Caller,
        instance: Instance,
        drafts: Sequence[Draft],
        terms: Terms,
        action: Replacing,
    ) -> tuple[list[StoredMessage], Totals]:
        found = self._open(caller, instance)
        before = found.take(found.order)
        found.known_ids.difference_update(stored.draft.id for stored in before)
        if action == "cleared":
            found.known_ids.clear()
        fresh = new_ones(drafts, ())
        found.add(fresh)
        found.changed(terms.ttl_s)
        totals = found.totals
        change = Change(action, totals, removed=before, added=fresh)
        await history.record_beside(self._db, caller, instance, change)
        return before, totals

    async def pop(
        self, caller: Caller, instance: Instance, terms: Terms
    ) -> tuple[StoredMessage | None, int]:
        found = self._find(caller, instance)
        if found is None or not found.messages:
            return None, 0
        [taken] = found.take(found.order[-1:])
        found.known_ids.discard(taken.draft.id)
        found.changed(terms.ttl_s)
        totals = found.totals
        change = Change("popped", totals, removed=[taken])
        await history.record_beside(self._db, caller, instance, change)
        return taken, totals.message_count

    async def delete(self, caller: Caller, instance: Instance) -> bool:
        found = self._find(caller, instance)
        if found is None:
            return False
        del self._lists[_place(caller, instance)]
        found.version += 1
        change = Change("deleted", found.totals, removed=found.in_order)
        await history.record_beside(self._db, caller, instance, change)
        return True

    async def read(
        self, caller: Caller, instance: Instance, span: Span, *, note_access: bool = True
    ) -> Window:
        found = self._find(caller, instance)
        if found is None:
            return Window([], 0, False, None)
        first, end = (-span.limit, None) if span.tail else (span.offset, span.offset + span.limit)
        seqs = found.order[first:end]
        messages = [found.messages[seq] for seq in seqs]
        if note_access:
            now = clock.now()
            for kept in messages:
                found.messages[kept.seq] = replace(kept, accessed_at=now)
        return window_of(messages, len(found.order), span, found.id)

    async def totals(self, caller: Caller, instance: Instance) -> Totals | None:
        found = self._find(caller, instance)
        return None if found is None else found.totals

    async def heads(self, caller: Caller, instance: Instance) -> list[MessageHead]:
        found = self._find(caller, instance)
        kept = [] if found is None else found.in_order
        return [head_of(each.seq, each.draft, each.accessed_at) for each in kept]

    async def fetch(
        self, caller: Caller, instance: Instance, seqs: Sequence[int]
    ) -> list[StoredMessage]:
        found = self._find(caller, instance)
        return [] if found is None else [kept for kept in found.in_order if kept.seq in set(seqs)]

    async def lock(self, caller: Caller, instance: Instance, ttl_s: float) -> Lease | None:
        found = self._find(caller, instance)
        now = clock.now()
        if found is None or (found.lease is not None and found.lease.expires_at > now):
            return None
        found.lease = Lease(next(self._tokens), now + timedelta(seconds=ttl_s))
        return found.lease

    async def release(self, caller: Caller, instance: Instance, lease: Lease) -> None:
        found = self._find(caller, instance)
        if found is not None and found.lease == lease:
            found.lease = None

    async def remove(
        self, caller: Caller, instance: Instance, lease: Lease, removal: Removal
    ) -> Totals:
        found = self._find(caller, instance)
        if (
            found is None
            or found.lease != lease
            or lease.expires_at <= clock.now()
            or not set(removal.seqs) <= found.messages.keys()
        ):
            raise Overtaken
        removed = found.take(removal.seqs)
        if removal.summary is not None:
            place = (found.order[0] if found.order else found.next_seq) - 1
            found.put(StoredMessage(place, removal.summary, clock.now()))
        totals = found.totals
        found.last_flush = replace(
            removal.flush, message_count=totals.message_count, token_count=totals.token_count
        )
        found.last_error = found.pending_job = None
        expires_at = found.expires_at
        found.changed(None)
        found.expires_at = expires_at  # a flush does not refresh the time to live
        totals = found.totals
        added = [] if removal.summary is None else [removal.summary]
        change = Change("flushed", totals, removal.state, removed, added)
        await history.record_beside(self._db, caller, instance, change)
        return totals

    async def note_pending(self, caller: Caller, instance: Instance, job_id: str | None) -> None:
        found = self._find(caller, instance)
        if found is not None:
            found.pending_job = job_id

    async def note_error(self, caller: Caller, instance: Instance, error: LastError) -> None:
        found = self._find(caller, instance)
        if found is not None:
            found.last_error = error

    async def instances(
        self, caller: Caller, resource_id: str, owner: Instance | None, cursor: Cursor
    ) -> Page[InstanceRow]:
        found = [
            each
            for each in self._of(caller, resource_id)
            if self._find(caller, each.instance) is not None
            and (
                owner is None
                or (each.instance.audience == owner.audience and owner.is_within(each.workspace_id))
            )
            and (cursor.after_id is None or each.id < cursor.after_id)
            and (cursor.before_id is None or each.id > cursor.before_id)
        ]
        found.sort(key=lambda each: each.id, reverse=cursor.before_id is None)
        return Page.of(
            [row_of(each.instance, each.totals) for each in found[: cursor.limit + 1]], cursor
        )

    async def delete_all(self, caller: Caller, resource_id: str) -> None:
        for each in self._of(caller, resource_id):
            await self.delete(caller, each.instance)

    def _of(self, caller: Caller, resource_id: str) -> list[_List]:
        return [
            each for place, each in self._lists.items() if place[:2] == (caller.org_id, resource_id)
        ]

    def _find(self, caller: Caller, instance: Instance) -> _List | None:
        """The list, unless it expired or is in another workspace."""
        found = self._lists.get(_place(caller, instance))
        if found is not None and found.expires_at is not None and found.expires_at <= clock.now():
            del self._lists[_place(caller, instance)]
            return None
        return found if found is None or instance.is_within(found.workspace_id) else None

    def _open(self, caller: Caller, instance: Instance) -> _List:
        found = self._find(caller, instance)
        if found is None:
            place = _place(caller, instance)
            if place in self._lists:
                raise elsewhere()
            now = clock.now()
            made_for = replace(instance, within=None)
            found = _List(made_for, new_id("conv"), caller.workspace_id, now, now)
            self._lists[place] = found
        return found


# The API and the worker of one process see the same lists.
_in_this_process: dict[_Place, _List] = {}


def _place(caller: Caller, instance: Instance) -> _Place:
    return caller.org_id, instance.resource_id, instance.audience, instance.key


def forget_expired() -> int:
    """Delete the expired lists of this process; how many."""
    now = clock.now()
    expired = [
        place
        for place, found in _in_this_process.items()
        if found.expires_at is not None and found.expires_at <= now
    ]
    for place in expired:
        del _in_this_process[place]
    return len(expired)


def erase_owner(org_id: str, audience: str) -> int:
    """Delete the lists of an owner that this process keeps, without a revision; how many."""
    theirs = [
        place
        for place, found in _in_this_process.items()
        if place[0] == org_id and found.instance.audience == audience
    ]
    for place in theirs:
        del _in_this_process[place]
    return len(theirs)
