"""What each kind of credential may do, in which workspace, and which ids are taken."""

import pytest

DENIED = (403, "MEM-001")
NO_AGENT = (404, "MEM-002")
IN_LAB = {"Holdfast-Workspace": "lab"}


def refusal(reply):
    assert reply.status_code >= 400, reply.text
    return reply.status_code, reply.json()["code"]


@pytest.fixture
async def bot(org):
    """The API, as the key of agent bot, which acts for nobody."""
    return org.client(await org.mint("agent", agent_id="bot"))


@pytest.fixture
async def ana(org):
    """The API, as ana's own key."""
    return org.client(await org.mint("user", user_id="ana"))


# --- keys in a request ---------------------------------------------------------------------------------------------------


async def test_a_key_is_read_from_either_header(org, anonymous):
    for headers in ({"Authorization": f"Bearer {org.key}"}, {"x-api-key": org.key}):
        reply = await anonymous.get("/api/v1/org", headers=headers)
        assert reply.json()["id"] == org.id
    for headers in ({}, {"x-api-key": f"{org.key}x"}, {"Authorization": f"Basic {org.key}"}):
        reply = await anonymous.get("/api/v1/org", headers=headers)
        assert refusal(reply) == (401, "unauthenticated")
        assert reply.headers["content-type"].startswith("application/problem+json")


async def test_a_service_key_acts_for_whom_it_names_and_else_for_the_owner(org):
    for headers, acting in (({}, "owner"), ({"Holdfast_User": "rosa"}, "rosa")):
        client = org.client(**headers)
        saved = await client.post("/memories", json={"key": "k", "value": "v"})
        assert saved.json()["user_id"] == acting
        assert [each["value"] for each in (await client.get("/memories")).json()["data"]] == ["v"]


async def test_a_user_key_acts_for_its_user_alone(org, ana):
    own = await ana.get("/users/me", headers={"Holdfast-User": "ana"})
    assert own.json()["id"] == "ana"
    for method, path in (("GET", "/memories"), ("GET", "/users/me"), ("POST", "/memories")):
        other = await ana.request(
            method,
            path,
            headers={"Holdfast-User": "ben"},
            json={"key": "k", "value": "v"} if method == "POST" else None,
        )
        assert refusal(other) == DENIED
    assert (await org.client(Holdfast_User="ben").get("/memories")).json()["data"] == []


# --- agents and their workspace --------------------------------------------------------------------------------------------


async def test_an_agent_is_there_from_its_keys_making_on(bot, api):
    assert (await bot.get("/agents/bot")).json()["workspace_id"] == "default"
    assert [each["id"] for each in (await api.get("/agents")).json()["data"]] == ["bot"]
    assert (await bot.get("/agents/bot/entries")).json()["data"] == []


async def test_an_agents_key_keeps_to_its_own_agent(bot, api):
    await api.put("/agents/other/entries/k", json={"content": "theirs"})
    refused = [
        await bot.get("/agents/other/entries/k"),
        await bot.get("/agents/other/entries"),
        await bot.put("/agents/other/entries/k", json={"content": "mine"}),
        await bot.delete("/agents/other/entries/k"),
        await bot.post("/agents/other/runs"),
    ]
    assert {refusal(each) for each in refused} == {DENIED}
    kept = await api.get("/agents/other/entries/k")
    assert (kept.json()["content"], kept.json()["version"]) == ("theirs", 1)


async def test_the_first_write_registers_an_agent_in_the_active_workspace(api):
    await api.put("/workspaces/lab", json={})
    for path in ("/agents/new", "/agents/new/entries", "/agents/new/entries/k"):
        assert refusal(await api.get(path)) == NO_AGENT
    written = await api.put("/agents/new/entries/k", json={"content": "x"}, headers=IN_LAB)
    assert written.status_code == 201
    assert (await api.get("/agents/new", headers=IN_LAB)).json()["workspace_id"] == "lab"
    # It lives there alone: from elsewhere it is not found, and a write does not make another.
    assert refusal(await api.get("/agents/new/entries/k")) == NO_AGENT
    assert refusal(await api.put("/agents/new/entries/k", json={"content": "y"})) == NO_AGENT
    assert (await api.get("/agents/new/entries/k", headers=IN_LAB)).json()["content"] == "x"


