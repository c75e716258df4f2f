"""What expires and what is evicted, against a slow reference, in process with a clock that is turned."""

import asyncio
import itertools
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.entries import batch, history, quota, runs, service, sweep
from holdfast.entries.model import Filter, NewEntry
from holdfast.kernel.errors import CapacityFull, NotFound, RunEnded
from tests.entries.conftest import START, fresh_caller
from tests.entries.reference import Reference, Refused, RunIsOver, hydrate

CAP = 5
numbers = itertools.count()

in_process = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture
def small_cap(monkeypatch):
    monkeypatch.setattr(quota, "MAX_ENTRIES", CAP)


# A category, and behind a slash the scope where it is not the agent's.
categories = st.sampled_from(
    ["core", "core", "core/user", "daily", "daily/user", "workspace", "conversation", "CORE", "note", "note/user"]
)  # fmt: skip
keys = st.sampled_from(["a", "b", "c", "d", "e", "f", "g", "ключ", "h/i"])
contents = st.sampled_from(["x", "yy", "é" * 3, "🦀" * 7, "z" * 90])
moves = st.one_of(
    st.tuples(st.just("store"), keys, contents, categories, st.booleans()),
    st.tuples(st.just("store"), keys, contents, categories, st.booleans()),
    st.tuples(st.just("store"), keys, contents, categories, st.booleans()),
    st.tuples(st.just("forget"), keys, st.booleans()),
    st.tuples(st.just("wait"), st.sampled_from([0, 1, 3600, 30 * 3600, 71 * 3600, 72 * 3600])),
    st.tuples(st.just("start")),
    st.tuples(st.just("end")),
    st.tuples(st.just("sweep")),
)


class History:
    """The service and the reference, led through the same moves."""

    def __init__(self, org, caller, time) -> None:
        self.db, self.caller, self.time = org.db, caller, time
        self.agent = f"bot{next(numbers)}"
        self.reference = Reference(CAP)
        self.run: str | None = None

    async def move(self, move) -> None:
        match move:
            case ("store", key, content, category, under_run):
                await self.store(key, content, category, self.run if under_run else None)
            case ("forget", key, under_run):
                await self.forget(key, self.run if under_run else None)
            case ("wait", seconds):
                self.time.now += timedelta(seconds=seconds)
            case ("start",):
                started = await runs.start_run(self.db, self.caller, self.agent)
                self.run = started.run_id
                self.reference.runs[self.run] = self.time.now
            case ("end",):
                if self.run is not None:
                    await runs.end_run(self.db, self.caller, self.agent, self.run)
                    self.reference.ended.add(self.run)
            case ("sweep",):
                job = replace(self.caller, credential="job", credential_id="job_test")
                for name in (f"agent:{self.agent}", f"agent:{self.agent}+user:owner"):
                    await sweep.prune(self.db, job, name)
                if self.run is not None:
                    await runs.end_if_idle(self.db, job, self.run)

    async def store(self, key, content, category, run) -> None:
        if category == "conversation" and run is None:
            return
        category, _, scope = category.partition("/")
        new, now = NewEntry(key, content, category, ["t"], scope or "agent"), self.time.now
        try:
            fact, gone = self.reference.store(now, key, content, category, ["t"], run, new.scope)
        except Refused:
            with pytest.raises(CapacityFull):
                await service.store(self.db, self.caller, self.agent, new, run_id=run)
        except RunIsOver:
            with pytest.raises(RunEnded):
                await service.store(self.db, self.caller, self.agent, new, run_id=run)
        else:
            stored = await service.store(self.db, self.caller, self.agent, new, run_id=run)
            assert stored.evicted == gone
            assert (stored.created_at, stored.updated_at) == (fact.created_at, fact.updated_at)
            assert stored.size == fact.size
            self.reference.name(fact, stored.id)

    async def forget(self, key, run) -> None:
        arguments = (self.db, self.caller, self.agent, key)
        try:
            expected = self.reference.forget(self.time.now, key, run)
        except RunIsOver:
            with pytest.raises(RunEnded):
                await service.forget(*arguments, run_id=run)
        else:
            assert await service.forget(*arguments, run_id=run) == expected

    async def agree(self, budget: int) -> None:
        """List, recall and hydration are what the reference says, with the current run and without."""
        for run in (None, self.run):
            now = self.time.now
            seen = self.reference.seen(now, run)
            page = await service.list_entries(self.db, self.caller, self.agent, Filter(run_id=run))
            assert [e.id for e in page.data] == [f.id for f in seen]
            hydrated = await service.hydrate(
                self.db, self.caller, self.agent, budget_bytes=budget, run_id=run
            )
            chosen = hydrate(seen, budget)
            assert [e.id for e in hydrated.data] == [f.id for f in chosen]
            assert hydrated.used_bytes == sum(f.size for f in chosen)
            assert hydrated.dropped_entries == len(seen) - len(chosen)
            assert hydrated.dropped_bytes == sum(f.size for f in seen) - hydrated.used_bytes
            if run is not None and self.reference.runs_on(run, now):
                self.reference.use(run, now)  # reading is activity, to the minute
            for key in ("a", "ключ"):
                fact = self.reference.recall(now, key, run)
                try:
                    entry = await service.recall(self.db, self.caller, self.agent, key, run_id=run)
                except NotFound:
                    assert fact is None
                else:
                    assert fact is not None
                    assert (entry.id, entry.content) == (fact.id, fact.content)


