"""Merging a node into another."""

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
    must_remove,
    read_node_row,
    revise_node,
)
from holdfast.memories.model import ANYWHERE, IfMatch, Place
from holdfast.memories.sight import enter

queries = load(__file__, "merging.sql")


async def merge_nodes(
    db: Database,
    caller: Caller,
    node_id: str,
    into: str,
    *,
    place: Place = ANYWHERE,
    if_match: IfMatch = None,
) -> Node:
    """Make two nodes one: names, items and edges move, and the old id answers with the survivor.

    What moves is seen by those who see the survivor.
    """
    if node_id == into:
        raise Invalid.field("into", "is the same node")
    async with db.begin(caller) as tx:
        await tx.run(queries.one_merge_at_a_time)
        speaking = await enter(tx, caller, place, to_write=False)
        old, survivor = await hold(tx, speaking, node_id, into)
        if old.id == survivor.id:
            return survivor  # merged already
        must_remove(caller, old, "merging")
        check_version(old, if_match)
        ends = {"id": old.id, "into": survivor.id}
        moved = await passages.items_of(tx, old.id)
        await tx.run(queries.move_items, **ends)
        await passages.index_items(tx, moved)
        await _move_edges(tx, ends)
        await tx.run(queries.take_over, **ends)
        await tx.run(nodes.queries.drop_names, id=old.id)
        # A name of the old node that a third of the survivor's kind and audience answers to stays that one's.
        await tx.all(str, nodes.queries.claim_names, id=survivor.id)
        for gone in await tx.all(Touched, queries.mark_merged, **ends):
            await revise_node(tx, gone, "merged")
        merged = await read_node_row(tx, speaking, survivor.id)
        await revise_node(tx, merged, "merged_from")
    return merged


async def _move_edges(tx: Tx, ends: dict[str, str]) -> None:
    """Move the old node's edges to the survivor; two edges with the same ends and relation become one."""
    for edge in await tx.all(Edge, queries.join_edges, **ends):
        await revise_edge(tx, edge, "joined")
    for edge in await tx.all(Edge, queries.drop_joined_edges, **ends):
        await revise_deleted_edge(tx, edge)
    for edge in await tx.all(Edge, queries.move_edges, **ends):
        await revise_edge(tx, edge, "moved")
