"""Who sees which memory: users, keys, projects, sessions, workspaces."""

import pytest

from tests.memories.calls import ids, save


async def sees(client, memory, **params):
    answer = await client.get(f"/memories/{memory['id']}", params=params)
    assert answer.status_code in (200, 404), answer.text
    return answer.status_code == 200


@pytest.fixture
def ana(org):
    return org.client(holdfast_user="ana")


@pytest.fixture
def bob(org):
    return org.client(holdfast_user="bob")


async def make_project(client, project_id, visibility):
    made = await client.put(f"/projects/{project_id}", json={"visibility": visibility})
    assert made.status_code == 201, made.text


async def test_a_global_memory_is_its_users_alone(org, ana, bob):
    memory = await save(ana)
    assert memory["user_id"] == "ana"
    path = f"/memories/{memory['id']}"
    assert await sees(ana, memory)
    bobs_key = org.client(await org.mint("user", user_id="bob"))
    for other in (bob, bobs_key):
        for call in (
            other.get(path),
            other.patch(path, json={"value": "x"}),
            other.get(f"{path}/history"),
            other.post(f"{path}/restore", json={"version": 1}),
        ):
            assert (await call).json()["code"] == "not_found"
        assert await ids(other) == []
    assert await ids(org.client(await org.mint("user", user_id="ana"))) == [memory["id"]]


async def test_two_users_keep_one_key_each(ana, bob):
    a, b = await save(ana, value="hers"), await save(bob, value="his")
    assert a["created"]
    assert b["created"]
    assert (await ana.get(f"/memories/{a['id']}")).json()["value"] == "hers"


async def test_another_org_sees_nothing(make_org):
    one, two = await make_org(), await make_org()
    memory = await save(one.client())
    assert not await sees(two.client(), memory)
    assert await ids(two.client()) == []


async def test_a_private_projects_memory_is_its_members(org, ana, bob):
    await make_project(ana, "apollo", "private")
    memory = await save(ana, scope="project", project_id="apollo")
    assert await sees(ana, memory)
    assert await ids(ana) == [memory["id"]]
    assert not await sees(bob, memory)
    refused = await bob.get(f"/memories/{memory['id']}", params={"project_id": "apollo"})
    assert refused.json()["code"] == "not_found"
    assert (await bob.post("/memories", json={"key": "k", "value": "v", "scope": "project", "project_id": "apollo"})
            ).json()["code"] == "not_found"  # fmt: skip
    await ana.put("/projects/apollo/members/bob")
    assert await sees(bob, memory)
    again = await save(bob, value="black", scope="project", project_id="apollo")
    assert (again["id"], again["created"], again["user_id"]) == (memory["id"], False, "ana")
    history = (await ana.get(f"/memories/{memory['id']}/history")).json()["data"]
    assert len(history) == 2
    await ana.delete("/projects/apollo/members/bob")
    assert not await sees(bob, memory)
    assert await ids(bob) == []


async def test_a_team_projects_memory_is_every_users_and_a_bare_list_shows_members_only(
    org, ana, bob
):
    await make_project(ana, "team", "team")
    memory = await save(ana, scope="project", project_id="team")
    assert await sees(bob, memory)
    assert await sees(bob, memory, project_id="team")
    assert await ids(bob) == []
    assert await ids(bob, project_id="team") == [memory["id"]]
    assert await ids(ana) == [memory["id"]]
    # An agent's key that acts for nobody is no user of the team.
    alone = org.client(await org.mint("agent", agent_id="bot"))
    assert not await sees(alone, memory)
    assert await ids(alone) == []


async def test_a_list_is_filtered_by_the_place_it_is_asked_from(ana):
    await make_project(ana, "apollo", "private")
    everywhere = await save(ana, "a")
    said_there = await save(ana, "b", project_id="apollo")
    of_it = await save(ana, "c", scope="project", project_id="apollo")
    of_agent = await save(ana, "d", scope="agent", agent_id="bot")
    assert said_there["scope"] == "global"
    assert await ids(ana) == [of_it["id"], said_there["id"], everywhere["id"]]
    assert await ids(ana, project_id="apollo") == [of_it["id"], said_there["id"]]
    assert await ids(ana, agent_id="bot") == [of_agent["id"]]


