"""The node graph beside the memories: nodes and their items.

A node is seen by the user that made it, by a project or by the whole org, as its visibility says (and from the workspace it
was made in, where the org has workspaces enabled). A node answers to its name and its aliases, whatever their case and
accents; among the nodes of one kind and audience no two answer to one name.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from psycopg.types.json import Jsonb

from holdfast.kernel import limits, metrics, sight
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import Conflict, Invalid, NotFound, PreconditionFailed
from holdfast.kernel.ids import new_id
from holdfast.kernel.pages import Cursor, Page, read_page
from holdfast.kernel.places import enter_project
from holdfast.kernel.sql import load
from holdfast.memories.graph import passages
from holdfast.memories.graph.model import (
    MAX_ITEMS,
    NewItem,
    NewNode,
    Node,
    NodeItem,
    Visibility,
    check_items,
    check_node,
)
from holdfast.memories.model import ANYWHERE, IfMatch, Place
from holdfast.memories.rows import read_row
from holdfast.memories.sight import enter

queries = load(__file__, "nodes.sql")

# How often a change looks again for a node that another transaction merges away.
MAX_TRIES = 10


@dataclass(frozen=True, slots=True)
class Touched:
    """A node as its revision keeps it, after a change of its items or a merge."""

    id: str
    version: int
    name: str
    kind: str
    visibility: Visibility
    aliases: list[str]
    summary: str | None


@dataclass(frozen=True, slots=True)
class _DroppedItem:
    id: str
    node_id: str


# --- nodes -----------------------------------------------------------------------------------------------------------


async def create_node(
    db: Database, caller: Caller, new: NewNode, items: Sequence[NewItem] = ()
) -> Node:
    """Make a node; Conflict with the one that has the name, where one of its kind and audience has it."""
    check_node(asdict(new))
    check_items(items)
    node_id = new_id("node")
    await passages.prefetch_embeddings(db, new.name, [item.content for item in items])
    async with db.begin(caller) as tx:
        speaking = await _enter_audience(tx, caller, new)
        await tx.run(
            queries.create_node,
            id=node_id,
            visibility=new.visibility,
            project_id=new.project_id,
            name=new.name,
            kind=new.kind,
            aliases=_distinct(new.aliases),
            summary=new.summary,
            **sight.params(speaking),
        )
        await claim_names(tx, speaking, node_id)
        for item in items:
            await _add_item(tx, speaking, node_id, item)
        node = await read_node_row(tx, speaking, node_id)
        await revise_node(tx, node, "created")
    return node


async def _enter_audience(tx: Tx, caller: Caller, new: NewNode) -> Caller:
    """The caller, speaking from the project of a project's node; refused where it lacks the name that a node carries."""
    if new.visibility == "user":
        caller.must_be_user()
    if new.visibility != "project":
        if new.project_id is not None:
            raise Invalid.field("project_id", "is for nodes of visibility 'project'")
        return caller
    if new.project_id is None:
        raise Invalid.field("project_id", "a node of visibility 'project' needs its project_id")
    return await enter_project(tx, caller, new.project_id)


async def read_node(db: Database, caller: Caller, node_id: str, *, place: Place = ANYWHERE) -> Node:
    """A node, with the items that the caller sees; an id that was merged answers with the survivor."""
    async with db.read(caller) as tx:
        return await read_node_row(tx, await enter(tx, caller, place, to_write=False), node_id)


async def read_nodes(db: Database, caller: Caller, node_ids: Sequence[str]) -> list[Node]:
    """The nodes of these ids that the caller sees, in the order given; one that was merged away is left out."""
    if not node_ids:
        return []
    async with db.read(caller) as tx:
        ids = list(node_ids)
        return await tx.all(Node, queries.read_nodes, ids=ids, **sight.params(caller))


async def read_node_row(tx: Tx, caller: Caller, node_id: str) -> Node:
    """As `read_node`, in a transaction that is open."""
    node = await tx.one(Node, queries.read_node, id=node_id, **sight.params(caller))
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
    db: Database,
    caller: Caller,
    cursor: Cursor,
    *,
    q: str | None = None,
    kind: str | None = None,
    visibility: Visibility | None = None,
    place: Place = ANYWHERE,
) -> Page[Node]:
    """Nodes whose name or an alias contains `q`, newest first; those of a project where the place names one."""
    async with db.read(caller) as tx:
        speaking = await enter(tx, caller, place, to_write=False)
        await tx.plan_for_any_values()
        return await read_page(
            tx,
            Node,
            queries.list_nodes,
            cursor,
            q=q,
            kind=kind,
            visibility=visibility,
            project_id=place.project_id,
            **sight.params(speaking),
        )


