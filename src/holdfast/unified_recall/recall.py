"""One recall over every face: the engine is asked once, and each face reads what was found of its own.

A face says in which scopes a caller may look, and reads its objects by their ids under its own rules. A new face adds a line
to FACES.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from holdfast.blocks import archive
from holdfast.blocks import recall as blocks
from holdfast.conversations.flush import index as summaries
from holdfast.entries import passages as entries
from holdfast.entries.model import Places
from holdfast.kernel import clock
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.places import enter_agent
from holdfast.kernel.recall.budget import fitting
from holdfast.kernel.recall.explain import why_not
from holdfast.kernel.recall.model import KINDS, Found, Hit, Kind, Miss, Mode, Question
from holdfast.kernel.recall.query import Explanation, Matched, check_ids, check_query
from holdfast.kernel.recall.search import Understood, rank, understand
from holdfast.memories import recall as memories
from holdfast.memories import view as memory_view
from holdfast.memories.graph import recall as graph
from holdfast.memories.model import Place
from holdfast.stores import passages as store_passages
from holdfast.stores import recall as stores

# How many of the best are read; a budget of tokens may pass some over.
READ = 200


@dataclass(frozen=True, slots=True)
class Thing:
    """An object as its face shows it, and the content that its passages were cut from."""

    content: str
    object: Any


Reader = Callable[[Sequence[str]], Awaitable[Mapping[str, Thing]]]


@dataclass(frozen=True, slots=True)
class View:
    """Where a caller may look in one face, and how what is found there is read."""

    scopes: tuple[str, ...]
    readers: Mapping[Kind, Reader]
    workspace_id: str | None = None


Face = Callable[[Database, Caller, Place], Awaitable[View]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What to recall, and in which form."""

    query: str
    kinds: tuple[Kind, ...] = KINDS
    place: Place
    limit: int = 10
    mode: Mode = "hybrid"
    min_score: float | None = None
    max_tokens: int | None = None
    graph: bool = False
    explain: bool = False
    ids: tuple[str, ...] = ()
    now: datetime | None = None


@dataclass(frozen=True, slots=True)
class RecalledThing:
    """Something that was recalled: its best passage, itself, and how it was found."""

    kind: Kind
    id: str
    text: str
    object: Any
    score: float
    matched: Matched
    explain: Explanation | None = None


@dataclass(frozen=True, slots=True)
class RecalledThings:
    """What a recall answers; `misses` for the ids that were asked about and are not in `data`."""

    data: list[RecalledThing]
    tokens: int
    misses: list[Miss]


async def recall(db: Database, caller: Caller, ask: Ask) -> RecalledThings:
    """What fits a query best, of all that the caller may see."""
    check_query(ask.query, field="query")
    check_ids(ask.ids)
    async with db.together(caller):
        views = await asyncio.gather(*(face(db, caller, ask.place) for face in FACES))
    readers = {
        kind: reader for view in views for kind, reader in view.readers.items() if kind in ask.kinds
    }
    question = Question(
        text=ask.query,
        scopes=tuple(scope for view in views for scope in view.scopes),
        kinds=tuple(readers),
        now=ask.now or clock.now(),
        mode=ask.mode,
        workspace_id=next((view.workspace_id for view in views if view.workspace_id), None),
        limit=ask.limit,
    )
    asked = await understand(db, caller, question)
    found = await rank(db, caller, question, asked)
    if ask.graph and "memory" in readers:
        found = await graph.along_the_graph(db, caller, question, found)
    hits = [hit for hit in found.hits if ask.min_score is None or hit.score >= ask.min_score]
    things = await _read(readers, hits[:READ])
    data, used = fitting(
        [
            _recalled(things[hit.kind, hit.object_id], hit, ask)
            for hit in hits
            if (hit.kind, hit.object_id) in things
        ],
        lambda each: each.text,
        limit=ask.limit,
        max_tokens=ask.max_tokens,
    )
    misses = await _misses(db, caller, ask, question, asked, found, views, data)
    return RecalledThings(data, used, misses)


async def _read(
    readers: Mapping[Kind, Reader], hits: Sequence[Hit]
) -> dict[tuple[Kind, str], Thing]:
    by_kind: dict[Kind, list[str]] = {}
    for hit in hits:
        by_kind.setdefault(hit.kind, []).append(hit.object_id)
    read = await asyncio.gather(*(readers[kind](ids) for kind, ids in by_kind.items()))
    return {
        (kind, id): thing
        for kind, things in zip(by_kind, read, strict=True)
        for id, thing in things.items()
    }


def _recalled(thing: Thing, hit: Hit, ask: Ask) -> RecalledThing:
    # What only the graph led to has no passage of its own: it is shown by its beginning.
    text = hit.passage_of(thing.content) or thing.content
    return RecalledThing(
        kind=hit.kind,
        id=hit.object_id,
        text=text,
        object=thing.object,
        score=hit.score,
        matched=Matched.of(hit),
        explain=Explanation.of(hit) if ask.explain else None,
    )


