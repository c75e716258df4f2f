"""Message lists in Postgres, the default: every change, its totals and its revision in one transaction.

The instance's row is the lock of a short change: one transaction at a time holds it, and Postgres ends a holder that does
nothing for longer than the lock's TTL. A flush, which may call a model between two transactions, holds a lease row instead.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from psycopg.types.json import Jsonb

from holdfast.conversations import history, model
from holdfast.conversations.logs import postgres_changes as changes
from holdfast.conversations.logs.postgres_rows import InstanceListRow, MessageRow, Row, params_of
from holdfast.conversations.logs.postgres_transactions import Transactions
from holdfast.conversations.logs.protocol import Overtaken, Replacing, Terms
from holdfast.conversations.logs.reads import ReadNotes
from holdfast.conversations.logs.values import (
    append_of,
    error_to_json,
    flush_to_json,
    new_ones,
    window_of,
    with_reads,
)
from holdfast.kernel.breaker import Breaker
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.pages import Cursor, Page, read_page
from holdfast.kernel.sql import Query, load

queries = load(__file__)

# How many instances are deleted in one round when a resource is deleted.
DELETE_BATCH = 100


class PostgresLog:
    """See `MessageLog`."""

    durable = True
    in_the_database = True

    def __init__(self, db: Database, breaker: Breaker, reads: ReadNotes) -> None:
        self._db = db
        self._tx = Transactions(db, breaker)
        self._reads = reads

    async def append(
        self, caller: Caller, instance: model.Instance, drafts: Sequence[model.Draft], terms: Terms
    ) -> model.Appended:
        ids = [draft.id for draft in drafts]
        async with self._tx.locked(
            caller, terms, lambda tx: changes.open_row(tx, caller, instance, ids)
        ) as (tx, (row, known)):
            fresh = new_ones(drafts, known)
            removed = await changes.make_room(tx, instance, row, fresh, terms)
            changed = replace(row.with_messages(fresh, removed), next_seq=row.next_seq + len(fresh))
            changed = changes.lives_on(changed, terms, tx)
            await changes.add(tx, row, row.next_seq, fresh, without=removed)
            await changes.save(tx, changed)
            change, appended = append_of(changed.totals, drafts, fresh, removed)
            await history.record(tx, instance, change)
        return appended

    async def replace(
        self,
        caller: Caller,
        instance: model.Instance,
        drafts: Sequence[model.Draft],
        terms: Terms,
        action: Replacing,
    ) -> tuple[list[model.StoredMessage], model.Totals]:
        async with self._tx.locked(
            caller, terms, lambda tx: changes.open_row(tx, caller, instance, [])
        ) as (tx, (row, _)):
            before = await changes.remove(tx, row, None)
            fresh = new_ones(drafts, ())
            changed = replace(row.with_messages(fresh, before), next_seq=row.next_seq + len(fresh))
            changed = changes.lives_on(changed, terms, tx)
            ids = None if action == "cleared" else [draft.id for draft in fresh]
            await tx.run(queries.forget_flushed, conversation_id=row.id, ids=ids)
            await changes.add(tx, row, row.next_seq, fresh)
            await tx.run(queries.forget_reads, conversation_id=row.id)
            await changes.save(tx, changed)
            change = model.Change(action, changed.totals, removed=before, added=fresh)
            await history.record(tx, instance, change)
        return before, changed.totals

    async def pop(
        self, caller: Caller, instance: model.Instance, terms: Terms
    ) -> tuple[model.StoredMessage | None, int]:
        async with self._tx.locked(caller, terms, lambda tx: changes.lock_row(tx, instance)) as (
            tx,
            row,
        ):
            newest = await tx.one(
                MessageRow, queries.read_newest_messages, limit=1, **params_of(instance)
            )
            if row is None or newest is None or newest.seq is None:
                return None, 0
            [taken] = await changes.remove(tx, row, [newest.seq])
            changed = row.with_messages((), [taken])
            if taken.seq == row.next_seq - 1:
                changed = replace(changed, next_seq=taken.seq)  # its place can be taken again
            changed = changes.lives_on(changed, terms, tx)
            await changes.save(tx, changed)
            await history.record(
                tx, instance, model.Change("popped", changed.totals, removed=[taken])
            )
        return taken, changed.message_count

    async def delete(self, caller: Caller, instance: model.Instance) -> bool:
        async with self._tx.locked(caller, Terms(), lambda tx: changes.lock_row(tx, instance)) as (
            tx,
            row,
        ):
            if row is None:
                return False
            await changes.delete_row(tx, instance, row)
        return True

    async def read(
        self,
        caller: Caller,
        instance: model.Instance,
        span: model.Span,
        *,
        note_access: bool = True,
    ) -> model.Window:
        rows = await self._read_rows(caller, *_messages_of(instance, span))
        if not rows or rows[0].conversation_id is None:
            return model.Window([], 0, False, None)
        messages = [row.stored for row in rows if row.seq is not None]
        if note_access and messages:
            self._reads.note(caller, rows[0].conversation_id, messages[0].seq, messages[-1].seq)
        return window_of(messages, rows[0].message_count or 0, span, rows[0].conversation_id)

    async def _read_rows(
        self, caller: Caller, query: Query, params: dict[str, Any]
    ) -> list[MessageRow]:
        """One statement: beside those of others (`Database.together`) it takes no round trip of its own."""
        if self._db.gathers:
            async with self._tx.breaker.guard():
                return await self._db.all(caller, MessageRow, query, **params)
        async with self._tx.reading(caller) as tx:
            return await tx.all(MessageRow, query, **params)

    async def totals(self, caller: Caller, instance: model.Instance) -> model.Totals | None:
        async with self._tx.reading(caller) as tx:
            row = await tx.one(Row, queries.read_conversation, **params_of(instance))
        return None if row is None else row.totals

    async def heads(self, caller: Caller, instance: model.Instance) -> list[model.MessageHead]:
        async with self._tx.reading(caller) as tx:
            row = await tx.one(Row, queries.read_conversation, **params_of(instance))
            heads = await changes.read_heads(tx, instance)
        return [] if row is None else with_reads(heads, self._reads.of(caller, row.id))

    async def fetch(
        self, caller: Caller, instance: model.Instance, seqs: Sequence[int]
    ) -> list[model.StoredMessage]:
        async with self._tx.reading(caller) as tx:
            rows = await tx.all(
                MessageRow, queries.read_messages_at, seqs=list(seqs), **params_of(instance)
            )
        return [row.stored for row in rows]

    async def lock(
        self, caller: Caller, instance: model.Instance, ttl_s: float
    ) -> model.Lease | None:
        async with self._tx.writing(caller) as tx:
            return await tx.one(model.Lease, queries.take_lease, ttl_s=ttl_s, **params_of(instance))

    async def release(self, caller: Caller, instance: model.Instance, lease: model.Lease) -> None:
        async with self._tx.writing(caller) as tx:
            await tx.run(queries.end_lease, token=lease.token, **params_of(instance))

    async def remove(
        self, caller: Caller, instance: model.Instance, lease: model.Lease, removal: model.Removal
    ) -> model.Totals:
        async with self._tx.locked(caller, Terms(), lambda tx: changes.lock_row(tx, instance)) as (
            tx,
            row,
        ):
            if row is None or not await tx.one(
                int, queries.check_lease, conversation_id=row.id, token=lease.token
            ):
                raise Overtaken
            removed = await changes.remove(tx, row, removal.seqs)
            if len(removed) != len(removal.seqs):
                raise Overtaken
            added = [] if removal.summary is None else [removal.summary]
            changed = row.with_messages(added, removed)
            for summary in added:
                await changes.add_summary(tx, row, summary)
            flush = replace(
                removal.flush, message_count=changed.message_count, token_count=changed.token_count
            )
            changed = replace(
                changed, last_flush=flush_to_json(flush), last_error=None, pending_job=None
            )
            await changes.save(tx, changed)
            ids = [stored.draft.id for stored in removed]
            await tx.run(queries.remember_flushed, conversation_id=row.id, ids=ids)
            await tx.run(queries.forget_reads, conversation_id=row.id)
            change = model.Change("flushed", changed.totals, removal.state, removed, added)
            await history.record(tx, instance, change)
        return changed.totals

    async def note_pending(
        self, caller: Caller, instance: model.Instance, job_id: str | None
    ) -> None:
        async with self._tx.writing(caller) as tx:
            await tx.run(queries.note_pending, job_id=job_id, **params_of(instance))

    async def note_error(
        self, caller: Caller, instance: model.Instance, error: model.LastError
    ) -> None:
        async with self._tx.writing(caller) as tx:
            await tx.run(
                queries.note_error, error=Jsonb(error_to_json(error)), **params_of(instance)
            )

    async def instances(
        self, caller: Caller, resource_id: str, owner: model.Instance | None, cursor: Cursor
    ) -> Page[model.InstanceRow]:
        async with self._tx.reading(caller) as tx:
            return await read_page(
                tx,
                model.InstanceRow,
                queries.list_conversations,
                cursor,
                resource_id=resource_id,
                audience=None if owner is None else owner.audience,
                within=None if owner is None else owner.within,
            )

    async def delete_all(self, caller: Caller, resource_id: str) -> None:
        # Not under the breaker: there may be more than fits its timeout, and it is all or nothing.
        async with self._db.begin(caller) as tx:
            while rows := await tx.all(
                InstanceListRow,
                queries.lock_conversations_of,
                resource_id=resource_id,
                limit=DELETE_BATCH,
            ):
                for row in rows:
                    await changes.delete_row(tx, row.instance, row)


def _messages_of(instance: model.Instance, span: model.Span) -> tuple[Query, dict[str, Any]]:
    query = queries.read_newest_messages if span.tail else queries.read_messages
    return query, {**params_of(instance), "limit": span.limit, "offset": span.offset}
