"""Nodes and their items, from outside."""

import asyncio

import pytest

from holdfast.kernel.errors import LimitExceeded
from holdfast.memories.graph import nodes
from holdfast.memories.graph.model import NewItem
from tests.mcp_client import connected
from tests.memories.calls import save
from tests.memories.graph.calls import around, make, relate
from tests.memories.graph.test_tools import do


async def test_a_node_has_its_fields_and_defaults(api):
    node = await make(api, "Ana")
    assert node["id"].startswith("node_")
    assert {name: node[name] for name in ("name", "kind", "aliases", "summary", "items", "version")} == {
        "name": "Ana", "kind": "entity", "aliases": [], "summary": None, "items": [], "version": 1,
    }  # fmt: skip
    got = await api.get(f"/memory-nodes/{node['id']}")
    assert got.json() == node
    assert got.headers["etag"] == '"1"'


@pytest.mark.parametrize(
    "same", ["ÁNA  PÉREZ", "ana perez", "Ana Pe\u0301rez", "PEPA", " Ana Pérez "]
)
async def test_a_name_is_taken_whatever_its_case_and_accents_and_by_alias(api, same):
    node = await make(api, "Ana Pérez", aliases=["Pepa"])
    for body in ({"name": same}, {"name": "Other", "aliases": [same]}):
        taken = await api.post("/memory-nodes", json=body)
        assert (taken.status_code, taken.json()["code"]) == (409, "conflict")
        assert taken.json()["current"] == node
    assert (await make(api, same, kind="topic"))["kind"] == "topic"


async def test_one_of_many_that_make_a_name_at_once_makes_it(api):
    answers = await asyncio.gather(
        *(api.post("/memory-nodes", json={"name": "Ana"}) for _ in range(12))
    )
    assert sorted(a.status_code for a in answers) == [201] + [409] * 11
    [made] = [a.json() for a in answers if a.status_code == 201]
    assert all(a.json()["current"]["id"] == made["id"] for a in answers if a.status_code == 409)


async def test_a_search_finds_by_part_of_a_name_or_alias(api):
    ana = await make(api, "Ana Pérez", aliases=["Pepa"])
    zoe = await make(api, "Zoë", kind="topic")
    for q, found in (
        ("perez", [ana]),
        ("PEP", [ana]),
        ("zoe", [zoe]),
        ("nobody", []),
        ("%", []),
        ("", [zoe, ana]),
    ):
        answer = await api.get("/memory-nodes", params={"q": q})
        assert [n["id"] for n in answer.json()["data"]] == [n["id"] for n in found], q
    assert [
        n["id"] for n in (await api.get("/memory-nodes", params={"kind": "topic"})).json()["data"]
    ] == [zoe["id"]]
    page = (await api.get("/memory-nodes", params={"limit": 1})).json()
    assert (page["data"][0]["id"], page["has_more"]) == (zoe["id"], True)


async def test_a_patch_renames_and_frees_the_old_name(api):
    node, other = await make(api, "Ana", aliases=["A"]), await make(api, "Bob")
    path = f"/memory-nodes/{node['id']}"
    changed = await api.patch(
        path, json={"name": "Anna", "summary": "s"}, headers={"If-Match": '"1"'}
    )
    assert (changed.status_code, changed.json()["version"], changed.json()["aliases"]) == (
        200,
        2,
        ["A"],
    )
    assert (
        await api.patch(path, json={"name": "x"}, headers={"If-Match": '"1"'})
    ).status_code == 412
    taken = await api.patch(path, json={"aliases": ["BOB"]})
    assert (taken.status_code, taken.json()["current"]["id"]) == (409, other["id"])
    assert (await api.get(path)).json()["aliases"] == ["A"]
    assert (await make(api, "Ana"))["name"] == "Ana"
    assert (await api.patch(path, json={"name": None})).status_code == 422


async def test_api_keys_delete_nodes_items_and_edges(api):
    a, b = await make(api, "A"), await make(api, "B")
    edge = await relate(api, a, b)
    item = (await api.post(f"/memory-nodes/{a['id']}/items", json={"content": "x"})).json()
    assert (await api.delete(f"/memory-nodes/{a['id']}/items/{item['id']}")).status_code == 204
    assert (await api.delete(f"/memory-nodes/{a['id']}/items/{item['id']}")).status_code == 404
    assert (await api.delete(f"/memory-nodes/edges/{edge['id']}")).status_code == 204
    assert (await api.delete(f"/memory-nodes/edges/{edge['id']}")).status_code == 404
    await relate(api, a, b)
    assert (
        await api.delete(f"/memory-nodes/{a['id']}", headers={"If-Match": '"9"'})
    ).status_code == 412
    assert (await api.delete(f"/memory-nodes/{a['id']}")).status_code == 204
    assert (await api.get(f"/memory-nodes/{a['id']}")).status_code == 404
    assert await around(api, b) == ([], [])
    assert (await make(api, "A"))["id"] != a["id"]


