"""The node graph, from outside."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.kernel import sight
from holdfast.memories.graph import edges as relations
from holdfast.memories.graph import merging, nodes, walks
from holdfast.memories.graph.model import Edge, NewItem, NewNode
from tests.memories.test_rows import save


def at(days=0.0):
    return (datetime.now(UTC) + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


async def make(api, name, **fields):
    answer = await api.post("/memory-nodes", json={"name": name, **fields})
    assert answer.status_code == 201, answer.text
    return answer.json()


async def relate(api, a, b, relation="knows", **fields):
    answer = await api.post(
        "/memory-nodes/edges", json={"from": a["id"], "to": b["id"], "relation": relation, **fields}
    )
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


async def around(api, node, **params):
    answer = await api.get(f"/memory-nodes/{node['id']}/neighbors", params=params)
    assert answer.status_code == 200, answer.text
    graph = answer.json()
    return [n["name"] for n in graph["nodes"]], graph["edges"]


# --- nodes -----------------------------------------------------------------------------------------------------------


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
    await expire(org.operator, memory["id"])
    assert (await ana.get(path)).json()["items"] == []


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


# --- edges and walks -------------------------------------------------------------------------------------------------


async def test_the_same_from_to_and_relation_is_updated_in_place(api):
    a, b = await make(api, "A"), await make(api, "B")
    first = await api.post(
        "/memory-nodes/edges", json={"from": a["id"], "to": b["id"], "relation": "knows"}
    )
    edge = first.json()
    assert (first.status_code, edge["weight"], edge["version"]) == (201, 1.0, 1)
    assert (edge["from"], edge["to"], edge["id"][:5]) == (a["id"], b["id"], "edge_")
    body = {
        "from": a["id"],
        "to": b["id"],
        "relation": "knows",
        "weight": 0.5,
        "valid_from": at(-1),
    }
    again = await api.post("/memory-nodes/edges", json=body)
    assert (again.status_code, again.json()["id"], again.json()["version"]) == (200, edge["id"], 2)
    kept = await relate(api, a, b)
    assert (kept["weight"], kept["valid_from"]) == (0.5, again.json()["valid_from"])
    assert (await relate(api, b, a))["id"] != edge["id"]
    for wrong in ({"to": "node_x"}, {"relation": ""}, {"valid_to": at(-2)}):
        assert (await api.post("/memory-nodes/edges", json={**body, **wrong})).status_code in (
            404,
            422,
        )


async def test_neighbors_by_depth_direction_and_relation(api):
    a, b, c, d, e = [await make(api, name) for name in "ABCDE"]
    ab = await relate(api, a, b)
    await relate(api, b, c)
    await relate(api, c, d)
    await relate(api, d, e)
    await relate(api, c, a, "follows")  # a circle
    assert await around(api, a, direction="out") == (["B"], [ab])
    assert (await around(api, a))[0] == ["B", "C"]
    assert (await around(api, a, direction="in"))[0] == ["C"]
    assert (await around(api, a, relation="follows"))[0] == ["C"]
    assert (await around(api, a, depth=2, direction="out"))[0] == ["B", "C"]
    assert (await around(api, a, depth=3, direction="out"))[0] == ["B", "C", "D"]
    names, edges = await around(api, a, depth=3)
    assert names == ["B", "C", "D", "E"]
    assert len(edges) == 5
    for bad in ({"depth": 0}, {"depth": 4}, {"direction": "up"}):
        assert (await api.get(f"/memory-nodes/{a['id']}/neighbors", params=bad)).status_code == 400


async def test_an_ended_edge_is_there_only_as_of_a_time_it_held(api):
    a, b = await make(api, "A"), await make(api, "B")
    await relate(api, a, b, valid_from=at(-10), valid_to=at(-5))
    assert await around(api, a) == ([], [])
    assert (await around(api, a, as_of=at(-7)))[0] == ["B"]
    assert (await around(api, a, as_of=at(-12)))[0] == []
    path = await api.get("/memory-nodes/path", params={"from": a["id"], "to": b["id"]})
    assert path.status_code == 404


async def test_a_path_is_the_shortest_one(api):
    a, b, c, d, e, lone = [await make(api, name) for name in "ABCDEF"]
    for x, y in ((a, b), (b, c), (c, d), (e, a), (e, d)):
        await relate(api, x, y)
    answer = (await api.get("/memory-nodes/path", params={"from": a["id"], "to": d["id"]})).json()
    assert [n["name"] for n in answer["nodes"]] == ["A", "E", "D"]
    assert [(g["from"], g["to"]) for g in answer["edges"]] == [
        (e["id"], a["id"]),
        (e["id"], d["id"]),
    ]
    same = (await api.get("/memory-nodes/path", params={"from": a["id"], "to": a["id"]})).json()
    assert ([n["name"] for n in same["nodes"]], same["edges"]) == (["A"], [])
    for to in (lone["id"], "node_x"):
        answer = await api.get("/memory-nodes/path", params={"from": a["id"], "to": to})
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


# --- merging ---------------------------------------------------------------------------------------------------------


async def test_a_merge_moves_names_items_and_edges_and_redirects_the_old_id(api):
    bob = await make(api, "Bob", aliases=["Bobby"], summary="old", items=[{"content": "b"}])
    robert = await make(api, "Robert", items=[{"content": "r"}])
    oldest = await make(api, "Rob")
    ana = await make(api, "Ana")
    await relate(api, bob, ana)
    await relate(api, ana, bob, "likes")
    await relate(api, robert, ana, weight=3)
    assert (
        await api.post(f"/memory-nodes/{oldest['id']}/merge", json={"into": bob["id"]})
    ).status_code == 200
    merged = await api.post(f"/memory-nodes/{bob['id']}/merge", json={"into": robert["id"]})
    node = merged.json()
    assert merged.status_code == 200, merged.text
    assert (node["id"], node["name"], node["summary"]) == (robert["id"], "Robert", "old")
    assert node["aliases"] == ["Bob", "Bobby", "Rob"]
    assert {i["content"] for i in node["items"]} == {"b", "r"}
    for old in (bob, oldest):
        assert (await api.get(f"/memory-nodes/{old['id']}")).json() == node
    names, edges = await around(api, node)
    assert names == ["Ana"]
    assert sorted((e["relation"], e["weight"]) for e in edges) == [("knows", 3.0), ("likes", 1.0)]
    assert (await api.post("/memory-nodes", json={"name": "bobby"})).json()["current"][
        "id"
    ] == robert["id"]
    assert [n["id"] for n in (await api.get("/memory-nodes")).json()["data"]] == [
        ana["id"],
        robert["id"],
    ]
    again = await api.post(f"/memory-nodes/{bob['id']}/merge", json={"into": robert["id"]})
    assert (again.status_code, again.json()) == (200, node)
    for into, status in ((robert["id"], 422), ("node_x", 404)):
        answer = await api.post(f"/memory-nodes/{robert['id']}/merge", json={"into": into})
        assert answer.status_code == status


EDGE = st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from(["knows", "likes"]))


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    edges=st.sets(EDGE, max_size=12),
    items=st.lists(st.integers(0, 3), max_size=8),
    merges=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=3),
)
async def test_a_merge_keeps_every_item_and_edge(make_org, db, edges, items, merges):
    caller = (await make_org()).caller()
    made = [await nodes.create_node(db, caller, NewNode(name=f"n{n}")) for n in range(4)]
    ids = [node.id for node in made]
    for n, place in enumerate(items):
        await nodes.add_item(db, caller, ids[place], NewItem(f"item {n}"))
    for a, b, relation in edges:
        await relations.put_edge(
            db, caller, from_id=ids[a], to_id=ids[b], relation=relation, given={}
        )

    home = list(range(4))  # which node each one is by now
    for a, b in merges:
        if a == b:
            continue
        await merging.merge_nodes(db, caller, ids[a], ids[b])
        old, new = home[a], home[b]
        home = [new if each == old else each for each in home]

    for n in range(4):
        node = await nodes.read_node(db, caller, ids[n])
        assert node.id == ids[home[n]]
        expected = {f"item {i}" for i, place in enumerate(items) if home[place] == home[n]}
        assert {item.content for item in node.items} == expected
        assert {node.name, *node.aliases} == {f"n{m}" for m in range(4) if home[m] == home[n]}
    async with db.read(caller) as tx:
        kept = await tx.all(
            Edge, walks.queries.edges_around, ids=ids, at=tx.now, **sight.params(caller)
        )
    assert sorted((e.from_id, e.to_id, e.relation) for e in kept) == sorted(
        {(ids[home[a]], ids[home[b]], relation) for a, b, relation in edges}
    )


async def test_merges_and_deletions_at_once_leave_no_dead_end(api):
    made = [await make(api, f"n{n}") for n in range(6)]
    calls = [
        api.post(f"/memory-nodes/{made[a]['id']}/merge", json={"into": made[b]["id"]})
        for a, b in ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (1, 0), (5, 0))
    ]
    assert {a.status_code for a in await asyncio.gather(*calls)} <= {200}
    answers = [(await api.get(f"/memory-nodes/{node['id']}")) for node in made]
    assert {a.status_code for a in answers} == {200}
    alive = {n["id"] for n in (await api.get("/memory-nodes")).json()["data"]}
    assert {a.json()["id"] for a in answers} == alive


async def test_what_is_said_while_nodes_merge_is_not_lost(api):
    a, b, c = [await make(api, name) for name in "ABC"]
    calls = [
        api.post(f"/memory-nodes/{a['id']}/items", json={"content": f"i{n}"}) for n in range(8)
    ]
    calls.insert(4, api.post(f"/memory-nodes/{a['id']}/merge", json={"into": b["id"]}))
    calls += [
        api.post("/memory-nodes/edges", json={"from": a["id"], "to": c["id"], "relation": f"r{n}"})
        for n in range(4)
    ]
    assert {answer.status_code for answer in await asyncio.gather(*calls)} <= {200, 201}
    node = (await api.get(f"/memory-nodes/{a['id']}")).json()
    assert node["id"] == b["id"]
    assert {item["content"] for item in node["items"]} == {f"i{n}" for n in range(8)}
    names, edges = await around(api, b)
    assert (names, len(edges)) == (["C"], 4)
