"""POST /context: what reaches the agent, over HTTP."""

import asyncio

import pytest

from holdfast.context.user_memory import render
from holdfast.kernel.tokens import tokenizer_for
from holdfast_client.context import rendering

ARCHIVE = "Drinks sencha in the morning\nHas a dog called Rex\nFlew to Lisbon in May"


async def put(api, block_type, content, **query):
    path = f"/memory/blocks/{block_type}"
    current = await api.get(path, params=query)
    expected = current.json()["updated_at"] if current.status_code == 200 else None
    body = {"content": content, "expected_updated_at": expected}
    reply = await api.put(path, params=query, json=body)
    assert reply.status_code in (200, 201), reply.text
    return reply.json()


async def ask(api, message="what is the dog called?", mode=None, **more):
    policy = {} if mode is None else {"archival_mode": mode}
    policy |= more.pop("policy", {})
    body = {"message": message, **more, **({"memory_policy": policy} if policy else {})}
    reply = await api.post("/context", json=body)
    assert reply.status_code == 200, reply.text
    return reply.json()


@pytest.fixture
async def filled(api):
    """A user with every block, and an agent with entries."""
    await put(api, "core", "likes tea")
    await put(api, "core", "asks a lot", agent_id="bot")
    await put(api, "archival", ARCHIVE)
    await put(api, "archival", "Rex the dog came up twice", agent_id="bot")
    for key, category in (("a", "core"), ("b", "daily"), ("c", "core")):
        body = {"content": f"fact {key}", "category": category}
        assert (await api.put(f"/agents/bot/entries/{key}", json=body)).status_code in (200, 201)
    return api


async def test_nothing_is_an_empty_context(api):
    assert await ask(api) == {
        "type": "context",
        "user_memory": (await api.get("/context/user-memory")).json(),
        "system_reminders": [],
        "recalled": [],
        "entries": [],
        "messages": [],
        "tokens": {
            "user_memory": 0,
            "system_reminders": 0,
            "recalled": 0,
            "entries": 0,
            "messages": 0,
            "total": 0,
        },
        "dropped": [],
    }


async def test_by_default_core_and_entries_reach_the_agent_and_archival_waits_for_its_tool(filled):
    context = await ask(filled, agent_id="bot")
    core = render(user_core="likes tea", agent_core="asks a lot")
    assert context["user_memory"]["content"] == core
    assert context["system_reminders"] == []
    assert [each["key"] for each in context["entries"]] == ["c", "b", "a"]
    assert context["dropped"] == []
    without = await ask(filled)
    assert without["user_memory"]["content"] == render(user_core="likes tea")
    assert without["entries"] == []


async def test_auto_reminds_of_the_best_matches_and_says_where_they_came_from(filled):
    block = (await filled.get("/memory/blocks/archival")).json()
    context = await ask(filled, mode="auto")
    best = context["system_reminders"][0]
    assert best["content"] == "Has a dog called Rex"
    assert best["source"] == {
        "kind": "block_line",
        "block_type": "archival",
        "scope": "user",
        "agent_id": None,
        "line_number": 2,
        "updated_at": block["updated_at"],
    }
    scores = [each["score"] for each in context["system_reminders"]]
    assert scores == sorted(scores, reverse=True)
    with_agent = await ask(filled, mode="auto", agent_id="bot")
    assert {each["source"]["agent_id"] for each in with_agent["system_reminders"]} >= {None, "bot"}
    one = await ask(filled, mode="auto", agent_id="bot", policy={"archival_limit": 1})
    assert one["system_reminders"] == with_agent["system_reminders"][:1]
    floor = {"archival_min_score": best["score"]}
    assert (await ask(filled, mode="auto", policy=floor))["system_reminders"] == [best]
    assert (await ask(filled, mode="auto", message=" "))["system_reminders"] == []
    # a message of any length is asked with
    assert (await ask(filled, mode="auto", message="dog Rex " * 2_000))["system_reminders"]


@pytest.mark.parametrize("mode", ["tool_only", "auto", "off", None])
@pytest.mark.parametrize("user_core", [True, False])
@pytest.mark.parametrize("agent_core", [True, False])
async def test_core_depends_on_its_two_flags_in_every_mode(filled, mode, user_core, agent_core):
    flags = {"include_user_core": user_core, "include_agent_core": agent_core}
    context = await ask(filled, mode=mode, agent_id="bot", policy=flags)
    assert context["user_memory"]["content"] == render(
        user_core="likes tea" if user_core else "", agent_core="asks a lot" if agent_core else ""
    )
    assert bool(context["system_reminders"]) == (mode == "auto")
    # explicit recall is unaffected by any mode
    found = (await filled.post("/memory/recall", json={"query": "Rex"})).json()["data"]
    assert found[0]["content"] == "Has a dog called Rex"


