"""Merging nodes."""

import asyncio

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.kernel import sight
from holdfast.memories.graph import edges as relations
from holdfast.memories.graph import merging, nodes, walks
from holdfast.memories.graph.model import Edge, NewItem, NewNode
from tests.memories.graph.calls import around, make, relate


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


async def test_two_edges_that_become_one_hold_whenever_one_of_them_did(api):
    old, kept, ana = [await make(api, name) for name in ("Bob", "Robert", "Ana")]
    first, second, third = "2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z"
    await relate(api, old, ana, "met", weight=2, valid_from=second, valid_to=third)
    await relate(api, kept, ana, "met", weight=1, valid_from=first, valid_to=second)
    await relate(api, old, ana, "knows", valid_from=first)
    await relate(api, kept, ana, "knows", valid_to=third)
    await api.post(f"/memory-nodes/{old['id']}/merge", json={"into": kept["id"]})
    _, edges = await around(api, kept, as_of="2025-06-01T00:00:00Z")
    spans = {e["relation"]: (e["valid_from"], e["valid_to"], e["weight"]) for e in edges}
    assert len(edges) == 2
    assert spans["knows"][:2] == (None, None)  # each was open at one end
    assert [text[:10] for text in spans["met"][:2]] == ["2024-01-01", "2026-01-01"]
    assert spans["met"][2] == 2


async def test_the_survivor_of_a_merge_keeps_its_own_summary(api):
    old, kept = await make(api, "Bob", summary="old"), await make(api, "Robert", summary="own")
    merged = await api.post(f"/memory-nodes/{old['id']}/merge", json={"into": kept["id"]})
    assert (merged.status_code, merged.json()["summary"]) == (200, "own")


EDGE = st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from(["knows", "likes"]))


@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
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
