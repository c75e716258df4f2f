"""How nodes relate, and when."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from holdfast.kernel.caller import Caller
from holdfast.kernel.clock import rfc3339
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import NotFound, PreconditionFailed
from holdfast.kernel.ids import new_id
from holdfast.kernel.sql import load
from holdfast.memories.graph.model import Edge, check_edge
from holdfast.memories.graph.nodes import hold
from holdfast.memories.model import IfMatch, check_validity
from holdfast.memories.sight import sight

queries = load(__file__, "edges.sql")


async def put_edge(
    db: Database,
    caller: Caller,
    *,
    from_id: str,
    to_id: str,
    relation: str,
    given: Mapping[str, Any],
) -> Edge:
    """Relate two nodes; the same relation of the same two is updated in place, and what is not given stays."""
    check_edge(relation, given.get("weight"))
    async with db.begin(caller) as tx:
        source, target = await hold(tx, caller, from_id, to_id)
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
    db: Database, caller: Caller, edge_id: str, *, if_match: IfMatch = None
) -> None:
    """Take a relation away."""
    async with db.begin(caller) as tx:
        gone = await tx.one(
            Edge, queries.delete_edge, id=edge_id, if_match=if_match, **sight(caller)
        )
        if gone is None:
            if await tx.one(bool, queries.edge_exists, id=edge_id, **sight(caller)):
                raise PreconditionFailed("the edge changed since that ETag")
            raise NotFound(f"there is no edge {edge_id!r}")
        await revise_deleted_edge(tx, gone)


async def revise_edge(tx: Tx, edge: Edge, action: str) -> None:
    """What an edge became."""
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
    """That an edge went."""
    await tx.revise(
        "node_edge", edge.id, version=edge.version + 1, action="deleted", parent_id=edge.from_id
    )


def _time(at: datetime | None) -> str | None:
    return None if at is None else rfc3339(at)