@pytest.mark.parametrize(
    ("field", "limit"), [("name", 255), ("kind", 64), ("summary", 1000), ("aliases", 255)]
)
async def test_limits_of_a_node_hold_at_the_edge_and_one_past_it(api, field, limit):
    for size, status in ((limit, 201), (limit + 1, 422)):
        text = "x" * size
        body = {"name": f"n{size}", field: [text] if field == "aliases" else text}
        answer = await api.post("/memory-nodes", json=body)
        assert answer.status_code == status, answer.text
    assert (answer.json()["code"], answer.json()["limit"], answer.json()["actual"]) == (
        "limit_exceeded",
        limit,
        limit + 1,
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": ""},
        {"kind": " "},
        {"aliases": [""]},
        {"colour": "red"},
        {"items": [{"content": ""}]},
    ],
)
async def test_a_bad_node_is_refused(api, wrong):
    answer = await api.post("/memory-nodes", json={"name": "n", **wrong})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    assert (await api.get("/memory-nodes")).json()["data"] == []


# --- items -----------------------------------------------------------------------------------------------------------


async def test_items_are_part_of_their_node(api):
    node = await make(api, "Ana", items=[{"content": "first", "source": "import"}])
    assert [(i["content"], i["source"], i["memory_id"]) for i in node["items"]] == [
        ("first", "import", None)
    ]
    added = await api.post(f"/memory-nodes/{node['id']}/items", json={"content": "second"})
    assert added.status_code == 201
    assert added.json()["id"].startswith("item_")
    now = (await api.get(f"/memory-nodes/{node['id']}")).json()
    assert ([i["content"] for i in now["items"]], now["version"]) == (["first", "second"], 2)
    over = await api.post(f"/memory-nodes/{node['id']}/items", json={"content": "x" * 8001})
    assert over.json()["code"] == "limit_exceeded"


async def test_an_item_of_a_memory_is_shown_to_those_who_see_the_memory(org, expire):
    ana, bob = org.client(holdfast_user="ana"), org.client(holdfast_user="bob")
    memory = await save(ana)
    node = await make(ana, "Tea", visibility="org")
    path = f"/memory-nodes/{node['id']}"
    item = (
        await ana.post(f"{path}/items", json={"content": "green", "memory_id": memory["id"]})
    ).json()
    assert [i["id"] for i in (await ana.get(path)).json()["items"]] == [item["id"]]
    assert (await bob.get(path)).json()["items"] == []
    assert (await bob.get("/memory-nodes")).json()["data"][0]["items"] == []
    assert (await bob.delete(f"{path}/items/{item['id']}")).status_code == 404
    refused = await bob.post(f"{path}/items", json={"content": "x", "memory_id": memory["id"]})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "memory_id")
    assert (await ana.get(f"/memories/{memory['id']}")).json()["node_ids"] == [node["id"]]
    async with connected(org, key=await org.mint("user", user_id="ana")) as client:
        by_item = await do(client, "search_nodes", query="green")
        assert [each["name"] for each in by_item["entities"]] == ["Tea"]
        await expire(org.operator, memory["id"])
        assert (await ana.get(path)).json()["items"] == []
        assert (await do(client, "search_nodes", query="green"))["entities"] == []
    assert (await ana.delete(f"{path}/items/{item['id']}")).status_code == 404


async def test_with_workspaces_enabled_nodes_are_the_workspaces(org, api):
    node = await make(api, "Ana")
    await api.put("/workspaces/support", json={})
    there = org.client(holdfast_workspace="support")
    assert (await there.get(f"/memory-nodes/{node['id']}")).status_code == 200
    await api.patch("/org", json={"workspaces_enabled": True})
    for call in (
        there.get(f"/memory-nodes/{node['id']}"),
        there.patch(f"/memory-nodes/{node['id']}", json={"summary": "x"}),
        there.delete(f"/memory-nodes/{node['id']}"),
        there.post(f"/memory-nodes/{node['id']}/items", json={"content": "x"}),
        there.get(f"/memory-nodes/{node['id']}/neighbors"),
    ):
        assert (await call).status_code == 404
    assert (await make(there, "Ana"))["id"] != node["id"]
    assert [n["id"] for n in (await api.get("/memory-nodes")).json()["data"]] == [node["id"]]


async def test_another_org_has_its_own_nodes(make_org):
    one, two = await make_org(), await make_org()
    node = await make(one.client(), "Ana")
    assert (await two.client().get(f"/memory-nodes/{node['id']}")).status_code == 404
    assert (await make(two.client(), "Ana"))["id"] != node["id"]


async def test_a_node_has_as_many_items_as_the_limit_says_and_no_more(api, org, db, monkeypatch):
    monkeypatch.setattr(nodes, "MAX_ITEMS", 2)
    node, caller = await make(api, "Tea"), org.caller()
    for content in ("a", "b"):
        await nodes.add_item(db, caller, node["id"], NewItem(content))
    with pytest.raises(LimitExceeded) as refused:
        await nodes.add_item(db, caller, node["id"], NewItem("c"))
    assert refused.value.facts == {"limit": 2, "actual": 3}
    shown = (await api.get(f"/memory-nodes/{node['id']}")).json()
    assert [item["content"] for item in shown["items"]] == ["a", "b"]
    assert shown["version"] == 3  # what was refused changed nothing
