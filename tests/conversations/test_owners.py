"""An instance belongs to the user that the caller acts for, else to the agent; of a shared resource to the whole org."""

import uuid

import pytest

from tests.conversations.conftest import Talk, resource

SMALL = {
    "type": "message_count_based",
    "max_messages": 4,
    "flushing": {"type": "hybrid_summary", "fallback": "extractive"},
}


@pytest.fixture
async def ana(org):
    return org.client(await org.mint("user", user_id="ana"))


@pytest.fixture
async def bob(org):
    return org.client(await org.mint("user", user_id="bob"))


async def keys_of(api, resource_id: str, **query) -> list[tuple]:
    found = await api.get(f"/conversations/{resource_id}/instances", params=query)
    assert found.status_code == 200, found.text
    return [(row["key"], row["user_id"], row["agent_id"]) for row in found.json()["data"]]


async def test_two_users_have_two_lists_under_one_key(talk, ana, bob):
    it = await talk(type="message_count_based", max_messages=4)
    hers, his = Talk(ana, it.resource_id), Talk(bob, it.resource_id)
    await hers.append([f"secret {n}" for n in range(4)])  # flushes two of them
    assert await his.contents(include_flushed=True) == []
    assert (await his.get("stats"))["message_count"] == 0
    assert (await his.call("pop"))["message"] is None
    assert (await his.call("clear", confirm=True))["messages_cleared"] == 0
    assert (await his.call("delete"))["deleted"] is False
    await his.append([{"role": "user", "content": "his", "id": "same"}])
    await hers.append([{"role": "user", "content": "hers", "id": "same"}])
    await his.call("write", messages=["his own"])
    await his.call("clear", confirm=True)
    assert await hers.contents() == ["secret 2", "secret 3", "hers"]
    assert len(await hers.contents(include_flushed=True)) == 5
    assert await keys_of(ana, it.resource_id) == [("k", "ana", None)]
    assert await keys_of(bob, it.resource_id) == [("k", "bob", None)]


async def test_a_service_key_acts_for_one_user_and_lists_every_owner_s_where_it_asks(
    talk, org, api, ana, bob
):
    it = await talk()
    agent = org.client(await org.mint("agent", agent_id="bot"))
    both = org.client(await org.mint("agent", agent_id="bot", user_id="ana"))
    for client, text in ((ana, "ana's"), (bob, "bob's"), (agent, "the agent's"), (api, "mine")):
        await Talk(client, it.resource_id).append(text)
    assert await Talk(both, it.resource_id).contents() == ["ana's"]  # owns as the user
    assert await Talk(agent, it.resource_id).contents() == ["the agent's"]
    assert await Talk(org.client(Holdfast_User="bob"), it.resource_id).contents() == ["bob's"]
    assert await keys_of(api, it.resource_id) == [("k", "owner", None)]
    every = await keys_of(api, it.resource_id, all=True)
    assert sorted(map(str, every)) == sorted(
        map(str, [("k", "ana", None), ("k", "bob", None), ("k", None, "bot"), ("k", "owner", None)])
    )
    url = f"/conversations/{it.resource_id}/instances"
    for client in (ana, agent, both):
        refused = await client.get(url, params={"all": True})
        assert (refused.status_code, refused.json()["code"]) == (403, "MEM-001")
    pages, after = [], None
    while True:
        query = {"all": True, "limit": 1, **({"after_id": after} if after else {})}
        page = (await api.get(url, params=query)).json()
        pages += page["data"]
        after = page["last_id"]
        if not page["has_more"]:
            break
    assert len({row["id"] for row in pages}) == 4


async def test_a_shared_resource_has_one_list_per_key_for_the_org(talk, org, ana, bob):
    it = await talk(shared=True)
    agent = org.client(await org.mint("agent", agent_id="bot"))
    for client, text in ((ana, "a"), (bob, "b"), (agent, "c")):
        await Talk(client, it.resource_id).append(text)
    for client in (ana, bob, agent):
        assert await Talk(client, it.resource_id).contents() == ["a", "b", "c"]
        assert await keys_of(client, it.resource_id) == [("k", None, None)]


async def test_shared_cannot_change_while_there_are_instances(talk, api, backend):
    it = await talk()
    await it.append("x")
    url = f"/memory-resources/{it.resource_id}"
    refused = await api.put(url, json=resource(it.resource_id, backend, shared=True))
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    assert refused.json()["current"]["id"] == it.resource_id
    assert await it.contents() == ["x"]
    await it.call("delete")
    changed = await api.put(url, json=resource(it.resource_id, backend, shared=True))
    assert (changed.status_code, changed.json()["shared"]) == (200, True)