@pytest.mark.parametrize(
    "path", ["/memories", "/agents", "/projects", "/memory_stores", "/memory/blocks", "/users/me"]
)
async def test_a_workspace_that_is_not_there_is_not_found(api, path):
    reply = await api.get(path, headers={"Holdfast-Workspace": "nowhere"})
    assert refusal(reply) == (404, "not_found")


async def test_an_agent_that_acts_for_nobody_saves_nothing_of_a_user(bot):
    refused = await bot.post("/memories", json={"key": "k", "value": "v"})
    assert refused.status_code in (403, 422)
    assert "user" in refused.json()["detail"]
    shared = await bot.post("/memories", json={"key": "k", "value": "v", "scope": "agent"})
    assert (shared.status_code, shared.json()["agent_id"]) == (201, "bot")
    listed = (await bot.get("/memories", params={"agent_id": "bot"})).json()["data"]
    assert [each["id"] for each in listed] == [shared.json()["id"]]


async def test_an_agent_that_acts_for_nobody_makes_only_what_others_share(bot):
    assert (await bot.post("/memory-nodes", json={"name": "mine"})).status_code in (403, 422)
    made = await bot.post("/memory-nodes", json={"name": "ours", "visibility": "org"})
    assert (made.status_code, made.json()["user_id"]) == (201, None)
    private = {"name": "mine", "visibility": "private"}
    assert (await bot.post("/memory_stores", json=private)).status_code in (403, 422)
    store = await bot.post("/memory_stores", json={"name": "ours"})
    assert (store.status_code, store.json()["visibility"]) == (201, "org")
    assert [each["id"] for each in (await bot.get("/memory_stores")).json()["data"]] == [
        store.json()["id"]
    ]


async def test_no_agents_key_deletes_archives_or_redacts_a_store(bot, api):
    store = (
        f"/memory_stores/{(await bot.post('/memory_stores', json={'name': 'ours'})).json()['id']}"
    )
    entry = (await bot.post(f"{store}/memories", json={"path": "a", "content": "x"})).json()
    await bot.put(f"{store}/memories/{entry['id']}", json={"content": "y", "version": 1})
    versions = (await api.get(f"{store}/versions")).json()["data"]
    refused = [
        await bot.post(f"{store}/versions/{versions[-1]['id']}/redact"),
        await bot.post(f"{store}/archive"),
        await bot.delete(store),
    ]
    assert [refusal(each) for each in refused] == [DENIED] * 3
    first = (await api.get(f"{store}/versions/{versions[-1]['id']}")).json()
    assert first["content"] == "x"
    assert (await api.get(store)).json()["status"] == "active"


async def test_runs_belong_to_their_agent(ana, bot, api):
    run = (await bot.post("/agents/bot/runs")).json()["run_id"]
    assert refusal(await ana.post("/agents/bot/runs")) == DENIED
    assert refusal(await ana.post(f"/agents/bot/runs/{run}/end")) == DENIED
    body = {"content": "x", "category": "conversation", "run_id": run}
    assert refusal(await ana.put("/agents/bot/entries/k", json=body)) == DENIED
    assert (await bot.put("/agents/bot/entries/k", json=body)).status_code == 201
    assert (await api.post(f"/agents/bot/runs/{run}/end")).status_code == 200


