"""The operations on the node graph, as seen by the client's user from its agent, project and session."""

from collections.abc import Sequence
from datetime import datetime
from typing import Unpack

from holdfast_client.calls import Call, Query, at, delete, get, one, page_of, patch, post
from holdfast_client.nodes.model import (
    Direction,
    Edge,
    EdgeOptions,
    Graph,
    NewItem,
    Node,
    NodeChange,
    NodeItem,
    Visibility,
)
from holdfast_client.scope import Scope
from holdfast_client.values import Page, given

ROOT = "memory-nodes"


def list_nodes(
    scope: Scope,
    *,
    q: str | None = None,
    kind: str | None = None,
    visibility: Visibility | None = None,
    project_id: str | None = None,
    limit: int = 20,
    after_id: str | None = None,
    before_id: str | None = None,
) -> Call[Page[Node]]:
    """Nodes that the caller sees, newest first; `q` is part of a name or alias. Only those of the project, given or the
    client's, if there is one."""
    page: Query = {"limit": limit, "after_id": after_id, "before_id": before_id}
    which: Query = {"q": q, "kind": kind, "visibility": visibility}
    place = scope.place({"project_id": project_id})
    return get(scope, at(ROOT), page_of(Node), {**page, **which, **place})


def search_nodes(scope: Scope, query: str, *, limit: int = 20) -> Call[Page[Node]]:
    """Nodes with `query` in their name or an alias, newest first."""
    return list_nodes(scope, q=query, limit=limit)


def create_node(
    scope: Scope,
    name: str,
    *,
    kind: str = "entity",
    visibility: Visibility = "user",
    project_id: str | None = None,
    aliases: Sequence[str] = (),
    summary: str | None = None,
    items: Sequence[NewItem] = (),
) -> Call[Node]:
    """Make a node, seen by the user alone unless `visibility` says otherwise.

    Conflict, with the node as `current`, where one of its kind and visibility has the name already.
    """
    body = given(
        name=name,
        kind=kind,
        visibility=visibility,
        project_id=project_id,
        aliases=list(aliases),
        summary=summary,
        items=list(items),
    )
    return post(scope, at(ROOT), one(Node), body, conflict_as=Node)


def read_node(scope: Scope, node_id: str) -> Call[Node]:
    """One node with the items that the caller may see; for a merged node, the node it was merged into."""
    return get(scope, at(ROOT, node_id), one(Node), scope.place())


def change_node(
    scope: Scope, node_id: str, *, if_match: int | None = None, **changes: Unpack[NodeChange]
) -> Call[Node]:
    """Change the given fields; `summary=None` removes the summary."""
    return patch(
        scope,
        at(ROOT, node_id),
        one(Node),
        given(**changes),
        query=scope.place(),
        if_match=if_match,
        conflict_as=Node,
    )


def delete_node(scope: Scope, node_id: str, *, if_match: int | None = None) -> Call[None]:
    """Delete a node, with its items and edges."""
    place = scope.place()
    return delete(scope, at(ROOT, node_id), query=place, if_match=if_match, repeatable=True)


def add_item(
    scope: Scope,
    node_id: str,
    content: str,
    *,
    source: str = "manual",
    memory_id: str | None = None,
    if_match: int | None = None,
) -> Call[NodeItem]:
    """Add an item to a node."""
    body = given(content=content, source=source, memory_id=memory_id)
    return post(
        scope,
        at(ROOT, node_id, "items"),
        one(NodeItem),
        body,
        query=scope.place(),
        if_match=if_match,
    )


def remove_item(scope: Scope, node_id: str, item_id: str) -> Call[None]:
    """Remove an item from a node."""
    path = at(ROOT, node_id, "items", item_id)
    return delete(scope, path, query=scope.place(), repeatable=True)


def put_edge(
    scope: Scope, from_id: str, relation: str, to_id: str, **options: Unpack[EdgeOptions]
) -> Call[Edge]:
    """Relate two nodes; the same from, relation and to is updated in place."""
    body = given(**{"from": from_id, "relation": relation, "to": to_id, **options})
    return post(scope, at(ROOT, "edges"), one(Edge), body, query=scope.place())


def delete_edge(scope: Scope, edge_id: str, *, if_match: int | None = None) -> Call[None]:
    """Delete an edge."""
    path = at(ROOT, "edges", edge_id)
    return delete(scope, path, query=scope.place(), if_match=if_match, repeatable=True)


def neighbors(
    scope: Scope,
    node_id: str,
    *,
    depth: int = 1,
    relation: str | None = None,
    direction: Direction = "both",
    as_of: datetime | None = None,
) -> Call[Graph]:
    """The nodes up to three edges away, nearest first, and the edges between."""
    query: Query = {"depth": depth, "relation": relation, "direction": direction, "as_of": as_of}
    path = at(ROOT, node_id, "neighbors")
    return get(scope, path, one(Graph), {**query, **scope.place()})


def path(scope: Scope, from_id: str, to_id: str) -> Call[Graph]:
    """The shortest path from one node to another; NotFound if there is none."""
    ends: Query = {"from": from_id, "to": to_id}
    return get(scope, at(ROOT, "path"), one(Graph), {**ends, **scope.place()})


def merge_node(scope: Scope, node_id: str, into: str, *, if_match: int | None = None) -> Call[Node]:
    """Merge a node into another: names, items and edges move, and its id then returns the other node."""
    path = at(ROOT, node_id, "merge")
    body = {"into": into}
    return post(scope, path, one(Node), body, query=scope.place(), if_match=if_match)