@pytest.mark.parametrize("wrong", [1, "yes", None])
async def test_shared_is_true_or_false(api, wrong):
    refused = await api.put("/memory-resources/r", json=resource("r", shared=wrong))
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "shared"


async def test_user_and_agent_keys_change_no_resource(org, ana):
    agent = org.client(await org.mint("agent", agent_id="bot", user_id="ana"))
    for client in (ana, agent):
        refused = await client.put("/memory-resources/mine", json=resource("mine"))
        assert (refused.status_code, refused.json()["code"]) == (403, "MEM-001")
        refused = await client.delete("/memory-resources/mine")
        assert refused.json()["code"] == "MEM-001"
    owner = org.client(await org.mint("user", user_id="owner"))
    made = await owner.put("/memory-resources/mine", json=resource("mine"))
    assert made.status_code == 201, made.text


async def test_a_backup_comes_back_to_its_owner_alone(talk, ana, bob):
    it = await talk()
    hers, his = Talk(ana, it.resource_id), Talk(bob, it.resource_id)
    await hers.append(["one", "two"])
    backup = (await hers.call("clear", confirm=True, backup=True))["backup_id"]
    await his.append("mine")
    await his.call("restore", status=404, backup_id=backup)
    assert await his.contents() == ["mine"]
    assert (await hers.call("restore", backup_id=backup))["restored"] == 2
    assert await hers.contents() == ["one", "two"]


@pytest.mark.parametrize("shared", [False, True])
async def test_recall_finds_summaries_and_flushed_messages_for_those_who_see_them(
    talk, org, ana, bob, shared
):
    it = await talk(**SMALL, shared=shared)
    for text in ("The dog is called Rexford.", "b", "c", "d", "e", "f"):
        await Talk(ana, it.resource_id).append(text)
    for kind in ("summary", "flushed"):
        query = {"query": "what is the dog called, Rexford?", "kinds": [kind]}
        found = (await ana.post("/recall", json=query)).json()["data"]
        assert [each["kind"] for each in found] == [kind], kind
        assert "Rexford" in found[0]["text"]
        assert found[0]["object"]["key"] == "k"
        assert found[0]["object"]["user_id"] == (None if shared else "ana")
        of_bob = (await bob.post("/recall", json=query)).json()["data"]
        assert len(of_bob) == (1 if shared else 0)
        explained = await bob.post(
            "/recall", json={**query, "ids": [found[0]["id"]], "explain": True}
        )
        reasons = [miss["reason"] for miss in explained.json()["misses"]]
        assert reasons == ([] if shared else ["not_found"])
    assert "flushed" not in {
        each["kind"]
        for each in (await ana.post("/recall", json={"query": "Rexford"})).json()["data"]
    }
    await Talk(ana, it.resource_id).call("clear", confirm=True)
    query = {"query": "Rexford", "kinds": ["summary", "flushed"]}
    assert (await ana.post("/recall", json=query)).json()["data"] == []


async def test_with_workspaces_an_instance_stays_in_the_one_it_was_made_in(talk, org, api):
    it = await talk()
    assert (await api.put("/workspaces/lab", json={})).status_code == 201
    lab = Talk(org.client(Holdfast_Workspace="lab"), it.resource_id)
    await lab.append("in the lab")
    assert await it.contents() == ["in the lab"]  # the org does not separate workspaces
    assert (await api.patch("/org", json={"workspaces_enabled": True})).status_code == 200
    assert await it.contents() == []
    assert await keys_of(api, it.resource_id) == []
    assert (await it.get("stats"))["message_count"] == 0
    assert (await it.call("delete"))["deleted"] is False
    for operation, body in (("append", {"messages": "x"}), ("write", {"messages": ["x"]})):
        assert (await it.call(operation, status=404, **body))["code"] == "not_found"
    assert await lab.contents() == ["in the lab"]
    assert await keys_of(lab.api, it.resource_id) == [("k", "owner", None)]
    other = Talk(api, it.resource_id, f"k{uuid.uuid4().hex[:6]}")
    await other.append("here")
    assert await other.contents() == ["here"]


async def test_the_context_s_conversation_is_the_user_s_own(org, api, ana, bob):
    assert (await api.put("/memory-resources/chat", json=resource("chat"))).status_code == 201
    await Talk(ana, "chat").append("ana's secret")
    body = {"message": "hello", "conversation": {"resource_id": "chat", "key": "k"}}
    for_ana = (await ana.post("/context", json=body)).text
    for_bob = (await bob.post("/context", json=body)).text
    assert "ana's secret" in for_ana
    assert "ana's secret" not in for_bob
