"""Recall over every face, and in one store."""

import pytest


async def store_with(api, **entries):
    store = (await api.post("/memory_stores", json={"name": "handbook"})).json()
    for path, content in entries.items():
        reply = await api.post(
            f"/memory_stores/{store['id']}/memories",
            json={"path": f"{path}.md", "content": content},
        )
        assert reply.status_code == 201, reply.text
    return store


async def ask(api, query, where="/recall", **fields):
    reply = await api.post(where, json={"query": query, **fields})
    assert reply.status_code == 200, reply.text
    return reply.json()


async def test_one_call_searches_every_face(api):
    await api.post("/memories", json={"key": "tea", "value": "Ana takes her tea green"})
    await store_with(api, tea="Tea is served in the kitchen at four.")
    answer = await ask(api, "tea")
    assert {each["kind"] for each in answer["data"]} == {"memory", "store_entry"}
    for each in answer["data"]:
        assert set(each) == {"kind", "id", "text", "object", "score", "matched", "explain"}
        assert each["object"]["id"] == each["id"]
        assert each["text"]
    assert answer["tokens"] > 5
    assert [e["kind"] for e in (await ask(api, "tea", kinds=["memory"]))["data"]] == ["memory"]


async def test_what_is_trusted_enough_is_found_behind_many_that_are_not(api):
    doubted = [
        {"key": f"k{n}", "value": f"the harbour pilot sleeps at noon, {n}", "trust": "tool"}
        for n in range(15)
    ]
    assert (await api.post("/memories/batch", json={"memories": doubted})).status_code == 200
    saved = {"key": "own", "value": "noon is when a man who guides ships naps", "trust": "user"}
    assert (await api.post("/memories", json=saved)).status_code == 201
    found = await ask(api, "harbour pilot sleeps at noon", limit=1, min_trust="user")
    assert [each["object"]["key"] for each in found["data"]] == ["own"]


async def test_a_long_entry_is_named_by_its_best_passage(api):
    text = "The weather was fine. " * 300 + "Refunds are handled by Marguerite."
    store = await store_with(api, long=text, other="something else entirely")
    answer = await ask(api, "who handles refunds", f"/memory_stores/{store['id']}/recall")
    assert "Marguerite" in answer["data"][0]["text"]
    assert len(answer["data"][0]["text"]) <= 1000
    assert answer["data"][0]["object"]["path"] == "long.md"


async def test_a_store_is_searched_alone_and_only_in_its_org(api, make_org):
    one = await store_with(api, tea="green tea")
    two = await store_with(api, tea="black tea")
    found = await ask(api, "tea", f"/memory_stores/{one['id']}/recall")
    assert [e["object"]["store_id"] for e in found["data"]] == [one["id"]]
    stranger = (await make_org()).client()
    reply = await stranger.post(f"/memory_stores/{two['id']}/recall", json={"query": "tea"})
    assert reply.status_code == 404
    assert (await ask(stranger, "tea"))["data"] == []


async def test_updated_deleted_and_restored_entries_are_found_as_they_are_now(api):
    store = await store_with(api, pet="a zebra in the garden")
    base = f"/memory_stores/{store['id']}"
    [entry] = (await api.get(f"{base}/memories")).json()["data"]
    at = f"{base}/memories/{entry['id']}"
    changed = await api.put(at, json={"content": "a heron in the garden", "version": 1})
    assert changed.status_code == 200, changed.text
    assert (await ask(api, "zebra", mode="lexical"))["data"] == []
    assert len((await ask(api, "heron", mode="lexical"))["data"]) == 1
    await api.delete(at)
    assert (await ask(api, "heron", mode="lexical"))["data"] == []
    versions = (await api.get(f"{base}/versions")).json()["data"]
    first = next(v for v in versions if v["version"] == 1)
    reply = await api.post(f"{at}/restore", json={"version_id": first["id"], "version": 3})
    assert reply.status_code == 200, reply.text
    assert len((await ask(api, "zebra", mode="lexical"))["data"]) == 1
    gone = await api.delete(base)
    assert gone.status_code == 204, gone.text
    assert (await ask(api, "zebra", mode="lexical"))["data"] == []


async def test_why_not_is_said_across_faces(api):
    saved = (await api.post("/memories", json={"key": "tea", "value": "green tea"})).json()
    await store_with(api, tea="green tea of Uji")
    answer = await ask(api, "green tea of Uji", limit=1, explain=True, ids=[saved["id"], "mem_x"])
    reasons = {miss["id"]: miss["reason"] for miss in answer["misses"]}
    assert reasons["mem_x"] == "not_found"
    assert reasons[saved["id"]] == "crowded_out"
    [best] = answer["data"]
    assert best["kind"] == "store_entry"
    assert sum(best["explain"]["parts"].values()) == best["score"]


async def test_something_of_a_kind_that_was_not_searched_is_not_said_to_be_missing(api):
    store = await store_with(api, tea="green tea of Uji")
    [entry] = (await api.get(f"/memory_stores/{store['id']}/memories")).json()["data"]
    answer = await ask(api, "green tea", kinds=["memory"], explain=True, ids=[entry["id"]])
    [miss] = answer["misses"]
    assert miss["reason"] == "no_match"
    assert "store_entry" in miss["detail"]