TURN = {"session_id": "s1", "message_id": "m1"}


async def test_a_turn_asked_for_again_gives_the_reminders_it_first_got(filled):
    first = (await ask(filled, mode="auto", **TURN))["system_reminders"]
    assert first
    await put(filled, "archival", "Has a dog called Max now\nThe dog is called Max")
    assert (await ask(filled, mode="auto", **TURN))["system_reminders"] == first
    # whatever else is said, and without saying how reminders are made
    assert (await ask(filled, message="tea?", mode="auto", **TURN))["system_reminders"] == first
    assert (await ask(filled, **TURN))["system_reminders"] == first
    await filled.delete("/memory/blocks/archival")
    assert (await ask(filled, **TURN))["system_reminders"] == first
    assert (await ask(filled, mode="off", **TURN))["system_reminders"] == []


async def test_a_turn_that_found_nothing_finds_nothing_again(api):
    assert (await ask(api, mode="auto", **TURN))["system_reminders"] == []
    await put(api, "archival", ARCHIVE)
    assert (await ask(api, mode="auto", **TURN))["system_reminders"] == []
    assert (await ask(api, mode="auto", session_id="s1", message_id="m2"))["system_reminders"]
    # half a name is no turn
    assert (await ask(api, mode="auto", session_id="s1"))["system_reminders"]


async def test_a_turn_is_its_users_whichever_agent_asks(org, filled):
    first = (await ask(filled, mode="auto", agent_id="bot", **TURN))["system_reminders"]
    assert any(each["source"]["agent_id"] == "bot" for each in first)
    assert (await ask(org.client(holdfast_user="ana"), **TURN))["system_reminders"] == []
    assert (await ask(filled, mode="auto", **TURN))["system_reminders"] == first
    assert (await ask(filled, agent_id="bot", **TURN))["system_reminders"] == first


async def test_of_many_first_asks_of_one_turn_all_hear_the_same(org, filled):
    clients = [org.client() for _ in range(12)]

    async def change(number):
        await put(filled, "archival", f"Has a dog called Rex\nthe dog sleeps {number}")

    async def keep_changing():
        for number in range(4):
            await change(number)

    *contexts, _ = await asyncio.gather(
        *(ask(client, mode="auto", **TURN) for client in clients), keep_changing()
    )
    assert len({str(each["system_reminders"]) for each in contexts}) == 1


async def test_tokens_are_counted_by_part_and_add_up(filled):
    context = await ask(filled, mode="auto", agent_id="bot")
    count = tokenizer_for(None).count
    assert context["tokens"] == {
        "user_memory": count(context["user_memory"]["content"]),
        "system_reminders": sum(
            count(rendering.reminder(each["content"])) for each in context["system_reminders"]
        ),
        "entries": sum(
            count(rendering.entry(each["key"], each["content"])) for each in context["entries"]
        ),
        "recalled": 0,
        "messages": 0,
        "total": sum(n for part, n in context["tokens"].items() if part != "total"),
    }
    assert context["user_memory"]["tokens"] == context["tokens"]["user_memory"]
    other = await ask(filled, agent_id="bot", model="gpt-4")
    assert other["tokens"]["user_memory"] == tokenizer_for("gpt-4").count(
        other["user_memory"]["content"]
    )


async def test_no_budget_is_exceeded_and_everything_left_out_is_accounted_for(filled):
    whole = await ask(filled, mode="auto", agent_id="bot")
    for max_tokens in range(1, whole["tokens"]["total"] + 2):
        context = await ask(filled, mode="auto", agent_id="bot", max_tokens=max_tokens)
        assert context["tokens"]["total"] <= max_tokens
        dropped = {each["part"]: each for each in context["dropped"]}
        for part in ("system_reminders", "entries"):
            left_out = dropped.get(part, {"count": 0, "ids": [], "tokens": 0})
            assert len(context[part]) + left_out["count"] == len(whole[part])
            assert left_out["count"] == len(left_out["ids"])
            assert context["tokens"][part] + left_out["tokens"] == whole["tokens"][part]
        for text, name in (("likes tea", "user_core"), ("asks a lot", "agent_core")):
            left_out = dropped.get("user_memory", {"ids": []})["ids"]
            assert (text in context["user_memory"]["content"]) != (name in left_out)
        assert {each["reason"] for each in context["dropped"]} <= {"max_tokens"}
    assert context["dropped"] == []


