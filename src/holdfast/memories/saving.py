"""Save memories by key: update the row that holds the key, or make one."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from psycopg import AsyncCursor
from psycopg.types.json import Jsonb

from holdfast.kernel import metrics, sight
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import Conflict, PreconditionFailed
from holdfast.kernel.ids import new_id
from holdfast.kernel.places import check_client_id, speaking_in
from holdfast.kernel.sql import load
from holdfast.kernel.typed_store import TypedStore
from holdfast.memories import passages
from holdfast.memories.held_keys import HeldKeys
from holdfast.memories.model import (
    ANYWHERE,
    DEFAULTS,
    IfMatch,
    NewMemory,
    Place,
    SavedMemory,
    check_fields,
    check_sources,
)
from holdfast.memories.rows import (
    Written,
    check_successor,
    count,
    distinct,
    plain,
    record,
    who,
)
from holdfast.memories.sight import audience_for, enter, must_change

queries = load(__file__, "saving.sql")

# How often a save asks again when others make and take over the same key at the same moment.
MAX_TRIES = 50


@dataclass(frozen=True, slots=True)
class Save:
    """A checked save, and the caller speaking from the place that the save names."""

    by: Caller
    new: NewMemory
    before: str = ""  # what was said just before it in its session

    @property
    def slot(self) -> tuple[str, str, str]:
        """What may exist once: a key among those of an audience and a workspace."""
        audience = audience_for(self.by, self.new.scope)
        return audience.text, self.by.workspace_id, self.new.fields["key"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _SavedRow(SavedMemory):
    place: int  # which item of the statement it answers


async def save_memory(
    db: Database, caller: Caller, new: NewMemory, *, if_match: IfMatch = None
) -> SavedMemory:
    """Save under a key: update the row that holds it for its audience, or make one."""
    check_new(new)
    speaking, before = await _prefetch(db, caller, new)
    saved = None
    if if_match is None and _may_be_made_at_once(db, caller, new, speaking):
        saved = await _make_at_once(db, caller, new, before, speaking)
    if saved is None:
        async with db.begin(caller) as tx:
            save = await prepare_save(tx, caller, new, before, speaking)
            [saved] = await save_rows(tx, [save], if_match=if_match)
    if saved.created:
        passages.note_said(db, caller, saved)
    return saved


def _may_be_made_at_once(
    db: Database, caller: Caller, new: NewMemory, speaking: Caller | None
) -> bool:
    """Whether all that a new row takes can be sent with its COMMIT: no place has still to be entered, and no outer transaction
    or new user would keep a part of an attempt that made nothing."""
    return (
        (new.place == ANYWHERE or speaking is not None)
        and not caller.user_is_new
        and not db.in_transaction
        and not _is_likely_held(db.services, Save(speaking or caller, new))
    )


def _is_likely_held(services: TypedStore, save: Save) -> bool:
    return services.get(HeldKeys).likely(save.by.org_id, save.slot)


async def _make_at_once(
    db: Database, caller: Caller, new: NewMemory, before: str, speaking: Caller | None
) -> SavedMemory | None:
    """Make the row of a key that nobody holds, in one round trip; None where somebody does: then nothing was written."""
    async with db.begin(caller) as tx:
        save = await prepare_save(tx, caller, new, before, speaking)
        made = await _send_new(tx, save)
    db.services.get(HeldKeys).note(caller.org_id, save.slot)
    row = None if made is None else await made.fetchone()
    if row is None:
        return None
    metrics.memories_written.labels("created").inc()
    return _without_place(row)


async def _prefetch(db: Database, caller: Caller, new: NewMemory) -> tuple[Caller | None, str]:
    """Start the embedding; the caller as it speaks from the session that the save names, where that is known already, and
    what was said before."""
    session_id = new.place.session_id
    if session_id is None or new.place != Place(session_id=session_id):
        [before] = await passages.prefetch_embeddings(db, caller, [new])
        return None, before
    check_client_id(session_id, field="session_id")
    session, before = await passages.prefetch_embedding_in_session(db, caller, new, session_id)
    return None if session is None else speaking_in(caller, session_id, session), before


def check_new(new: NewMemory) -> None:
    """Refuse what cannot be saved whoever asks."""
    check_fields(new.fields)
    check_sources(new.sources)


async def prepare_save(
    tx: Tx, caller: Caller, new: NewMemory, before: str = "", speaking: Caller | None = None
) -> Save:
    """Enter the place a save speaks from, unless it was entered a moment ago (`speaking`), and refuse what may not be saved
    there."""
    if speaking is None:
        speaking = await enter(tx, caller, new.place, to_write=True)
    save = Save(speaking, new, before)
    check_scope(save)
    await check_successor(tx, speaking, new.fields)
    return save


def check_scope(save: Save) -> None:
    """Refuse a scope that the place does not reach, or that the caller may not write."""
    audience_for(save.by, save.new.scope)
    must_change(save.by, save.new.scope)


async def save_rows(
    tx: Tx, saves: Sequence[Save], *, if_match: IfMatch = None
) -> list[SavedMemory]:
    """Make saves of different slots, in one statement; what the rows became, in the same order."""
    if len(saves) == 1:
        held = if_match is not None or _is_likely_held(tx.services, saves[0])
        tx.services.get(HeldKeys).note(saves[0].by.org_id, saves[0].slot)
        made = None if held else await _make(tx, saves[0])
        if made is not None:
            return [made]
    waiting = {place: _item(place, save) for place, save in enumerate(saves)}
    saved: dict[int, _SavedRow] = {}
    for _ in range(MAX_TRIES):
        items = Jsonb(list(waiting.values()))
        if len(waiting) > 1:
            await tx.run(queries.lock_keys, items=items)
        for row in await tx.all(
            _SavedRow,
            queries.save_memories,
            items=items,
            if_match=if_match,
            **sight.params(saves[0].by),
        ):
            saved[row.place] = row
            del waiting[row.place]
        if not waiting:
            break
        if if_match is not None:
            raise PreconditionFailed("the memory changed since that ETag, or is not there")
    if waiting:
        raise Conflict("others make and take over this key without a pause; try again")
    rows = [saved[place] for place in range(len(saves))]
    await record(
        tx,
        [
            Written(row, "created" if row.created else "updated", save.by)
            for row, save in zip(rows, saves, strict=True)
        ],
    )
    return [_without_place(row) for row in rows]


async def _make(tx: Tx, save: Save) -> SavedMemory | None:
    """Make the row of a key that nobody holds; None where somebody does, or the save would take the key over."""
    made = await _send_new(tx, save)
    row = None if made is None else await made.fetchone()
    if row is None:
        return None
    count(tx, "created")
    return _without_place(row)


async def _send_new(tx: Tx, save: Save) -> AsyncCursor[_SavedRow] | None:
    """Send the row of a key that nobody holds, with its revision and passages; the cursor gives no row where somebody does. None
    where the save would take the key over. What must hold of a whole row holds of a new one by `check_new`."""
    if save.new.dedupe == "create" or save.new.fields.get("superseded_by") is not None:
        return None
    audience, workspace_id, _ = save.slot
    memory_id, revision_id = new_id("memory"), new_id("memver")
    made = await tx.send(
        _SavedRow,
        queries.make_memory,
        {
            **DEFAULTS,
            **save.new.fields,
            "tags": distinct(save.new.fields.get("tags", ())),
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
        audience=audience,
        workspace_id=workspace_id,
        session_id=save.by.session_id,
        before=save.before,
        now=tx.now,
    )
    await passages.index_new(tx, new, revision_id)
    return made


def _item(place: int, save: Save) -> dict[str, Any]:
    """A save as the statement takes it."""
    audience, workspace_id, key = save.slot
    return {
        "place": place,
        "id": new_id("memory"),
        "key": key,
        "fields": plain(save.new.fields),
        "sources": [asdict(source) for source in save.new.sources],
        "forced": save.new.dedupe == "create",
        "scope": save.new.scope,
        "audience": audience,
        "user_id": save.by.user_id,
        "project_id": save.by.project_id,
        "agent_id": save.by.agent_id,
        "session_id": save.by.session_id,
        "workspace_id": workspace_id,
    }


def _without_place(row: _SavedRow) -> SavedMemory:
    return SavedMemory(**{name: getattr(row, name) for name in SavedMemory.__dataclass_fields__})