async def test_an_entry_that_expired_is_said_to_have(org, api, owner_connection):
    body = {"content": "the tide turns at six", "category": "daily"}
    saved = await api.put("/agents/bot/entries/tide", json=body)
    assert saved.status_code == 201, saved.text
    owner_connection.execute("SELECT set_config('holdfast.org', %s, false)", [org.id])
    owner_connection.execute(
        "UPDATE entries SET expires_at = now() - interval '1 second' WHERE org_id = %s", [org.id]
    )
    answer = await ask(api, "tide", agent_id="bot", explain=True, ids=[saved.json()["id"]])
    assert answer["data"] == []
    assert [miss["reason"] for miss in answer["misses"]] == ["expired"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"query": ""}, 422),
        ({"query": "x" * 4001}, 422),
        ({"query": "tea", "limit": 100}, 200),
        ({"query": "tea", "limit": 101}, 422),
        ({"query": "tea", "kinds": ["memory"]}, 200),
        ({"query": "tea", "kinds": ["nonsense"]}, 422),
        ({"query": "tea", "kinds": []}, 200),
        ({"query": "tea", "agent_id": "nobody"}, 404),
    ],
)
async def test_what_may_be_asked(api, body, status):
    assert (await api.post("/recall", json=body)).status_code == status


async def test_items_of_nodes_are_found_by_those_who_see_their_memory(org):
    ana, bob = org.client(holdfast_user="ana"), org.client(holdfast_user="bob")
    saved = (await ana.post("/memories", json={"key": "k", "value": "the party"})).json()
    made = await ana.post(
        "/memory-nodes",
        json={"name": "Zoltan", "visibility": "org", "items": [
            {"content": "collects harmoniums"},
            {"content": "collects secret theremins", "memory_id": saved["id"]}]},
    )  # fmt: skip
    assert made.status_code == 201, made.text

    async def items(client, query):
        found = await ask(client, query, kinds=["node_item"], mode="lexical")
        return [each["text"] for each in found["data"]]

    assert await items(bob, "harmoniums") == ["collects harmoniums"]
    assert await items(ana, "theremins") == ["collects secret theremins"]
    assert await items(bob, "theremins") == []
    assert len(await items(ana, "Zoltan")) == 2
    node = made.json()["id"]
    item = next(i for i in made.json()["items"] if "harmoniums" in i["content"])
    await ana.delete(f"/memory-nodes/{node}/items/{item['id']}")
    assert await items(bob, "harmoniums") == []
    await ana.patch(f"/memory-nodes/{node}", json={"name": "Yorick"})
    assert len(await items(ana, "Yorick")) == 1
    await ana.delete(f"/memory-nodes/{node}")
    assert await items(ana, "theremins") == []


async def test_the_entries_of_the_agent_that_is_named_and_of_its_workspace_are_found(api):
    for agent, category, content in (
        ("bot", "core", "the harbour opens at six"),
        ("other", "core", "the harbour of another agent"),
        ("other", "workspace", "the harbour is everybody's"),
    ):
        body = {"content": content, "category": category}
        assert (await api.put(f"/agents/{agent}/entries/harbour", json=body)).status_code == 201
    assert (await ask(api, "harbour"))["data"] == []  # no agent is named
    found = (await ask(api, "harbour", agent_id="bot"))["data"]
    assert {(each["kind"], each["text"]) for each in found} == {
        ("entry", "the harbour opens at six"),
        ("entry", "the harbour is everybody's"),
    }
    await api.delete("/agents/bot/entries/harbour", params={"category": "core"})
    found = (await ask(api, "harbour", agent_id="bot"))["data"]
    assert [each["text"] for each in found] == ["the harbour is everybody's"]


async def test_an_agents_key_finds_its_own_entries_without_naming_itself(org, api):
    await api.put("/agents/bot/entries/berth", json={"content": "the berth is number nine"})
    key = await org.mint("agent", agent_id="bot")
    [found] = (await ask(org.client(key), "berth"))["data"]
    assert (found["kind"], found["object"]["key"]) == ("entry", "berth")


async def test_the_lines_of_the_users_archives_are_found(org, api):
    for path, content in (
        ("archival", "met Ines at the lighthouse\nlikes sailing"),
        ("archival?agent_id=bot", "the lighthouse keeper is Joao"),
    ):
        body = {"content": content, "expected_updated_at": None}
        assert (await api.put(f"/memory/blocks/{path}", json=body)).status_code == 201
    found = (await ask(api, "lighthouse", mode="lexical"))["data"]
    assert [(each["kind"], each["text"]) for each in found] == [
        ("block_line", "met Ines at the lighthouse")
    ]
    assert found[0]["object"]["line_number"] == 1
    with_agent = (await ask(api, "lighthouse", mode="lexical", agent_id="bot"))["data"]
    assert len(with_agent) == 2
    somebody_else = org.client(holdfast_user="zoe")
    assert (await ask(somebody_else, "lighthouse"))["data"] == []
