"""The node graph beside the memories: nodes, what is said of them, and how they relate.

Nodes are the org's (and the workspace's, where there are workspaces). A node answers to its name and its aliases,
whatever their case and accents, and within a kind no two answer to one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from psycopg.types.json import Jsonb

from holdfast.kernel import limits
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import Conflict, Invalid, NotFound, PreconditionFailed
from holdfast.kernel.ids import new_id
from holdfast.kernel.pages import Cursor, Page, read_page
from holdfast.kernel.sql import load
from holdfast.memories.graph import passages
from holdfast.memories.graph.model import (
    MAX_ITEMS,
    NewItem,
    Node,
    NodeItem,
    check_items,
    check_node,
)
from holdfast.memories.model import IfMatch
from holdfast.memories.rows import read_row
from holdfast.memories.sight import sight

queries = load(__file__, "nodes.sql")

# How often a change looks again for a node that is merged away under its hands.
MAX_TRIES = 10


@dataclass(frozen=True, slots=True)
class Touched:
    """A node after a change that is not one of its own fields."""

    id: str
    version: int
    name: str
    kind: str
    aliases: list[str]
    summary: str | None


@dataclass(frozen=True, slots=True)
class _DroppedItem:
    id: str
    node_id: str


# --- nodes -----------------------------------------------------------------------------------------------------------


async def create_node(
    db: Database, caller: Caller, fields: Mapping[str, Any], items: Sequence[NewItem] = ()
) -> Node:
    """Make a node; Conflict with the one that has the name, where one of its kind has it."""
    check_node(fields)
    check_items(items)
    node_id = new_id("node")
    await passages.prefetch_embeddings(db, fields["name"], [item.content for item in items])
    async with db.begin(caller) as tx:
        await tx.run(
            queries.create_node,
            id=node_id,
            name=fields["name"],
            kind=fields["kind"],
            aliases=_distinct(fields.get("aliases", ())),
            summary=fields.get("summary"),
            **sight(caller),
        )
        await claim_names(tx, caller, node_id)
        for item in items:
            await _add_item(tx, caller, node_id, item)
        node = await read_node_row(tx, caller, node_id)
        await revise_node(tx, node, "created")
    return node


async def read_node(db: Database, caller: Caller, node_id: str) -> Node:
    """A node, with the items that the caller may see; an id that was merged answers with the survivor."""
    async with db.read(caller) as tx:
        return await read_node_row(tx, caller, node_id)


async def read_node_row(tx: Tx, caller: Caller, node_id: str) -> Node:
    """As `read_node`, in a transaction that is open."""
    node = await tx.one(Node, queries.read_node, id=node_id, **sight(caller))
    if node is None:
        raise NotFound(f"there is no node {node_id!r}")
    return node


async def hold(tx: Tx, caller: Caller, *node_ids: str) -> list[Node]:
    """Nodes that will not be merged away, changed or deleted by others until the transaction ends."""
    for _ in range(MAX_TRIES):
        found = [await read_node_row(tx, caller, node_id) for node_id in node_ids]
        ids = sorted({node.id for node in found})
        if await tx.all(str, queries.hold_nodes, ids=ids) == ids:
            return [await read_node_row(tx, caller, node.id) for node in found]
    raise Conflict("these nodes are being merged; try again")


async def list_nodes(
    db: Database, caller: Caller, cursor: Cursor, *, q: str | None = None, kind: str | None = None
) -> Page[Node]:
    """Nodes whose name or an alias contains `q`, newest first."""
    async with db.read(caller) as tx:
        return await read_page(
            tx, Node, queries.list_nodes, cursor, q=q, kind=kind, **sight(caller)
        )


async def change_node(
    db: Database,
    caller: Caller,
    node_id: str,
    fields: Mapping[str, Any],
    *,
    if_match: IfMatch = None,
) -> Node:
    """Set the fields that are given; Conflict where another node of the kind answers to a name."""
    check_node(fields)
    given = dict(fields)
    if "aliases" in given:
        given["aliases"] = _distinct(given["aliases"])
    async with db.begin(caller) as tx:
        [present] = await hold(tx, caller, node_id)
        changed = await tx.one(
            Node,
            queries.change_node,
            id=present.id,
            fields=Jsonb(given),
            if_match=if_match,
            **sight(caller),
        )
        if changed is None:
            raise PreconditionFailed("the node changed since that ETag")
        await tx.run(queries.drop_names, id=changed.id)
        await claim_names(tx, caller, changed.id)
        if changed.name != present.name:
            await passages.index_items(tx, await passages.items_of(tx, changed.id))
        await revise_node(tx, changed, "updated")
    return changed


async def delete_node(
    db: Database, caller: Caller, node_id: str, *, if_match: IfMatch = None
) -> None:
    """Take a node away, with its items and edges."""
    async with db.begin(caller) as tx:
        [node] = await hold(tx, caller, node_id)
        await passages.drop_items(tx, await passages.items_of(tx, node.id))
        version = await tx.one(int, queries.delete_node, id=node.id, if_match=if_match)
        if version is None:
            raise PreconditionFailed("the node changed since that ETag")
        await tx.revise("node", node.id, version=version + 1, action="deleted", label=node.name)


async def claim_names(tx: Tx, caller: Caller, node_id: str) -> None:
    """Make a node answer to its names; Conflict where another of its kind answers to one."""
    taken = await tx.all(str, queries.claim_names, id=node_id)
    if taken:
        holder = await tx.one(str, queries.holder_of_name, id=node_id, folded=taken[0])
        current = holder and await read_node_row(tx, caller, holder)
        raise Conflict("a node of this kind answers to that name already", current=current)


async def revise_node(tx: Tx, node: Node | Touched, action: str) -> None:
    """What a node became. What is said of it has revisions of its own, so that it can be erased alone."""
    await tx.revise(
        "node",
        node.id,
        version=node.version,
        action=action,
        label=node.name,
        state={"name": node.name, "kind": node.kind, "aliases": node.aliases},
        content=node.summary,
    )


def _distinct(aliases: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(aliases))


# --- items -----------------------------------------------------------------------------------------------------------


async def add_item(
    db: Database, caller: Caller, node_id: str, item: NewItem, *, if_match: IfMatch = None
) -> NodeItem:
    """Say something of a node."""
    check_items([item])
    async with db.begin(caller) as tx:
        [node] = await hold(tx, caller, node_id)
        check_version(node, if_match)
        await touch(tx, [node.id], "item_added")
        count = await tx.one(int, queries.count_items, node_id=node.id)
        limits.at_most((count or 0) + 1, MAX_ITEMS, what="items of one node")
        return await _add_item(tx, caller, node.id, item)


async def delete_item(db: Database, caller: Caller, node_id: str, item_id: str) -> None:
    """Take back something that was said of a node."""
    async with db.begin(caller) as tx:
        [node] = await hold(tx, caller, node_id)
        gone = await tx.one(
            NodeItem, queries.delete_item, node_id=node.id, id=item_id, **sight(caller)
        )
        if gone is None:
            raise NotFound(f"there is no item {item_id!r}")
        await touch(tx, [node.id], "item_removed")
        await passages.drop_items(tx, [gone.id])
        await tx.revise(
            "node_item", gone.id, version=2, action="deleted", parent_id=gone.memory_id or node.id
        )


async def drop_items_of(tx: Tx, memory_ids: list[str]) -> list[str]:
    """Take away what was derived from memories that are being erased; the ids of the items."""
    gone = await tx.all(_DroppedItem, queries.drop_items_of, memory_ids=memory_ids)
    if gone:
        await touch(tx, sorted({item.node_id for item in gone}), "item_removed")
    return [item.id for item in gone]


async def _add_item(tx: Tx, caller: Caller, node_id: str, item: NewItem) -> NodeItem:
    if item.memory_id is not None:
        try:
            await read_row(tx, caller, item.memory_id)
        except NotFound:
            raise Invalid.field("memory_id", "names no memory that you see") from None
    added = NodeItem(
        id=new_id("item"),
        content=item.content,
        source=item.source,
        memory_id=item.memory_id,
        created_at=tx.now,
    )
    await tx.run(
        queries.add_item,
        id=added.id,
        node_id=node_id,
        content=added.content,
        source=added.source,
        memory_id=added.memory_id,
    )
    # What comes of a memory is filed under it: it is erased with it, even when the item itself went before.
    await tx.revise(
        "node_item",
        added.id,
        version=1,
        action="created",
        parent_id=added.memory_id or node_id,
        state={"node_id": node_id, "source": added.source, "memory_id": added.memory_id},
        content=added.content,
    )
    await passages.index_items(tx, [added.id])
    return added


async def touch(tx: Tx, node_ids: list[str], action: str) -> None:
    """Nodes have changed in something that is kept beside them."""
    for node in await tx.all(Touched, queries.touch_nodes, ids=node_ids):
        await revise_node(tx, node, action)


def check_version(node: Node, if_match: IfMatch) -> None:
    """Refuse where If-Match fails for a node that is held."""
    if if_match is not None and node.version not in if_match:
        raise PreconditionFailed("the node changed since that ETag")
