"""Who sees which node, its items and its edges, between the users of one org."""

import pytest

from tests.mcp_client import connected, refused
from tests.memories.calls import save
from tests.memories.graph.calls import make, relate
from tests.memories.graph.test_tools import ANA, do

CANARY = "the harbour pilot sleeps at noon"


@pytest.fixture
async def ana(org):
    return org.client(await org.mint("user", user_id="ana"))


@pytest.fixture
async def bob(org):
    return org.client(await org.mint("user", user_id="bob"))


async def names(client, **params):
    answer = await client.get("/memory-nodes", params=params)
    assert answer.status_code == 200, answer.text
    return [node["name"] for node in answer.json()["data"]]


async def project(client, project_id, visibility):
    assert (
        await client.put(f"/projects/{project_id}", json={"visibility": visibility})
    ).status_code == 201


async def test_a_node_is_its_users_by_default_and_nobody_elses(org, ana, bob):
    node = await make(ana, "Secret", aliases=["Hidden"], items=[{"content": CANARY}])
    assert (node["visibility"], node["user_id"], node["project_id"]) == ("user", "ana", None)
    other = await make(bob, "Own")
    edge = await relate(ana, node, node, "is")
    path = f"/memory-nodes/{node['id']}"
    for client in (bob, org.client(holdfast_user="bob")):
        for call in (
            client.get(path),
            client.patch(path, json={"summary": "x"}),
            client.delete(path),
            client.post(f"{path}/items", json={"content": "x"}),
            client.delete(f"{path}/items/{node['items'][0]['id']}"),
            client.get(f"{path}/neighbors"),
            client.post(f"{path}/merge", json={"into": other["id"]}),
            client.post(f"/memory-nodes/{other['id']}/merge", json={"into": node["id"]}),
            client.get("/memory-nodes/path", params={"from": other["id"], "to": node["id"]}),
            client.delete(f"/memory-nodes/edges/{edge['id']}"),
            client.post(
                "/memory-nodes/edges",
                json={"from": other["id"], "to": node["id"], "relation": "knows"},
            ),
        ):
            answer = await call
            assert (answer.status_code, answer.json()["code"]) == (404, "not_found"), answer.request
        assert await names(client) == ["Own"]
        assert await names(client, q="secret") == []
    assert (await ana.get(path)).json() == node
    assert await names(ana) == ["Secret"]


async def test_names_are_taken_within_kind_and_visibility_and_its_owner(org, ana, bob):
    await project(ana, "plan", "team")
    made = [
        await make(ana, "Ana"),
        await make(bob, "Ana"),
        await make(ana, "Ana", visibility="project", project_id="plan"),
        await make(ana, "Ana", visibility="org"),
    ]
    assert len({node["id"] for node in made}) == 4
    for client, node in ((ana, made[0]), (bob, made[1]), (bob, made[2]), (bob, made[3])):
        body = {"name": "ANA", "visibility": node["visibility"], "project_id": node["project_id"]}
        taken = await client.post("/memory-nodes", json=body)
        assert (taken.status_code, taken.json()["current"]["id"]) == (409, node["id"])


async def test_a_projects_node_is_there_for_those_who_see_the_project(org, ana, bob):
    await project(ana, "plan", "private")
    node = await make(ana, "Launch", visibility="project", project_id="plan")
    path = f"/memory-nodes/{node['id']}"
    assert (node["visibility"], node["project_id"], node["user_id"]) == ("project", "plan", "ana")
    assert (await bob.get(path)).status_code == 404
    body = {"name": "X", "visibility": "project", "project_id": "plan"}
    assert (await bob.post("/memory-nodes", json=body)).status_code == 404
    assert (await bob.get("/memory-nodes", params={"project_id": "plan"})).status_code == 404
    await ana.put("/projects/plan/members/bob")
    assert (await bob.patch(path, json={"summary": "soon"})).status_code == 200
    assert await names(bob) == await names(bob, project_id="plan") == ["Launch"]
    assert (await bob.delete(path)).status_code == 204
    await project(ana, "open", "team")
    await make(ana, "Open", visibility="project", project_id="open")
    assert await names(bob) == []
    assert await names(bob, project_id="open") == ["Open"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"visibility": "project"},
        {"visibility": "everyone"},
        {"visibility": "org", "project_id": "plan"},
        {"project_id": "plan"},
    ],
)
async def test_a_visibility_without_its_name_is_refused(ana, wrong):
    refused = await ana.post("/memory-nodes", json={"name": "X", **wrong})
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid")
    assert await names(ana) == []


