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
