"""Who changed what, behind the walls of the objects."""


async def test_changes_are_listed_with_actor_and_user_and_only_of_what_is_seen(org):
    ana = org.client(await org.mint("user", user_id="ana"))
    memory = (await ana.post("/memories", json={"key": "tea", "value": "green"})).json()
    await ana.patch(f"/memories/{memory['id']}", json={"value": "black"})
    await org.client(Holdfast_User="ana").put(
        "/agents/bot/entries/tea", json={"content": "green", "scope": "user"}
    )
    entries = await org.client().put("/agents/bot/entries/shared", json={"content": "for all"})

    seen = (await ana.get("/revisions", params={"object_id": memory["id"]})).json()["data"]
    assert [(each["kind"], each["version"], each["action"]) for each in seen] == [
        ("memory", 2, "updated"),
        ("memory", 1, "created"),
    ]
    assert {each["user_id"] for each in seen} == {"ana"}
    assert set(seen[0]) == {
        "id", "kind", "object_id", "version", "action", "actor", "user_id", "job_id", "created_at",
    }  # fmt: skip
    ben = org.client(await org.mint("user", user_id="ben"))
    kinds = {each["object_id"] for each in (await ben.get("/revisions")).json()["data"]}
    assert memory["id"] not in kinds
    assert entries.json()["id"] in kinds  # an agent's shared entry, which a user key reads
    private = (await ana.get("/revisions", params={"kind": "entry"})).json()["data"]
    assert len({each["object_id"] for each in private}) == 2
    assert (
        len(
            {
                each["object_id"]
                for each in (await ben.get("/revisions", params={"kind": "entry"})).json()["data"]
            }
        )
        == 1
    )


async def test_changes_are_paged_and_filtered(org):
    api = org.client()
    for number in range(3):
        await api.post("/memories", json={"key": f"k{number}", "value": "v"})
    page = (await api.get("/revisions", params={"kind": "memory", "limit": 2})).json()
    assert page["has_more"]
    rest = await api.get("/revisions", params={"kind": "memory", "after_id": page["last_id"]})
    assert len(rest.json()["data"]) == 1
    since = page["data"][0]["created_at"]
    newest = (await api.get("/revisions", params={"kind": "memory", "since": since})).json()["data"]
    assert [each["id"] for each in newest] == [page["first_id"]]
    assert (await api.get("/revisions", params={"job_id": "job_" + "0" * 32})).json()["data"] == []


async def test_changes_made_for_a_user_are_listed_only_where_their_object_is_seen(org):
    api = org.client(Holdfast_User="ana")
    entry = (await api.put("/agents/other/entries/k", json={"content": "x"})).json()["id"]
    path = "/memory/blocks/core?agent_id=other"
    body = {"content": "x", "expected_updated_at": None}
    block = (await api.put(path, json=body)).json()["id"]
    run = (await api.post("/agents/other/runs", json={})).json()["run_id"]
    scratch = {"content": "x", "category": "conversation", "run_id": run}
    in_run = (await api.put("/agents/other/entries/s", json=scratch)).json()["id"]
    store = (
        await org.client(Holdfast_User="ben").post("/memory_stores", json={"name": "s"})
    ).json()
    memories = f"/memory_stores/{store['id']}/memories"
    by_ana = (await api.post(memories, json={"path": "p", "content": "x"})).json()["id"]
    assert (await api.put("/projects/plan", json={"name": "plan"})).status_code == 201
    everything = {entry, block, run, in_run, by_ana, "plan"}

    async def listed(client):
        found = (await client.get("/revisions", params={"limit": 100})).json()["data"]
        return {each["object_id"] for each in found} & everything

    assert await listed(api) == everything
    of_agent = org.client(await org.mint("agent", agent_id="bot", user_id="ana"))
    assert await listed(of_agent) == {by_ana, "plan"}  # nothing of the other agent

    assert (await api.put("/workspaces/lab", json={"name": "lab"})).status_code == 201
    assert (await api.patch("/org", json={"workspaces_enabled": True})).status_code == 200
    in_lab = org.client(Holdfast_User="ana", Holdfast_Workspace="lab")
    assert not await listed(in_lab) & {by_ana, "plan"}
    assert by_ana in await listed(api)
    ben = org.client(Holdfast_User="ben")
    await ben.patch(f"/memory_stores/{store['id']}", json={"visibility": "private"})
    assert by_ana not in await listed(api)