@in_process
@given(st.lists(moves, max_size=30), st.integers(0, 400))
async def test_any_moves_agree_with_the_reference(org, time, small_cap, made, budget):
    time.now = START
    told = History(org, await fresh_caller(org), time)
    await told.move(("store", "a", "x", "core", False))
    for move in made:
        await told.move(move)
        await told.agree(budget)
    for name in (f"agent:{told.agent}", f"agent:{told.agent}+user:owner"):
        async with org.db.begin(told.caller) as tx:
            held = await quota.Quota.lock(tx, name, [])
        assert held.used == await _count(org, told.caller, name)


async def _count(org, caller, name) -> int:
    async with org.db.read(caller) as tx:
        cursor = await tx.connection.execute(
            "SELECT count(*) FROM entries WHERE org_id = %s AND quota = %s", [org.id, name]
        )
        return (await cursor.fetchone())[0]


@in_process
@given(
    st.lists(
        st.tuples(keys, contents, st.sampled_from(["core", "daily", "workspace", "note"])),
        max_size=20,
    )
)
async def test_a_batch_stores_as_one_store_after_another_would(org, time, small_cap, items):
    time.now = START
    caller, reference = await fresh_caller(org), Reference(CAP)
    news = [NewEntry(key, content, category) for key, content, category in items]
    result = await batch.store_batch(org.db, caller, "bot" + caller.workspace_id, [
        (new.key, new) for new in news
    ])  # fmt: skip
    statuses, evicted = [], []
    for number, new in enumerate(news):
        try:
            fact, gone = reference.store(START, new.key, new.content, new.category, [], None)
        except Refused:
            statuses.append("refused")
            continue
        # Ids are given in order; one that comes again keeps the id of its first life.
        first = next(n for n, other in enumerate(news) if _same_place(other, new))
        reference.name(fact, f"{first:03}")
        statuses.append("stored")
        evicted += gone
        del number
    assert [each.status for each in result.results] == statuses
    assert result.evicted == evicted
    page = await service.list_entries(org.db, caller, "bot" + caller.workspace_id, Filter())
    assert [(e.key, e.content) for e in page.data] == [
        (f.key, f.content) for f in reference.seen(START, None)
    ]


def _same_place(one: NewEntry, other: NewEntry) -> bool:
    shared = (one.category == "workspace") == (other.category == "workspace")
    return shared and one.key == other.key


async def test_daily_entries_are_gone_at_72_hours_and_then_cost_no_slot(org, time, small_cap):
    db, caller = org.db, org.caller()
    for n in range(CAP - 1):
        await service.store(db, caller, "bot", NewEntry(f"d{n}", "x", "daily"))
    await service.store(db, caller, "bot", NewEntry("note", "x", "note"))
    time.now = START + timedelta(hours=72) - timedelta(microseconds=1)
    assert len((await service.list_entries(db, caller, "bot", Filter())).data) == CAP
    time.now += timedelta(microseconds=1)
    assert [e.key for e in (await service.list_entries(db, caller, "bot", Filter())).data] == [
        "note"
    ]
    with pytest.raises(NotFound):
        await service.recall(db, caller, "bot", "d0")
    assert await service.forget(db, caller, "bot", "d0") is False
    stored = await service.store(db, caller, "bot", NewEntry("new", "x", "note"))
    assert stored.evicted == []
    assert await _count(org, caller, "agent:bot") == 2
    told = await history.history(db, caller, "bot", "d0")
    assert [each.action for each in told.data] == ["expired", "created"]
    again = await history.restore(db, caller, "bot", "d0", 1)
    assert again.expires_at == time.now + timedelta(hours=72)