async def test_an_agents_memory_is_seen_by_that_agent(org, ana):
    memory = await save(ana, scope="agent", agent_id="bot")
    assert memory["agent_id"] == "bot"
    bot = org.client(await org.mint("agent", agent_id="bot"))
    other = org.client(await org.mint("agent", agent_id="other"))
    assert await sees(bot, memory)
    assert await ids(bot) == [memory["id"]]
    assert not await sees(other, memory)
    assert not await sees(ana, memory)
    assert await sees(ana, memory, agent_id="bot")
    assert await sees(org.client(), memory, agent_id="bot")
    again = await save(bot, value="black", scope="agent")
    assert again["id"] == memory["id"]
    denied = await other.get(f"/memories/{memory['id']}", params={"agent_id": "bot"})
    assert denied.json()["code"] == "MEM-001"


async def test_a_users_key_reads_what_an_agent_shares_and_does_not_change_it(org, sign_in):
    bot = org.client(await org.mint("agent", agent_id="bot"))
    memory = await save(bot, scope="agent")
    path, there = f"/memories/{memory['id']}", {"agent_id": "bot"}
    anas_key = org.client(await org.mint("user", user_id="ana"))
    browser = await sign_in("ana")
    for client in (anas_key, browser):
        assert await sees(client, memory, agent_id="bot")
        assert await ids(client, agent_id="bot") == [memory["id"]]
        assert (await client.get(f"{path}/history", params=there)).status_code == 200
        for call in (
            client.post("/memories", json={"key": "k", "value": "v", "scope": "agent", **there}),
            client.patch(path, params=there, json={"value": "x"}),
            client.post(f"{path}/restore", params=there, json={"version": 1}),
            client.post(f"{path}/retire", params=there),
            client.post(f"{path}/sources", params=there, json={"kind": "url", "ref": "x"}),
            client.post(f"{path}/assets", params={**there, "name": "x"}, content=b"x"),
        ):
            answer = await call
            assert (answer.status_code, answer.json()["code"]) == (403, "MEM-001"), answer.request
        batch = {"memories": [{"key": "k", "value": "v", "scope": "agent", **there}]}
        [result] = (await client.post("/memories/batch", json=batch)).json()["results"]
        assert (result["status"], result["error"]["code"]) == ("refused", "MEM-001")
    for body in ({"filter": there}, {"filter": {"scope": "agent", **there}, "dry_run": True}):
        refused = await browser.request("DELETE", "/memories", json=body)
        assert (refused.status_code, refused.json()["code"]) == (403, "MEM-001")
    assert (await browser.delete(path, params=there)).json()["code"] == "MEM-001"
    assert (await bot.get(path)).json()["version"] == 1
    owner = await sign_in("owner")
    assert (await owner.delete(path, params=there)).status_code == 204


async def test_an_agent_nobody_wrote_to_cannot_be_read(api):
    memory = await save(api)
    for call in (
        api.get("/memories", params={"agent_id": "ghost"}),
        api.get(f"/memories/{memory['id']}", params={"agent_id": "ghost"}),
    ):
        answer = await call
        assert (answer.status_code, answer.json()["code"]) == (404, "MEM-002")


async def test_an_agents_key_sees_its_users_memories_when_it_has_one(org, ana):
    memory = await save(ana)
    with_user = org.client(await org.mint("agent", agent_id="bot", user_id="ana"))
    without = org.client(await org.mint("agent", agent_id="bot"))
    assert await sees(with_user, memory)
    assert not await sees(without, memory)
    refused = await without.post("/memories", json={"key": "k", "value": "v"})
    assert (refused.status_code, refused.json()["code"]) == (403, "MEM-001")
    saved = await save(without, scope="agent")
    assert (saved["user_id"], saved["agent_id"]) == (None, "bot")


async def test_a_session_is_registered_by_the_first_write_that_names_it(org, ana, bob):
    assert (await ana.get("/memories", params={"session_id": "s1"})).status_code == 404
    await make_project(ana, "apollo", "private")
    said = await save(ana, "a", session_id="s1", agent_id="bot", project_id="apollo")
    assert (said["session_id"], said["agent_id"], said["project_id"]) == ("s1", "bot", "apollo")
    session = (await ana.get("/sessions/s1")).json()
    assert (session["user_id"], session["agent_id"], session["project_id"]) == (
        "ana",
        "bot",
        "apollo",
    )
    assert await ids(ana, session_id="s1") == [said["id"]]
    bobs_key = org.client(await org.mint("user", user_id="bob"))
    assert (await bobs_key.get("/memories", params={"session_id": "s1"})).status_code == 404
    taken = await bobs_key.post("/memories", json={"key": "k", "value": "v", "session_id": "s1"})
    assert taken.status_code == 404
    at_odds = await ana.post(
        "/memories", json={"key": "k", "value": "v", "session_id": "s1", "agent_id": "other"}
    )
    assert at_odds.status_code == 422


