"""Message lists in Postgres, the default: every change, its totals and its revision in one transaction.

The instance's row is the lock of a short change: Postgres lets one transaction at a time have it, and ends a holder that
stands still for longer than the lock's time. A flush, which thinks between two transactions, holds a lease row instead.
"""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, TypeVar

import psycopg
from psycopg.types.json import Jsonb

from holdfast.conversations import history
from holdfast.conversations.flush.plan import plan_trim
from holdfast.conversations.logs.postgres_rows import (
    HeadRow,
    InstanceListRow,
    MessageRow,
    Row,
    vars_of,
)
from holdfast.conversations.logs.protocol import (
    Overtaken,
    Replacing,
    Terms,
    error_to_json,
    flush_to_json,
    head_of,
    new_ones,
    stored_to_json,
    window_of,
)
from holdfast.conversations.model import (
    Appended,
    Change,
    Draft,
    Head,
    Instance,
    InstanceRow,
    LastError,
    Lease,
    Removal,
    Span,
    StoredMessage,
    Totals,
    Window,
)
from holdfast.kernel.breaker import Breaker
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import LockTimeout
from holdfast.kernel.ids import new_id
from holdfast.kernel.pages import Cursor, Page, read_page
from holdfast.kernel.sql import Query, load

queries = load(__file__)

T = TypeVar("T")

# Of the breaker's time: a turn of waiting for a row; a statement, which the server then ends; a call, which then is broken
# off. Each leaves the next a moment to tell what happened.
A_TURN, A_STATEMENT, A_CALL = 0.5, 0.9, 0.95
# How many instances are looked at together when all of a resource go.
A_BATCH = 100


class _Held(Exception):
    """Somebody else has the row."""


