"""Edges: relations between nodes, each with the time in which it holds."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from holdfast.kernel import sight
from holdfast.kernel.caller import Caller
from holdfast.kernel.clock import rfc3339
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import NotFound, PreconditionFailed
from holdfast.kernel.ids import new_id
from holdfast.kernel.sql import load
from holdfast.memories.graph.model import Edge, check_edge
from holdfast.memories.graph.nodes import hold
from holdfast.memories.model import ANYWHERE, IfMatch, Place, check_validity
from holdfast.memories.sight import enter

queries = load(__file__, "edges.sql")


async def put_edge(
    db: Database,
    caller: Caller,
    *,
    from_id: str,
    to_id: str,
    relation: str,
    given: Mapping[str, Any],
    place: Place = ANYWHERE,
) -> Edge:
    """Relate two nodes; the same relation of the same two is updated in place, and what is not given stays."""
    check_edge(relation, given.get("weight"))
    async with db.begin(caller) as tx:
        speaking = await enter(tx, caller, place, to_write=False)
        source, target = await hold(tx, speaking, from_id, to_id)
        edge = await tx.one(
            Edge,
            queries.put_edge,
            id=new_id("edge"),
            from_id=source.id,
            to_id=target.id,
            relation=relation,
            weight=given.get("weight"),
            valid_from=given.get("valid_from"),
            valid_to=given.get("valid_to"),
            set_valid_from="valid_from" in given,
            set_valid_to="valid_to" in given,
        )
        if edge is None:
            raise RuntimeError("the edge was not returned")
        check_validity(edge.valid_from, edge.valid_to)
        await revise_edge(tx, edge, "created" if edge.version == 1 else "updated")
    return edge


async def delete_edge(
    db: Database,
    caller: Caller,
    edge_id: str,
    *,
    place: Place = ANYWHERE,
    if_match: IfMatch = None,
) -> None:
    """Delete an edge between two nodes that the caller sees."""
    async with db.begin(caller) as tx:
        speaking = await enter(tx, caller, place, to_write=False)
        seen = await tx.one(Edge, queries.read_edge, id=edge_id, **sight.params(speaking))
        gone = seen and await tx.one(Edge, queries.delete_edge, id=edge_id, if_match=if_match)
        if seen is not None and gone is None and if_match is not None:
            raise PreconditionFailed("the edge changed since that ETag")
        if gone is None:
            raise NotFound(f"there is no edge {edge_id!r}")
        await revise_deleted_edge(tx, gone)


async def revise_edge(tx: Tx, edge: Edge, action: str) -> None:
    """Write the revision of a changed edge."""
    await tx.revise(
        "node_edge",
        edge.id,
        version=edge.version,
        action=action,
        parent_id=edge.from_id,
        label=edge.relation,
        state={
            "from": edge.from_id,
            "to": edge.to_id,
            "relation": edge.relation,
            "weight": edge.weight,
            "valid_from": _time(edge.valid_from),
            "valid_to": _time(edge.valid_to),
        },
    )


async def revise_deleted_edge(tx: Tx, edge: Edge) -> None:
    """Write the revision of a deleted edge."""
    await tx.revise(
        "node_edge", edge.id, version=edge.version + 1, action="deleted", parent_id=edge.from_id
    )


def _time(at: datetime | None) -> str | None:
    return None if at is None else rfc3339(at)