async def test_a_session_sees_what_its_agent_and_its_project_see(org, ana):
    await make_project(ana, "apollo", "private")
    of_project = await save(ana, "a", scope="project", project_id="apollo")
    of_agent = await save(ana, "b", scope="agent", agent_id="bot")
    await save(ana, "c", session_id="s1", agent_id="bot", project_id="apollo")
    assert await sees(ana, of_agent, session_id="s1")
    bot = org.client(await org.mint("agent", agent_id="bot", user_id="ana"))
    assert await sees(bot, of_project, session_id="s1")
    by_session = await save(bot, "a", "from the session", scope="project", session_id="s1")
    assert by_session["id"] == of_project["id"]
    for other in (
        org.client(await org.mint("agent", agent_id="bot")),  # acts for no user
        org.client(holdfast_user="bob"),
        org.client(),
    ):
        assert not await sees(other, of_project)
        assert not await sees(other, of_project, session_id="s1")
        for call in (
            other.get("/memories", params={"session_id": "s1"}),
            other.get("/memories/recall", params={"q": "tea", "session_id": "s1"}),
            other.patch(f"/memories/{of_project['id']}?session_id=s1", json={"value": "x"}),
            other.post(
                "/memories",
                json={"key": "a", "value": "x", "scope": "project", "session_id": "s1"},
            ),
        ):
            assert (await call).status_code == 404
    other = org.client(await org.mint("agent", agent_id="other"))
    assert (
        await other.get(f"/memories/{of_project['id']}", params={"session_id": "s1"})
    ).status_code == 404
    bobs_bot = org.client(await org.mint("agent", agent_id="bot", user_id="bob"))
    assert not await sees(bobs_bot, of_project, session_id="s1")


async def test_one_taken_out_of_a_project_is_out_of_it_in_old_sessions_too(org, ana):
    await make_project(ana, "apollo", "private")
    await ana.put("/projects/apollo/members/bob")
    bob = org.client(await org.mint("user", user_id="bob"))
    memory = await save(bob, scope="project", project_id="apollo", session_id="s1")
    assert await sees(bob, memory, session_id="s1")
    await ana.delete("/projects/apollo/members/bob")
    assert not await sees(bob, memory, session_id="s1")


async def test_with_workspaces_enabled_every_read_is_held_to_the_active_one(org, api):
    await api.put("/workspaces/support", json={})
    here, there = org.client(), org.client(holdfast_workspace="support")
    memory = await save(here)
    elsewhere = await save(there)
    assert elsewhere["created"]
    assert (memory["workspace_id"], elsewhere["workspace_id"]) == ("default", "support")
    assert await sees(there, memory)
    assert set(await ids(there)) == {memory["id"], elsewhere["id"]}
    await api.patch("/org", json={"workspaces_enabled": True})
    assert not await sees(there, memory)
    assert await ids(there) == [elsewhere["id"]]
    assert await ids(here) == [memory["id"]]
    assert await ids(there, as_of=elsewhere["updated_at"]) == [elsewhere["id"]]
    assert (await there.patch(f"/memories/{memory['id']}", json={"value": "x"})).status_code == 404
    assert (await there.get(f"/memories/{memory['id']}/history")).status_code == 404


async def test_a_project_is_there_only_from_its_workspace(org, api):
    await api.put("/workspaces/lab", json={})
    here, there = org.client(), org.client(holdfast_workspace="lab")
    await make_project(there, "apollo", "team")
    memory = await save(there, scope="project", project_id="apollo")
    assert await sees(there, memory)
    assert not await sees(here, memory)
    assert await ids(here) == []
    body = {"key": "k", "value": "v", "scope": "project", "project_id": "apollo"}
    for call in (
        here.post("/memories", json=body),
        here.patch(f"/memories/{memory['id']}", json={"value": "x"}),
        here.get("/memories", params={"project_id": "apollo"}),
        here.post(
            "/memory-nodes", json={"name": "N", "visibility": "project", "project_id": "apollo"}
        ),
    ):
        assert (await call).status_code == 404
    assert (await there.get(f"/memories/{memory['id']}")).json()["version"] == 1


async def test_revisions_name_the_later_writers(org, ana, bob):
    await make_project(ana, "team", "team")
    memory = await save(ana, scope="project", project_id="team")
    await save(bob, value="black", scope="project", project_id="team", session_id="s1")
    async with org.db.read(org.operator) as tx:
        from holdfast.kernel import revisions

        newest, oldest = (await revisions.history(tx, "memory", memory["id"])).data
    assert (newest.user_id, newest.session_id, oldest.user_id) == ("bob", "s1", "ana")
