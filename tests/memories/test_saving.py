"""Saving memories by key, from outside."""

import asyncio
from statistics import median

import pytest

from holdfast.kernel.errors import Invalid, NotFound
from holdfast.memories.model import NewMemory, Place
from holdfast.memories.saving import save_memory
from tests.memories.calls import at, ids, save
from tests.round_trips import counted


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
    history = (await api.get(f"/memories/{rows[0]['id']}/history?limit=100")).json()["data"]
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


async def test_a_save_in_a_session_reads_once_and_writes_once(service, org):
    caller = org.caller()
    async with counted(service.app_url) as (db, between):
        taken = []
        for number in range(
            12
        ):  # on every connection of the pool, until its statements are prepared
            before = between.count
            new = NewMemory({"key": f"k{number}", "value": "tea"}, place=Place(session_id="talk"))
            await save_memory(db, caller, new)
            taken.append(between.count - before)
    # What the session says; the row, its index and COMMIT.
    assert median(taken) == 2


async def test_a_save_refuses_a_session_that_the_caller_may_not_name(db, org):
    ana, bob = org.caller("ana", user_is_new=True), org.caller("bob", user_is_new=True)
    new = NewMemory({"key": "k", "value": "tea"}, place=Place(session_id="hers"))
    assert (await save_memory(db, ana, new)).session_id == "hers"
    with pytest.raises(NotFound):
        await save_memory(db, bob, new)
    nameless = NewMemory({"key": "k", "value": "tea"}, place=Place(session_id="no spaces"))
    with pytest.raises(Invalid):
        await save_memory(db, ana, nameless)
    of_an_agent = Place(session_id="of-bot", agent_id="bot")
    await save_memory(db, ana, NewMemory({"key": "b", "value": "tea"}, place=of_an_agent))
    again = NewMemory({"key": "c", "value": "tea"}, place=Place(session_id="of-bot"))
    assert (await save_memory(db, ana, again)).agent_id == "bot"