class PostgresLog:
    """See `MessageLog`."""

    durable = True
    in_the_database = True

    def __init__(self, db: Database, breaker: Breaker) -> None:
        self._db = db
        self._breaker = breaker

    async def append(
        self, caller: Caller, instance: Instance, drafts: Sequence[Draft], terms: Terms
    ) -> Appended:
        ids = [draft.id for draft in drafts]
        async with self._locked(caller, terms, lambda tx: self._open(tx, instance, ids)) as held:
            tx, (row, known) = held
            fresh = new_ones(drafts, known)
            removed = await self._make_room(tx, instance, row, fresh, terms)
            staying = [d for d in fresh if d.id not in {kept.draft.id for kept in removed}]
            changed = row.with_messages(fresh, removed)
            if fresh:
                await self._add(tx, row.id, row.next_seq, staying, fresh)
                changed = replace(changed, next_seq=row.next_seq + len(fresh))
            changed = replace(changed, expires_at=terms.lives_until(tx.now))
            await self._save(tx, changed)
            told = {"message_ids": [draft.id for draft in fresh]}
            await history.record(
                tx, instance, Change("appended", changed.totals, told, removed, staying)
            )
        return Appended(len(fresh), len(drafts) - len(fresh), changed.totals, len(removed))

    async def replace(
        self,
        caller: Caller,
        instance: Instance,
        drafts: Sequence[Draft],
        terms: Terms,
        action: Replacing,
    ) -> tuple[list[StoredMessage], Totals]:
        async with self._locked(caller, terms, lambda tx: self._open(tx, instance, [])) as held:
            tx, (row, _) = held
            rows = await tx.all(MessageRow, queries.remove_all_messages, conversation_id=row.id)
            before = sorted((each.kept for each in rows), key=lambda kept: kept.seq)
            fresh = new_ones(drafts, ())
            changed = row.with_messages(fresh, before)
            await tx.run(queries.forget_flushed, conversation_id=row.id)
            await self._add(tx, row.id, row.next_seq, fresh, fresh)
            changed = replace(changed, next_seq=row.next_seq + len(fresh))
            changed = replace(changed, expires_at=terms.lives_until(tx.now))
            await self._save(tx, changed)
            change = Change(action, changed.totals, removed=before, added=fresh)
            await history.record(tx, instance, change)
        return before, changed.totals

    async def pop(
        self, caller: Caller, instance: Instance, terms: Terms
    ) -> tuple[StoredMessage | None, int]:
        async with self._locked(caller, terms, lambda tx: self._find(tx, instance)) as (tx, row):
            newest = await tx.one(
                MessageRow, queries.read_newest_messages, limit=1, **vars_of(instance)
            )
            if row is None or newest is None:
                return None, 0
            taken = newest.kept
            await tx.run(queries.remove_messages, conversation_id=row.id, seqs=[taken.seq])
            changed = row.with_messages((), [taken])
            if taken.seq == row.next_seq - 1:
                changed = replace(changed, next_seq=taken.seq)  # its place can be taken again
            changed = replace(changed, expires_at=terms.lives_until(tx.now))
            await self._save(tx, changed)
            await history.record(tx, instance, Change("popped", changed.totals, removed=[taken]))
        return taken, changed.message_count

    async def delete(self, caller: Caller, instance: Instance) -> bool:
        async with self._locked(caller, Terms(), lambda tx: self._find(tx, instance)) as (tx, row):
            if row is None:
                return False
            await self._delete(tx, instance, row)
        return True

    async def read(
        self, caller: Caller, instance: Instance, span: Span, *, note_access: bool
    ) -> Window:
        async with self._reading(caller) as tx:
            of_row = await tx.send(Row, queries.read_conversation, vars_of(instance))
            of_messages = await tx.send(MessageRow, *_messages_of(instance, span))
        row, messages = await of_row.fetchone(), await of_messages.fetchall()
        if note_access and row is not None and messages:
            async with self._writing(caller) as tx:
                seqs = [each.seq for each in messages]
                await tx.run(queries.note_access, conversation_id=row.id, seqs=seqs)
        return window_of_rows(row, messages, span)

    async def totals(self, caller: Caller, instance: Instance) -> Totals | None:
        async with self._reading(caller) as tx:
            row = await tx.one(Row, queries.read_conversation, **vars_of(instance))
        return None if row is None else row.totals

    async def heads(self, caller: Caller, instance: Instance) -> list[Head]:
        async with self._reading(caller) as tx:
            return await self._heads(tx, instance)

    async def fetch(
        self, caller: Caller, instance: Instance, seqs: Sequence[int]
    ) -> list[StoredMessage]:
        totals = await self.totals(caller, instance)
        if totals is None:
            return []
        async with self._reading(caller) as tx:
            rows = await tx.all(
                MessageRow,
                queries.read_messages_at,
                conversation_id=totals.conversation_id,
                seqs=list(seqs),
            )
        return [row.kept for row in rows]

    async def lock(self, caller: Caller, instance: Instance, ttl_s: float) -> Lease | None:
        async with self._writing(caller) as tx:
            return await tx.one(Lease, queries.take_lease, ttl_s=ttl_s, **vars_of(instance))

    async def release(self, caller: Caller, instance: Instance, lease: Lease) -> None:
        async with self._writing(caller) as tx:
            await tx.run(queries.end_lease, token=lease.token, **vars_of(instance))

    async def remove(
        self, caller: Caller, instance: Instance, lease: Lease, removal: Removal
    ) -> Totals:
        async with self._locked(caller, Terms(), lambda tx: self._find(tx, instance)) as (tx, row):
            if row is None or not await tx.one(
                int, queries.check_lease, conversation_id=row.id, token=lease.token
            ):
                raise Overtaken
            rows = await tx.all(
                MessageRow,
                queries.remove_messages,
                conversation_id=row.id,
                seqs=list(removal.seqs),
            )
            if len(rows) != len(removal.seqs):
                raise Overtaken
            removed = sorted((each.kept for each in rows), key=lambda kept: kept.seq)
            added = [] if removal.summary is None else [removal.summary]
            changed = row.with_messages(added, removed)
            if added:
                first = await tx.one(int, queries.first_place, conversation_id=row.id)
                place = (row.next_seq if first is None else first) - 1
                await self._add(tx, row.id, place, added, added)
            flush = replace(
                removal.flush, message_count=changed.message_count, token_count=changed.token_count
            )
            changed = replace(
                changed, last_flush=flush_to_json(flush), last_error=None, pending_job=None
            )
            await self._save(tx, changed)
            ids = [kept.draft.id for kept in removed]
            await tx.run(queries.remember_flushed, conversation_id=row.id, ids=ids)
            told = {"strategy": flush.strategy, "removed": len(removed)}
            await history.record(
                tx, instance, Change("flushed", changed.totals, told, removed, added)
            )
        return changed.totals

    async def note_pending(self, caller: Caller, instance: Instance, job_id: str | None) -> None:
        async with self._writing(caller) as tx:
            await tx.run(queries.note_pending, job_id=job_id, **vars_of(instance))

    async def note_error(self, caller: Caller, instance: Instance, error: LastError) -> None:
        async with self._writing(caller) as tx:
            await tx.run(queries.note_error, error=Jsonb(error_to_json(error)), **vars_of(instance))

    async def instances(
        self, caller: Caller, resource_id: str, cursor: Cursor
    ) -> Page[InstanceRow]:
        async with self._reading(caller) as tx:
            return await read_page(
                tx, InstanceRow, queries.list_conversations, cursor, resource_id=resource_id
            )

    async def delete_all(self, caller: Caller, resource_id: str) -> None:
        # Not under the breaker: there may be more than its time is enough for, and it is all or nothing.
        async with self._db.begin(caller) as tx:
            while rows := await tx.all(
                InstanceListRow,
                queries.lock_conversations_of,
                resource_id=resource_id,
                limit=A_BATCH,
            ):
                for row in rows:
                    await self._delete(tx, Instance(resource_id, row.key), row)

    # --- inside a transaction ----------------------------------------------------------------------------------------

    @asynccontextmanager
    async def _locked(
        self, caller: Caller, terms: Terms, take: Callable[[Tx], Awaitable[T]]
    ) -> AsyncIterator[tuple[Tx, T]]:
        """A transaction that holds the instance's row, which `take` gets: waited for, and held, for so long at most.

        It is waited for in turns, each well within the breaker's time, so that a row which others hold (LockTimeout) is
        told from a database that does not answer (MEM-003).
        """
        deadline, holds = time.monotonic() + terms.lock_wait_s, False
        limit_s = self._breaker.timeout_s
        while True:
            left_s = max(0.001, deadline - time.monotonic())
            turn_s = left_s if limit_s is None else min(left_s, limit_s * A_TURN)
            try:
                async with self._writing(caller) as tx:
                    await tx.run(
                        queries.bound_the_lock,
                        wait_ms=_ms(turn_s),
                        statement_ms="0" if limit_s is None else _ms(limit_s * A_STATEMENT),
                        ttl_ms=_ms(terms.lock_ttl_s),
                    )
                    taken = await take(tx)
                    holds = True
                    yield tx, taken
                return
            except _Held:
                if holds or time.monotonic() >= deadline:
                    raise LockTimeout(
                        f"others held this conversation for {terms.lock_wait_s:g} s; try again"
                    ) from None

    @asynccontextmanager
    async def _reading(self, caller: Caller) -> AsyncIterator[Tx]:
        async with self._breaker.guard(), self._db.read(caller, within_s=self._within_s) as tx:
            yield tx

    @asynccontextmanager
    async def _writing(self, caller: Caller) -> AsyncIterator[Tx]:
        async with self._breaker.guard(), self._db.begin(caller, within_s=self._within_s) as tx:
            try:
                yield tx
            except psycopg.errors.LockNotAvailable as error:
                raise _Held from error

    @property
    def _within_s(self) -> float | None:
        limit_s = self._breaker.timeout_s
        return None if limit_s is None else limit_s * A_CALL

    async def _open(self, tx: Tx, instance: Instance, ids: list[str]) -> tuple[Row, list[str]]:
        """The row, locked and made where there is none, and which of the ids are known to it."""
        of_row = await tx.send(
            Row, queries.open_conversation, {**vars_of(instance), "id": new_id("conv")}
        )
        of_known = await tx.send(str, queries.known_ids, {**vars_of(instance), "ids": ids})
        row, known = await of_row.fetchone(), await of_known.fetchall()
        if row is not None and row.is_over(tx.now):
            await self._delete(tx, instance, row)
            row, known = (
                await tx.one(
                    Row, queries.open_conversation, id=new_id("conv"), **vars_of(instance)
                ),
                [],
            )
        if row is None:
            raise RuntimeError("the conversation was not returned")
        return row, known

    async def _delete(self, tx: Tx, instance: Instance, row: Row) -> None:
        """Remove an instance whose row is held; what was past its time is not kept in the history."""
        rows = await tx.all(MessageRow, queries.remove_all_messages, conversation_id=row.id)
        before = sorted((each.kept for each in rows), key=lambda kept: kept.seq)
        await tx.run(queries.delete_conversation, conversation_id=row.id)
        after = row.one_later.totals
        if row.is_over(tx.now):
            await history.record(tx, instance, Change("expired", after))
        else:
            await history.record(tx, instance, Change("deleted", after, removed=before))

    async def _find(self, tx: Tx, instance: Instance) -> Row | None:
        return await tx.one(Row, queries.lock_conversation, **vars_of(instance))

    async def _heads(self, tx: Tx, instance: Instance) -> list[Head]:
        rows = await tx.all(HeadRow, queries.read_heads, **vars_of(instance))
        return [row.head for row in rows]

    async def _make_room(
        self, tx: Tx, instance: Instance, row: Row, fresh: Sequence[Draft], terms: Terms
    ) -> list[StoredMessage]:
        """What a buffer drops so that the fresh messages fit."""
        after = row.with_messages(fresh)
        if terms.buffer is None or not terms.buffer.is_over(after.message_count, after.token_count):
            return []
        numbered = list(enumerate(fresh, row.next_seq))
        heads = await self._heads(tx, instance)
        heads += [head_of(seq, draft, tx.now) for seq, draft in numbered]
        gone = set(plan_trim(heads, terms.buffer))
        rows = await tx.all(
            MessageRow, queries.remove_messages, conversation_id=row.id, seqs=sorted(gone)
        )
        dropped = [each.kept for each in rows]
        dropped += [StoredMessage(seq, draft, tx.now) for seq, draft in numbered if seq in gone]
        await tx.run(
            queries.remember_flushed,
            conversation_id=row.id,
            ids=[kept.draft.id for kept in dropped],
        )
        return sorted(dropped, key=lambda kept: kept.seq)

    async def _add(
        self,
        tx: Tx,
        conversation_id: str,
        first: int,
        staying: Sequence[Draft],
        all_: Sequence[Draft],
    ) -> None:
        """Insert the staying ones of all, each at its place from `first` on."""
        stays = {draft.id for draft in staying}
        rows = [
            stored_to_json(StoredMessage(seq, draft, tx.now))
            for seq, draft in enumerate(all_, first)
            if draft.id in stays
        ]
        if rows:
            await tx.run(
                queries.add_messages, conversation_id=conversation_id, messages=Jsonb(rows)
            )

    async def _save(self, tx: Tx, row: Row) -> None:
        """Write the totals."""
        await tx.run(
            queries.change_totals,
            conversation_id=row.id,
            version=row.version,
            message_count=row.message_count,
            token_count=row.token_count,
            roles=Jsonb(row.roles),
            shares=Jsonb(row.shares),
            next_seq=row.next_seq,
            expires_at=row.expires_at,
            pending_job=row.pending_job,
            last_flush=None if row.last_flush is None else Jsonb(row.last_flush),
            last_error=None if row.last_error is None else Jsonb(row.last_error),
        )


def _ms(seconds: float) -> str:
    return str(max(1, int(seconds * 1000)))


def read_ahead(
    db: Database, caller: Caller, instance: Instance, span: Span
) -> tuple[Awaitable[Row | None], Awaitable[list[MessageRow]]]:
    """What `PostgresLog.read` asks, for who asks something else with it (`Database.together`)."""
    query, params = _messages_of(instance, span)
    return (
        db.one(caller, Row, queries.read_conversation, **vars_of(instance)),
        db.all(caller, MessageRow, query, **params),
    )


def window_of_rows(row: Row | None, rows: Sequence[MessageRow], span: Span) -> Window:
    """What was read, as every log tells it."""
    if row is None:
        return Window([], 0, False, None)
    messages = [each.kept for each in (reversed(rows) if span.tail else rows)]
    return window_of(messages, row.message_count, span, row.id)


def _messages_of(instance: Instance, span: Span) -> tuple[Query, dict[str, Any]]:
    query = queries.read_newest_messages if span.tail else queries.read_messages
    return query, {**vars_of(instance), "limit": span.limit, "offset": span.offset}