async def test_the_scratch_of_an_idle_run_costs_no_slot(org, time, small_cap):
    db, caller = org.db, org.caller()
    run = (await runs.start_run(db, caller, "bot")).run_id
    await service.store(db, caller, "bot", NewEntry("note", "x", "note"))
    for n in range(CAP - 1):
        new = NewEntry(f"s{n}", "x", "conversation")
        await service.store(db, caller, "bot", new, run_id=run)
    time.now += timedelta(hours=24)
    assert (await service.store(db, caller, "bot", NewEntry("a", "x", "note"))).evicted == []
    assert await _count(org, caller, "agent:bot") == 2


async def test_an_expired_key_stored_again_is_created_anew(org, time):
    db, caller = org.db, org.caller()
    await service.store(db, caller, "bot", NewEntry("d", "x", "daily"))
    time.now += timedelta(days=4)
    stored = await service.store(db, caller, "bot", NewEntry("d", "y", "daily"), expected_version=0)
    assert (stored.created, stored.created_at, stored.version) == (True, time.now, 3)


async def test_the_sweep_prunes_what_has_expired(org, time):
    db, caller = org.db, org.caller()
    await service.store(db, caller, "bot", NewEntry("d", "x", "daily"))
    await service.store(db, caller, "bot", NewEntry("c", "x", "core"))
    job = replace(caller, credential="job", credential_id="job_test")
    assert (await sweep.prune(db, job, "agent:bot")).result == {"pruned": 0}
    time.now += timedelta(hours=72)
    assert (await sweep.prune(db, job, "agent:bot")).result == {"pruned": 1}
    assert await _count(org, caller, "agent:bot") == 1
    told = await history.history(db, caller, "bot", "d")
    assert (told.data[0].action, told.data[0].actor.type) == ("expired", "job")


async def test_updated_at_moves_when_the_clock_does_not(org, time):
    one = await service.store(org.db, org.caller(), "bot", NewEntry("k", "x"))
    two = await service.store(org.db, org.caller(), "bot", NewEntry("k", "x"))
    assert two.updated_at == one.updated_at + timedelta(microseconds=1)


# --- at the real cap, over HTTP --------------------------------------------------------------------------------------


async def fill(api, number, category="core", agent="bot", prefix="k"):
    entries = [{"key": f"{prefix}{n}", "content": "x", "category": category} for n in range(number)]
    answer = await api.post(f"/agents/{agent}/entries-batch", json={"entries": entries})
    assert (answer.json()["stored"], answer.json()["evicted"]) == (number, []), answer.text


async def test_at_1000_entries_the_coldest_that_is_not_core_goes(api):
    await fill(api, 998)
    await api.put("/agents/bot/entries/d1", json={"content": "x", "category": "daily"})
    await api.put("/agents/bot/entries/n1", json={"content": "x", "category": "note"})
    last = await api.put("/agents/bot/entries/n2", json={"content": "x", "category": "note"})
    assert last.json()["evicted"] == ["d1"]
    core = await api.put("/agents/bot/entries/c", json={"content": "x"})
    assert core.json()["evicted"] == ["n1"]
    shared = await api.put("/agents/bot/entries/w", json={"content": "x", "category": "workspace"})
    assert shared.json()["evicted"] == []
    back = await api.post("/agents/bot/restore/d1", json={"version": 1})
    assert (back.status_code, back.json()["evicted"]) == (201, ["n2"])


async def test_when_all_are_core_another_core_evicts_the_coldest_and_the_rest_are_refused(api):
    await fill(api, 1000)
    refused = await api.put("/agents/bot/entries/n", json={"content": "x", "category": "note"})
    assert (refused.status_code, refused.json()["code"]) == (409, "capacity")
    run = (await api.post("/agents/bot/runs")).json()["run_id"]
    scratch = await api.put(
        "/agents/bot/entries/s", json={"content": "x", "category": "conversation", "run_id": run}
    )
    assert scratch.json()["code"] == "capacity"
    batch = await api.post(
        "/agents/bot/entries-batch",
        json={"entries": [{"key": "n", "content": "x", "category": "note"}]},
    )
    assert batch.json()["results"][0]["status"] == "refused"
    assert batch.json()["results"][0]["error"]["code"] == "capacity"
    again = await api.put("/agents/bot/entries/k5", json={"content": "y", "category": "note"})
    assert (again.status_code, again.json()["evicted"]) == (200, [])
    core = await api.put("/agents/bot/entries/c", json={"content": "x"})
    assert core.json()["evicted"] == ["k5"]
    core = await api.put("/agents/bot/entries/c2", json={"content": "x"})
    assert core.json()["evicted"] == ["k0"]
    history = (await api.get("/agents/bot/history/k0")).json()["data"]
    assert [each["action"] for each in history] == ["evicted", "created"]


