"""The node graph as a model calls it, in the words of the reference memory server."""

import json

from tests.mcp_client import connected, refused, said

ANA = {"name": "Ana Pérez", "entityType": "person", "observations": ["Runs the office", "Tea"]}
OFFICE = {"name": "Lisbon office", "entityType": "place", "observations": []}
WORKS_AT = {"from": "Ana Pérez", "to": "Lisbon office", "relationType": "works_at"}


async def do(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, said(result)
    return result.structured_content


async def test_entities_are_created_once(org, api):
    async with connected(org) as client:
        result = await client.call_tool("create_entities", {"entities": [ANA, OFFICE, ANA]})
        assert result.structured_content == {"entities": [ANA, OFFICE]}
        assert json.loads(said(result)) == [ANA, OFFICE]
        changed = {**ANA, "entityType": "robot", "observations": ["other"]}
        assert await do(client, "create_entities", entities=[changed]) == {"entities": []}
        assert await do(client, "read_graph") == {"entities": [ANA, OFFICE], "relations": []}
    nodes = (await api.get("/memory-nodes")).json()["data"]
    assert [(each["name"], each["kind"]) for each in nodes] == [
        ("Lisbon office", "place"), ("Ana Pérez", "person"),
    ]  # fmt: skip
    assert [item["content"] for item in nodes[1]["items"]] == ANA["observations"]


async def test_relations_need_both_ends_and_are_created_once(org):
    async with connected(org) as client:
        await do(client, "create_entities", entities=[ANA])
        error = await refused(client, "create_relations", relations=[WORKS_AT])
        assert error["code"] == "not_found"
        assert "'Lisbon office'" in error["detail"]
        await do(client, "create_entities", entities=[OFFICE])
        result = await client.call_tool("create_relations", {"relations": [WORKS_AT, WORKS_AT]})
        assert result.structured_content == {"relations": [WORKS_AT]}
        assert json.loads(said(result)) == [WORKS_AT]
        assert await do(client, "create_relations", relations=[WORKS_AT]) == {"relations": []}
        assert (await do(client, "read_graph"))["relations"] == [WORKS_AT]


async def test_observations_are_added_once_to_an_entity_that_is_there(org):
    async with connected(org) as client:
        await do(client, "create_entities", entities=[ANA])
        more = [{"entityName": "ana perez", "contents": ["Tea", "Cats", "Cats"]}]
        added = await do(client, "add_observations", observations=more)
        assert added == {"results": [{"entityName": "ana perez", "addedObservations": ["Cats"]}]}
        both = [*more, {"entityName": "Nobody", "contents": ["x"]}]
        error = await refused(client, "add_observations", observations=both)
        assert (error["code"], "'Nobody'" in error["detail"]) == ("not_found", True)
        [entity] = (await do(client, "read_graph"))["entities"]
        assert entity["observations"] == ["Runs the office", "Tea", "Cats"]


async def test_all_of_a_call_is_done_or_nothing(org):
    async with connected(org) as client:
        bad = {"name": "Too long", "entityType": "x" * 65, "observations": []}
        error = await refused(client, "create_entities", entities=[ANA, bad])
        assert error["code"] == "limit_exceeded"
        assert (await do(client, "read_graph"))["entities"] == []


async def test_deleting_what_is_not_there_is_no_error(org):
    async with connected(org) as client:
        await do(client, "create_entities", entities=[ANA, OFFICE])
        await do(client, "create_relations", relations=[WORKS_AT])
        done = await do(client, "delete_relations", relations=[WORKS_AT])
        assert done == {"success": True, "message": "The relations are gone"}
        assert (await do(client, "delete_relations", relations=[WORKS_AT]))["success"] is True
        gone = [{"entityName": "Ana Pérez", "observations": ["Tea", "Never said"]}]
        done = await do(client, "delete_observations", deletions=gone)
        assert done["message"] == "Deleted 1 of 2 observations."
        [entity] = (await do(client, "open_nodes", names=["Ana Pérez"]))["entities"]
        assert entity["observations"] == ["Runs the office"]
        await do(client, "create_relations", relations=[WORKS_AT])
        done = await do(client, "delete_entities", entityNames=["Ana Pérez", "Nobody"])
        assert "Not found: Nobody" in done["message"]
        assert await do(client, "read_graph") == {"entities": [OFFICE], "relations": []}


async def test_search_and_open_bring_the_relations_along(org):
    async with connected(org) as client:
        await do(client, "create_entities", entities=[ANA, OFFICE])
        await do(client, "create_relations", relations=[WORKS_AT])
        for query in ("PEREZ", "Person", "the OFFICE"):
            found = await do(client, "search_nodes", query=query)
            assert found == {"entities": [ANA], "relations": [WORKS_AT]}, query
        assert await do(client, "search_nodes", query="%") == {"entities": [], "relations": []}
        found = await do(client, "open_nodes", names=["Lisbon office", "Nobody"])
        assert found == {"entities": [OFFICE], "relations": [WORKS_AT]}


async def test_the_graph_is_a_resource(org):
    async with connected(org) as client:
        await do(client, "create_entities", entities=[ANA])
        uris = [each.uri for each in (await client.list_resources()).resources]
        assert "memory://knowledge-graph" in uris
        [content] = (await client.read_resource("memory://knowledge-graph")).contents
        assert json.loads(content.text) == {"entities": [ANA], "relations": []}
        assert content.mime_type == "application/json"


async def test_another_org_has_another_graph(make_org):
    one, other = await make_org(), await make_org()
    async with connected(one) as client:
        await do(client, "create_entities", entities=[ANA])
    async with connected(other) as client:
        assert await do(client, "read_graph") == {"entities": [], "relations": []}
        assert (await do(client, "open_nodes", names=["Ana Pérez"]))["entities"] == []
        await do(client, "delete_entities", entityNames=["Ana Pérez"])
    async with connected(one) as client:
        assert (await do(client, "read_graph"))["entities"] == [ANA]


async def test_what_comes_of_a_memory_is_shown_to_those_who_see_it(org):
    ana, ben = org.client(holdfast_user="ana"), org.client(holdfast_user="ben")
    memory = (await ana.post("/memories", json={"key": "k", "value": "a secret"})).json()
    item = {"content": "a secret", "memory_id": memory["id"]}
    made = await ana.post(
        "/memory-nodes", json={"name": "Ana", "visibility": "org", "items": [item]}
    )
    assert made.status_code == 201
    async with connected(org, holdfast_user="ana") as client:
        assert (await do(client, "search_nodes", query="secret"))["entities"] != []
    async with connected(org, holdfast_user="ben") as client:
        assert (await do(client, "search_nodes", query="secret"))["entities"] == []
        [entity] = (await do(client, "open_nodes", names=["Ana"]))["entities"]
        assert entity["observations"] == []
    assert (await ben.get(f"/memories/{memory['id']}")).status_code == 404
