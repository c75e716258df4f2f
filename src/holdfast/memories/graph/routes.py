"""The node graph over HTTP."""

from typing import Annotated, Any, ClassVar, Literal

from fastapi import APIRouter, Query, Response
from pydantic import AliasChoices, Field

from holdfast.edge.preconditions import IfMatch, set_etag
from holdfast.edge.route import ApiRoute, TheCaller, TheDatabase
from holdfast.edge.wire import Body
from holdfast.kernel.clock import Instant
from holdfast.kernel.ids import ClientId
from holdfast.kernel.pages import Page
from holdfast.memories.graph import edges, merging, nodes, walks
from holdfast.memories.graph.model import (
    MAX_DEPTH,
    Edge,
    Graph,
    NewItem,
    NewNode,
    Node,
    NodeItem,
    Visibility,
)
from holdfast.memories.routes.words import TheCursor, ThePlace

router = APIRouter(route_class=ApiRoute, prefix="/memory-nodes", tags=["nodes"])

_NODE_ID = "node_0199c0ffee0070008000000000000001"


class ItemBody(Body):
    """Something to say of a node."""

    content: str = Field(examples=["Runs the Lisbon office"])
    source: str = Field("manual", examples=["manual"])
    memory_id: str | None = None

    def as_new(self) -> NewItem:
        """The item as a value."""
        return NewItem(content=self.content, source=self.source, memory_id=self.memory_id)


class NodeBody(Body):
    """A node to make."""

    name: str = Field(examples=["Ana Pérez"])
    kind: str = Field("entity", examples=["entity"])
    visibility: Visibility = Field("user", description="who sees it: the user, a project, the org")
    project_id: ClientId | None = Field(None, description="the project, for visibility `project`")
    aliases: list[str] = Field(default_factory=list, examples=[["Ana"]])
    summary: str | None = Field(None, examples=["Customer since 2021"])
    items: list[ItemBody] = Field(default_factory=list)

    def as_new(self) -> NewNode:
        """The node as a value."""
        fields = self.model_dump(exclude={"items", "aliases"})
        return NewNode(aliases=tuple(self.aliases), **fields)


class NodeChange(Body):
    """What to change about a node; a field that is left out stays, and a null takes the summary away."""

    NEVER_NULL: ClassVar[tuple[str, ...]] = ("name", "kind", "aliases")

    name: str | None = Field(None, examples=["Ana Pérez"])
    kind: str | None = Field(None, examples=["entity"])
    aliases: list[str] | None = None
    summary: str | None = None


class EdgeBody(Body):
    """A relation of one node to another."""

    from_: str = Field(validation_alias=AliasChoices("from"), examples=[_NODE_ID])
    to: str = Field(examples=[_NODE_ID])
    relation: str = Field(examples=["works_with"])
    weight: float | None = Field(None, examples=[1.0])
    valid_from: Instant | None = None
    valid_to: Instant | None = None


class MergeBody(Body):
    """The node that survives."""

    into: str = Field(examples=[_NODE_ID])


@router.get("", operation_id="nodes.list")
async def list_nodes(
    cursor: TheCursor,
    caller: TheCaller,
    db: TheDatabase,
    place: ThePlace,
    q: Annotated[str | None, Query(description="part of a name or alias")] = None,
    kind: str | None = None,
    visibility: Visibility | None = None,
) -> Page[Node]:
    """The nodes that the caller sees, newest first."""
    return await nodes.list_nodes(
        db, caller, cursor, q=q, kind=kind, visibility=visibility, place=place
    )


@router.post("", operation_id="nodes.create", status_code=201)
async def post_node(body: NodeBody, response: Response, caller: TheCaller, db: TheDatabase) -> Node:
    """Make a node; 409 with the `current` one where a node of its kind and visibility has the name already."""
    items = [item.as_new() for item in body.items]
    node = await nodes.create_node(db, caller, body.as_new(), items)
    set_etag(response, node.version)
    return node


@router.get("/path", operation_id="nodes.path")
async def get_path(
    caller: TheCaller,
    db: TheDatabase,
    from_id: Annotated[str, Query(alias="from", examples=[_NODE_ID])],
    to_id: Annotated[str, Query(alias="to", examples=[_NODE_ID])],
    place: ThePlace,
) -> Graph:
    """The shortest way from one node to another; 404 where there is none."""
    return await walks.path(db, caller, from_id, to_id, place=place)


