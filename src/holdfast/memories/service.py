"""Save, read, list, change and restore memories.

Every write of a row goes through `save_rows` or `change_row`, and both end in `_wrote`, which puts what the rows became
into the history: whatever must follow a row (its passages, for one) follows there. Rows go in deletion.py alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import psycopg
from psycopg.types.json import Jsonb
from pydantic import TypeAdapter

from holdfast.kernel import limits, revisions
from holdfast.kernel.caller import Caller
from holdfast.kernel.clock import rfc3339
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import Conflict, Invalid, NotFound, PreconditionFailed
from holdfast.kernel.ids import is_id, new_id
from holdfast.kernel.pages import Cursor, Page, read_page
from holdfast.kernel.sql import Query, load
from holdfast.memories import passages
from holdfast.memories.model import (
    DEFAULTS,
    MAX_SOURCES,
    Filter,
    Memory,
    NewMemory,
    PastMemory,
    Place,
    SavedMemory,
    check_fields,
    check_sources,
    check_validity,
)
from holdfast.memories.sight import context_id, enter, sight

queries = load(__file__)

IfMatch = list[int] | None
ANYWHERE = Place()

# How often a save asks again when others make and take over the same key at the same moment.
MAX_TRIES = 50

_past_memory = TypeAdapter(PastMemory)


# --- saving ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Save:
    """A checked save, and who speaks (from which place) when it is made."""

    by: Caller
    new: NewMemory

    @property
    def slot(self) -> tuple[str, str, str]:
        """What may exist once: a key in its context and workspace."""
        scope = self.new.scope
        context = f"{scope}:{context_id(self.by, scope)}"
        return context, self.by.workspace_id, self.new.fields["key"]


@dataclass(frozen=True, slots=True)
class Written:
    """A row as a write left it, what the write was, and who spoke."""

    row: Memory
    action: str
    by: Caller


@dataclass(frozen=True, slots=True, kw_only=True)
class _SavedRow(SavedMemory):
    place: int  # which item of the statement it answers


async def save_memory(
    db: Database, caller: Caller, new: NewMemory, *, if_match: IfMatch = None
) -> SavedMemory:
    """Save under a key: update the row that holds it in its context, or make one."""
    check_new(new)
    await passages.prefetch_embeddings(db, [new])
    async with db.begin(caller) as tx:
        save = await prepare_save(tx, caller, new)
        [saved] = await save_rows(tx, [save], if_match=if_match)
    return saved


def check_new(new: NewMemory) -> None:
    """Refuse what cannot be saved whoever asks."""
    check_fields(new.fields)
    check_sources(new.sources)


async def prepare_save(tx: Tx, caller: Caller, new: NewMemory) -> Save:
    """Enter the place a save speaks from, and refuse what may not be saved there."""
    speaking = await enter(tx, caller, new.place, to_write=True)
    context_id(speaking, new.scope)
    await _check_successor(tx, speaking, new.fields)
    return Save(speaking, new)


async def save_rows(
    tx: Tx, saves: Sequence[Save], *, if_match: IfMatch = None
) -> list[SavedMemory]:
    """Make saves of different slots, in one statement; what the rows became, in the same order."""
    made = await _make(tx, saves[0]) if len(saves) == 1 and if_match is None else None
    if made is not None:
        return [made]
    waiting = {place: _item(place, save) for place, save in enumerate(saves)}
    saved: dict[int, _SavedRow] = {}
    for _ in range(MAX_TRIES):
        items = Jsonb(list(waiting.values()))
        if len(waiting) > 1:
            await tx.run(queries.lock_keys, items=items)
        for row in await tx.all(_SavedRow, queries.save_memories, items=items, if_match=if_match):
            saved[row.place] = row
            del waiting[row.place]
        if not waiting:
            break
        if if_match is not None:
            raise PreconditionFailed("the memory changed since that ETag, or is not there")
    if waiting:
        raise Conflict("others make and take over this key without a pause; try again")
    rows = [saved[place] for place in range(len(saves))]
    await _wrote(
        tx,
        [
            Written(row, "created" if row.created else "updated", save.by)
            for row, save in zip(rows, saves, strict=True)
        ],
    )
    return [_without_place(row) for row in rows]


async def _make(tx: Tx, save: Save) -> SavedMemory | None:
    """Make the row of a key that nobody holds; None where somebody does, or the save would take the key over."""
    if save.new.dedupe == "create" or save.new.fields.get("superseded_by") is not None:
        return None
    context, workspace_id, _ = save.slot
    memory_id, revision_id = new_id("memory"), new_id("memver")
    made = await tx.send(
        _SavedRow,
        queries.make_memory,
        {
            **DEFAULTS,
            **save.new.fields,
            "tags": _once(save.new.fields.get("tags", ())),
            "id": memory_id,
            "sources": Jsonb([asdict(source) for source in save.new.sources]),
            "scope": save.new.scope,
            "project_id": save.by.project_id,
            "agent_id": save.by.agent_id,
            "session_id": save.by.session_id,
            "workspace_id": workspace_id,
            "revision_id": revision_id,
            **who(save.by),
        },
    )
    new = passages.new_document(
        save.new,
        object_id=memory_id,
        context=context,
        workspace_id=workspace_id,
        session_id=save.by.session_id,
        now=tx.now,
    )
    await passages.index_new(tx, new, revision_id)
    row = await made.fetchone()
    if row is None:
        return None
    _check_whole(row)
    return _without_place(row)


def _item(place: int, save: Save) -> dict[str, Any]:
    """A save as the statement takes it."""
    context, workspace_id, key = save.slot
    return {
        "place": place,
        "id": new_id("memory"),
        "key": key,
        "fields": _plain(save.new.fields),
        "sources": [asdict(source) for source in save.new.sources],
        "forced": save.new.dedupe == "create",
        "scope": save.new.scope,
        "context": context,
        "user_id": save.by.user_id,
        "project_id": save.by.project_id,
        "agent_id": save.by.agent_id,
        "session_id": save.by.session_id,
        "workspace_id": workspace_id,
    }


async def _wrote(tx: Tx, written: Sequence[Written]) -> None:
    """What follows every write of rows, in its transaction: checks of the whole, the history, the passages."""
    for each in written:
        _check_whole(each.row)
    await tx.run(
        queries.revise_memories,
        ids=[each.row.id for each in written],
        revision_ids=[new_id("memver") for _ in written],
        actions=[each.action for each in written],
        agent_ids=[each.by.agent_id for each in written],
        session_ids=[each.by.session_id for each in written],
        **who(written[0].by),
    )
    await passages.index(tx, [each.row for each in written])


def _check_whole(row: Memory) -> None:
    """What can be checked only of a row as a whole, once it is written."""
    check_validity(row.valid_from, row.valid_to)
    limits.at_most(len(row.sources), MAX_SOURCES, what="sources")


def who(caller: Caller) -> dict[str, Any]:
    """Whom history names, as parameters of a query."""
    return {
        "actor_type": caller.actor.type,
        "actor_id": caller.actor.id,
        "user_id": caller.user_id,
        "request_id": caller.request_id,
    }


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


async def read_row(
    tx: Tx,
    speaking: Caller,
    memory_id: str,
    *,
    include_expired: bool = False,
    as_of: datetime | None = None,
) -> Memory:
    """One memory that the caller sees; NotFound where it is not there for them."""
    found = await tx.one(
        Memory,
        queries.read_memory if as_of is None else queries.read_memory_as_of,
        id=memory_id,
        include_expired=include_expired,
        as_of=as_of,
        **sight(speaking),
    )
    if found is None:
        raise NotFound(f"there is no memory {memory_id!r}")
    return found


async def list_memories(
    db: Database, caller: Caller, which: Filter, cursor: Cursor, *, as_of: datetime | None = None
) -> Page[Memory]:
    """The memories that the caller sees and the filter lets through, newest first."""
    async with db.read(caller) as tx:
        speaking = await enter(tx, caller, which.place, to_write=False)
        return await read_page(
            tx,
            Memory,
            queries.list_memories if as_of is None else queries.list_memories_as_of,
            cursor,
            as_of=as_of,
            **asdict(which),
            **sight(speaking),
        )


async def read_history(
    db: Database,
    caller: Caller,
    memory_id: str,
    *,
    place: Place = ANYWHERE,
    include_expired: bool = False,
) -> list[PastMemory]:
    """Every state of a memory, newest first, the present one included."""
    async with db.read(caller) as tx:
        speaking = await enter(tx, caller, place, to_write=False)
        await read_row(tx, speaking, memory_id, include_expired=include_expired)
        found = await revisions.history(tx, "memory", memory_id)
    return [_past(revision) for revision in found if revision.state is not None]


def _past(revision: revisions.Revision) -> PastMemory:
    return _past_memory.validate_python(
        {
            **(revision.state or {}),
            "value": revision.content,
            "version": revision.version,
            "action": revision.action,
            "actor": revision.actor,
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
            await _check_successor(tx, speaking, fields, of=memory_id)
            return await change_row(
                tx,
                speaking,
                memory_id,
                queries.change_memory,
                "updated",
                fields=Jsonb(_plain(fields)),
                include_expired=include_expired,
                if_match=if_match,
            )
    except psycopg.errors.UniqueViolation:
        raise await _key_taken(db, caller, memory_id, place, fields["key"]) from None


async def restore_memory(
    db: Database,
    caller: Caller,
    memory_id: str,
    version: int,
    *,
    place: Place = ANYWHERE,
    include_expired: bool = False,
    if_match: IfMatch = None,
) -> Memory:
    """Make an earlier version the newest."""
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
                include_expired=include_expired,
                if_match=if_match,
            )
    except psycopg.errors.UniqueViolation:
        raise await _key_taken(db, caller, memory_id, place, key) from None


async def change_row(
    tx: Tx,
    speaking: Caller,
    memory_id: str,
    query: Query,
    action: str,
    *,
    include_expired: bool = False,
    if_match: IfMatch = None,
    **params: Any,
) -> Memory:
    """Change one row that the caller sees, and write down what it became."""
    changed = await tx.one(
        Memory,
        query,
        id=memory_id,
        include_expired=include_expired,
        if_match=if_match,
        **params,
        **sight(speaking),
    )
    if changed is None:
        await read_row(tx, speaking, memory_id, include_expired=include_expired)
        raise PreconditionFailed("the memory changed since that ETag")
    await _wrote(tx, [Written(changed, action, speaking)])
    return changed


async def _unchanged(
    tx: Tx, speaking: Caller, memory_id: str, include_expired: bool, if_match: IfMatch
) -> Memory:
    present = await read_row(tx, speaking, memory_id, include_expired=include_expired)
    if if_match is not None and present.version not in if_match:
        raise PreconditionFailed("the memory changed since that ETag")
    return present


async def _check_successor(
    tx: Tx, speaking: Caller, fields: Mapping[str, Any], *, of: str | None = None
) -> None:
    """Refuse a `superseded_by` that names no other memory the caller sees."""
    successor = fields.get("superseded_by")
    if successor is None:
        return
    wrong = Invalid.field("superseded_by", "names no other memory that you see")
    if successor == of or not is_id(successor, "memory"):
        raise wrong
    try:
        await read_row(tx, speaking, successor, include_expired=True)
    except NotFound:
        raise wrong from None


async def _key_taken(
    db: Database, caller: Caller, memory_id: str, place: Place, key: str | None
) -> Conflict:
    """Another memory of the same context holds the key; whoever sees the one sees the other."""
    async with db.read(caller) as tx:
        speaking = await enter(tx, caller, place, to_write=False)
        holder = await tx.one(str, queries.holder_of_key, id=memory_id, key=key)
        current = holder and await read_row(tx, speaking, holder, include_expired=True)
    return Conflict("another memory of this context has that key", current=current)


def _plain(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields as JSON takes them."""
    plain = {
        name: rfc3339(value) if isinstance(value, datetime) else value
        for name, value in fields.items()
    }
    if plain.get("tags") is not None:
        plain["tags"] = _once(plain["tags"])
    return plain


def _once(tags: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(tags))


def _without_place(row: _SavedRow) -> SavedMemory:
    return SavedMemory(**{name: getattr(row, name) for name in SavedMemory.__dataclass_fields__})
