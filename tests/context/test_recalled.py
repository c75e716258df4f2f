"""The recalled part of a context: what the message finds among memories, node items, store entries and summaries."""

from holdfast.kernel.tokens import tokenizer_for
from holdfast_client.context import rendering
from tests.context.test_routes import ask, put

DOG = {"key": "the dog", "value": "The dog is called Rex and is nine years old"}
TURN = {"session_id": "s1", "message_id": "m1"}


async def remember(api, **fields):
    reply = await api.post("/memories", json=fields)
    assert reply.status_code in (200, 201), reply.text
    return reply.json()


async def test_what_is_remembered_is_in_the_very_next_context(api):
    assert (await ask(api))["recalled"] == []
    memory = await remember(api, **DOG, valid_from="2026-01-31T00:00:00.000000Z")
    context = await ask(api)
    [found] = context["recalled"]
    assert 0.3 <= found.pop("score") <= 1
    assert found == {
        "id": memory["id"],
        "kind": "memory",
        "text": DOG["value"],
        "when": "2026-01-31T00:00:00.000000Z",
        "source": "manual",
    }
    when = rendering.datetime.fromisoformat(found["when"])
    price = tokenizer_for(None).count(rendering.recalled([(found["text"], when)]))
    assert context["tokens"]["recalled"] == price
    assert context["tokens"]["total"] >= price
    assert (await ask(api, recall={"mode": "off"}))["recalled"] == []
    assert (await ask(api, message=" "))["recalled"] == []


async def test_stores_and_nodes_are_found_and_kinds_limit_score_and_trust_narrow(api):
    await remember(api, **DOG, trust="import")
    store = (await api.post("/memory_stores", json={"name": "pets"})).json()
    path = f"/memory_stores/{store['id']}/memories"
    entry = {"path": "dog.md", "content": "The dog is called Rex."}
    assert (await api.post(path, json=entry)).status_code == 201
    node = {"name": "Rex", "kind": "pet", "items": [{"content": "Rex is what the dog is called"}]}
    assert (await api.post("/memory-nodes", json=node)).status_code == 201
    found = (await ask(api))["recalled"]
    assert {each["kind"] for each in found} == {"memory", "store_entry", "node_item"}
    assert {each["source"] for each in found if each["kind"] == "store_entry"} == {
        f"{store['id']}/dog.md"
    }
    scores = [each["score"] for each in found]
    assert scores == sorted(scores, reverse=True)
    only = await ask(api, recall={"kinds": ["store_entry"]})
    assert [each["kind"] for each in only["recalled"]] == ["store_entry"]
    assert len((await ask(api, recall={"limit": 1}))["recalled"]) == 1
    assert (await ask(api, recall={"min_score": 1}))["recalled"] == []
    trusted = await ask(api, recall={"minTrust": "tool"})
    assert {each["kind"] for each in trusted["recalled"]} == {"store_entry", "node_item"}
    for wrong in ({"kinds": ["entry"]}, {"limit": 0}, {"min_score": 2}, {"mode": "on"}, {"x": 1}):
        refused = await api.post("/context", json={"message": "hi", "recall": wrong})
        assert (refused.status_code, refused.json()["code"]) == (422, "invalid")


async def test_a_replay_gives_what_was_recalled_at_first(api):
    await remember(api, **DOG)
    first = await ask(api, **TURN)
    assert first["recalled"]
    await remember(api, key="the new dog", value="The new dog is called Max")
    assert (await ask(api, **TURN))["recalled"] == first["recalled"]
    assert (await ask(api, message="tea?", **TURN))["recalled"] == first["recalled"]
    assert (await ask(api, recall={"mode": "off"}, **TURN))["recalled"] == []
    assert len((await ask(api))["recalled"]) == 2
    # reminders that nobody asked for at first are stored by the first call that does
    await put(api, "archival", "Has a dog called Rex")
    reminded = await ask(api, mode="auto", **TURN)
    assert [each["content"] for each in reminded["system_reminders"]] == ["Has a dog called Rex"]
    assert reminded["recalled"] == first["recalled"]
    await api.delete("/memory/blocks/archival")
    assert (await ask(api, **TURN))["system_reminders"] == reminded["system_reminders"]


