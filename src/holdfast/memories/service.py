"""Read, list, change and restore memories; saving.py saves them, deletion.py deletes them."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

import psycopg
from psycopg.types.json import Jsonb
from pydantic import TypeAdapter

from holdfast.kernel import diffs, revisions, sight
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import Conflict, PreconditionFailed
from holdfast.kernel.pages import Cursor, Page, read_page
from holdfast.memories.model import (
    ANYWHERE,
    Filter,
    IfMatch,
    Memory,
    PastMemory,
    Place,
    check_fields,
)
from holdfast.memories.rows import change_row, check_successor, plain, queries, read_row
from holdfast.memories.sight import enter

_past_memory = TypeAdapter(PastMemory)


# --- reading ---------------------------------------------------------------------------------------------------------


async def read_memory(
    db: Database,
    caller: Caller,
    memory_id: str,
    *,
    place: Place = ANYWHERE,
    include_expired: bool = False,
    as_of: datetime | None = None,
) -> Memory:
    """One memory that the caller sees, now or as it stood at an instant."""
    async with db.read(caller) as tx:
        speaking = await enter(tx, caller, place, to_write=False)
        return await read_row(tx, speaking, memory_id, include_expired=include_expired, as_of=as_of)


async def list_memories(
    db: Database, caller: Caller, which: Filter, cursor: Cursor, *, as_of: datetime | None = None
) -> Page[Memory]:
    """The memories that the caller sees and the filter lets through, newest first."""
    async with db.read(caller) as tx:
        speaking = await enter(tx, caller, which.place, to_write=False)
        await tx.plan_for_any_values()
        return await read_page(
            tx,
            Memory,
            queries.list_memories if as_of is None else queries.list_memories_as_of,
            cursor,
            as_of=as_of,
            at=as_of or tx.now,
            **asdict(which),
            **sight.params(speaking),
        )


async def read_history(
    db: Database,
    caller: Caller,
    memory_id: str,
    *,
    place: Place = ANYWHERE,
    include_expired: bool = False,
    cursor: Cursor = revisions.LATEST,
) -> Page[PastMemory]:
    """The states of a memory, newest first, the present one included."""
    async with db.read(caller) as tx:
        speaking = await enter(tx, caller, place, to_write=False)
        await read_row(tx, speaking, memory_id, include_expired=include_expired)
        found = await revisions.history(tx, "memory", memory_id, cursor, with_state=True)
    return found.showing(_past)


async def diff_memory(
    db: Database,
    caller: Caller,
    memory_id: str,
    since: str,
    until: str,
    *,
    place: Place = ANYWHERE,
    include_expired: bool = False,
) -> diffs.TextDiff:
    """What changed in a memory's value between two versions or times."""
    async with db.read(caller) as tx:
        speaking = await enter(tx, caller, place, to_write=False)
        await read_row(tx, speaking, memory_id, include_expired=include_expired)
        return await diffs.between(tx, "memory", memory_id, since, until)


def _past(revision: revisions.Revision) -> PastMemory:
    return _past_memory.validate_python(
        {
            **(revision.state or {}),
            "version_id": revision.id,
            "value": revision.content,
            "version": revision.version,
            "action": revision.action,
            "actor": revision.actor,
            "user_id": revision.user_id,
            "created_at": revision.created_at,
        }
    )


# --- changing --------------------------------------------------------------------------------------------------------


async def change_memory(
    db: Database,
    caller: Caller,
    memory_id: str,
    fields: Mapping[str, Any],
    *,
    place: Place = ANYWHERE,
    include_expired: bool = False,
    if_match: IfMatch = None,
) -> Memory:
    """Set the fields that are given; nothing given changes nothing."""
    check_fields(fields)
    try:
        async with db.begin(caller) as tx:
            speaking = await enter(tx, caller, place, to_write=False)
            if not fields:
                return await _unchanged(tx, speaking, memory_id, include_expired, if_match)
            await check_successor(tx, speaking, fields, of=memory_id)
            return await change_row(
                tx,
                speaking,
                memory_id,
                queries.change_memory,
                "updated",
                fields=Jsonb(plain(fields)),
                include_expired=include_expired,
                if_match=if_match,
            )
    except psycopg.errors.UniqueViolation:
        raise await _key_taken(db, caller, memory_id, place, fields["key"]) from None


async def retire_memory(
    db: Database,
    caller: Caller,
    memory_id: str,
    *,
    place: Place = ANYWHERE,
    if_match: IfMatch = None,
) -> Memory:
    """End a memory's validity now: lists and recall leave it out from here on, its history stays.

    A memory that is no longer valid is answered unchanged.
    """
    async with db.begin(caller) as tx:
        speaking = await enter(tx, caller, place, to_write=False)
        present = await read_row(tx, speaking, memory_id, include_expired=True)
        if present.valid_to is not None and present.valid_to <= tx.now:
            return await _unchanged(tx, speaking, memory_id, True, if_match)
        return await change_row(
            tx,
            speaking,
            memory_id,
            queries.retire_memory,
            "retired",
            include_expired=True,
            if_match=if_match,
        )


async def restore_memory(
    db: Database,
    caller: Caller,
    memory_id: str,
    version: int,
    *,
    place: Place = ANYWHERE,
    include_expired: bool = False,
    if_match: IfMatch = None,
    revive: bool = True,
) -> Memory:
    """Make an earlier version the newest; with `revive`, without an expiry that has passed."""
    key: str | None = None
    try:
        async with db.begin(caller) as tx:
            speaking = await enter(tx, caller, place, to_write=False)
            await read_row(tx, speaking, memory_id, include_expired=include_expired)
            key = (await revisions.at_version(tx, "memory", memory_id, version)).label
            return await change_row(
                tx,
                speaking,
                memory_id,
                queries.restore_memory,
                "restored",
                version=version,
                revive=revive,
                include_expired=include_expired,
                if_match=if_match,
            )
    except psycopg.errors.UniqueViolation:
        raise await _key_taken(db, caller, memory_id, place, key) from None


async def _unchanged(
    tx: Tx, speaking: Caller, memory_id: str, include_expired: bool, if_match: IfMatch
) -> Memory:
    present = await read_row(tx, speaking, memory_id, include_expired=include_expired)
    if if_match is not None and present.version not in if_match:
        raise PreconditionFailed("the memory changed since that ETag")
    return present


async def _key_taken(
    db: Database, caller: Caller, memory_id: str, place: Place, key: str | None
) -> Conflict:
    """Another memory of the same context holds the key; whoever sees the one sees the other."""
    async with db.read(caller) as tx:
        speaking = await enter(tx, caller, place, to_write=False)
        holder = await tx.one(str, queries.holder_of_key, id=memory_id, key=key)
        current = holder and await read_row(tx, speaking, holder, include_expired=True)
    return Conflict("another memory of this context has that key", current=current)
