"""Revisions of conversations: what every change was, and the messages it took away.

A change that removes messages keeps them as the content of its revision, so that nothing is lost by trimming. In Postgres a
revision goes with its change. For a log kept elsewhere it is written beside it, under the number the log gave the change.
"""

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import psycopg

from holdfast.conversations.flush import index
from holdfast.conversations.logs.protocol import stored_from_json, stored_to_json
from holdfast.conversations.model import Change, Instance, StoredMessage
from holdfast.kernel import revisions
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.ids import new_id
from holdfast.kernel.sql import load

queries = load(__file__)

KIND, BACKUP = "conversation", "conversation_backup"

Writing = Callable[[Tx, Instance, Change], Awaitable[None]]


async def record(tx: Tx, instance: Instance, change: Change) -> None:
    """Write down a change and the messages it removed; what recall finds goes along with it."""
    await write_down(tx, instance, change)
    await index.follow(tx, instance, change)


async def write_down(tx: Tx, instance: Instance, change: Change) -> None:
    """The revision of a change, with the messages it removed."""
    after, removed = change.after, change.removed
    counts = {"message_count": after.message_count, "token_count": after.token_count}
    await tx.revise(
        KIND,
        after.conversation_id,
        version=after.version,
        action=change.action,
        state={**change.state, **counts},
        content=json.dumps([stored_to_json(kept) for kept in removed]) if removed else None,
        parent_id=instance.resource_id,
        label=instance.key,
    )


async def record_beside(
    db: Database, caller: Caller, instance: Instance, change: Change, write: Writing = record
) -> None:
    """`record` for a log outside the database. A backend that lost its last changes counts anew: then the next number is
    taken, for the history must not lose one of the two."""
    for attempt in range(5):
        try:
            async with db.begin(caller) as tx:
                if attempt:
                    last = await revisions.latest_version(tx, KIND, change.after.conversation_id)
                    change = replace(change, after=replace(change.after, version=last + 1))
                await write(tx, instance, change)
            return
        except psycopg.errors.UniqueViolation:
            if attempt == 4:
                raise


async def flushed(
    db: Database, caller: Caller, conversation_id: str, *, kept_for: timedelta | None
) -> list[tuple[StoredMessage, datetime]]:
    """Messages that flushes took away, in order, each with when."""
    async with db.read(caller) as tx:
        found = await tx.all(
            dict,
            queries.flushed_contents,
            conversation_id=conversation_id,
            since=None if kept_for is None else tx.now - kept_for,
        )
    messages: dict[int, tuple[StoredMessage, datetime]] = {}
    for row in found:
        for data in json.loads(row["content"]):
            kept = stored_from_json(data, row["created_at"])
            messages[kept.seq] = (kept, row["created_at"])
    return [messages[seq] for seq in sorted(messages)]


async def back_up(
    db: Database, caller: Caller, instance: Instance, messages: Sequence[StoredMessage]
) -> str:
    """Keep a copy of a message list; its id."""
    backup_id = new_id("bak")
    async with db.begin(caller) as tx:
        await tx.revise(
            BACKUP,
            backup_id,
            version=1,
            action="created",
            parent_id=instance.resource_id,
            label=instance.key,
            state={"message_count": len(messages)},
            content=json.dumps([stored_to_json(kept) for kept in messages]),
        )
    return backup_id


async def read_backup(
    db: Database, caller: Caller, instance: Instance, backup_id: str
) -> list[StoredMessage] | None:
    """The copy with that id, if it is of this instance."""
    async with db.read(caller) as tx:
        content = await tx.one(
            str,
            queries.backup_content,
            id=backup_id,
            resource_id=instance.resource_id,
            key=instance.key,
        )
        now = tx.now
    if content is None:
        return None
    return [stored_from_json(data, now) for data in json.loads(content)]