async def test_a_turn_that_recalled_nothing_recalls_nothing_again(api):
    assert (await ask(api, **TURN))["recalled"] == []
    await remember(api, **DOG)
    assert (await ask(api, **TURN))["recalled"] == []


async def test_what_does_not_fit_is_dropped_and_a_replay_sees_what_the_model_saw(api):
    for name in ("Rex", "Max", "Bo"):
        await remember(api, key=name, value=f"One dog is called {name}")
    whole = await ask(api, message="what are the dogs called?")
    assert len(whole["recalled"]) == 3
    tight = whole["tokens"]["total"] - 1
    small = await ask(api, message="what are the dogs called?", max_tokens=tight, **TURN)
    assert small["recalled"] == whole["recalled"][:2]
    [dropped] = small["dropped"]
    assert (dropped["part"], dropped["reason"]) == ("recalled", "max_tokens")
    assert dropped["ids"] == [whole["recalled"][2]["id"]]
    assert (await ask(api, **TURN))["recalled"] == small["recalled"]
    nothing = await ask(api, message="what are the dogs called?", max_tokens=5)
    assert (nothing["recalled"], nothing["tokens"]["total"]) == ([], 0)


async def test_nobody_is_shown_what_another_user_remembers(org):
    ana = org.client(await org.mint("user", user_id="ana"))
    bo = org.client(await org.mint("user", user_id="bo"))
    await remember(ana, **DOG)
    assert len((await ask(ana))["recalled"]) == 1
    assert (await ask(bo))["recalled"] == []
    assert (await ask(bo, **TURN))["recalled"] == []


async def test_memories_of_the_users_projects_are_found_and_another_users_session_is_not(org, api):
    assert (await api.put("/projects/kennel", json={"visibility": "private"})).status_code == 201
    await remember(api, **DOG, scope="project", project_id="kennel")
    ana = org.client(await org.mint("user", user_id="ana"))
    assert (await ask(ana))["recalled"] == []
    assert (await api.put("/projects/kennel/members/ana")).status_code in (200, 201, 204)
    assert len((await ask(ana))["recalled"]) == 1
    body = {"key": "s1", "messages": "hello", "session_id": "s1"}
    assert (await api.post("/conversations/sessions/append", json=body)).status_code == 200
    refused = await ana.post("/context", json={"message": "dog?", "session_id": "s1"})
    assert (refused.status_code, refused.json()["code"]) == (404, "not_found")


async def test_a_session_alone_implies_its_conversation(api):
    assert (await ask(api, session_id="s1"))["messages"] == []
    body = {"key": "s1", "messages": "hello", "session_id": "s1"}
    assert (await api.post("/conversations/sessions/append", json=body)).status_code == 200
    await api.put("/agents/bot", json={})
    for more in (
        {},
        {"agent_id": "bot"},
        {"conversation": {"resource_id": "sessions", "key": "s1"}},
    ):
        context = await ask(api, session_id="s1", **more)
        assert [each["content"] for each in context["messages"]] == ["hello"]
    # an agent that refers to the same conversation does not read it twice
    references = [{"id": "sessions", "key": "{{.session_id}}"}]
    assert (await api.put("/agents/bot", json={"memory": references})).status_code == 200
    assert len((await ask(api, session_id="s1", agent_id="bot"))["messages"]) == 1
    assert (await ask(api))["messages"] == []


async def test_with_a_run_its_entries_come_along(org, api):
    run = (await api.post("/agents/bot/runs", json={})).json()["run_id"]
    path = "/agents/bot/entries/step"
    body = {"content": "two of five", "category": "conversation", "run_id": run}
    assert (await api.put(path, json=body)).status_code in (200, 201)
    within = await ask(api, agent_id="bot", run_id=run)
    assert [each["key"] for each in within["entries"]] == ["step"]
    assert (await ask(api, agent_id="bot"))["entries"] == []
    for wrong, code in (
        ({"run_id": run}, (422, "invalid")),
        ({"agent_id": "bot", "run_id": "run_0"}, (404, "not_found")),
    ):
        refused = await api.post("/context", json={"message": "hi", **wrong})
        assert (refused.status_code, refused.json()["code"]) == code
    user = org.client(await org.mint("user", user_id="ana"))
    hidden = await user.post("/context", json={"message": "hi", "agent_id": "bot", "run_id": run})
    assert hidden.status_code == 404
