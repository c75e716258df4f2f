"""mem0's API: the requests that its client sends. The client itself: tests/frameworks/probes/mem0_client.py."""

import httpx
import pytest


@pytest.fixture
async def mem0(org):
    """The service as mem0's client reaches it."""
    headers = {"Authorization": f"Token {org.key}", "Mem0-User-ID": "x"}
    async with httpx.AsyncClient(base_url=f"{org.url}/mem0", headers=headers, timeout=30) as client:
        yield client


async def added(mem0, text: str, **names):
    reply = await mem0.post(
        "/v3/memories/add/", json={"messages": [{"role": "user", "content": text}], **names}
    )
    assert reply.status_code == 200, reply.text
    return reply.json()["results"][0]


async def searched(mem0, query: str, **filters) -> list[str]:
    reply = await mem0.post(
        "/v3/memories/search/", json={"query": query, "filters": filters, "top_k": 5}
    )
    assert reply.status_code == 200, reply.text
    return [each["memory"] for each in reply.json()["results"]]


async def listed(mem0, filters, **page) -> dict:
    reply = await mem0.post("/v3/memories/", json={"filters": filters}, params=page)
    assert reply.status_code == 200, reply.text
    return reply.json()


async def test_the_life_of_a_memory(mem0, org) -> None:
    ping = await mem0.get("/v1/ping/", params={"org_id": "x", "project_id": "y"})
    assert ping.json()["org_id"] == org.id
    messages = [
        {"role": "user", "content": "Ana takes her tea green"},
        {"role": "assistant", "content": "Noted."},
    ]
    body = {
        "messages": messages,
        "user_id": "ana",
        "metadata": {"shift": "late", "n": 2},
        "categories": ["drinks"],
    }
    reply = (await mem0.post("/v3/memories/add/", json={**body, "async_mode": True})).json()
    [first] = reply["results"]  # what the assistant said is no memory
    assert (first["event"], first["metadata"], first["categories"]) == (
        "ADD",
        {"shift": "late", "n": 2},
        ["drinks"],
    )
    assert (await mem0.post("/v3/memories/add/", json=body)).json()["results"][0]["event"] == "NONE"
    whole = await mem0.post("/v3/memories/add/", json={**body, "user_id": "eve", "infer": False})
    assert len(whole.json()["results"]) == 2

    read = (await mem0.get(f"/v1/memories/{first['id']}/")).json()
    assert (read["memory"], read["user_id"]) == ("Ana takes her tea green", "ana")
    assert await searched(mem0, "what does she drink?", user_id="ana") == [
        "Ana takes her tea green"
    ]
    assert await searched(mem0, "what does she drink?", user_id="bob") == []

    changed = await mem0.put(
        f"/v1/memories/{first['id']}/",
        json={"text": "Ana takes her tea black", "metadata": {"n": 3}},
    )
    assert (changed.json()["memory"], changed.json()["metadata"]) == (
        "Ana takes her tea black",
        {"n": 3},
    )
    assert changed.json()["categories"] == ["drinks"]
    assert (await mem0.delete(f"/v1/memories/{first['id']}/")).status_code == 200
    for again in (
        await mem0.get(f"/v1/memories/{first['id']}/"),
        await mem0.delete(f"/v1/memories/{first['id']}/"),
    ):
        assert again.status_code == 404
    assert await searched(mem0, "tea", user_id="ana") == []
    history = (await mem0.get(f"/v1/memories/{first['id']}/history/")).json()
    assert [(each["event"], each["old_memory"], each["new_memory"]) for each in history][-2:] == [
        ("UPDATE", "Ana takes her tea green", "Ana takes her tea black"),
        ("DELETE", "Ana takes her tea black", None),
    ]
    # What was deleted can be learned again.
    assert (await added(mem0, "Ana takes her tea black", user_id="ana"))[
        "memory"
    ] == "Ana takes her tea black"


