"""Users as administrators manage them."""

import asyncio


async def test_a_user_is_registered_once_changed_and_deleted(org):
    api = org.client()
    made = await api.post("/users", json={"user_id": "rosa", "email": "Rosa@Example.com"})
    assert made.status_code == 201
    assert (made.json()["email"], made.json()["role"]) == ("rosa@example.com", "member")
    again = await api.post("/users", json={"user_id": "rosa"})
    assert (again.status_code, again.json()["current"]["id"]) == (409, "rosa")
    for wrong in ("not an address", "rosa@", "@example.com", ""):
        refused = await api.post("/users", json={"user_id": "wrong", "email": wrong})
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "email")
        assert (await api.patch("/users/rosa", json={"email": wrong})).status_code == 422
    taken = await api.post("/users", json={"user_id": "ben", "email": "rosa@example.com"})
    assert taken.status_code == 409
    changed = await api.patch("/users/rosa", json={"role": "owner"}, headers={"If-Match": '"1"'})
    assert (changed.json()["role"], changed.json()["email"]) == ("owner", "rosa@example.com")
    stale = await api.patch("/users/rosa", json={"role": "member"}, headers={"If-Match": '"1"'})
    assert stale.status_code == 412
    assert (await api.delete("/users/rosa")).status_code == 204
    assert (await api.delete("/users/rosa")).status_code == 404
    assert "rosa" not in [each["id"] for each in (await api.get("/users")).json()["data"]]


async def test_deleting_a_user_ends_their_keys_and_keeps_their_memory(org):
    api = org.client()
    ana = org.client(await org.mint("user", user_id="ana"))
    saved = await ana.post("/memories", json={"key": "tea", "value": "green"})
    assert (await api.delete("/users/ana")).status_code == 204
    assert (await ana.get("/memories")).status_code == 401
    kept = await org.client(Holdfast_User="ana").get(f"/memories/{saved.json()['id']}")
    assert kept.json()["value"] == "green"


async def test_the_last_owner_stays_even_when_two_go_at_once(org):
    api = org.client()
    owners = [each["id"] for each in (await api.get("/users")).json()["data"] if each["owner"]]
    for name in ("rosa", "juan"):
        await api.post("/users", json={"user_id": name, "role": "owner"})
    for name in owners:
        await api.patch(f"/users/{name}", json={"role": "member"})
    replies = await asyncio.gather(
        api.delete("/users/rosa"), api.patch("/users/juan", json={"role": "member"})
    )
    assert sorted(each.status_code for each in replies)[1] == 409
    left = [each for each in (await api.get("/users")).json()["data"] if each["owner"]]
    assert len(left) == 1


async def test_only_administrators_manage_users(org):
    ben = org.client(await org.mint("user", user_id="ben"))
    replies = [
        await ben.post("/users", json={"user_id": "eve"}),
        await ben.patch("/users/ben", json={"role": "owner"}),
        await ben.delete("/users/ben"),
    ]
    assert [(each.status_code, each.json()["code"]) for each in replies] == [(403, "MEM-001")] * 3


async def test_a_deleted_user_who_comes_back_continues_their_versions(org):
    """By a write that names them, by POST, by their own settings: each can be changed and deleted again."""
    api, ana = org.client(), org.client(Holdfast_User="ana")
    for _ in range(2):
        assert (await ana.put("/agents/bot/entries/k", json={"content": "x"})).status_code < 300
        assert (await api.patch("/users/ana", json={"email": "ana@example.com"})).status_code == 200
        assert (await api.delete("/users/ana")).status_code == 204
    again = await api.post("/users", json={"user_id": "ana"})
    assert (again.status_code, again.json()["version"]) == (201, 6)
    assert (await api.delete("/users/ana")).status_code == 204
    mine = await ana.patch("/users/me", json={"insight_capture": False})
    assert (mine.status_code, mine.json()["version"]) == (200, 8)
    found = (await api.get("/revisions", params={"kind": "user", "object_id": "ana"})).json()
    versions = [each["version"] for each in found["data"]]
    assert versions == sorted(versions, reverse=True)
    assert len(set(versions)) == len(versions) == 7
