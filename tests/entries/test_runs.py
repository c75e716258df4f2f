"""Runs and the scratch that dies with them."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from holdfast.entries import history, runs, service
from holdfast.entries.model import Filter, NewEntry
from holdfast.kernel.errors import NotFound, RunEnded

AGENT = "/agents/bot"


async def scratch(api, run, key="s", **fields):
    body = {"content": "x", "category": "conversation", "run_id": run, **fields}
    return await api.put(f"{AGENT}/entries/{key}", json=body)


async def test_a_run_starts_holds_scratch_and_drops_it_when_it_ends(api):
    started = await api.post(f"{AGENT}/runs", json={})
    assert started.status_code == 201
    run = started.json()["run_id"]
    assert run.startswith("run_")
    assert "hydration" not in started.json()
    assert (await scratch(api, run)).json()["run_id"] == run
    await api.put(f"{AGENT}/entries/kept", json={"content": "x", "run_id": run})
    ended = await api.post(f"{AGENT}/runs/{run}/end")
    assert (ended.status_code, ended.json()["run_id"]) == (200, run)
    assert ended.json()["ended_at"] > started.json()["started_at"]
    again = await api.post(f"{AGENT}/runs/{run}/end")
    assert again.json() == ended.json()
    assert (await api.get(f"{AGENT}/entries/s", params={"run_id": run})).status_code == 404
    listed = (await api.get(f"{AGENT}/entries", params={"run_id": run})).json()["data"]
    assert [entry["key"] for entry in listed] == ["kept"]
    history = (await api.get(f"{AGENT}/history/s", params={"run_id": run})).json()["data"]
    assert [each["action"] for each in history] == ["run_ended", "created"]


async def test_every_write_under_an_ended_run_is_refused(api):
    run = (await api.post(f"{AGENT}/runs")).json()["run_id"]
    await scratch(api, run)
    await api.post(f"{AGENT}/runs/{run}/end")
    batch = {"entries": [{"key": "k", "content": "x"}], "run_id": run}
    for answer in (
        await scratch(api, run),
        await scratch(api, run, category="core"),
        await api.post(f"{AGENT}/entries-batch", json=batch),
        await api.delete(f"{AGENT}/entries/s", params={"run_id": run}),
        await api.post(f"{AGENT}/restore/s", params={"run_id": run}, json={"version": 1}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (409, "run_ended")
    assert (await api.get(f"{AGENT}/entries")).json()["data"] == []


async def test_a_conversation_entry_needs_a_run_that_is_there(api):
    answer = await api.put(f"{AGENT}/entries/s", json={"content": "x", "category": "conversation"})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "run_id")
    await api.put(f"{AGENT}/entries/k", json={"content": "x"})
    other = (await api.post("/agents/other/runs")).json()["run_id"]
    for run in ("run_" + "0" * 32, "nonsense", other):
        for answer in (
            await scratch(api, run),
            await api.get(f"{AGENT}/entries/k", params={"run_id": run}),
            await api.get(f"{AGENT}/entries", params={"run_id": run}),
            await api.get(f"{AGENT}/hydration", params={"run_id": run}),
            await api.post(f"{AGENT}/runs/{run}/end"),
        ):
            assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


async def test_a_path_that_names_no_run_is_not_found(api):
    await api.post(f"{AGENT}/runs")
    for run in ("a%00b", "%20", "run_", "ent_" + "0" * 32):
        answer = await api.post(f"{AGENT}/runs/{run}/end")
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


async def test_runs_do_not_see_each_others_scratch(api):
    one, two = [(await api.post(f"{AGENT}/runs")).json()["run_id"] for _ in range(2)]
    await scratch(api, one, content="of one")
    made = await scratch(api, two, content="of two", expected_version=0)
    assert made.status_code == 201
    for run, content in ((one, "of one"), (two, "of two")):
        seen = await api.get(f"{AGENT}/entries/s", params={"run_id": run})
        assert seen.json()["content"] == content
        hydrated = (await api.get(f"{AGENT}/hydration", params={"run_id": run})).json()["data"]
        assert [entry["content"] for entry in hydrated] == [content]
    assert (await api.get(f"{AGENT}/hydration")).json()["data"] == []


async def test_a_run_may_start_hydrated(api):
    for n in range(3):
        await api.put(f"{AGENT}/entries/k{n}", json={"content": "x" * 10})
    body = {"hydrate": True, "budgetBytes": 40}
    started = (await api.post(f"{AGENT}/runs", json=body)).json()
    assert [entry["key"] for entry in started["hydration"]["data"]] == ["k2", "k1"]
    assert started["hydration"]["dropped_entries"] == 1


async def test_an_idle_run_ends_by_itself_at_24_hours(org, time):
    db, caller = org.db, org.caller()
    run = (await runs.start_run(db, caller, "bot")).run_id
    await service.store(db, caller, "bot", NewEntry("s", "x", "conversation"), run_id=run)
    time.now += timedelta(hours=23)
    await service.recall(db, caller, "bot", "s", run_id=run)  # reading is use too
    time.now += timedelta(hours=24) - timedelta(microseconds=1)
    assert len((await service.list_entries(db, caller, "bot", Filter(run_id=run))).data) == 1
    last_use = time.now
    time.now += timedelta(hours=30)
    with pytest.raises(NotFound):
        await service.recall(db, caller, "bot", "s", run_id=run)
    with pytest.raises(RunEnded):
        await service.store(db, caller, "bot", NewEntry("s", "x", "conversation"), run_id=run)
    ended = await runs.end_run(db, caller, "bot", run)
    assert ended.ended_at == last_use + timedelta(hours=24)


async def test_the_job_ends_an_idle_run_and_waits_for_a_used_one(org, time):
    db, caller = org.db, org.caller()
    run = (await runs.start_run(db, caller, "bot")).run_id
    await service.store(db, caller, "bot", NewEntry("s", "x", "conversation"), run_id=run)
    job = replace(caller, credential="job", credential_id="job_test")
    time.now += timedelta(hours=23)
    await service.store(db, caller, "bot", NewEntry("t", "x", "conversation"), run_id=run)
    time.now += timedelta(hours=2)
    assert (await runs.end_if_idle(db, job, run)).result == {"ended": False}
    time.now += timedelta(hours=22)
    assert (await runs.end_if_idle(db, job, run)).result == {"ended": True}
    assert (await runs.end_if_idle(db, job, run)).result == {"ended": False}
    told = await history.history(db, caller, "bot", "s", run_id=run)
    assert told.data[0].action == "run_ended"


async def test_a_write_that_races_the_end_of_its_run_is_dropped_or_refused(api, org):
    for _ in range(8):
        run = (await api.post(f"{AGENT}/runs")).json()["run_id"]
        writes = [scratch(org.client(), run, f"s{n}") for n in range(6)]
        end = api.post(f"{AGENT}/runs/{run}/end")
        *answers, ended = await asyncio.gather(*writes[:3], end, *writes[3:])
        del ended
        assert {answer.status_code for answer in answers} <= {200, 201, 409}
    async with org.db.read(org.caller()) as tx:
        cursor = await tx.connection.execute(
            "SELECT count(*) FROM entries WHERE org_id = %s", [org.id]
        )
        assert await cursor.fetchone() == (0,)
