"""Changing memories, from outside: patch, retire, history, restore."""

import pytest

from tests.memories.calls import at, ids, save, save_for_a_moment


async def test_a_patch_sets_what_is_given_and_null_takes_away(api):
    row = await save(api, summary="s", expires_at=at(1), valid_from=at(-1))
    path = f"/memories/{row['id']}"
    changed = await api.patch(
        path, json={"value": "oolong", "pinned": True, "importance": 10, "tags": ["t"]}
    )
    assert changed.status_code == 200, changed.text
    assert changed.headers["etag"] == '"2"'
    body = changed.json()
    assert (body["value"], body["pinned"], body["importance"], body["tags"]) == (
        "oolong",
        True,
        10,
        ["t"],
    )
    assert body["summary"] == "s"
    cleared = (
        await api.patch(path, json={"summary": None, "expires_at": None, "valid_from": None})
    ).json()
    assert (cleared["summary"], cleared["expires_at"], cleared["valid_from"]) == (None, None, None)
    assert cleared["value"] == "oolong"


@pytest.mark.parametrize(
    "wrong",
    [{"key": None}, {"value": None}, {"value": ""}, {"tags": None}, {"importance": None}, {"scope": "agent"},
     {"user_id": "bob"}, {"superseded_by": "memory_" + "0" * 32}, {"importance": 11}, {"valid_to": "2001-01-01T00:00:00Z"},
     {"expires_at": "2001-01-01T00:00:00Z"}],
)  # fmt: skip
async def test_a_bad_patch_changes_nothing(api, wrong):
    row = await save(api, valid_from="2020-01-01T00:00:00Z")
    refused = await api.patch(f"/memories/{row['id']}", json=wrong)
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid"), refused.text
    assert (await api.get(f"/memories/{row['id']}")).json()["version"] == 1


async def test_a_memory_does_not_supersede_itself(api):
    row = await save(api)
    refused = await api.patch(f"/memories/{row['id']}", json={"superseded_by": row["id"]})
    assert refused.status_code == 422


async def test_memories_cannot_supersede_each_other(api):
    a, b, c = [await save(api, key) for key in ("a", "b", "c")]
    for old, new in ((a, b), (b, c)):
        reply = await api.patch(f"/memories/{old['id']}", json={"superseded_by": new["id"]})
        assert reply.status_code == 200
    refused = await api.patch(f"/memories/{c['id']}", json={"superseded_by": a["id"]})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "superseded_by")
    assert (await api.get("/memories")).json()["data"][0]["id"] == c["id"]


async def test_if_match_guards_a_patch(api):
    row = await save(api)
    path = f"/memories/{row['id']}"
    assert (
        await api.patch(path, json={"value": "b"}, headers={"If-Match": '"1"'})
    ).status_code == 200
    stale = await api.patch(path, json={"value": "c"}, headers={"If-Match": '"1"'})
    assert (stale.status_code, stale.json()["code"]) == (412, "precondition_failed")
    assert (await api.get(path)).json()["value"] == "b"
    assert (await api.patch(path, json={}, headers={"If-Match": '"1"'})).status_code == 412
    nothing = await api.patch(path, json={})
    assert (nothing.status_code, nothing.json()["version"]) == (200, 2)


async def test_a_patch_may_rename_but_not_onto_a_key_that_is_held(api):
    a, b = await save(api, "a"), await save(api, "b")
    taken = await api.patch(f"/memories/{b['id']}", json={"key": "a"})
    assert (taken.status_code, taken.json()["code"]) == (409, "conflict")
    assert taken.json()["current"]["id"] == a["id"]
    assert (await api.patch(f"/memories/{b['id']}", json={"key": "c"})).json()["key"] == "c"
    assert (await save(api, "c"))["id"] == b["id"]