async def test_memory_resources_are_changed_by_service_keys_and_the_owner(org, ana, bot, api):
    body = {
        "resource": "memory",
        "id": "support",
        "type": "message_count_based",
        "max_messages": 4,
        "default_key_template": "session:{{.session_id}}",
        "persistence": {"type": "postgres"},
    }
    for client in (ana, bot):
        assert refusal(await client.put("/memory-resources/support", json=body)) == DENIED
    assert (await api.get("/memory-resources/support")).status_code == 404
    owner = org.client(await org.mint("user", user_id="owner"))
    assert (await owner.put("/memory-resources/support", json=body)).status_code == 201
    assert refusal(await ana.delete("/memory-resources/support")) == DENIED
    assert (await api.delete("/memory-resources/support")).status_code == 204


# --- ids ---------------------------------------------------------------------------------------------------------------------

REGISTERED = {
    "agents": lambda api, name: api.put(f"/agents/{name}", json={}),
    "projects": lambda api, name: api.put(f"/projects/{name}", json={}),
    "workspaces": lambda api, name: api.put(f"/workspaces/{name}", json={}),
    "users": lambda api, name: api.post("/users", json={"user_id": name}),
    "sessions": lambda api, name: api.post(
        f"/sessions/{name}/messages", json={"messages": [{"role": "user", "content": "tea"}]}
    ),
}


@pytest.mark.parametrize("kind", REGISTERED)
async def test_ids_have_1_to_128_of_the_characters_that_the_spec_names(api, kind):
    register = REGISTERED[kind]
    for name in ("a", "A-z_0.9:x@y", "x" * 128):
        assert (await register(api, name)).is_success, name
        if kind != "users":
            assert (await api.get(f"/{kind}/{name}")).json()["id"] == name
    for name in ("x" * 129, "a b", "ä", "a,b", "a+b"):
        reply = await register(api, name)
        if kind == "sessions":  # a path that no session can have
            assert refusal(reply) == (404, "not_found"), name
            continue
        assert refusal(reply) == (422, "invalid"), name
        assert reply.json()["errors"][0]["field"], name
    if kind != "sessions":
        listed = {each["id"] for each in (await api.get(f"/{kind}")).json()["data"]}
        assert listed - {"owner", "default"} == {"a", "A-z_0.9:x@y", "x" * 128}


async def test_a_session_is_its_users_and_says_where_it_was_held(org):
    mia = org.client(Holdfast_User="mia")
    await mia.put("/projects/plan", json={})
    said = {
        "messages": [{"role": "user", "content": "tea"}],
        "agent_id": "bot",
        "project_id": "plan",
    }
    assert (await mia.post("/sessions/s1/messages", json=said)).is_success
    session = (await mia.get("/sessions/s1")).json()
    assert (session["user_id"], session["agent_id"], session["project_id"]) == (
        "mia",
        "bot",
        "plan",
    )
    assert (await org.client(Holdfast_User="tom").get("/sessions/s1")).status_code == 404


async def test_a_project_of_a_workspace_is_there_from_that_workspace_alone(org):
    api = org.client(Holdfast_User="mia")
    await org.client().patch("/org", json={"workspaces_enabled": True})
    await org.client().put("/workspaces/lab", json={})
    made = await api.put("/projects/plan", json={"workspace_id": "lab"}, headers=IN_LAB)
    assert made.json()["workspace_id"] == "lab"
    body = {"key": "k", "value": "v", "scope": "project", "project_id": "plan"}
    saved = await api.post("/memories", json=body, headers=IN_LAB)
    assert saved.status_code == 201
    assert (await api.get("/projects/plan", headers=IN_LAB)).status_code == 200
    assert (await api.get("/projects/plan")).status_code == 404
    assert (await api.post("/memories", json=body)).status_code == 404
    of_plan = {"project_id": "plan"}
    there = (await api.get("/memories", params=of_plan, headers=IN_LAB)).json()["data"]
    assert [each["id"] for each in there] == [saved.json()["id"]]
    assert (await api.get(f"/memories/{saved.json()['id']}")).status_code == 404
