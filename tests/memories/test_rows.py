"""Reading and listing memories, from outside."""

import pytest

from holdfast.kernel.db import Database
from holdfast.kernel.pages import Cursor
from holdfast.kernel.sql import Query
from holdfast.memories import service as memories
from holdfast.memories.model import Filter
from tests.memories.calls import at, ids, save, save_for_a_moment

PREPARED = Query(
    "prepared", "SELECT statement, generic_plans, custom_plans FROM pg_prepared_statements"
)


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
    row = await save_for_a_moment(api)
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


async def test_a_list_is_planned_once(db, org, service):
    """Postgres would plan it anew each time: it knows then how many audiences a caller has."""
    if db.pooled:
        pytest.skip("behind a pooler no statement is prepared")
    caller = org.caller()
    # A connection of its own: one that other tests used has their statements, and their plans.
    async with Database(service.app_url, min_size=1, max_size=1).opened() as own:
        for _ in range(12):
            await memories.list_memories(own, caller, Filter(), Cursor())
        async with own.read(caller) as tx:
            found = await tx.all(dict, PREPARED)
    [plans] = [each for each in found if "FROM memories f" in each["statement"]]
    assert plans["generic_plans"] > 5
    assert plans["custom_plans"] == 0
