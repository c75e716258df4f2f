"""Edges, neighbours and paths, from outside."""

from tests.memories.graph.calls import around, at, make, relate


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
