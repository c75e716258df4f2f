"""What the graph adds to a recall: memories around matched nodes, and items of nodes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from holdfast.kernel import sight
from holdfast.kernel.caller import Caller
from holdfast.kernel.clock import Instant
from holdfast.kernel.db import Database
from holdfast.kernel.recall.fusion import exact
from holdfast.kernel.recall.model import Found, Hit, Question
from holdfast.kernel.sql import load
from holdfast.memories.view import View

queries = load(__file__, "recall.sql")

# What a memory that only the graph leads to may score.
GRAPH_WEIGHT = 0.3


@dataclass(frozen=True, slots=True)
class _Around:
    id: str
    weight: float


@dataclass(frozen=True, slots=True)
class RecalledItem:
    """Something that is known of a node."""

    id: str
    node_id: str
    content: str
    source: str
    memory_id: str | None
    created_at: Instant


async def read_items(
    db: Database, speaking: Caller, view: View, ids: Sequence[str]
) -> Mapping[str, RecalledItem]:
    """Items of nodes by their ids, as far as they may be shown."""
    if not ids:
        return {}
    rows = await db.all(
        speaking,
        RecalledItem,
        queries.recalled_items,
        ids=list(ids),
        audiences=view.audiences,
        workspace_id=view.workspace_id,
    )
    return {row.id: row for row in rows}


async def along_the_graph(
    db: Database, speaking: Caller, question: Question, found: Found
) -> Found:
    """Add the memories one hop away from the nodes that were matched; one that was found anyway gains a little."""
    near = await db.all(
        speaking,
        _Around,
        queries.memories_around,
        item_ids=[hit.object_id for hit in found.hits if hit.kind == "node_item"],
        memory_ids=[hit.object_id for hit in found.hits[: question.limit] if hit.kind == "memory"],
        spoken=" ".join("".join(c if c.isalnum() else " " for c in question.text).split()),
        **sight.params(speaking),
    )
    weights = {each.id: each.weight for each in near}
    hits = [_with_graph(hit, weights.pop(hit.object_id, 0.0)) for hit in found.hits]
    hits += [
        _with_graph(Hit("memory", id, 0.0, {}, (), (), 0, 0), weight)
        for id, weight in weights.items()
    ]
    return replace(found, hits=sorted(hits, key=lambda hit: -hit.score))


def _with_graph(hit: Hit, weight: float) -> Hit:
    if hit.kind != "memory" or weight <= 0:
        return hit
    part = exact(min(GRAPH_WEIGHT * weight, 1.0 - hit.score))
    return hit._replace(
        score=hit.score + part,
        parts={**hit.parts, "graph": part},
        arms=(*hit.arms, "graph"),
    )
