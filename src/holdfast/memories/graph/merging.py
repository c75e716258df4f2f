"""Two nodes that turn out to be one."""

from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import Invalid
from holdfast.kernel.sql import load
from holdfast.memories.graph import nodes, passages
from holdfast.memories.graph.edges import revise_deleted_edge, revise_edge
from holdfast.memories.graph.model import Edge, Node
from holdfast.memories.graph.nodes import (
    Touched,
    check_version,
    hold,
    read_node_row,
    revise_node,
)
from holdfast.memories.model import IfMatch

queries = load(__file__, "merging.sql")


async def merge_nodes(
    db: Database, caller: Caller, node_id: str, into: str, *, if_match: IfMatch = None
) -> Node:
    """Make two nodes one: names, items and edges move, and the old id answers with the survivor."""
    if node_id == into:
        raise Invalid.field("into", "is the same node")
    async with db.begin(caller) as tx:
        await tx.run(queries.one_merge_at_a_time)
        old, survivor = await hold(tx, caller, node_id, into)
        if old.id == survivor.id:
            return survivor  # merged already
        check_version(old, if_match)
        ends = {"id": old.id, "into": survivor.id}
        moved = await passages.items_of(tx, old.id)
        await tx.run(queries.move_items, **ends)
        await passages.index_items(tx, moved)
        await _move_edges(tx, ends)
        await tx.run(queries.take_over, **ends)
        await tx.run(nodes.queries.drop_names, id=old.id)
        # A name of the old node that a third of the survivor's kind answers to stays that one's.
        await tx.all(str, nodes.queries.claim_names, id=survivor.id)
        for gone in await tx.all(Touched, queries.mark_merged, **ends):
            await revise_node(tx, gone, "merged")
        merged = await read_node_row(tx, caller, survivor.id)
        await revise_node(tx, merged, "merged_from")
    return merged


async def _move_edges(tx: Tx, ends: dict[str, str]) -> None:
    """The old node's edges become the survivor's; where both said the same, one edge says it."""
    for edge in await tx.all(Edge, queries.join_edges, **ends):
        await revise_edge(tx, edge, "joined")
    for edge in await tx.all(Edge, queries.drop_joined_edges, **ends):
        await revise_deleted_edge(tx, edge)
    for edge in await tx.all(Edge, queries.move_edges, **ends):
        await revise_edge(tx, edge, "moved")