async def _misses(
    db: Database,
    caller: Caller,
    ask: Ask,
    question: Question,
    asked: Understood,
    found: Found,
    views: Sequence[View],
    data: Sequence[RecalledThing],
) -> list[Miss]:
    """A reason for each id that was asked about: that of the face where it can be read, else that it is not there."""
    every = {kind: reader for view in views for kind, reader in view.readers.items()}
    shown = {each.id for each in data}
    missed = [id for id in dict.fromkeys(ask.ids) if id not in shown]
    if not ask.explain or not missed:
        return []
    reasons: dict[str, Miss] = {}
    for kind, reader in every.items():
        readable = await reader(missed)
        there = [id for id in missed if id in readable]
        if kind not in ask.kinds:
            detail = f"it is of the kind {kind}, which this call does not search"
            reasons |= {id: Miss(id, "no_match", detail) for id in there}
            continue
        for miss in await why_not(
            db, caller, question, asked, found, kind, there, min_score=ask.min_score
        ):
            reasons[miss.id] = miss
    rest = [id for id in missed if id not in reasons]
    if "memory" in every:
        for miss in await memories.gone(db, caller, ask.place, rest):
            reasons[miss.id] = miss
    return [reasons.get(id, Miss(id, "not_found", "there is no such thing")) for id in missed]


# --- the faces -------------------------------------------------------------------------------------------------------


async def _memories(db: Database, caller: Caller, place: Place) -> View:
    speaking, view = await memory_view.look(db, caller, place)

    async def read_memories(ids: Sequence[str]) -> Mapping[str, Thing]:
        rows = await memories.read_rows(db, speaking, view, ids)
        return {id: Thing(row.value, row) for id, row in rows.items()}

    async def read_items(ids: Sequence[str]) -> Mapping[str, Thing]:
        items = await graph.read_items(db, speaking, view, ids)
        return {id: Thing(item.content, item) for id, item in items.items()}

    return View(view.scopes, {"memory": read_memories, "node_item": read_items}, view.workspace_id)


async def _stores(db: Database, caller: Caller, _place: Place) -> View:
    ids_in_sight = await stores.stores_in_sight(db, caller)

    async def read_entries(ids: Sequence[str]) -> Mapping[str, Thing]:
        rows = await stores.read_entries(db, caller, ids_in_sight, ids)
        return {id: Thing(row.content or "", row) for id, row in rows.items()}

    return View(tuple(map(store_passages.scope_of, ids_in_sight)), {"store_entry": read_entries})


async def _blocks(db: Database, caller: Caller, place: Place) -> View:
    """The lines of the user's archives: its own, and that with the agent it speaks for."""
    agent_id = place.agent_id or caller.agent_id
    if caller.user_id is None:
        return View((), {})
    agents = [] if agent_id is None else [archive.scope_of(caller.user_id, agent_id)]

    async def read_lines(names: Sequence[str]) -> Mapping[str, Thing]:
        wanted = set(names)
        return {
            name: Thing(line.content, blocks.as_recalled(found, line.content, line.number, None))
            for found in await blocks.read_archives(db, caller, agent_id)
            for name, line in found.lines().items()
            if name in wanted
        }

    return View((archive.scope_of(caller.user_id), *agents), {"block_line": read_lines})


async def _entries(db: Database, caller: Caller, place: Place) -> View:
    """What the agent that is spoken for stored, and what its workspace shares."""
    agent_id = place.agent_id or caller.agent_id
    if agent_id is None:
        return View((), {})
    async with db.read(caller) as tx:
        await enter_agent(tx, caller, agent_id, to_write=False)
    where = Places(agent_id, caller.workspace_id)

    async def read_entries(ids: Sequence[str]) -> Mapping[str, Thing]:
        rows = await entries.read_recalled(db, caller, where, ids)
        return {id: Thing(row.content, row) for id, row in rows.items()}

    return View(entries.scopes_of(where), {"entry": read_entries})


async def _summaries(db: Database, caller: Caller, place: Place) -> View:
    """What the user's conversations came to, and those that the agent has with nobody."""
    agent_id = place.agent_id or caller.agent_id

    async def read_summaries(ids: Sequence[str]) -> Mapping[str, Thing]:
        rows = await summaries.read_recalled(db, caller, agent_id, ids)
        return {id: Thing(row.content, row) for id, row in rows.items()}

    return View(summaries.scopes_of(caller.user_id, agent_id), {summaries.KIND: read_summaries})


FACES: tuple[Face, ...] = (_memories, _stores, _entries, _blocks, _summaries)
