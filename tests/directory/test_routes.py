"""The directory, from outside."""


async def test_a_put_makes_and_a_second_put_changes(api):
    made = await api.put("/workspaces/support", json={"name": "Support"})
    assert made.status_code == 201, made.text
    assert made.headers["etag"] == '"1"'
    changed = await api.put("/workspaces/support", json={"name": "Helpdesk"})
    assert (changed.status_code, changed.json()["version"]) == (200, 2)
    assert changed.json()["updated_at"] > made.json()["updated_at"]
    assert changed.json()["created_at"] == made.json()["created_at"]


async def test_the_org_is_changed_by_those_who_look_after_it(api, org):
    changed = await api.patch("/org", json={"name": "Acme", "llm_tokens_per_day": 1000})
    assert (changed.json()["name"], changed.json()["llm_tokens_per_day"]) == ("Acme", 1000)
    kept = await api.patch("/org", json={"review_extractions": True})
    assert (kept.json()["llm_tokens_per_day"], kept.json()["name"]) == (1000, "Acme")
    assert (await api.patch("/org", json={"llm_tokens_per_day": None})).json()[
        "llm_tokens_per_day"
    ] is None
    for key in (await org.mint("user", user_id="ana"), await org.mint("agent", agent_id="bot")):
        client = org.client(key)
        assert (await client.get("/org")).status_code == 200
        denied = await client.patch("/org", json={"name": "Mine"})
        assert (denied.status_code, denied.json()["code"]) == (403, "MEM-001")


async def test_a_language_must_be_one_the_database_knows(api):
    assert (await api.patch("/org", json={"language": "german"})).status_code == 200
    refused = await api.patch("/org", json={"language": "klingon"})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "language")
    assert (await api.get("/org")).json()["language"] == "german"


class TestProjects:
    async def test_a_private_project_is_there_for_its_members_only(self, org, api):
        ana, bob = [org.client(await org.mint("user", user_id=name)) for name in ("ana", "bob")]
        made = await ana.put("/projects/secret", json={"visibility": "private"})
        assert (made.status_code, made.json()["members"]) == (201, ["ana"])
        assert (await bob.get("/projects/secret")).status_code == 404
        assert (await bob.put("/projects/secret", json={"name": "Mine"})).status_code == 404
        assert (await bob.put("/projects/secret/members/bob")).status_code == 404
        assert (await bob.get("/projects")).json()["data"] == []
        assert (await ana.put("/projects/secret/members/bob")).json()["members"] == ["ana", "bob"]
        assert (await bob.get("/projects/secret")).status_code == 200
        assert (await ana.delete("/projects/secret/members/bob")).status_code == 204
        assert (await bob.get("/projects/secret")).status_code == 404
        assert (
            await api.get("/projects/secret")
        ).status_code == 200  # a service key looks after the org

    async def test_a_team_project_is_seen_by_all_and_changed_by_members(self, org):
        ana, bob = [org.client(await org.mint("user", user_id=name)) for name in ("ana", "bob")]
        await ana.put("/projects/open", json={})
        assert (await bob.get("/projects/open")).json()["visibility"] == "team"
        denied = await bob.put("/projects/open", json={"name": "Mine"})
        assert (denied.status_code, denied.json()["code"]) == (403, "MEM-001")

    async def test_what_is_not_given_stays(self, api):
        await api.put("/projects/p", json={"name": "Apollo", "visibility": "private"})
        changed = await api.put("/projects/p", json={"name": "Artemis"})
        assert (changed.json()["name"], changed.json()["visibility"]) == ("Artemis", "private")

    async def test_a_workspace_must_exist(self, api):
        refused = await api.put("/projects/p", json={"workspace_id": "nowhere"})
        assert refused.status_code == 404
        assert (await api.get("/projects/p")).status_code == 404

    async def test_one_who_is_no_member_cannot_be_taken_out(self, api):
        await api.put("/projects/p", json={})
        assert (await api.delete("/projects/p/members/nobody")).status_code == 404


class TestAgents:
    async def test_an_agent_lives_in_one_workspace_of_the_org(self, api):
        await api.put("/workspaces/lab", json={})
        in_lab = {"Holdfast-Workspace": "lab"}
        assert (await api.put("/agents/bot", json={}, headers=in_lab)).status_code == 201
        for request in (api.get("/agents/bot"), api.put("/agents/bot", json={"name": "x"})):
            missing = await request
            assert (missing.status_code, missing.json()["code"]) == (404, "MEM-002")
        assert (await api.get("/agents/bot", headers=in_lab)).status_code == 200

    async def test_memory_references_are_kept_and_checked(self, api):
        references = [{"id": "sessions", "mode": "read-only"}, {"id": "notes", "key": "a:b"}]
        kept = (await api.put("/agents/bot", json={"memory": references})).json()["memory"]
        assert kept[0] == {"id": "sessions", "key": None, "mode": "read-only"}
        assert kept[1]["mode"] == "read-write"
        bad = await api.put("/agents/bot", json={"memory": [{"id": "sessions", "mode": "maybe"}]})
        assert bad.json()["errors"][0]["field"] == "memory.0.mode"

    async def test_an_agents_key_does_not_change_agents(self, org):
        client = org.client(await org.mint("agent", agent_id="bot"))
        denied = await client.put("/agents/bot", json={"name": "Boss"})
        assert (denied.status_code, denied.json()["code"]) == (403, "MEM-001")

    async def test_an_id_with_other_characters_is_refused(self, api):
        assert (await api.put("/agents/a%20b", json={})).status_code == 422
        assert (await api.put(f"/agents/{'a' * 128}", json={})).status_code == 201
        assert (await api.put(f"/agents/{'a' * 129}", json={})).status_code == 422


async def test_a_session_that_was_never_written_to_is_not_found(api):
    assert (await api.get("/sessions/nothing")).status_code == 404


async def test_a_user_decides_about_itself(org):
    ana = org.client(await org.mint("user", user_id="ana"))
    assert (await ana.patch("/users/me", json={"insight_capture": False})).json()[
        "insight_capture"
    ] is False
    assert [user["id"] for user in (await ana.get("/users")).json()["data"]] == ["ana"]


class TestAgentsOfPrivateProjects:
    async def test_one_who_is_no_member_finds_no_agent_there(self, api, org):
        mia = org.client(await org.mint("user", user_id="mia"))
        tom = org.client(await org.mint("user", user_id="tom"))
        await org.client(Holdfast_User="mia").put("/projects/plan", json={"visibility": "private"})
        made = await org.client(Holdfast_User="mia").put("/agents/bot", json={"project_id": "plan"})
        assert made.status_code == 201, made.text
        await api.put("/agents/bot/entries/fact", json={"content": "for members"})

        for path in ("/agents/bot", "/agents/bot/entries", "/agents/bot/entries/fact"):
            assert (await mia.get(path)).status_code == 200, path
            hidden = await tom.get(path)
            assert (hidden.status_code, hidden.json()["code"]) == (404, "MEM-002"), path
        assert (await tom.get("/agents")).json()["data"] == []
        assert [agent["id"] for agent in (await mia.get("/agents")).json()["data"]] == ["bot"]

    async def test_changing_an_agent_is_for_service_keys_and_owners(self, org):
        for user, status in (("tom", 403), ("owner", 201)):
            client = org.client(await org.mint("user", user_id=user))
            reply = await client.put("/agents/bot", json={"name": "Bot"})
            assert reply.status_code == status, reply.text
