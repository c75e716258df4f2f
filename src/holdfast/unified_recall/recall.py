"""One recall over every face: the engine is asked once, and each face reads what was found of its own.

A face says in which scopes a caller may look, and reads its objects by their ids under its own rules. A new face adds a line
to FACES.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

from holdfast.blocks import archive
from holdfast.blocks import recall as blocks
from holdfast.conversations.flush import index as conversations
from holdfast.entries import passages as entries
from holdfast.entries.reach import Reach
from holdfast.kernel import given
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.places import enter_agent
from holdfast.kernel.recall.answer import (
    Ask,
    RecalledThing,
    RecalledThings,
    Thing,
    View,
    answer,
    check,
)
from holdfast.kernel.recall.model import Miss
from holdfast.memories import recall as memories
from holdfast.memories.model import Place, Trust
from holdfast.memories.view import look
from holdfast.stores import recall as stores

Face = Callable[[Database, Caller, Place], Awaitable[View]]


async def recall(
    db: Database, caller: Caller, place: Place, ask: Ask, *, min_trust: Trust | None = None
) -> RecalledThings:
    """What fits a query best, of all that the caller may see; memories from `min_trust` up."""
    check(ask)
    async with db.together(caller):
        views = await asyncio.gather(*(face(db, caller, place) for face in FACES))
    found = await answer(db, caller, ask, [memories.trusting(view, min_trust) for view in views])
    texts = [given.GivenText(each.kind, each.id, each.text) for each in found.data]
    await given.record(db, caller, place.session_id, texts)
    return found


# --- the faces -------------------------------------------------------------------------------------------------------


async def _memories(db: Database, caller: Caller, place: Place) -> View:
    speaking, view = await look(db, caller, place)
    return memories.as_view(db, speaking, view)


async def _stores(db: Database, caller: Caller, _place: Place) -> View:
    return stores.as_view(db, caller, await stores.stores_in_sight(db, caller))


async def _blocks(db: Database, caller: Caller, place: Place) -> View:
    """The lines of the user's archives: its own, and that with the agent it speaks for."""
    agent_id = place.agent_id or caller.agent_id
    if caller.user_id is None:
        return View((), {})
    agents = [] if agent_id is None else [archive.scope_of(caller.user_id, agent_id)]

    async def read_lines(names: Sequence[str]) -> Mapping[str, Thing]:
        wanted = set(names)
        return {
            name: line
            for found in await blocks.read_archives(db, caller, agent_id)
            for name, line in blocks.as_things(found).items()
            if name in wanted
        }

    return View((archive.scope_of(caller.user_id), *agents), {"block_line": read_lines})


async def _entries(db: Database, caller: Caller, place: Place) -> View:
    """The entries of the agent that is spoken for, of the user with it, and of its workspace."""
    agent_id = place.agent_id or caller.agent_id
    if agent_id is None:
        return View((), {})
    async with db.read(caller) as tx:
        await enter_agent(tx, caller, agent_id, to_write=False)
    reach = Reach.of(caller, agent_id)

    async def read_entries(ids: Sequence[str]) -> Mapping[str, Thing]:
        rows = await entries.read_recalled(db, caller, reach, ids)
        return {id: Thing(row.content, row) for id, row in rows.items()}

    async def why(ids: Sequence[str]) -> list[Miss]:
        expired = await entries.read_expired(db, caller, reach, ids)
        return [Miss(id, "expired", "the entry has expired") for id in expired]

    return View(entries.scopes_of(reach), {"entry": read_entries}, why=why)


async def _conversations(db: Database, caller: Caller, place: Place) -> View:
    """Summaries and flushed messages of the user's conversations, of those of the agent, and of shared ones."""
    agent_id = place.agent_id or caller.agent_id

    async def read_summaries(ids: Sequence[str]) -> Mapping[str, Thing]:
        rows = await conversations.read_recalled(db, caller, agent_id, ids)
        return {id: Thing(row.content, row) for id, row in rows.items()}

    async def read_flushed(ids: Sequence[str]) -> Mapping[str, Thing]:
        rows = await conversations.read_recalled_flushed(db, caller, agent_id, ids)
        return {id: Thing(row.content, row) for id, row in rows.items()}

    return View(
        conversations.scopes_of(caller.user_id, agent_id),
        {"summary": read_summaries, "flushed": read_flushed},
    )


FACES: tuple[Face, ...] = (_memories, _stores, _entries, _blocks, _conversations)

__all__ = ["FACES", "RecalledThing", "RecalledThings", "recall"]
