"""Recall of memories: by word and by meaning, along the node graph where that is asked for, and why not."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

from holdfast.kernel import clock, given, row_values, sight
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Read, rows_by_id
from holdfast.kernel.recall import ahead
from holdfast.kernel.recall import answer as recall_answer
from holdfast.kernel.recall.answer import Ask, RecalledThing, Thing
from holdfast.kernel.recall.fusion import Fusion, Weights
from holdfast.kernel.recall.model import Found, Kind, Miss, Question
from holdfast.kernel.recall.query import Explanation, Matched
from holdfast.kernel.recall.search import (
    Begun,
    Understood,
    candidate_params,
    crowded,
    fusion,
    ranked,
    understand,
    understanding_at_once,
)
from holdfast.kernel.recall.slow import Stopwatch
from holdfast.kernel.recall.underway import Underway
from holdfast.kernel.recall.words import of_query
from holdfast.memories.graph.recall import along_the_graph, read_items
from holdfast.memories.model import ANYWHERE, TRUSTS, Memory, Place, Trust
from holdfast.memories.passages import queries, trust_label
from holdfast.memories.view import View, look, looking, looking_by_words

# How many rows are read while the candidates are read closely, for each that is wanted. On the tuning sets all of the ten best are
# among these in 88 to 91 % of the questions, and in 66 to 71 % among as many as are wanted and a third more.
LIKELY = 2

_MEMORIES: tuple[Kind, ...] = ("memory",)
_FIELDS = tuple(Memory.__dataclass_fields__)
_read_fields = attrgetter(*_FIELDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledMemory(Memory):
    """A memory that was recalled, and how."""

    score: float
    matched: Matched
    explain: Explanation | None = None


_make_recalled = row_values.maker(RecalledMemory, (*_FIELDS, "score", "matched", "explain"))


@dataclass(frozen=True, slots=True)
class RecalledMemories:
    """What a recall answers; `misses` for the ids that were asked about and are not in `data`."""

    data: list[RecalledMemory]
    tokens: int
    misses: list[Miss]


@dataclass(frozen=True, slots=True)
class _AskedAbout:
    id: str
    expired: bool
    superseded: bool


async def recall(db: Database, caller: Caller, place: Place, ask: Ask) -> RecalledMemories:
    """The memories that fit a query best, of those the caller sees from where it speaks."""
    recall_answer.check(ask)
    if ask.mode != "lexical":
        await db.services.get(Underway).wait_for(caller)
    ask = replace(ask, now=ask.now or clock.now())
    assumed, ahead_of = None, None
    if place == ANYWHERE and ask.kinds == _MEMORIES and ask.mode == "hybrid" and not ask.graph:
        assumed = ahead.assume(db, caller, ask.query)
    if assumed is None:
        speaking, view = await look(db, caller, place, ask.query)
    else:
        speaking = caller
        view, ahead_of = await _look_and_search(db, caller, ask, assumed)
    views = [as_view(db, speaking, view, None if ahead_of is None else ahead_of.rows)]
    searched = None if ahead_of is None else ahead_of.searched
    found = await recall_answer.answer(db, speaking, ask, views, searched=searched)
    texts = [given.GivenText(each.kind, each.id, each.text) for each in found.data]
    await given.record(db, caller, place.session_id, texts)
    return RecalledMemories([_recalled(each) for each in found.data], found.tokens, found.misses)


@dataclass(frozen=True, slots=True)
class _Ahead:
    """What a query brought up, and rows of it that were read along."""

    searched: ahead.Searched
    rows: Mapping[str, Memory]


async def _look_and_search(
    db: Database, caller: Caller, ask: Ask, assumed: Begun
) -> tuple[View, _Ahead | None]:
    """What a caller sees, what the query brings up there, and rows of it, on one connection; None where an assumption was
    wrong, or vectors are being made that recall waits for. The rows that are likely to be shown are read while the candidates
    are read closely; nine times in ten these are all."""
    watch = Stopwatch()
    question = recall_answer.question_of(ask, _MEMORIES)
    embedding = await understanding_at_once(db, question, assumed)
    second: Read[tuple[Any, ...]] | Callable[[], Read[tuple[Any, ...]]]
    if embedding is None:
        asked = await understand(db, caller, question, assumed)
        watch.step("embedding")
        first = looking(caller, ask.query)
        params = {**candidate_params(question, asked), **sight.params(caller)}
        second = Read(tuple, queries.recall_what_is_seen, params)
    else:
        asked_words = of_query(question.text)
        first = looking_by_words(caller, question.text, asked_words)

        def second() -> Read[tuple[Any, ...]]:
            nonlocal asked
            asked = embedding(asked_words)
            watch.step("embedding")
            return Read(tuple, queries.recall_kept, candidate_params(question, asked))

    view: View
    understood: Understood
    candidates: Fusion | None = None
    searched: ahead.Searched | None = None

    def likely(views: list[View], found: list[tuple[Any, ...]]) -> Read[Memory] | None:
        nonlocal view, understood, candidates, searched
        [view] = views
        candidates = searched = None  # it may be called again, on another connection
        confirmed = ahead.confirm(db, caller, ask.query, assumed, view.begun)
        if not confirmed or view.underway is not None or crowded(question, asked, found):
            return None
        understood = replace(asked, weights=Weights.of(view.weights)) if view.weights else asked
        candidates = fusion(question, understood, found)
        ids = candidates.likely(LIKELY * recall_answer.at_once(ask))
        return _rows(caller, view, ids) if ids else None

    def rank() -> None:
        nonlocal searched
        if candidates is not None:
            searched = ahead.Searched(understood, ranked(question, candidates), watch)
            watch.step("search")

    rows = await db.in_turn(caller, first, second, likely, rank)
    if searched is None:
        return view, None
    wanted = recall_answer.read_first(ask, searched.found)
    return view, _Ahead(searched, {} if rows is None else await rows_by_id(rows, wanted))


def labels(category: str | None, tag: str | None, min_trust: Trust | None) -> tuple[str, ...]:
    """A filter by category, tag and trust, as passages carry them; every memory has the least trust."""
    named = (("category", category), ("tag", tag))
    asked = [f"{name}:{value}" for name, value in named if value is not None]
    return (*asked, *([] if min_trust in (None, TRUSTS[-1]) else [trust_label(min_trust)]))


def as_view(
    db: Database,
    speaking: Caller,
    view: View,
    rows_ahead: Mapping[str, Memory] | None = None,
) -> recall_answer.View:
    """What a caller sees of memories and of nodes' items, as recall searches and reads it; `rows_ahead` are those that were
    read already."""
    known = rows_ahead or {}

    async def read_memories(ids: Sequence[str]) -> Mapping[str, Thing]:
        rows = {id: known[id] for id in ids if id in known}
        rows |= await read_rows(db, speaking, view, [id for id in ids if id not in known])
        return {id: Thing(row.value, row) for id, row in rows.items()}

    async def read_node_items(ids: Sequence[str]) -> Mapping[str, Thing]:
        items = await read_items(db, speaking, view, ids)
        return {id: Thing(item.content, item) for id, item in items.items()}

    async def walk(question: Question, found: Found) -> Found:
        return await along_the_graph(db, speaking, question, found)

    async def why(ids: Sequence[str]) -> list[Miss]:
        return await _gone(db, speaking, ids)

    return recall_answer.View(
        scopes=tuple(view.scopes),
        readers={"memory": read_memories, "node_item": read_node_items},
        workspace_id=view.workspace_id,
        begun=view.begun,
        why=why,
        walk=walk,
        walk_from=("node_item",),
    )


def trusting(view: recall_answer.View, min_trust: Trust | None) -> recall_answer.View:
    """The view without memories that are trusted less than `min_trust`; a view without memories as it is.

    For a recall over several faces, whose other objects carry no label of trust.
    """
    read = view.readers.get("memory")
    if read is None or min_trust is None:
        return view
    accepted = TRUSTS[: TRUSTS.index(min_trust) + 1]

    async def read_trusted(ids: Sequence[str]) -> Mapping[str, Thing]:
        return {
            id: thing for id, thing in (await read(ids)).items() if thing.object.trust in accepted
        }

    return replace(view, readers={**view.readers, "memory": read_trusted})


async def read_rows(
    db: Database, speaking: Caller, view: View, ids: Sequence[str]
) -> Mapping[str, Memory]:
    """Memories by their ids, as far as they may be shown."""
    if not ids:
        return {}
    row_type, statement, params = _rows(speaking, view, ids)
    return {row.id: row for row in await db.all(speaking, row_type, statement, **params)}


def _rows(speaking: Caller, view: View, ids: Sequence[str]) -> Read[Memory]:
    params = {
        "ids": list(ids),
        "audiences": view.audiences,
        "workspace_id": view.workspace_id,
        **sight.params(speaking),
    }
    return Read(Memory, queries.recalled_memories, params)


def _recalled(found: RecalledThing) -> RecalledMemory:
    made: RecalledMemory = _make_recalled(
        (*_read_fields(found.object), found.score, found.matched, found.explain)
    )
    return made


async def _gone(db: Database, speaking: Caller, ids: Sequence[str]) -> list[Miss]:
    """Those of these ids that are memories the caller may see, and are past: why."""
    rows = await db.all(
        speaking, _AskedAbout, queries.asked_about, ids=list(ids), **sight.params(speaking)
    )
    superseded = {row.id for row in rows if row.superseded}
    expired = {row.id for row in rows if row.expired} - superseded
    return [
        *(Miss(id, "superseded", "another memory took its place") for id in superseded),
        *(Miss(id, "expired", "it has expired, or is no longer valid") for id in expired),
    ]