@router.post(
    "/edges", operation_id="nodes.put_edge", status_code=201, responses={200: {"model": Edge}}
)
async def post_edge(
    body: EdgeBody, place: ThePlace, response: Response, caller: TheCaller, db: TheDatabase
) -> Edge:
    """Relate two nodes (201); the same from, to and relation is updated in place (200)."""
    given: dict[str, Any] = body.model_dump(exclude_unset=True, exclude={"from_", "to", "relation"})
    edge = await edges.put_edge(
        db,
        caller,
        from_id=body.from_,
        to_id=body.to,
        relation=body.relation,
        given=given,
        place=place,
    )
    response.status_code = 201 if edge.version == 1 else 200
    set_etag(response, edge.version)
    return edge


@router.delete("/edges/{edge_id}", operation_id="nodes.delete_edge", status_code=204)
async def delete_edge(
    edge_id: str, place: ThePlace, if_match: IfMatch, caller: TheCaller, db: TheDatabase
) -> None:
    """Delete an edge."""
    await edges.delete_edge(db, caller, edge_id, place=place, if_match=if_match)


@router.get("/{node_id}", operation_id="nodes.get")
async def get_node(
    node_id: str, place: ThePlace, response: Response, caller: TheCaller, db: TheDatabase
) -> Node:
    """One node, with the items that the caller sees."""
    node = await nodes.read_node(db, caller, node_id, place=place)
    set_etag(response, node.version)
    return node


@router.patch("/{node_id}", operation_id="nodes.change")
async def patch_node(
    node_id: str,
    body: NodeChange,
    place: ThePlace,
    if_match: IfMatch,
    response: Response,
    caller: TheCaller,
    db: TheDatabase,
) -> Node:
    """Change the fields that are given."""
    fields = body.model_dump(exclude_unset=True)
    node = await nodes.change_node(db, caller, node_id, fields, place=place, if_match=if_match)
    set_etag(response, node.version)
    return node


@router.delete("/{node_id}", operation_id="nodes.delete", status_code=204)
async def delete_node(
    node_id: str, place: ThePlace, if_match: IfMatch, caller: TheCaller, db: TheDatabase
) -> None:
    """Delete a node, with its items and edges (a node of the org: service keys, an owner, the user that made it)."""
    await nodes.delete_node(db, caller, node_id, place=place, if_match=if_match)


@router.post("/{node_id}/items", operation_id="nodes.add_item", status_code=201)
async def post_item(
    node_id: str,
    body: ItemBody,
    place: ThePlace,
    if_match: IfMatch,
    caller: TheCaller,
    db: TheDatabase,
) -> NodeItem:
    """Add an item to a node."""
    return await nodes.add_item(db, caller, node_id, body.as_new(), place=place, if_match=if_match)


@router.delete("/{node_id}/items/{item_id}", operation_id="nodes.remove_item", status_code=204)
async def delete_item(
    node_id: str, item_id: str, place: ThePlace, caller: TheCaller, db: TheDatabase
) -> None:
    """Remove an item from a node."""
    await nodes.delete_item(db, caller, node_id, item_id, place=place)


@router.get("/{node_id}/neighbors", operation_id="nodes.neighbors")
async def get_neighbors(
    node_id: str,
    place: ThePlace,
    caller: TheCaller,
    db: TheDatabase,
    depth: Annotated[int, Query(ge=1, le=MAX_DEPTH)] = 1,
    relation: str | None = None,
    direction: Literal["both", "out", "in"] = "both",
    as_of: Annotated[
        Instant | None, Query(description="by the edges that held at this instant")
    ] = None,
) -> Graph:
    """The nodes around one, nearest first, and the edges that lead there."""
    return await walks.neighbors(
        db,
        caller,
        node_id,
        depth=depth,
        relation=relation,
        direction=direction,
        as_of=as_of,
        place=place,
    )


@router.post("/{node_id}/merge", operation_id="nodes.merge")
async def post_merge(
    node_id: str,
    body: MergeBody,
    place: ThePlace,
    if_match: IfMatch,
    response: Response,
    caller: TheCaller,
    db: TheDatabase,
) -> Node:
    """Make this node part of another: names, items and edges move, and this id answers with the survivor."""
    node = await merging.merge_nodes(db, caller, node_id, body.into, place=place, if_match=if_match)
    set_etag(response, node.version)
    return node