async def test_what_a_turn_keeps_is_what_the_model_saw(filled):
    whole = await ask(filled, mode="auto", agent_id="bot")
    tight = whole["tokens"]["user_memory"] + whole["tokens"]["system_reminders"] - 1
    first = await ask(filled, mode="auto", agent_id="bot", max_tokens=tight, **TURN)
    seen = first["system_reminders"]
    assert 0 < len(seen) < len(whole["system_reminders"])
    assert (await ask(filled, mode="auto", agent_id="bot", **TURN))["system_reminders"] == seen


async def test_callers_reach_their_own_context_only(org, filled):
    unknown = await filled.post("/context", json={"message": "hi", "agent_id": "nobody"})
    assert (unknown.status_code, unknown.json()["code"]) == (404, "MEM-002")
    agent = org.client(await org.mint("agent", agent_id="bot", user_id="owner"))
    own = await ask(agent)
    assert own["user_memory"]["content"] == render(user_core="likes tea", agent_core="asks a lot")
    assert len(own["entries"]) == 3
    other = await agent.post("/context", json={"message": "hi", "agent_id": "other"})
    assert (other.status_code, other.json()["code"]) == (403, "MEM-001")
    nobody = org.client(await org.mint("agent", agent_id="bot"))
    without_user = await ask(nobody, mode="auto", **TURN)
    assert (without_user["user_memory"]["content"], without_user["system_reminders"]) == ("", [])
    assert len(without_user["entries"]) == 3


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_tokens": 0},
        {"memory_policy": {"archival_mode": "always"}},
        {"memory_policy": {"archival_limit": 0}},
        {"memory_policy": {"archival_limit": 51}},
        {"memory_policy": {"archival_min_score": 2}},
        {"memory_policy": {"core": True}},
        {"session_id": "no spaces allowed"},
        {"message_id": ""},
        {"message_id": "x" * 129},
        {"conversation": {"key": "k"}},
        {"conversation": {"resource_id": "sessions", "key": "k", "name": "x"}},
        {"message": None},
    ],
)
async def test_what_makes_no_sense_is_refused(api, wrong):
    refused = await api.post("/context", json={"message": "hi", **wrong})
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid")


async def test_under_an_idempotency_key_the_first_answer_is_given_again(filled):
    body = {
        "message": "what is the dog called?",
        "agentId": "bot",
        "memoryPolicy": {"archivalMode": "auto"},
        "sessionId": "s",
        "messageId": "m",
    }
    headers = {"Idempotency-Key": "k"}
    first = await filled.post("/context", json=body, headers=headers)
    assert first.status_code == 200, first.text
    again = await filled.post("/context", json=body, headers=headers)
    assert (again.json(), again.headers["idempotency-replayed"]) == (first.json(), "true")
    assert first.json() == (await filled.post("/context", json=body)).json()


# --- the conversation ------------------------------------------------------------------------------------------------

RESOURCE = {
    "resource": "memory",
    "id": "chats",
    "type": "token_based",
    "max_tokens": 100_000,
    "persistence": {"type": "postgres"},
    "default_key_template": "chat:{{.session_id}}",
}


async def talk(api, key, *messages, resource="chats"):
    """A resource with one conversation in it."""
    made = await api.put(f"/memory-resources/{RESOURCE['id']}", json=RESOURCE)
    assert made.status_code in (200, 201), made.text
    if messages:
        body = {"key": key, "messages": list(messages)}
        said = await api.post(f"/conversations/{resource}/append", json=body)
        assert said.status_code == 200, said.text


def text(role, content, **more):
    return {"role": role, "content": content, **more}


async def test_the_conversation_that_is_named_is_read_oldest_first(filled):
    await talk(filled, "k", text("user", "hello"), text("assistant", "hi 🍵"))
    context = await ask(filled, conversation={"resource_id": "chats", "key": "k"})
    assert [(m["role"], m["content"]) for m in context["messages"]] == [
        ("user", "hello"),
        ("assistant", "hi 🍵"),
    ]
    count = tokenizer_for(None).count
    costs = [count(m["content"]) + count(m["role"]) + 2 for m in context["messages"]]
    assert [m["tokens"] for m in context["messages"]] == costs
    assert context["tokens"]["messages"] == sum(costs)
    read = (await filled.get("/conversations/chats/read?key=k")).json()["messages"]
    assert [m["id"] for m in read] == [m["id"] for m in context["messages"]]
    other = await ask(filled, conversation={"resource_id": "chats", "key": "k"}, model="gpt-4")
    count = tokenizer_for("gpt-4").count
    costs = [count(m["content"]) + count(m["role"]) + 2 for m in other["messages"]]
    assert [m["tokens"] for m in other["messages"]] == costs
    by_variables = {"resource_id": "chats", "variables": {"session_id": "s"}}
    assert (await ask(filled, conversation=by_variables))["messages"] == []
    missing = {"message": "hi", "conversation": {"resource_id": "nowhere", "key": "k"}}
    assert (await filled.post("/context", json=missing)).status_code == 404


