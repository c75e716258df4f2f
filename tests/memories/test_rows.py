"""Memories from outside: save, list, read, change, history, restore."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest


def at(days: float = 0) -> str:
    return (datetime.now(UTC) + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


async def save(api, key="tea", value="green", **fields):
    answer = await api.post("/memories", json={"key": key, "value": value, **fields})
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


async def ids(api, **params):
    answer = await api.get("/memories", params=params)
    assert answer.status_code == 200, answer.text
    return [row["id"] for row in answer.json()["data"]]


# --- saving ----------------------------------------------------------------------------------------------------------


async def test_a_save_answers_every_field_with_its_default(api):
    answer = await api.post("/memories", json={"key": "tea", "value": "green"})
    row = answer.json()
    assert answer.status_code == 201
    assert answer.headers["etag"] == '"1"'
    assert row.pop("id").startswith("memory_")
    assert row.pop("created_at") == row.pop("updated_at")
    assert row == {
        "type": "memory_row", "key": "tea", "value": "green", "summary": None, "category": "fact", "tags": [],
        "importance": 5, "pinned": False, "expires_at": None, "source": "manual", "scope": "global", "user_id": "owner",
        "project_id": None, "agent_id": None, "session_id": None, "workspace_id": "default", "sources": [], "assets": [],
        "node_ids": [], "valid_from": None, "valid_to": None, "superseded_by": None, "trust": "user", "version": 1,
        "created": True,
    }  # fmt: skip


async def test_saving_a_key_again_updates_in_place_and_keeps_what_is_not_given(api):
    first = await save(
        api, summary="s", tags=["a", "b", "a"], importance=9, pinned=True, source="auto"
    )
    again = await api.post(
        "/memories", json={"key": "tea", "value": "black", "category": "preference"}
    )
    row = again.json()
    assert (again.status_code, row["created"], row["id"], row["version"]) == (
        200,
        False,
        first["id"],
        2,
    )
    assert (row["value"], row["category"]) == ("black", "preference")
    assert (row["summary"], row["tags"], row["importance"], row["pinned"], row["source"]) == (
        "s", ["a", "b"], 9, True, "auto",
    )  # fmt: skip
    assert row["updated_at"] > first["updated_at"]
    assert row["created_at"] == first["created_at"]


async def test_camel_case_is_read_and_a_typo_is_named(api):
    assert (await save(api, expiresAt=at(1)))["expires_at"] is not None
    refused = await api.post("/memories", json={"key": "k", "value": "v", "expires": at(1)})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "expires"


async def test_a_forced_save_makes_a_new_row_that_takes_the_key_over(api):
    first = await save(api)
    second = await save(api, value="black", dedupe="create")
    assert second["created"]
    assert second["id"] != first["id"]
    third = await save(api, value="white")
    assert (third["id"], third["version"], third["created"]) == (second["id"], 2, False)
    assert await ids(api) == [second["id"], first["id"]]


async def test_a_row_that_is_over_gives_its_key_up(api, org, expire):
    over = [
        await save(api, "expired"),
        await save(api, "ended", valid_from=at(-2), valid_to=at(-1)),
    ]
    await expire(org.operator, over[0]["id"])
    successor = await save(api, "successor")
    replaced = await save(api, "replaced")
    await api.patch(f"/memories/{replaced['id']}", json={"superseded_by": successor["id"]})
    for old in [*over, replaced]:
        again = await save(api, old["key"], "new")
        assert again["created"]
        assert again["id"] != old["id"]
        assert (await api.get(f"/memories/{again['id']}")).status_code == 200


@pytest.mark.parametrize(
    ("field", "fits", "limit"),
    [
        ("key", "k" * 255, 255),
        ("value", "v" * 8000, 8000),
        ("value", "é" * 8000, 8000),
        ("summary", "s" * 1000, 1000),
        ("category", "c" * 64, 64),
        ("source", "s" * 64, 64),
        ("tags", ["t" * 64], 64),
    ],
)
async def test_a_length_limit_holds_at_the_edge_and_one_past_it(api, field, fits, limit):
    body = {"key": "k", "value": "v"}
    assert (await save(api, **{**body, field: fits}))[field] == fits
    over = [fits[0] + "x"] if isinstance(fits, list) else fits + "x"
    refused = await api.post("/memories", json={**body, field: over})
    problem = refused.json()
    assert (refused.status_code, problem["code"]) == (422, "limit_exceeded")
    assert (problem["limit"], problem["actual"]) == (limit, limit + 1)


async def test_at_most_32_tags(api):
    tags = [f"t{n}" for n in range(32)]
    assert (await save(api, tags=tags))["tags"] == tags
    refused = await api.post(
        "/memories", json={"key": "k", "value": "v", "tags": [*tags, "one more"]}
    )
    assert (refused.json()["code"], refused.json()["limit"], refused.json()["actual"]) == (
        "limit_exceeded",
        32,
        33,
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"key": ""}, {"key": "  "}, {"value": ""}, {"importance": 0}, {"importance": 11}, {"importance": 5.5},
        {"importance": True}, {"category": ""}, {"category": None}, {"tags": [""]}, {"scope": "everyone"},
        {"expires_at": "tomorrow"}, {"expires_at": "2026-01-01T00:00:00"}, {"pinned": "yes"},
        {"valid_from": "2026-02-01T00:00:00Z", "valid_to": "2026-01-01T00:00:00Z"}, {"superseded_by": "memory_x"},
        {"sources": [{"kind": "rumour", "ref": "x"}]}, {"sources": [{"kind": "url", "ref": ""}]}, {"dedupe": "maybe"},
        {"scope": "project"}, {"scope": "agent"}, {"expires_at": "2001-01-01T00:00:00Z"}, {"pinned": 1},
        {"expires_at": 4102444800}, {"valid_from": 0}, {"trust": "nobody"}, {"trust": None},
    ],
)  # fmt: skip
async def test_bad_input_is_refused_and_saves_nothing(api, wrong):
    refused = await api.post("/memories", json={"key": "k", "value": "v", **wrong})
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid"), refused.text
    assert await ids(api, include_expired=True) == []


async def test_importance_is_taken_from_1_to_10(api):
    assert (await save(api, importance=1))["importance"] == 1
    assert (await save(api, importance=10))["importance"] == 10


async def test_64_saves_of_one_key_at_once_make_one_row_and_every_version(api):
    answers = await asyncio.gather(
        *(api.post("/memories", json={"key": "tea", "value": f"cup {n}"}) for n in range(64))
    )
    rows = [answer.json() for answer in answers]
    assert len({row["id"] for row in rows}) == 1
    assert sorted(row["version"] for row in rows) == list(range(1, 65))
    assert [row["created"] for row in rows].count(True) == 1
    assert sorted(answer.status_code for answer in answers) == [200] * 63 + [201]
    history = (await api.get(f"/memories/{rows[0]['id']}/history")).json()["data"]
    assert [each["version"] for each in history] == list(range(64, 0, -1))
    assert {each["value"] for each in history} == {f"cup {n}" for n in range(64)}
    times = [each["created_at"] for each in history]
    assert times == sorted(set(times), reverse=True)


async def test_forced_saves_at_once_each_make_a_row(api):
    answers = await asyncio.gather(
        *(
            api.post("/memories", json={"key": "tea", "value": "v", "dedupe": "create"})
            for _ in range(16)
        )
    )
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["id"] for answer in answers}) == 16
    again = await save(api)
    assert not again["created"]


async def test_if_match_guards_a_save(api):
    await save(api)
    fresh = await api.post(
        "/memories", json={"key": "tea", "value": "b"}, headers={"If-Match": '"1"'}
    )
    assert (fresh.status_code, fresh.json()["version"]) == (200, 2)
    stale = await api.post(
        "/memories", json={"key": "tea", "value": "c"}, headers={"If-Match": '"1"'}
    )
    assert (stale.status_code, stale.json()["code"]) == (412, "precondition_failed")
    none = await api.post(
        "/memories", json={"key": "new", "value": "c"}, headers={"If-Match": '"1"'}
    )
    assert none.status_code == 412
    assert len(await ids(api)) == 1


async def test_an_idempotency_key_saves_once(api):
    body = {"key": "tea", "value": "green"}
    answers = [
        await api.post("/memories", json=body, headers={"Idempotency-Key": "k"}) for _ in range(2)
    ]
    assert [answer.json()["version"] for answer in answers] == [1, 1]
    assert answers[1].headers["idempotency-replayed"] == "true"


# --- reading ---------------------------------------------------------------------------------------------------------


async def test_an_expired_row_is_not_found_unless_asked_for(api, org, expire):
    row = await save(api)
    await expire(org.operator, row["id"])
    path = f"/memories/{row['id']}"
    for call in (
        api.get(path),
        api.patch(path, json={"value": "x"}),
        api.get(f"{path}/history"),
        api.post(f"{path}/restore", json={"version": 1}),
    ):
        assert (await call).json()["code"] == "not_found"
    assert await ids(api) == []
    assert await ids(api, include_expired=True) == [row["id"]]
    assert (await api.get(path, params={"include_expired": True})).status_code == 200
    revived = await api.patch(path, params={"include_expired": True}, json={"expires_at": None})
    assert revived.status_code == 200, revived.text
    assert (await api.get(path)).status_code == 200


@pytest.mark.parametrize(
    "bad", ["memory_x", "nothing", "memory_" + "0" * 32, "mem%20ory", "recall2"]
)
async def test_an_id_that_is_not_there_is_not_found(api, bad):
    answer = await api.get(f"/memories/{bad}")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


async def test_a_list_filters(api):
    a = await save(
        api, "a", category="preference", tags=["x", "y"], importance=8, pinned=True, source="import"
    )
    b = await save(api, "b", tags=["y"], importance=3)
    c = await save(api, "c")
    await api.patch(f"/memories/{c['id']}", json={"superseded_by": b["id"]})
    assert await ids(api) == [b["id"], a["id"]]
    assert await ids(api, include_superseded=True) == [c["id"], b["id"], a["id"]]
    assert await ids(api, category="preference") == [a["id"]]
    assert await ids(api, tag="y") == [b["id"], a["id"]]
    assert await ids(api, tag="x") == [a["id"]]
    assert await ids(api, source="manual") == [b["id"]]
    assert await ids(api, pinned=True) == [a["id"]]
    assert await ids(api, pinned=False) == [b["id"]]
    assert await ids(api, min_importance=8) == [a["id"]]
    assert await ids(api, scope="agent") == []
    assert (await api.get("/memories", params={"min_importance": 11})).status_code == 400
    assert (await api.get("/memories", params={"colour": "red"})).status_code == 400


async def test_trust_is_kept_listed_by_and_part_of_the_history(api):
    made = {
        trust: await save(api, trust, trust=trust)
        for trust in ("import", "tool", "assistant", "user")
    }
    assert [row["trust"] for row in made.values()] == list(made)
    newest_first = [row["id"] for row in reversed(made.values())]
    for n, trust in enumerate(("user", "assistant", "tool", "import"), 1):
        assert await ids(api, min_trust=trust) == newest_first[:n]
    assert (await api.get("/memories", params={"min_trust": "nobody"})).status_code == 400
    again = await save(api, "tool", "again")
    assert again["trust"] == "tool"
    raised = await api.patch(f"/memories/{again['id']}", json={"trust": "user"})
    assert raised.json()["trust"] == "user"
    history = (await api.get(f"/memories/{again['id']}/history")).json()["data"]
    assert [each["trust"] for each in history] == ["user", "tool", "tool"]
    restored = await api.post(f"/memories/{again['id']}/restore", json={"version": 1})
    assert restored.json()["trust"] == "tool"


async def test_pages_neither_skip_nor_repeat(api):
    made = [(await save(api, f"k{n}"))["id"] for n in range(7)]
    newest_first = made[::-1]
    first = (await api.get("/memories", params={"limit": 3})).json()
    assert [row["id"] for row in first["data"]] == newest_first[:3]
    assert (first["has_more"], first["first_id"], first["last_id"]) == (
        True,
        newest_first[0],
        newest_first[2],
    )
    second = (await api.get("/memories", params={"limit": 3, "after_id": first["last_id"]})).json()
    third = (await api.get("/memories", params={"limit": 3, "after_id": second["last_id"]})).json()
    assert [row["id"] for page in (first, second, third) for row in page["data"]] == newest_first
    assert third["has_more"] is False
    back = (await api.get("/memories", params={"limit": 3, "before_id": third["last_id"]})).json()
    assert [row["id"] for row in back["data"]] == newest_first[3:6]
    assert back["has_more"] is True
    both = await api.get("/memories", params={"after_id": "x", "before_id": "y"})
    assert both.status_code == 400


async def test_as_of_shows_memories_as_they_stood(api):
    before = at()
    a = await save(api, "a", "one", category="x")
    a2 = await save(api, "a", "two", category="y")
    b = await save(api, "b", "late")

    async def values(when, **params):
        answer = await api.get("/memories", params={"as_of": when, **params})
        return [(row["key"], row["value"], row["version"]) for row in answer.json()["data"]]

    assert await values(before) == []
    assert await values(a["updated_at"]) == [("a", "one", 1)]
    assert await values(a2["updated_at"]) == [("a", "two", 2)]
    assert await values(a["updated_at"], category="x") == [("a", "one", 1)]
    assert await values(a["updated_at"], category="y") == []
    assert await values(b["updated_at"], limit=1) == [("b", "late", 1)]
    assert await values(b["updated_at"], before_id=a["id"]) == [("b", "late", 1)]
    assert await values(a2["updated_at"], before_id="memory_" + "0" * 32) == [("a", "two", 2)]
    then = await api.get(f"/memories/{a['id']}", params={"as_of": a["updated_at"]})
    assert then.json()["value"] == "one"
    assert (await api.get(f"/memories/{a['id']}", params={"as_of": before})).status_code == 404


async def test_as_of_judges_expiry_at_that_time(api):
    row = await save(api, expires_at=at(1 / 86400 * 0.4))
    await asyncio.sleep(0.5)
    assert await ids(api) == []
    assert await ids(api, as_of=row["updated_at"]) == [row["id"]]


async def test_a_list_leaves_out_what_is_no_longer_valid(api):
    row = await save(api, valid_from=at(-2), valid_to=at(-1))
    kept = await save(api, "kept", valid_from=at(-2), valid_to=at(1))
    assert await ids(api) == [kept["id"]]
    assert await ids(api, include_expired=True) == [kept["id"], row["id"]]
    assert await ids(api, as_of=kept["updated_at"]) == [kept["id"]]
    assert await ids(api, as_of=kept["updated_at"], include_expired=True) == [kept["id"], row["id"]]


@pytest.mark.parametrize("name", ["agent_id", "project_id", "session_id"])
@pytest.mark.parametrize("path", ["/memories", "/memories/recall?q=tea"])
async def test_a_name_that_no_place_may_have_is_a_bad_query(api, path, name):
    answer = await api.get(path, params={name: "a b"} | ({"q": "tea"} if "recall" in path else {}))
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
    assert answer.json()["errors"][0]["field"] == name


# --- changing --------------------------------------------------------------------------------------------------------


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
    row = await save(api, expires_at=at(0.2 / 86400))
    await asyncio.sleep(0.25)
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
