"""Walks over the node graph: the neighbours of a node, and the shortest path between two."""

from dataclasses import dataclass
from datetime import datetime

from holdfast.kernel import sight
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import NotFound
from holdfast.kernel.sql import load
from holdfast.memories.graph.model import MAX_HOPS, MAX_NEIGHBORS, Direction, Edge, Graph, Node
from holdfast.memories.graph.nodes import queries as node_queries
from holdfast.memories.graph.nodes import read_node_row
from holdfast.memories.model import ANYWHERE, Place
from holdfast.memories.sight import enter

queries = load(__file__, "walks.sql")


@dataclass(frozen=True, slots=True)
class _Reached:
    id: str
    depth: int


async def neighbors(
    db: Database,
    caller: Caller,
    node_id: str,
    *,
    depth: int = 1,
    relation: str | None = None,
    direction: Direction = "both",
    as_of: datetime | None = None,
    place: Place = ANYWHERE,
) -> Graph:
    """The nodes within `depth` steps of one, nearest first, and the edges that lead there.

    A walk goes over nodes that the caller sees, and never through another.
    """
    async with db.read(caller) as tx:
        speaking = await enter(tx, caller, place, to_write=False)
        start = await read_node_row(tx, speaking, node_id)
        along = {
            "relation": relation,
            "outward": direction in ("both", "out"),
            "inward": direction in ("both", "in"),
            "at": as_of or tx.now,
        }
        reached = await tx.all(
            _Reached,
            queries.walk,
            id=start.id,
            depth=depth,
            limit=MAX_NEIGHBORS + 1,
            **along,
            **sight.params(speaking),
        )
        edges = await tx.all(
            Edge,
            queries.edges_walked,
            ids=[each.id for each in reached],
            from_ids=[each.id for each in reached if each.depth < depth],
            **along,
        )
        nodes = await _read(tx, speaking, [each.id for each in reached if each.id != start.id])
    return Graph(nodes, edges)


async def path(
    db: Database, caller: Caller, from_id: str, to_id: str, *, place: Place = ANYWHERE
) -> Graph:
    """The shortest way from one node to another along edges that hold now, whichever way they point.

    NotFound where there is none within MAX_HOPS. It looks one step further at a time, and at no node twice.
    """
    async with db.read(caller) as tx:
        speaking = await enter(tx, caller, place, to_write=False)
        start = await read_node_row(tx, speaking, from_id)
        goal = await read_node_row(tx, speaking, to_id)
        came_by: dict[str, Edge | None] = {start.id: None}
        frontier = [start.id]
        for _ in range(MAX_HOPS):
            if goal.id in came_by or not frontier:
                break
            opened, frontier = set(frontier), []
            step = {"ids": sorted(opened), "at": tx.now, **sight.params(speaking)}
            for edge in await tx.all(Edge, queries.edges_around, **step):
                for here, there in ((edge.from_id, edge.to_id), (edge.to_id, edge.from_id)):
                    if here in opened and there not in came_by:
                        came_by[there] = edge
                        frontier.append(there)
        if goal.id not in came_by:
            raise NotFound(f"there is no path between them within {MAX_HOPS} steps")
        ids, edges = _way_back(came_by, goal.id)
        return Graph(await _read(tx, speaking, ids), edges)


def _way_back(came_by: dict[str, Edge | None], goal: str) -> tuple[list[str], list[Edge]]:
    """The nodes and edges from the start to the goal, in that order."""
    ids, edges = [goal], []
    while (edge := came_by[ids[-1]]) is not None:
        edges.append(edge)
        ids.append(edge.from_id if edge.to_id == ids[-1] else edge.to_id)
    return ids[::-1], edges[::-1]


async def _read(tx: Tx, caller: Caller, ids: list[str]) -> list[Node]:
    return (
        await tx.all(Node, node_queries.read_nodes, ids=ids, **sight.params(caller)) if ids else []
    )