async def test_an_orgs_node_is_everyones_to_change_and_its_makers_to_remove(
    org, ana, bob, api, sign_in
):
    made = [await make(ana, name, visibility="org") for name in ("Office", "Door", "Room")]
    path = f"/memory-nodes/{made[0]['id']}"
    own = await make(bob, "Mine")
    with_bob = org.client(await org.mint("agent", agent_id="bot", user_id="ana"))
    assert (await bob.patch(path, json={"summary": "x"})).status_code == 200
    assert (await bob.post(f"{path}/items", json={"content": "x"})).status_code == 201
    for client in (bob, with_bob, org.client(await org.mint("agent", agent_id="bot"))):
        for call in (
            client.delete(path),
            client.post(f"{path}/merge", json={"into": made[1]["id"]}),
        ):
            answer = await call
            assert (answer.status_code, answer.json()["code"]) == (403, "MEM-001")
    assert (
        await bob.post(f"/memory-nodes/{own['id']}/merge", json={"into": made[0]["id"]})
    ).status_code == 200
    assert (await ana.delete(path)).status_code == 204
    owner = await sign_in("owner")
    assert (await owner.delete(f"/memory-nodes/{made[1]['id']}")).status_code == 204
    service = org.client(holdfast_user="bob")
    assert (await service.delete(f"/memory-nodes/{made[2]['id']}")).status_code == 204


async def test_an_agents_key_without_a_user_makes_nodes_of_a_project_or_the_org(org, ana):
    await project(ana, "open", "team")
    bot = org.client(await org.mint("agent", agent_id="bot"))
    refused = await bot.post("/memory-nodes", json={"name": "X"})
    assert (refused.status_code, refused.json()["code"]) == (403, "MEM-001")
    orgs = await make(bot, "X", visibility="org")
    assert orgs["user_id"] is None
    projects = await make(bot, "X", visibility="project", project_id="open")
    path = f"/memory-nodes/{projects['id']}"
    assert (await bot.get(path)).status_code == 404
    assert (await bot.get(path, params={"project_id": "open"})).status_code == 200
    assert await names(ana, project_id="open") == ["X"]


async def test_walks_and_paths_never_go_through_a_node_that_the_caller_does_not_see(org, ana, bob):
    start, end = [await make(ana, name, visibility="org") for name in ("Start", "End")]
    bridge = await make(ana, "Bridge")
    hers = await relate(ana, start, bridge)
    await relate(ana, bridge, end)

    async def around(client, depth):
        path = f"/memory-nodes/{start['id']}/neighbors"
        graph = (await client.get(path, params={"depth": depth})).json()
        return [node["name"] for node in graph["nodes"]], [edge["id"] for edge in graph["edges"]]

    assert (await around(ana, 2))[0] == ["Bridge", "End"]
    assert await around(bob, 3) == ([], [])
    ends = {"from": start["id"], "to": end["id"]}
    assert (await ana.get("/memory-nodes/path", params=ends)).status_code == 200
    assert (await bob.get("/memory-nodes/path", params=ends)).status_code == 404
    assert (await bob.delete(f"/memory-nodes/edges/{hers['id']}")).status_code == 404


async def test_recall_gives_items_to_those_who_see_the_node_and_the_memory(org, ana, bob):
    private = await save(ana, "pilot", CANARY)
    await make(ana, "Pilot", items=[{"content": CANARY}])
    shared = await make(ana, "Harbour", visibility="org", items=[{"content": "a harbour is wet"}])
    await ana.post(
        f"/memory-nodes/{shared['id']}/items",
        json={"content": f"{CANARY} again", "memory_id": private["id"]},
    )

    async def found(client, **body):
        answer = await client.post("/recall", json={"query": "harbour pilot", "limit": 20, **body})
        assert answer.status_code == 200, answer.text
        return sorted(each["object"].get("content", "") for each in answer.json()["data"])

    assert await found(ana, kinds=["node_item"]) == sorted(
        [CANARY, f"{CANARY} again", "a harbour is wet"]
    )
    for client in (bob, org.client(holdfast_user="bob")):
        assert await found(client, kinds=["node_item"]) == ["a harbour is wet"]
        assert CANARY not in (await client.post("/recall", json={"query": CANARY})).text
        graph = await client.get("/memories/recall", params={"q": "harbour pilot", "graph": True})
        assert graph.json()["data"] == []