async def test_16_writers_at_the_cap_never_exceed_it_nor_evict_a_core_entry_first(api, org):
    await fill(api, 500)
    await fill(api, 480, "note", prefix="n")
    await fill(api, 990, "workspace", prefix="w")
    clients = [org.client() for _ in range(16)]

    async def write(number, client):
        for n in range(12):
            key, category = f"new{number}-{n}", ("core", "note", "daily", "workspace")[n % 4]
            answer = await client.put(
                f"/agents/bot/entries/{key}", json={"content": "x", "category": category}
            )
            assert answer.status_code == 201, answer.text

    async def watch(counts):
        caller = org.caller()
        while True:
            counts.append(await _count(org, caller, "agent:bot"))
            counts.append(await _count(org, caller, "workspace:default"))
            await asyncio.sleep(0.01)

    counts: list[int] = []
    watcher = asyncio.create_task(watch(counts))
    await asyncio.gather(*(write(n, client) for n, client in enumerate(clients)))
    watcher.cancel()
    assert max(counts) == 1000
    assert await _count(org, org.caller(), "agent:bot") == 1000
    assert await _count(org, org.caller(), "workspace:default") == 1000
    async with org.db.read(org.caller()) as tx:
        cursor = await tx.connection.execute(
            "SELECT count(*) FROM entries WHERE org_id = %s AND quota = 'agent:bot' AND pinned",
            [org.id],
        )
        assert (await cursor.fetchone())[0] == 500 + 16 * 3


# --- by the worker, and in the metrics -------------------------------------------------------------------------------


async def test_the_worker_clears_away_expired_entries_and_idle_runs(org, time):
    db, caller = org.db, org.caller()
    time.now = START.replace(year=2020)  # long ago for the worker, which goes by the system's clock
    async with db.begin(caller):  # so that the worker finds all of it, or nothing yet
        run = (await runs.start_run(db, caller, "bot")).run_id
        await service.store(db, caller, "bot", NewEntry("d", "x", "daily"))
        await service.store(db, caller, "bot", NewEntry("s", "x", "conversation"), run_id=run)
        await service.store(db, caller, "bot", NewEntry("c", "x"))
    for _ in range(600):
        if await _count(org, caller, "agent:bot") == 1:
            break
        await asyncio.sleep(0.1)
    assert await _count(org, caller, "agent:bot") == 1
    time.now = START
    for key, cause in (("d", "expired"), ("s", "run_ended")):
        told = await history.history(db, caller, "bot", key, run_id=run)
        assert [each.action for each in told.data] == [cause, "created"]


async def test_what_happens_is_counted(api, anonymous):
    names = (
        "holdfast_entries_stored_total",
        "holdfast_entries_evicted_total",
        'holdfast_entries_pruned_total{cause="run_ended"}',
        "holdfast_hydration_window_entries_count",
        "holdfast_hydration_dropped_entries_total",
        "holdfast_hydration_dropped_bytes_total",
        "holdfast_entry_searches_without_a_hit_total",
    )

    async def counts():
        lines = (await anonymous.get("/metrics")).text.splitlines()
        found = dict(line.rsplit(" ", 1) for line in lines if line.startswith(names))
        return [float(found.get(name, 0)) for name in names]

    before = await counts()
    await fill(api, 1000, "note")
    run = (await api.post("/agents/bot/runs")).json()["run_id"]
    scratch = {"content": "x", "category": "conversation", "run_id": run}
    await api.put("/agents/bot/entries/s", json=scratch)
    await api.post(f"/agents/bot/runs/{run}/end")
    await api.get("/agents/bot/hydration", params={"budget_bytes": 100})
    await api.get("/agents/bot/entries", params={"query": "nowhere"})
    after = await counts()
    least = (1001, 1, 1, 1, 980, 980 * 7, 1)
    assert [b - a >= n for a, b, n in zip(before, after, least, strict=True)] == [True] * 7
