"""Who speaks: agents and their references, projects, sessions."""

import pytest

from tests.conversations.conftest import Talk, resource


async def make(api, resource_id: str, **fields) -> Talk:
    made = await api.put(f"/memory-resources/{resource_id}", json=resource(resource_id, **fields))
    assert made.status_code == 201, made.text
    return Talk(api, resource_id)


async def test_a_write_by_an_agent_to_a_read_only_reference_is_refused(api, org):
    it = await make(api, "notes")
    memory = [
        {"id": "notes", "key": "k", "mode": "read-only"},
        {"id": "notes", "mode": "read-write"},
    ]
    assert (await api.put("/agents/bot", json={"memory": memory})).status_code == 201
    for operation, body in {
        "append": {"messages": "x"},
        "write": {"messages": ["x"]},
        "clear": {"confirm": True},
        "delete": {},
        "pop": {},
        "flush": {},
        "restore": {"backup_id": "bak_0"},
    }.items():
        refused = await it.call(operation, status=403, agent_id="bot", **body)
        assert refused["code"] == "MEM-001", operation
    assert (await it.get("read", agent_id="bot"))["total_count"] == 0
    await it.append("x")  # nobody in particular may
    await Talk(api, "notes", "other").append("x", agent_id="bot")
    key = org.client(await org.mint("agent", agent_id="bot", user_id="owner"))
    await Talk(key, "notes", "k").append("x", status=403)
    assert await Talk(key, "notes", "k").contents() == ["x"]
    alone = org.client(await org.mint("agent", agent_id="bot"))
    await Talk(alone, "notes", "k").append("x", status=403)
    assert await Talk(alone, "notes", "k").contents() == []  # the agent's own


async def test_the_template_of_the_reference_comes_before_the_resource_s(api):
    it = await make(api, "notes", default_key_template="default:{{.x}}")
    await api.put("/agents/bot", json={"memory": [{"id": "notes", "key": "bot:{{.x}}"}]})
    url = "/conversations/notes/resolve"
    own = await api.post(url, json={"variables": {"x": 1}, "agent_id": "bot"})
    assert own.json() == {"key": "bot:1"}
    plain = await api.post(url, json={"variables": {"x": 1}})
    assert plain.json() == {"key": "default:1"}
    assert it.resource_id == "notes"


async def test_an_agent_is_registered_by_its_first_write_and_unknown_to_a_read(api):
    it = await make(api, "notes")
    assert (await it.get("read", status=404, agent_id="new"))["code"] == "MEM-002"
    await it.append("x", agent_id="new")
    assert (await api.get("/agents/new")).status_code == 200
    assert (await it.get("read", agent_id="new"))["total_count"] == 1


async def test_an_agent_key_cannot_speak_for_another(org, api):
    it = await make(api, "notes")
    key = org.client(await org.mint("agent", agent_id="bot"))
    refused = await Talk(key, it.resource_id).append("x", status=403, agent_id="other")
    assert refused["code"] == "MEM-001"


async def test_a_project_one_may_not_see_is_not_there(org, api):
    it = await make(api, "notes")
    await api.put("/projects/hidden", json={"visibility": "private"})
    ana = org.client(await org.mint("user", user_id="ana"))
    await Talk(ana, it.resource_id).append("x", status=404, project_id="hidden")
    await it.append("x", project_id="hidden")


async def test_an_append_with_a_session_registers_and_touches_it(api):
    it = await make(api, "notes")
    await it.append("x", session_id="s1", agent_id="bot")
    first = (await api.get("/sessions/s1")).json()
    assert first["agent_id"] == "bot"
    await it.append("y", session_id="s1")
    second = (await api.get("/sessions/s1")).json()
    assert second["last_activity_at"] > first["last_activity_at"]
    await it.append("z", status=422, session_id="no spaces")


async def test_another_user_s_session_is_not_there(org):
    ana = org.client(await org.mint("user", user_id="ana"))
    bob = org.client(await org.mint("user", user_id="bob"))
    await Talk(ana, "sessions", "hers").append("mine", session_id="hers")
    assert await Talk(ana, "sessions", "hers").contents() == ["mine"]
    for operation, body in {"append": {"messages": "x"}, "pop": {}, "delete": {}}.items():
        await Talk(bob, "sessions", "hers").call(operation, status=404, **body)
    await Talk(bob, "sessions", "hers").get("read", status=404)
    await Talk(bob, "sessions", "his").append("x", status=404, session_id="hers")
    assert (await bob.get("/conversations/sessions/instances")).json()["data"] == []
    for_bob = org.client(Holdfast_User="bob")  # a service key that acts for another user
    await Talk(for_bob, "sessions", "hers").get("read", status=404)
    await Talk(for_bob, "sessions", "hers").append("x", status=404)
    await Talk(for_bob, "sessions", "his").append("x", status=404, session_id="hers")
    assert await Talk(ana, "sessions", "hers").contents() == ["mine"]


@pytest.mark.one_process  # messages in memory are not there for the other
async def test_every_change_leaves_a_revision(org, api, owner_connection):
    for backend in ("postgres", "redis", "in_memory"):
        it = await make(
            api, f"r-{backend}", backend=backend, type="message_count_based", max_messages=4
        )
        await it.append(["a", "b", "c", "d"])
        await it.call("pop")
        await it.call("write", messages=["x"])
        await it.call("clear", confirm=True)
        await it.call("delete")
        owner_connection.execute("SELECT set_config('holdfast.org', %s, false)", [org.id])
        rows = owner_connection.execute(
            "SELECT action, version, content IS NOT NULL FROM revisions"
            " WHERE org_id = %s AND kind = 'conversation' AND parent_id = %s ORDER BY version",
            [org.id, it.resource_id],
        ).fetchall()
        actions = [(action, has_content) for action, _, has_content in rows]
        assert actions == [
            ("appended", False),
            ("flushed", False),  # stored as flushed messages
            ("popped", True),
            ("written", True),
            ("cleared", True),
            ("deleted", False),
        ], backend