async def test_names_narrow(mem0) -> None:
    for number in range(3):
        await added(
            mem0, f"fact {number}", user_id="ana", run_id=f"run{number % 2}", metadata={"n": number}
        )
    await added(mem0, "the bot's own habit", agent_id="bot")
    assert (await listed(mem0, {"user_id": "ana"}))["count"] == 3
    in_run = await listed(mem0, {"AND": [{"user_id": "ana"}, {"run_id": "run0"}]})
    assert {each["memory"] for each in in_run["results"]} == {"fact 0", "fact 2"}
    assert (await listed(mem0, {"user_id": "ana", "metadata": {"n": 1}}))["results"][0][
        "memory"
    ] == "fact 1"
    assert await searched(mem0, "fact", user_id="ana", run_id="run1") == ["fact 1"]
    [own] = (await listed(mem0, {"agent_id": "bot"}))["results"]
    assert (own["memory"], own["agent_id"], own["user_id"]) == ("the bot's own habit", "bot", None)
    assert (await mem0.get(f"/v1/memories/{own['id']}/")).json()["memory"] == "the bot's own habit"
    page = await listed(mem0, {"user_id": "ana"}, page=2, page_size=2)
    assert (page["count"], len(page["results"]), page["next"], page["previous"]) == (3, 1, None, 1)
    assert (
        await mem0.delete("/v1/memories/", params={"user_id": "ana", "run_id": "run0"})
    ).status_code == 200
    assert (await listed(mem0, {"user_id": "ana"}))["count"] == 1


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/v3/memories/search/", {"query": "x", "filters": {"OR": [{"user_id": "a"}, {"user_id": "b"}]}}, 422),
        ("POST", "/v3/memories/search/", {"query": "x", "filters": {"created_at": {"gte": "2026"}}}, 422),
        ("POST", "/v3/memories/search/", {"query": ""}, 422),
        ("POST", "/v3/memories/add/", {"messages": "text"}, 422),
        ("PUT", "/v1/memories/memory_x/", {}, 404),
        ("GET", "/v1/memories/memory_x@nobody:ana/", None, 404),
        ("DELETE", "/v1/memories/", None, 422),
    ],
)  # fmt: skip
async def test_what_is_wrong_is_said(mem0, method, path, body, status) -> None:
    reply = await mem0.request(method, path, json=body)
    assert reply.status_code == status, reply.text
    assert reply.json()["detail"]


async def test_walls(mem0, org, make_org) -> None:
    mine = await added(mem0, "Ana's secret", user_id="ana")
    bob = {"Authorization": f"Token {await org.mint('user', user_id='bob')}"}
    stranger = {"Authorization": f"Token {(await make_org()).key}"}
    own_id = mine["id"].partition("@")[0]
    for headers in (bob, stranger):
        for path in (
            f"/v1/memories/{mine['id']}/",
            f"/v1/memories/{own_id}/",
            f"/v1/memories/{mine['id']}/history/",
        ):
            for method in ("GET", "PUT", "DELETE"):
                if method != "GET" and "history" in path:
                    continue
                reply = await mem0.request(method, path, headers=headers, json={"text": "changed"})
                assert reply.status_code in (403, 404), (method, path, reply.text)
    for headers, expected in ((bob, {403}), (stranger, {200})):
        for path in ("/v3/memories/search/", "/v3/memories/"):
            body = {"query": "secret", "filters": {"user_id": "ana"}}
            reply = await mem0.post(path, headers=headers, json=body)
            assert reply.status_code in expected
            assert reply.json().get("results", []) == []
    assert (
        await mem0.get("/v1/ping/", headers={"Authorization": "Token nothing"})
    ).status_code == 401
    assert await searched(mem0, "secret", user_id="ana") == ["Ana's secret"]


async def test_a_search_finds_memories_alone(mem0, org) -> None:
    """A node's item that fits as well is no memory of mem0's."""
    ana = org.client(Holdfast_User="ana")
    node = {"name": "Ana", "items": [{"content": "Ana takes her tea green, as the node says"}]}
    assert (await ana.post("/memory-nodes", json=node)).status_code == 201
    await added(mem0, "Ana takes her tea green", user_id="ana")
    assert await searched(mem0, "what tea does Ana take?", user_id="ana") == [
        "Ana takes her tea green"
    ]
