"""Revisions of conversations, and backups.

A change that removes messages for good keeps them as the content of its revision. Those that a flush removes are stored as
flushed messages (flush/index.py) instead, and the revision names their ids. In Postgres a revision goes with its change; for a
log elsewhere it is written beside it, under the version that the log gave the change.
"""

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

import psycopg

from holdfast.conversations.flush import index
from holdfast.conversations.logs.values import stored_from_json, stored_to_json
from holdfast.conversations.model import Change, Instance, StoredMessage
from holdfast.kernel import revisions
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.ids import new_id
from holdfast.kernel.sql import load

queries = load(__file__)

KIND, BACKUP = "conversation", "conversation_backup"

Write = Callable[[Tx, Instance, Change], Awaitable[None]]


async def record(tx: Tx, instance: Instance, change: Change) -> None:
    """Write the revision of a change, what it flushed, and its summary."""
    await write_down(tx, instance, change)
    await index.follow(tx, instance, change)


async def write_down(tx: Tx, instance: Instance, change: Change) -> None:
    """Write the revision of a change, and what it flushed."""
    after, removed = change.after, change.removed
    state = {
        **change.state,
        "owner": instance.audience,
        "message_count": after.message_count,
        "token_count": after.token_count,
    }
    content = None
    if change.action in ("flushed", "appended"):
        if removed:
            state["flushed_ids"] = [stored.draft.id for stored in removed]
    elif removed:
        content = json.dumps([stored_to_json(stored) for stored in removed])
    await tx.revise(
        KIND,
        after.conversation_id,
        version=after.version,
        action=change.action,
        state=state,
        content=content,
        parent_id=instance.resource_id,
        label=instance.key,
    )
    await index.store_flushed(tx, instance, change)


async def record_beside(
    db: Database, caller: Caller, instance: Instance, change: Change, write: Write = record
) -> None:
    """`record` for a log outside the database.

    A backend that lost its last changes counts its versions anew: then the next free version is used, so that no revision
    is lost.
    """
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


async def back_up(
    db: Database, caller: Caller, instance: Instance, messages: Sequence[StoredMessage]
) -> str:
    """Store a copy of a message list; its id."""
    backup_id = new_id("bak")
    async with db.begin(caller) as tx:
        await tx.revise(
            BACKUP,
            backup_id,
            version=1,
            action="created",
            parent_id=instance.resource_id,
            label=instance.key,
            state={"message_count": len(messages), "owner": instance.audience},
            content=json.dumps([stored_to_json(stored) for stored in messages]),
        )
    return backup_id


async def read_backup(
    db: Database, caller: Caller, instance: Instance, backup_id: str
) -> list[StoredMessage] | None:
    """The messages of a backup; None unless it is one of this instance."""
    async with db.read(caller) as tx:
        content = await tx.one(
            str,
            queries.backup_content,
            id=backup_id,
            resource_id=instance.resource_id,
            audience=instance.audience,
            key=instance.key,
        )
        now = tx.now
    if content is None:
        return None
    return [stored_from_json(data, now) for data in json.loads(content)]
