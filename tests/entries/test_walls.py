"""Who sees and who changes which entries, inside an org."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.entries import quota, service
from holdfast.entries.model import NewEntry
from holdfast.entries.reach import Reach
from holdfast.kernel.errors import CapacityFull


def denied(answer):
    return (answer.status_code, answer.json()["code"])


MEM_001, MEM_002 = (403, "MEM-001"), (404, "MEM-002")


@pytest.fixture
async def ana(org):
    return org.client(key=await org.mint("user", user_id="ana"))


@pytest.fixture
async def bob(org):
    return org.client(key=await org.mint("user", user_id="bob"))


async def test_an_agent_of_a_private_project_is_there_for_its_members_alone(org, api, ana, bob):
    await ana.put("/projects/plan", json={"visibility": "private"})
    await ana.put("/projects/open", json={"visibility": "team"})
    as_ana = org.client(Holdfast_User="ana")
    for agent, project in (("bot", "plan"), ("helper", "open")):
        made = await as_ana.put(f"/agents/{agent}", json={"project_id": project})
        assert made.status_code in (200, 201), made.text
        await api.put(f"/agents/{agent}/entries/fact", json={"content": "x"})
    for path in ("entries", "entries/fact", "history/fact", "hydration", "entries-export"):
        assert (await ana.get(f"/agents/bot/{path}")).status_code == 200
        assert denied(await bob.get(f"/agents/bot/{path}")) == MEM_002
        assert (await bob.get(f"/agents/helper/{path}")).status_code == 200
    asked = {"query": "x", "agent_id": "bot"}
    assert denied(await bob.post("/recall", json=asked)) == MEM_002
    assert denied(await bob.post("/context", json={"message": "x", "agent_id": "bot"})) == MEM_002
    mine = {"content": "x", "scope": "user"}
    assert denied(await bob.put("/agents/bot/entries/mine", json=mine)) == MEM_002
    assert denied(await bob.get("/agents/bot")) == MEM_002
    assert [a["id"] for a in (await bob.get("/agents")).json()["data"]] == ["helper"]
    agent_key = org.client(key=await org.mint("agent", agent_id="bot"))
    assert (await agent_key.get("/agents/bot/entries/fact")).status_code == 200


async def entry(client, key, agent="bot", **params):
    answer = await client.get(f"/agents/{agent}/entries/{key}", params=params)
    return answer.json() if answer.status_code == 200 else answer.status_code


async def put(client, key, content="x", agent="bot", **fields):
    return await client.put(f"/agents/{agent}/entries/{key}", json={"content": content, **fields})


async def test_a_users_entry_is_seen_by_those_who_act_for_that_user_alone(org, api, ana, bob):
    stored = await put(ana, "likes", "tea", scope="user")
    assert stored.status_code == 201, stored.text
    assert (stored.json()["scope"], stored.json()["user_id"]) == ("user", "ana")
    both = org.client(key=await org.mint("agent", agent_id="bot", user_id="ana"))
    for client in (ana, both, org.client(Holdfast_User="ana")):
        assert (await entry(client, "likes"))["content"] == "tea"
        assert [e["key"] for e in (await client.get("/agents/bot/entries")).json()["data"]] == [
            "likes"
        ]
        assert (await client.get("/agents/bot/hydration")).json()["data"] != []
        found = await client.post("/recall", json={"query": "tea", "agent_id": "bot"})
        assert [hit["object"]["user_id"] for hit in found.json()["data"]] == ["ana"]
    alone = org.client(key=await org.mint("agent", agent_id="bot"))
    entry_id = stored.json()["id"]
    for client in (bob, api, alone, org.client(Holdfast_User="bob")):
        assert await entry(client, "likes") == 404
        assert await entry(client, "likes", scope="user") == 404
        assert (await client.get("/agents/bot/entries")).json()["data"] == []
        after = await client.get("/agents/bot/entries", params={"after_id": entry_id})
        assert after.status_code == 400
        assert (await client.get("/agents/bot/hydration")).json()["data"] == []
        assert (await client.get("/agents/bot/history/likes")).status_code == 404
        restored = await client.post("/agents/bot/restore/likes", json={"version": 1})
        assert restored.status_code == 404
        assert (await client.delete("/agents/bot/entries/likes")).json() == {"forgotten": False}
        found = await client.post(
            "/recall",
            json={"query": "tea", "agent_id": "bot", "ids": [entry_id], "explain": True},
        )
        assert found.json()["data"] == []
        assert [miss["reason"] for miss in found.json()["misses"]] == ["not_found"]
    assert (await entry(ana, "likes"))["version"] == 1


async def test_a_key_is_looked_for_in_the_run_the_users_the_agents_and_the_workspaces(org, api):
    as_ana = org.client(Holdfast_User="ana")
    run = (await api.post("/agents/bot/runs")).json()["run_id"]
    kept = [
        {"category": "workspace"},
        {},
        {"scope": "user"},
        {"category": "conversation", "run_id": run},
    ]
    for number, fields in enumerate(kept):
        assert (await put(as_ana, "k", str(number), **fields)).status_code == 201
        nearest = await entry(as_ana, "k", run_id=run)
        assert nearest["content"] == str(number)
    assert (await entry(as_ana, "k"))["content"] == "2"
    assert (await entry(as_ana, "k", scope="agent"))["content"] == "1"
    assert (await entry(as_ana, "k", scope="agent", run_id=run))["content"] == "3"
    for path in ("entries", "hydration"):
        seen = (await as_ana.get(f"/agents/bot/{path}", params={"run_id": run})).json()["data"]
        assert [e["content"] for e in seen] == ["3", "2", "1", "0"]
    for expected, fields in (("3", {"run_id": run}), ("2", {}), ("1", {"scope": "agent"})):
        history = await as_ana.get("/agents/bot/history/k", params=fields)
        assert [each["content"] for each in history.json()["data"]] == [expected]
        gone = await as_ana.delete("/agents/bot/entries/k", params=fields)
        assert gone.json() == {"forgotten": True}
    assert (await entry(as_ana, "k"))["content"] == "0"
    back = await as_ana.post("/agents/bot/restore/k", json={"version": 1, "scope": "user"})
    assert (back.json()["content"], back.json()["scope"], back.json()["user_id"]) == (
        "2",
        "user",
        "ana",
    )
    back = await as_ana.post("/agents/bot/restore/k?scope=agent&category=core", json={"version": 1})
    assert (back.json()["content"], back.json()["scope"]) == ("1", "agent")


async def test_a_users_key_reads_an_agents_entries_and_changes_none(org, api, ana):
    run = (await api.post("/agents/bot/runs")).json()["run_id"]
    await put(api, "fact")
    await put(api, "shared", category="workspace")
    scratch = {"category": "conversation", "run_id": run}
    await put(api, "scratch", **scratch)
    for key in ("fact", "shared"):
        assert (await entry(ana, key))["content"] == "x"
        assert denied(await ana.delete(f"/agents/bot/entries/{key}")) == MEM_001
        assert denied(await ana.post(f"/agents/bot/restore/{key}", json={"version": 1})) == MEM_001
    assert denied(await put(ana, "fact", "y")) == MEM_001
    assert denied(await put(ana, "new", category="workspace")) == MEM_001
    assert denied(await put(ana, "scratch", **scratch)) == MEM_001
    batch = {
        "entries": [{"key": "a", "content": "x", "scope": "user"}, {"key": "b", "content": "x"}]
    }
    assert denied(await ana.post("/agents/bot/entries-batch", json=batch)) == MEM_001
    assert denied(await ana.post("/agents/bot/entries-import", content=b"")) == MEM_001
    assert denied(await ana.post("/agents/bot/runs")) == MEM_001
    assert denied(await ana.post(f"/agents/bot/runs/{run}/end")) == MEM_001
    for path in ("entries/scratch", "history/scratch", "entries", "hydration"):
        answer = await ana.get(f"/agents/bot/{path}", params={"run_id": run})
        assert answer.status_code == 404
    assert denied(await ana.delete(f"/agents/bot/entries/a?run_id={run}")) == MEM_001
    assert (await entry(api, "scratch", run_id=run))["version"] == 1
    assert (await entry(api, "fact"))["version"] == 1
    assert await entry(ana, "a") == 404
    agent_key = org.client(key=await org.mint("agent", agent_id="bot"))
    assert (await put(agent_key, "fact", "y")).status_code == 200
    assert denied(await put(agent_key, "mine", scope="user")) == MEM_001


@pytest.mark.parametrize("category", ["workspace", "conversation"])
async def test_what_is_shared_by_its_category_cannot_be_one_users(api, category):
    run = (await api.post("/agents/bot/runs")).json()["run_id"]
    fields = {"category": category, "scope": "user"}
    answer = await put(api, "k", run_id=run, **fields)
    assert denied(answer) == (422, "invalid")
    items = [{"key": "k", "content": "x", **fields}, {"key": "l", "content": "x", "scope": "user"}]
    answer = await api.post("/agents/bot/entries-batch", json={"entries": items, "run_id": run})
    assert [each["status"] for each in answer.json()["results"]] == ["invalid", "stored"]


async def test_each_user_of_an_agent_has_a_cap_of_its_own(org, monkeypatch):
    monkeypatch.setattr(quota, "MAX_ENTRIES", 3)
    db, ana, bob = org.db, org.caller("ana"), org.caller("bob")
    for caller, scope in ((ana, "agent"), (ana, "user"), (bob, "user")):
        for n in range(3):
            new = NewEntry(f"k{n}", "x", scope=scope)
            assert (await service.store(db, caller, "bot", new)).evicted == []
    assert (await service.store(db, ana, "bot", NewEntry("new", "x", scope="user"))).evicted == [
        "k0"
    ]
    with pytest.raises(CapacityFull):
        await service.store(db, ana, "bot", NewEntry("note", "x", "note", scope="user"))
    assert (await service.recall(db, ana, "bot", "k0")).scope == "agent"
    assert (await service.recall(db, bob, "bot", "k0")).user_id == "bob"


@given(*[st.none() | st.sampled_from(["a", "b"])] * 2, st.sampled_from(["x", "y"]))
@settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
def test_python_and_sql_reach_the_same_audiences(owner_connection, user, run, agent):
    reach = Reach(agent, "lab", user, run)
    row = owner_connection.execute(
        "SELECT entries_seen(%(by_user)s, %(by_agent)s, %(by_project)s, %(by_workspace)s, %(by_run)s)",
        reach.params,
    ).fetchone()
    assert row == ([each.text for each in reach.nearest_first()],)


async def test_history_names_the_key_and_the_user_acted_for(org, api):
    for user in ("ana", "bob"):
        await put(org.client(Holdfast_User=user), "fact", user)
    told = (await api.get("/agents/bot/history/fact")).json()["data"]
    assert [(each["actor"]["type"], each["user_id"]) for each in told] == [
        ("api_key", "bob"),
        ("api_key", "ana"),
    ]
    [key_id] = {each["actor"]["id"] for each in told}
    assert key_id.startswith("key_")


async def test_export_and_import_of_one_users_entries(org, api, ana, bob):
    await put(api, "shared")
    await put(ana, "likes", "tea", scope="user", tags=["t"])
    own = (await ana.get("/agents/bot/entries-export", params={"scope": "user"})).content
    agents = (await ana.get("/agents/bot/entries-export")).content
    assert own != agents
    path = "/agents/bot/entries-import"
    unchanged = await ana.post(path, params={"scope": "user", "mode": "replace"}, content=own)
    assert (unchanged.json()["unchanged"], unchanged.json()["deleted"]) == (1, 0)
    for client, archive, params in (
        (bob, own, {"scope": "user"}),
        (ana, agents, {"scope": "user"}),
        (api, own, {}),
    ):
        assert denied(await client.post(path, params=params, content=archive)) == (422, "invalid")
    await ana.delete("/agents/bot/entries/likes")
    assert (await ana.post(path, params={"scope": "user"}, content=own)).json()["upserted"] == 1
    assert (await entry(ana, "likes"))["user_id"] == "ana"
    assert (await entry(api, "shared"))["version"] == 1