async def test_a_retired_row_is_over_but_not_erased(api, org):
    row = await save(api, valid_from=at(1))
    path = f"/memories/{row['id']}"
    stale = await api.post(f"{path}/retire", headers={"If-Match": '"7"'})
    assert stale.status_code == 412
    retired = await api.post(f"{path}/retire")
    body = retired.json()
    assert (retired.status_code, retired.headers["etag"], body["version"]) == (200, '"2"', 2)
    assert body["valid_from"] <= body["valid_to"] == body["updated_at"]
    again = (await api.post(f"{path}/retire")).json()
    assert (again["version"], again["valid_to"]) == (2, body["valid_to"])
    assert await ids(api) == []
    assert (await api.get("/memories/recall", params={"q": "green tea"})).json()["data"] == []
    assert (await api.get(path)).status_code == 200
    assert (await api.get(f"{path}/history")).json()["data"][0]["action"] == "retired"
    assert (await save(api))["created"]
    assert (await org.client(holdfast_user="bob").post(f"{path}/retire")).status_code == 404


async def test_history_is_newest_first_and_says_who_and_what(api, org):
    row = await save(api)
    agent = org.client(await org.mint("agent", agent_id="bot", user_id="owner"))
    await agent.patch(f"/memories/{row['id']}", json={"value": "black"})
    history = (await api.get(f"/memories/{row['id']}/history")).json()["data"]
    assert [(e["version"], e["action"], e["value"]) for e in history] == [
        (2, "updated", "black"),
        (1, "created", "green"),
    ]
    assert history[0]["actor"] == {"type": "agent", "id": "bot"}
    assert history[1]["actor"]["type"] == "api_key"
    assert history[1]["created_at"] == row["created_at"]


async def test_history_names_the_key_and_the_user_it_acted_for(org, api):
    await api.put("/projects/team", json={"visibility": "team"})
    row = await save(org.client(holdfast_user="ana"), scope="project", project_id="team")
    await save(org.client(holdfast_user="bob"), value="b", scope="project", project_id="team")
    bobs_key = org.client(await org.mint("user", user_id="bob"))
    await bobs_key.patch(f"/memories/{row['id']}", json={"value": "c"})
    history = (await bobs_key.get(f"/memories/{row['id']}/history")).json()["data"]
    assert [entry["user_id"] for entry in history] == ["bob", "bob", "ana"]
    assert {entry["actor"]["type"] for entry in history} == {"api_key"}
    assert history[0]["actor"]["id"] != history[1]["actor"]["id"] == history[2]["actor"]["id"]


async def test_restore_makes_an_earlier_version_the_newest(api):
    row = await save(api, summary="s", tags=["a"])
    path = f"/memories/{row['id']}"
    await api.patch(path, json={"value": "black", "summary": None, "tags": ["b"], "pinned": True})
    restored = await api.post(f"{path}/restore", json={"version": 1})
    body = restored.json()
    assert restored.status_code == 200, restored.text
    assert (body["version"], body["value"], body["summary"], body["tags"], body["pinned"]) == (
        3,
        "green",
        "s",
        ["a"],
        False,
    )
    history = (await api.get(f"{path}/history")).json()["data"]
    assert [e["action"] for e in history] == ["restored", "updated", "created"]
    assert (await api.post(f"{path}/restore", json={"version": 9})).status_code == 404
    stale = await api.post(f"{path}/restore", json={"version": 1}, headers={"If-Match": '"1"'})
    assert stale.status_code == 412


async def test_restoring_a_version_whose_expiry_has_passed_brings_the_row_back(api):
    row = await save_for_a_moment(api)
    await api.patch(
        f"/memories/{row['id']}?include_expired=true", json={"value": "x", "expires_at": None}
    )
    restored = await api.post(f"/memories/{row['id']}/restore", json={"version": 1})
    assert (restored.json()["value"], restored.json()["expires_at"]) == ("green", None)


async def test_restoring_a_key_that_another_row_holds_is_a_conflict(api):
    row = await save(api, "old name")
    await api.patch(f"/memories/{row['id']}", json={"key": "new name"})
    holder = await save(api, "old name")
    refused = await api.post(f"/memories/{row['id']}/restore", json={"version": 1})
    assert (refused.status_code, refused.json()["current"]["id"]) == (409, holder["id"])
