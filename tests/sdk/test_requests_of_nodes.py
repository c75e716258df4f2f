"""Every argument of the methods for nodes is in the request, and where the client speaks from."""

from holdfast_client.nodes.model import NewItem
from tests.sdk.requested import NOON, PAGE, PLACE, SENT_NOON, Row, must_send, rows_of


@rows_of(
    Row(
        "nodes.list",
        lambda c: c.nodes.list(
            q="an", kind="person", visibility="project", project_id="moon", **PAGE
        ),
        "GET /memory-nodes",
        query={
            "q": "an",
            "kind": "person",
            "visibility": "project",
            **PAGE,
            **PLACE,
            "project_id": "moon",
        },
    ),
    Row(
        "nodes.create",
        lambda c: c.nodes.create(
            "Ana",
            kind="person",
            visibility="project",
            project_id="plan",
            aliases=["A."],
            summary="takes tea",
            items=[NewItem("likes tea", "chat", "memory_1")],
        ),
        "POST /memory-nodes",
        body={
            "name": "Ana",
            "kind": "person",
            "visibility": "project",
            "project_id": "plan",
            "aliases": ["A."],
            "summary": "takes tea",
            "items": [{"content": "likes tea", "source": "chat", "memory_id": "memory_1"}],
        },
    ),
    Row("nodes.get", lambda c: c.nodes.get("n1"), "GET /memory-nodes/n1", query=PLACE),
    Row(
        "nodes.change",
        lambda c: c.nodes.change(
            "n1", if_match=2, name="Ana", kind="person", aliases=["A."], summary=None
        ),
        "PATCH /memory-nodes/n1",
        query=PLACE,
        body={"name": "Ana", "kind": "person", "aliases": ["A."], "summary": None},
        headers={"If-Match": '"2"'},
    ),
    Row(
        "nodes.delete",
        lambda c: c.nodes.delete("n1", if_match=2),
        "DELETE /memory-nodes/n1",
        query=PLACE,
        headers={"If-Match": '"2"'},
    ),
    Row(
        "nodes.add_item",
        lambda c: c.nodes.add_item(
            "n1", "likes tea", source="chat", memory_id="memory_1", if_match=2
        ),
        "POST /memory-nodes/n1/items",
        query=PLACE,
        body={"content": "likes tea", "source": "chat", "memory_id": "memory_1"},
        headers={"If-Match": '"2"'},
    ),
    Row(
        "nodes.remove_item",
        lambda c: c.nodes.remove_item("n1", "i1"),
        "DELETE /memory-nodes/n1/items/i1",
        query=PLACE,
    ),
    Row(
        "nodes.put_edge",
        lambda c: c.nodes.put_edge("n1", "knows", "n2", weight=0.5, valid_from=NOON, valid_to=None),
        "POST /memory-nodes/edges",
        query=PLACE,
        body={
            "from": "n1",
            "relation": "knows",
            "to": "n2",
            "weight": 0.5,
            "valid_from": SENT_NOON,
            "valid_to": None,
        },
    ),
    Row(
        "nodes.delete_edge",
        lambda c: c.nodes.delete_edge("e1", if_match=2),
        "DELETE /memory-nodes/edges/e1",
        query=PLACE,
        headers={"If-Match": '"2"'},
    ),
    Row(
        "nodes.neighbors",
        lambda c: c.nodes.neighbors("n1", depth=3, relation="knows", direction="out", as_of=NOON),
        "GET /memory-nodes/n1/neighbors",
        query={"depth": 3, "relation": "knows", "direction": "out", "as_of": SENT_NOON, **PLACE},
    ),
    Row(
        "nodes.path",
        lambda c: c.nodes.path("n1", "n2"),
        "GET /memory-nodes/path",
        query={"from": "n1", "to": "n2", **PLACE},
    ),
    Row(
        "nodes.merge",
        lambda c: c.nodes.merge("n1", "n2", if_match=2),
        "POST /memory-nodes/n1/merge",
        query=PLACE,
        body={"into": "n2"},
        headers={"If-Match": '"2"'},
    ),
)
async def test_nodes(row):
    await must_send(row)