async def change_node(
    db: Database,
    caller: Caller,
    node_id: str,
    fields: Mapping[str, Any],
    *,
    place: Place = ANYWHERE,
    if_match: IfMatch = None,
) -> Node:
    """Set the fields that are given; Conflict where another node of the kind and audience answers to a name."""
    check_node(fields)
    given = dict(fields)
    if "aliases" in given:
        given["aliases"] = _distinct(given["aliases"])
    async with db.begin(caller) as tx:
        speaking = await enter(tx, caller, place, to_write=False)
        [present] = await hold(tx, speaking, node_id)
        changed = await tx.one(
            Node,
            queries.change_node,
            id=present.id,
            fields=Jsonb(given),
            if_match=if_match,
            **sight.params(speaking),
        )
        if changed is None:
            raise PreconditionFailed("the node changed since that ETag")
        await tx.run(queries.drop_names, id=changed.id)
        await claim_names(tx, speaking, changed.id)
        if changed.name != present.name:
            await passages.index_items(tx, await passages.items_of(tx, changed.id))
        await revise_node(tx, changed, "updated")
    return changed


async def delete_node(
    db: Database,
    caller: Caller,
    node_id: str,
    *,
    place: Place = ANYWHERE,
    if_match: IfMatch = None,
) -> None:
    """Delete a node, with its items and edges."""
    async with db.begin(caller) as tx:
        [node] = await hold(tx, await enter(tx, caller, place, to_write=False), node_id)
        must_remove(caller, node, "deleting")
        await passages.drop_items(tx, await passages.items_of(tx, node.id))
        version = await tx.one(int, queries.delete_node, id=node.id, if_match=if_match)
        if version is None:
            raise PreconditionFailed("the node changed since that ETag")
        tx.on_commit(metrics.nodes_written.labels("deleted").inc)
        await tx.revise("node", node.id, version=version + 1, action="deleted", label=node.name)


def must_remove(caller: Caller, node: Node, doing: str) -> None:
    """Refuse (MEM-001) to delete or merge a node of the org, but for service keys, an owner and the user that made it."""
    if node.visibility == "org":
        sight.must_manage(caller, made_by=node.user_id, what=f"{doing} a node of the org")


async def claim_names(tx: Tx, caller: Caller, node_id: str) -> None:
    """Make a node answer to its names; Conflict where another of its kind and audience answers to one."""
    taken = await tx.all(str, queries.claim_names, id=node_id)
    if taken:
        holder = await tx.one(str, queries.holder_of_name, id=node_id, folded=taken[0])
        current = holder and await read_node_row(tx, caller, holder)
        raise Conflict("a node of this kind answers to that name already", current=current)


async def revise_node(tx: Tx, node: Node | Touched, action: str) -> None:
    """Write the revision of a changed node, and count the change. Items have revisions of their own, so that one can be erased alone."""
    tx.on_commit(metrics.nodes_written.labels(action).inc)
    await tx.revise(
        "node",
        node.id,
        version=node.version,
        action=action,
        label=node.name,
        state={
            "name": node.name,
            "kind": node.kind,
            "visibility": node.visibility,
            "aliases": node.aliases,
        },
        content=node.summary,
    )


def _distinct(aliases: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(aliases))


# --- items -----------------------------------------------------------------------------------------------------------


async def add_item(
    db: Database,
    caller: Caller,
    node_id: str,
    item: NewItem,
    *,
    place: Place = ANYWHERE,
    if_match: IfMatch = None,
) -> NodeItem:
    """Add an item to a node."""
    check_items([item])
    async with db.begin(caller) as tx:
        speaking = await enter(tx, caller, place, to_write=False)
        [node] = await hold(tx, speaking, node_id)
        check_version(node, if_match)
        await touch(tx, [node.id], "item_added")
        count = await tx.one(int, queries.count_items, node_id=node.id)
        limits.at_most((count or 0) + 1, MAX_ITEMS, what="items of one node")
        return await _add_item(tx, speaking, node.id, item)


async def delete_item(
    db: Database, caller: Caller, node_id: str, item_id: str, *, place: Place = ANYWHERE
) -> None:
    """Remove an item from a node."""
    async with db.begin(caller) as tx:
        speaking = await enter(tx, caller, place, to_write=False)
        [node] = await hold(tx, speaking, node_id)
        gone = await tx.one(
            NodeItem, queries.delete_item, node_id=node.id, id=item_id, **sight.params(speaking)
        )
        if gone is None:
            raise NotFound(f"there is no item {item_id!r}")
        await touch(tx, [node.id], "item_removed")
        await passages.drop_items(tx, [gone.id])
        await tx.revise(
            "node_item", gone.id, version=2, action="deleted", parent_id=gone.memory_id or node.id
        )


async def drop_items_of(tx: Tx, memory_ids: list[str]) -> list[str]:
    """Delete the items derived from memories that are being erased; their ids."""
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
    # The memory is the parent of an item's revisions: erasing the memory erases them, also when the item was deleted before.
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
    """Count a change of nodes' items as a change of the nodes: version, updated_at, revision."""
    for node in await tx.all(Touched, queries.touch_nodes, ids=node_ids):
        await revise_node(tx, node, action)


def check_version(node: Node, if_match: IfMatch) -> None:
    """Refuse where If-Match fails for a node that is held."""
    if if_match is not None and node.version not in if_match:
        raise PreconditionFailed("the node changed since that ETag")