async def test_the_graph_leads_recall_only_over_nodes_that_the_caller_sees(org, ana, bob):
    await project(ana, "open", "team")
    await ana.put("/projects/open/members/bob")
    memory = await save(ana, "pump", "Is kept in cellar five", scope="project", project_id="open")
    hers = await make(ana, "Zeppelin", items=[{"content": "x", "memory_id": memory["id"]}])

    async def keys(client):
        asked = {"q": "zeppelin", "graph": True}
        return [
            r["key"] for r in (await client.get("/memories/recall", params=asked)).json()["data"]
        ]

    assert await keys(ana) == ["pump"]
    assert await keys(bob) == []
    seen = {c: (await c.get(f"/memories/{memory['id']}")).json()["node_ids"] for c in (ana, bob)}
    assert list(seen.values()) == [[hers["id"]], []]


async def test_a_merge_shows_what_it_moves_to_those_who_see_the_survivor(ana, bob):
    mine = await make(ana, "Draft", items=[{"content": "first"}])
    shared = await make(ana, "Final", visibility="org")
    merged = (
        await ana.post(f"/memory-nodes/{mine['id']}/merge", json={"into": shared["id"]})
    ).json()
    assert (merged["visibility"], merged["aliases"]) == ("org", ["Draft"])
    seen = (await bob.get(f"/memory-nodes/{mine['id']}")).json()
    assert (seen["id"], [item["content"] for item in seen["items"]]) == (shared["id"], ["first"])
    found = await bob.post("/recall", json={"query": "first", "kinds": ["node_item"]})
    assert [each["object"]["content"] for each in found.json()["data"]] == ["first"]


async def test_a_models_graph_is_its_users(org):
    anas, bobs = [await org.mint("user", user_id=user) for user in ("ana", "bob")]
    async with connected(org, key=anas) as client:
        await do(client, "create_entities", entities=[ANA])
    async with connected(org, key=bobs) as client:
        nothing = {"entities": [], "relations": []}
        assert await do(client, "read_graph") == nothing
        assert await do(client, "search_nodes", query="Ana") == nothing
        assert await do(client, "open_nodes", names=["Ana Pérez"]) == nothing
        assert await do(client, "create_entities", entities=[ANA]) == {"entities": [ANA]}
        await do(client, "delete_entities", entityNames=["Ana Pérez"])
    async with connected(org, key=anas) as client:
        assert (await do(client, "read_graph"))["entities"] == [ANA]


async def test_a_model_adds_nothing_to_a_shared_node_of_the_same_name(org, ana):
    shared = await make(ana, "Ana Pérez", visibility="org")
    async with connected(org, key=await org.mint("user", user_id="bob")) as client:
        [seen] = (await do(client, "open_nodes", names=["Ana Pérez"]))["entities"]
        assert seen["observations"] == []
        more = [{"entityName": "Ana Pérez", "contents": ["a secret"]}]
        assert (await refused(client, "add_observations", observations=more))["code"] == "not_found"
        assert await do(client, "create_entities", entities=[ANA]) == {"entities": [ANA]}
        await do(client, "add_observations", observations=more)
        relation = {"from": "Ana Pérez", "to": "Ana Pérez", "relationType": "is"}
        await do(client, "create_relations", relations=[relation])
        await do(client, "delete_entities", entityNames=["Ana Pérez"])
        [left] = (await do(client, "read_graph"))["entities"]
        assert left == seen
    node = (await ana.get(f"/memory-nodes/{shared['id']}")).json()
    assert (node["items"], node["version"]) == ([], 1)


async def test_a_model_of_an_agent_without_a_user_makes_the_orgs_nodes(org, api):
    key = await org.mint("agent", agent_id="bot")
    async with connected(org, key=key) as client:
        await do(client, "create_entities", entities=[ANA])
    [node] = (await api.get("/memory-nodes")).json()["data"]
    assert (node["visibility"], node["user_id"]) == ("org", None)
