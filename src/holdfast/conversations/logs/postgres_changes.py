"""The parts of a change of a message list in Postgres, inside the transaction that holds its row."""

from collections.abc import Sequence
from dataclasses import replace

from psycopg.types.json import Jsonb

from holdfast.conversations import history
from holdfast.conversations.flush.plan import plan_trim
from holdfast.conversations.logs.postgres_rows import HeadRow, MessageRow, Row, params_of
from holdfast.conversations.logs.protocol import Terms
from holdfast.conversations.logs.values import (
    ReadRange,
    elsewhere,
    head_of,
    stored_to_json,
    with_reads,
)
from holdfast.conversations.model import Change, Draft, Instance, MessageHead, StoredMessage
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Tx
from holdfast.kernel.ids import new_id
from holdfast.kernel.sql import load

queries = load(__file__)


async def open_row(
    tx: Tx, caller: Caller, instance: Instance, ids: list[str]
) -> tuple[Row, list[str]]:
    """The instance's row, locked and made where there is none; and which of the message ids it knows."""
    row_sent = await tx.send(Row, queries.open_conversation, _new(caller, instance))
    known_sent = await tx.send(str, queries.known_ids, {**params_of(instance), "ids": ids})
    row, known = await row_sent.fetchone(), await known_sent.fetchall()
    if row is not None and row.is_over(tx.now):
        await delete_row(tx, instance, row)
        row, known = await tx.one(Row, queries.open_conversation, **_new(caller, instance)), []
    if row is None:
        raise elsewhere()
    return row, known


async def lock_row(tx: Tx, instance: Instance) -> Row | None:
    """The instance's row, locked; None where there is none."""
    return await tx.one(Row, queries.lock_conversation, **params_of(instance))


async def delete_row(tx: Tx, instance: Instance, row: Row) -> None:
    """Delete an instance whose row is locked. The messages of an expired one are not kept in the history."""
    before = await remove(tx, row, None)
    await tx.run(queries.delete_conversation, conversation_id=row.id)
    after = row.one_later.totals
    if row.is_over(tx.now):
        await history.record(tx, instance, Change("expired", after))
    else:
        await history.record(tx, instance, Change("deleted", after, removed=before))


async def remove(tx: Tx, row: Row, seqs: Sequence[int] | None) -> list[StoredMessage]:
    """Delete the messages at these places (None: all); the messages, in order."""
    query = queries.remove_all_messages if seqs is None else queries.remove_messages
    more = {} if seqs is None else {"seqs": list(seqs)}
    rows = await tx.all(MessageRow, query, conversation_id=row.id, **more)
    return sorted((each.stored for each in rows), key=lambda stored: stored.seq)


async def make_room(
    tx: Tx, instance: Instance, row: Row, fresh: Sequence[Draft], terms: Terms
) -> list[StoredMessage]:
    """Remove what a buffer drops so that the fresh messages fit; some of them are dropped too where they are many."""
    after = row.with_messages(fresh)
    if terms.buffer is None or not terms.buffer.is_over(after.message_count, after.token_count):
        return []
    numbered = list(enumerate(fresh, row.next_seq))
    heads = await read_heads(tx, instance)
    heads += [head_of(seq, draft, tx.now) for seq, draft in numbered]
    gone = set(plan_trim(heads, terms.buffer))
    dropped = await remove(tx, row, sorted(gone))
    dropped += [StoredMessage(seq, draft, tx.now) for seq, draft in numbered if seq in gone]
    ids = [stored.draft.id for stored in dropped]
    await tx.run(queries.remember_flushed, conversation_id=row.id, ids=ids)
    return sorted(dropped, key=lambda stored: stored.seq)


async def add(
    tx: Tx, row: Row, first: int, drafts: Sequence[Draft], *, without: Sequence[StoredMessage] = ()
) -> None:
    """Insert drafts, each at its place from `first` on, except those that were dropped at once."""
    dropped = {stored.draft.id for stored in without}
    rows = [
        stored_to_json(StoredMessage(seq, draft, tx.now))
        for seq, draft in enumerate(drafts, first)
        if draft.id not in dropped
    ]
    if rows:
        await tx.run(queries.add_messages, conversation_id=row.id, messages=Jsonb(rows))


async def save(tx: Tx, row: Row) -> None:
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


async def add_summary(tx: Tx, row: Row, summary: Draft) -> None:
    """Insert a summary before the first message. Its place may be that of a message that was flushed."""
    first = await tx.one(int, queries.first_place, conversation_id=row.id)
    await add(tx, row, (row.next_seq if first is None else first) - 1, [summary])


async def read_heads(tx: Tx, instance: Instance) -> list[MessageHead]:
    """Every message without its text, in order, with its last access as far as it is written."""
    heads_sent = await tx.send(HeadRow, queries.read_heads, params_of(instance))
    reads_sent = await tx.send(ReadRange, queries.read_reads, params_of(instance))
    heads = [row.head for row in await heads_sent.fetchall()]
    return with_reads(heads, await reads_sent.fetchall())


def lives_on(row: Row, terms: Terms, tx: Tx) -> Row:
    """The row with a new expiry: a write refreshes it."""
    return replace(row, expires_at=terms.lives_until(tx.now))


def _new(caller: Caller, instance: Instance) -> dict[str, str | None]:
    return {
        **params_of(instance),
        "id": new_id("conv"),
        "user_id": instance.user_id,
        "agent_id": instance.agent_id,
        "workspace_id": caller.workspace_id,
    }
