"""Who changed what, behind the walls of what was changed."""

from datetime import timedelta

from holdfast.kernel import clock
from holdfast.kernel.caller import Caller
from holdfast.kernel.pages import Cursor
from holdfast.operations.revisions import Wanted, count_writes
from holdfast.operations.revisions import list_rows as list_revisions
from holdfast.walls.specimens import one_of_everything


def browser(org, user, *, owner=False):
    return Caller(
        org_id=org.id,
        credential="session",
        credential_id="s",
        workspace_id="default",
        user_id=user,
        owner=owner,
    )


async def seen(db, caller, **wanted):
    return (await list_revisions(db, caller, Cursor(100), Wanted(**wanted))).data


async def test_a_user_sees_its_own_changes_and_nobody_elses(db, org):
    await one_of_everything(org.client(), org.client(Holdfast_User="ana"))
    ana = await seen(db, browser(org, "ana"))
    kinds = {each.kind for each in ana}
    assert {"block", "entry", "memory", "node", "store", "store_entry", "conversation"} <= kinds
    assert not kinds & {"key", "user", "org"}
    ben = await seen(db, browser(org, "ben"))
    assert not {each.id for each in ben} & {each.id for each in ana if each.user_id == "ana"}
    assert not {each.kind for each in ben} & {"block", "memory", "store", "conversation", "key"}


async def test_an_owner_sees_the_directory_but_not_what_others_remember(db, org):
    await one_of_everything(org.client(), org.client(Holdfast_User="ana"))
    kinds = {(each.kind, each.user_id) for each in await seen(db, browser(org, "boss", owner=True))}
    assert "key" in {kind for kind, _ in kinds}
    assert ("memory", "ana") not in kinds
    assert ("block", "ana") not in kinds


async def test_a_shared_store_is_seen_by_all_and_a_private_one_by_its_maker(db, org):
    ana = org.client(Holdfast_User="ana")
    for visibility in ("org", "private"):
        store = (
            await ana.post("/memory_stores", json={"name": visibility, "visibility": visibility})
        ).json()
        body = {"path": "a.md", "content": "x"}
        assert (
            await ana.post(f"/memory_stores/{store['id']}/memories", json=body)
        ).status_code == 201
    found = [each.kind for each in await seen(db, browser(org, "ben"))]
    assert (found.count("store"), found.count("store_entry")) == (1, 1)
    assert [e.kind for e in await seen(db, browser(org, "ana"), kind="store")] == ["store", "store"]


async def test_pages_follow_each_other_and_filters_narrow(db, org):
    ana, caller = org.client(Holdfast_User="ana"), browser(org, "ana")
    ids = [
        (await ana.post("/memories", json={"key": f"k{n}", "value": "v"})).json()["id"]
        for n in range(5)
    ]
    first = await list_revisions(db, caller, Cursor(2), Wanted(kind="memory"))
    second = await list_revisions(
        db, caller, Cursor(2, after_id=first.last_id), Wanted(kind="memory")
    )
    assert [each.object_id for each in (*first.data, *second.data)] == ids[:0:-1]
    assert (first.has_more, second.has_more) == (True, True)
    back = await list_revisions(
        db, caller, Cursor(2, before_id=second.first_id), Wanted(kind="memory")
    )
    assert back.data == first.data
    assert [each.object_id for each in await seen(db, caller, object_id=ids[2])] == [ids[2]]
    assert await seen(db, caller, since=clock.now()) == []
    assert len(await seen(db, caller, user_id="ana", kind="memory")) == 5


async def test_the_changes_of_each_day_are_counted(db, org):
    before = clock.now().replace(hour=0, minute=0, second=0, microsecond=0)
    await org.client().post("/memories", json={"key": "k", "value": "v"})
    days = await count_writes(db, org.caller(), before, timedelta(days=1))
    assert sum(day.writes for day in days) >= 1
    assert {day.at for day in days} == {before}
    hours = await count_writes(db, org.caller(), before, timedelta(hours=1))
    assert sum(hour.writes for hour in hours) == sum(day.writes for day in days)
    assert all(hour.at >= before and hour.at.minute == 0 for hour in hours)
