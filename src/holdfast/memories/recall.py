"""Recall of memories: by word and by meaning, along the node graph where that is asked for, and why not."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from holdfast.kernel.caller import Caller
from holdfast.kernel.clock import now as present
from holdfast.kernel.db import Database
from holdfast.kernel.recall.budget import fitting
from holdfast.kernel.recall.explain import why_not
from holdfast.kernel.recall.model import (
    Hit,
    Kind,
    Miss,
    Mode,
    Question,
)
from holdfast.kernel.recall.query import Explanation, Matched, check_ids, check_query
from holdfast.kernel.recall.search import rank, understand
from holdfast.memories.graph.recall import along_the_graph
from holdfast.memories.model import ANYWHERE, Memory, Place
from holdfast.memories.passages import queries
from holdfast.memories.sight import sight
from holdfast.memories.view import View, look

Explain = Callable[[Sequence[str]], Awaitable[list[Miss]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What to recall, and in which form."""

    q: str
    place: Place = ANYWHERE
    limit: int = 5
    mode: Mode = "hybrid"
    category: str | None = None
    tag: str | None = None
    min_score: float | None = None
    max_tokens: int | None = None
    graph: bool = False
    explain: bool = False
    ids: tuple[str, ...] = ()
    now: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledMemory(Memory):
    """A memory that was recalled, and how."""

    score: float
    matched: Matched
    explain: Explanation | None = None


@dataclass(frozen=True, slots=True)
class Recalled:
    """What a recall answers; `misses` for the ids that were asked about and are not in `data`."""

    data: list[RecalledMemory]
    tokens: int
    misses: list[Miss]


@dataclass(frozen=True, slots=True)
class _AskedAbout:
    id: str
    expired: bool
    superseded: bool


async def recall(db: Database, caller: Caller, ask: Ask) -> Recalled:
    """The memories that fit a query best, of those the caller sees from where it speaks."""
    check_query(ask.q, field="q")
    check_ids(ask.ids)
    speaking, view = await look(db, caller, ask.place, ask.q)
    kinds: tuple[Kind, ...] = ("memory", "node_item") if ask.graph else ("memory",)
    labels = [f"category:{ask.category}"] if ask.category is not None else []
    labels += [f"tag:{ask.tag}"] if ask.tag is not None else []
    question = Question(
        text=ask.q,
        scopes=view.scopes,
        kinds=kinds,
        now=ask.now or present(),
        mode=ask.mode,
        workspace_id=view.workspace_id,
        labels=tuple(labels),
        limit=ask.limit,
    )
    asked = await understand(db, speaking, question, view.begun)
    found = await rank(db, speaking, question, asked)
    if ask.graph:
        found = await along_the_graph(db, speaking, question, found)
    hits = [hit for hit in found.hits if hit.kind == "memory"]
    wanted = [hit for hit in hits if ask.min_score is None or hit.score >= ask.min_score]
    rows = await read_recalled(db, speaking, view, wanted, ask)
    data, used = fitting(rows, lambda row: row.value, limit=ask.limit, max_tokens=ask.max_tokens)
    misses: list[Miss] = []
    if ask.explain:
        shown = {row.id for row in data}
        only = replace(found, hits=hits)
        misses = await _misses(
            db,
            speaking,
            [id for id in dict.fromkeys(ask.ids) if id not in shown],
            lambda ids: why_not(
                db, speaking, question, asked, only, "memory", ids, min_score=ask.min_score
            ),
        )
    return Recalled(data, used, misses)


async def read_recalled(
    db: Database, speaking: Caller, view: View, hits: Sequence[Hit], ask: Ask
) -> list[RecalledMemory]:
    """The rows of hits, in their order. What went or changed hands since it was indexed is left out."""
    # A few more than asked for, so that the budget can pass one over.
    hits = hits[: ask.limit if ask.max_tokens is None else 4 * ask.limit]
    rows = await read_rows(db, speaking, view, [hit.object_id for hit in hits])
    return [_recalled(rows[hit.object_id], hit, ask) for hit in hits if hit.object_id in rows]


async def read_rows(
    db: Database, speaking: Caller, view: View, ids: Sequence[str]
) -> Mapping[str, Memory]:
    """Memories by their ids, as far as they may be shown."""
    if not ids:
        return {}
    rows = await db.all(
        speaking,
        Memory,
        queries.recalled_memories,
        ids=list(ids),
        contexts=view.contexts,
        workspace_id=view.workspace_id,
    )
    return {row.id: row for row in rows}


def _recalled(row: Memory, hit: Hit, ask: Ask) -> RecalledMemory:
    fields: dict[str, Any] = {name: getattr(row, name) for name in Memory.__dataclass_fields__}
    return RecalledMemory(
        **fields,
        score=hit.score,
        matched=Matched.of(hit),
        explain=Explanation.of(hit) if ask.explain else None,
    )


async def _misses(
    db: Database, speaking: Caller, ids: Sequence[str], explain: Explain
) -> list[Miss]:
    if not ids:
        return []
    misses = {miss.id: miss for miss in await _gone(db, speaking, ids)}
    for miss in await explain([id for id in ids if id not in misses]):
        misses[miss.id] = miss
    return [misses[id] for id in ids]


async def gone(db: Database, caller: Caller, place: Place, ids: Sequence[str]) -> list[Miss]:
    """Those of these ids that are no memories the caller sees, or are past: why."""
    speaking, _ = await look(db, caller, place)
    return await _gone(db, speaking, ids)


async def _gone(db: Database, speaking: Caller, ids: Sequence[str]) -> list[Miss]:
    rows = await db.all(
        speaking, _AskedAbout, queries.asked_about, ids=list(ids), **sight(speaking)
    )
    known = {row.id: row for row in rows}
    misses = []
    for id in ids:
        row = known.get(id)
        if row is None:
            misses.append(Miss(id, "not_found", "there is no such memory"))
        elif row.superseded:
            misses.append(Miss(id, "superseded", "another memory took its place"))
        elif row.expired:
            misses.append(Miss(id, "expired", "it has expired, or is no longer valid"))
    return misses
