"""The node graph: the list of nodes, and one node drawn with those around it."""

import asyncio

from fastapi import APIRouter, Response

from holdfast.console.drawing.graph import lay_out
from holdfast.console.visit import PageRoute, TheVisit, Visit
from holdfast.kernel.errors import Invalid
from holdfast.kernel.ids import is_made_id
from holdfast.kernel.pages import Cursor
from holdfast.memories.graph import edges, nodes, walks
from holdfast.memories.graph.model import MAX_DEPTH, NewItem, NewNode, Visibility

router = APIRouter(route_class=PageRoute, prefix="/nodes", include_in_schema=False)

EDGES_SHOWN = 100
VISIBILITIES: tuple[Visibility, ...] = ("user", "project", "org")


@router.get("", response_model=None)
async def list_nodes(visit: TheVisit) -> Response:
    """The nodes that the user sees, newest first."""
    query, cursor = visit.query, visit.cursor()
    page = await nodes.list_nodes(
        visit.db,
        visit.caller,
        cursor,
        q=query.text("q"),
        kind=query.text("kind"),
        visibility=query.choice("visibility", VISIBILITIES),
    )
    return visit.page(
        "nodes/list.html",
        nodes=page.data,
        pages=visit.pager(page, cursor),
        visibilities=VISIBILITIES,
    )


@router.post("", response_model=None)
async def create_node(visit: TheVisit) -> Response:
    """Make a node."""
    form = visit.form
    new = NewNode(
        name=form.must("name"),
        kind=form.text("kind") or "entity",
        visibility=form.choice("visibility", VISIBILITIES) or "user",
        project_id=form.name("project_id"),
        aliases=tuple(form.words("aliases")),
        summary=form.text("summary"),
    )
    node = await nodes.create_node(visit.db, visit.caller, new)
    return visit.go(f"/nodes/{node.id}", "created")


@router.get("/{node_id}", response_model=None)
async def node(visit: TheVisit, node_id: str) -> Response:
    """One node: drawn with its neighbours, and what is known of it."""
    depth = visit.query.number("depth", 1, MAX_DEPTH) or 2
    relation = visit.query.text("relation")
    centre = await nodes.read_node(visit.db, visit.caller, node_id)
    around = await walks.neighbors(visit.db, visit.caller, node_id, depth=depth, relation=relation)
    # In a thread: a layout is arithmetic, and other requests wait for none of it.
    drawing = await asyncio.to_thread(lay_out, centre, around.nodes, around.edges)
    names = {each.id: each.name for each in (centre, *around.nodes)}
    shown = [edge for edge in around.edges if centre.id in (edge.from_id, edge.to_id)]
    return visit.page(
        "nodes/node.html",
        node=centre,
        edges=shown[:EDGES_SHOWN],
        names=names,
        drawing=drawing,
        depth=depth,
        max_depth=MAX_DEPTH,
        relations=sorted({edge.relation for edge in around.edges}),
    )


@router.post("/{node_id}/items", response_model=None)
async def add_item(visit: TheVisit, node_id: str) -> Response:
    """Add something that is known of a node."""
    item = NewItem(visit.form.must("content"))
    await nodes.add_item(visit.db, visit.caller, node_id, item)
    return visit.go(f"/nodes/{node_id}", "added")


@router.post("/{node_id}/items/{item_id}/delete", response_model=None)
async def delete_item(visit: TheVisit, node_id: str, item_id: str) -> Response:
    """Remove one of them."""
    await nodes.delete_item(visit.db, visit.caller, node_id, item_id)
    return visit.go(f"/nodes/{node_id}", "removed")


@router.post("/{node_id}/edges", response_model=None)
async def relate(visit: TheVisit, node_id: str) -> Response:
    """Relate a node to another, which is named by its id or by its exact name."""
    to_id = await _find(visit, visit.form.must("to"))
    await edges.put_edge(
        visit.db,
        visit.caller,
        from_id=node_id,
        to_id=to_id,
        relation=visit.form.must("relation"),
        given={},
    )
    return visit.go(f"/nodes/{node_id}", "added")


@router.post("/{node_id}/edges/{edge_id}/delete", response_model=None)
async def unrelate(visit: TheVisit, node_id: str, edge_id: str) -> Response:
    """Remove a relation."""
    await edges.delete_edge(visit.db, visit.caller, edge_id)
    return visit.go(f"/nodes/{node_id}", "removed")


@router.post("/{node_id}/delete", response_model=None)
async def delete_node(visit: TheVisit, node_id: str) -> Response:
    """Delete a node, with its items and edges."""
    await nodes.delete_node(visit.db, visit.caller, node_id)
    return visit.go("/nodes", "deleted")


async def _find(visit: Visit, named: str) -> str:
    """The id of the node that a person means."""
    if is_made_id(named):
        return named
    page = await nodes.list_nodes(visit.db, visit.caller, Cursor(100), q=named)
    found = [node.id for node in page.data if node.name.casefold() == named.casefold()]
    if len(found) != 1:
        count = "no node has" if not found else f"{len(found)} nodes have"
        raise Invalid.field("to", f"{count} this name: give an id, as its page shows it")
    return found[0]