async def test_an_agents_references_are_read_where_no_conversation_is_named(filled):
    await talk(filled, "chat:s1", text("user", "in a session"))
    await talk(filled, "team", text("user", "on the wall"))
    references = [{"id": "chats"}, {"id": "chats", "key": "team"}, {"id": "gone", "key": "x"}]
    await filled.put("/agents/bot", json={"memory": references})
    context = await ask(filled, agent_id="bot", session_id="s1")
    assert [m["content"] for m in context["messages"]] == ["in a session", "on the wall"]
    assert context["dropped"] == [
        {"part": "messages", "reason": "unresolved", "count": 0, "tokens": None, "ids": ["gone"]}
    ]
    without = await ask(filled, agent_id="bot")
    assert [m["content"] for m in without["messages"]] == ["on the wall"]
    assert without["dropped"][0]["ids"] == ["chats", "gone"]
    named = {"resource_id": "chats", "key": "team"}
    assert len((await ask(filled, agent_id="bot", conversation=named))["messages"]) == 1
    assert (await ask(filled))["messages"] == []


async def test_what_does_not_fit_of_a_conversation_is_its_oldest(filled):
    call = {"id": "c1", "type": "function", "function": {"name": "brew", "arguments": "{}"}}
    await talk(
        filled,
        "k",
        text("system", "be kind"),
        text("user", "brew some tea"),
        {"role": "assistant", "content": "", "tool_calls": [call]},
        text("tool", "brewed", tool_call_id="c1"),
        text("assistant", "here it is"),
    )
    named = {"resource_id": "chats", "key": "k"}
    whole = await ask(filled, conversation=named)
    for max_tokens in range(1, whole["tokens"]["total"] + 1):
        context = await ask(filled, conversation=named, max_tokens=max_tokens)
        assert context["tokens"]["total"] <= max_tokens
        dropped = {each["part"]: each for each in context["dropped"]}
        left_out = dropped.get("messages", {"ids": [], "tokens": 0})
        kept = [m["id"] for m in context["messages"]]
        assert sorted(kept + left_out["ids"]) == sorted(m["id"] for m in whole["messages"])
        assert context["tokens"]["messages"] + left_out["tokens"] == whole["tokens"]["messages"]
        said = [m["id"] for m in whole["messages"] if m["role"] != "system"]
        kept_said = [name for name in kept if name in said]
        assert kept_said == said[len(said) - len(kept_said) :]
        roles = [m["role"] for m in context["messages"]]
        assert ("tool" in roles) == any(m["tool_calls"] for m in context["messages"])


async def test_of_a_long_conversation_the_newest_thousand_are_looked_at(filled):
    await talk(filled, "k")
    for start in range(0, 1_100, 100):
        messages = [text("user", f"m{number}") for number in range(start, start + 100)]
        await talk(filled, "k", *messages)
    context = await ask(filled, conversation={"resource_id": "chats", "key": "k"})
    assert [context["messages"][0]["content"], context["messages"][-1]["content"]] == [
        "m100",
        "m1099",
    ]
    assert context["dropped"] == [
        {"part": "messages", "reason": "window", "count": 100, "tokens": None, "ids": []}
    ]


async def test_another_users_session_is_not_read(org, api):
    body = {"key": "hers", "messages": "secret", "session_id": "hers"}
    ana = org.client(await org.mint("user", user_id="ana"))
    assert (await ana.post("/conversations/sessions/append", json=body)).status_code == 200
    named = {"resource_id": "sessions", "key": "hers"}
    assert len((await ask(ana, conversation=named))["messages"]) == 1
    bo = org.client(await org.mint("user", user_id="bo"))
    refused = await bo.post("/context", json={"message": "hi", "conversation": named})
    assert (refused.status_code, refused.json()["code"]) == (404, "not_found")
