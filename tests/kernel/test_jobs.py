"""Jobs: asked for with a change, done by any worker, visible to their org."""

import asyncio
import os
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from holdfast.kernel import clock, job_worker, jobs
from holdfast.kernel.db import Database
from holdfast.kernel.errors import Conflict, NotFound
from holdfast.kernel.job_worker import Worker
from holdfast.kernel.jobs import Outcome
from holdfast.kernel.pages import Cursor
from tests.round_trips import behind

# Test processes run beside each other on one database: each has a queue that no other's workers look at.
QUEUE = f"test-{os.getpid()}"


@asynccontextmanager
async def working(service, db, handlers):
    """A worker with these handlers. The service's own worker knows none of their kinds, so it must not be asked."""
    worker = Worker(service.app_url, db, handlers, queue=QUEUE)
    task = asyncio.create_task(worker.run())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def ask(db, caller, kind="greet", subject="x", **options):
    async with db.begin(caller) as tx:
        return await jobs.enqueue(tx, kind, subject, queue=QUEUE, **options)


async def until(db, caller, job_id, *statuses):
    for _ in range(1_200):
        job = await jobs.read_job(db, caller, job_id)
        if job.status in statuses:
            return job
        await asyncio.sleep(0.05)
    raise AssertionError(f"still {job.status}: {job}")


async def test_a_job_is_done_and_says_what_came_of_it(service, db, org):
    async def greet(caller, subject):
        assert caller.org_id == org.id
        assert caller.actor.type == "job"
        return Outcome(result={"said": f"hello {subject}"}, tokens=3)

    async with working(service, db, {"greet": greet}):
        job_id = await ask(db, org.caller(), subject="ana")
        job = await until(db, org.caller(), job_id, "succeeded")
    assert (job.result, job.tokens, job.attempts) == ({"said": "hello ana"}, 3, 1)
    assert job.finished_at is not None


async def test_a_job_goes_with_the_transaction_that_asks_for_it(db, org):
    with pytest.raises(LookupError):
        async with db.begin(org.caller()) as tx:
            job_id = await jobs.enqueue(tx, "greet", "x", queue=QUEUE)
            raise LookupError
    with pytest.raises(NotFound):
        await jobs.read_job(db, org.caller(), job_id)


async def test_a_job_asked_for_once_is_queued_once(db, org):
    made = await asyncio.gather(*(ask(db, org.caller(), once="rev-1") for _ in range(8)))
    assert sum(job_id is not None for job_id in made) == 1


async def test_a_failing_job_is_tried_again_and_keeps_its_reason(service, db, org):
    calls = 0

    async def flaky(caller, subject):
        nonlocal calls
        calls += 1
        if calls == 1:
            raise ValueError("content that must not be shown")
        return Outcome()

    async with working(service, db, {"flaky": flaky}):
        job_id = await ask(db, org.caller(), "flaky")
        job = await until(db, org.caller(), job_id, "succeeded")
    assert job.attempts == 2


async def test_a_job_that_nobody_can_do_fails_and_can_be_asked_for_again(service, db, org):
    async with working(service, db, {}):
        job_id = await ask(db, org.caller(), "unheard-of")
        job = await until(db, org.caller(), job_id, "failed")
        assert job.error

    async def done(caller, subject):
        return Outcome()

    async with working(service, db, {"unheard-of": done}):
        await jobs.retry_job(db, org.caller(), job_id)
        assert (await until(db, org.caller(), job_id, "succeeded")).error is None


async def test_the_backlog_is_what_is_due_and_not_begun(service, db, org, monkeypatch):
    own = f"{QUEUE}-backlog"
    monkeypatch.setattr("tests.kernel.test_jobs.QUEUE", own)
    assert await jobs.read_backlog(db, own) == jobs.Backlog(0, 0)
    await ask(db, org.caller(), not_before=clock.now() + timedelta(hours=1))
    assert (await jobs.read_backlog(db, own)).waiting == 0
    await ask(db, org.caller(), not_before=clock.now() - timedelta(hours=1))
    last = await ask(db, org.caller())
    found = await jobs.read_backlog(db, own)
    assert found.waiting == 2
    assert found.oldest_s == pytest.approx(3600, abs=600)

    async def greet(caller, subject):
        return Outcome()

    async with working(service, db, {"greet": greet}):
        await until(db, org.caller(), last, "succeeded")
        while (await jobs.read_backlog(db, own)).waiting:
            await asyncio.sleep(0.05)


async def test_a_cancelled_job_is_not_done(service, db, org):
    ran = asyncio.Event()

    async def run(caller, subject):
        ran.set()
        return Outcome()

    job_id = await ask(db, org.caller(), "run")
    assert (await jobs.cancel_job(db, org.caller(), job_id)).status == "cancelled"
    with pytest.raises(Conflict) as refused:
        await jobs.cancel_job(db, org.caller(), job_id)
    assert refused.value.current.status == "cancelled"
    async with working(service, db, {"run": run}):
        marker = await ask(db, org.caller(), "run")
        await until(db, org.caller(), marker, "succeeded")
    assert (await jobs.read_job(db, org.caller(), job_id)).status == "cancelled"


async def test_jobs_are_their_orgs_and_their_users(db, make_org):
    one, other = await make_org(), await make_org()
    job_id = await ask(db, one.caller("ana"))
    with pytest.raises(NotFound):
        await jobs.read_job(db, other.caller(), job_id)
    client = one.client(await one.mint("user", user_id="bob"))
    assert (await client.get(f"/jobs/{job_id}")).status_code == 404
    assert (await client.get("/jobs")).json()["data"] == []
    hers = one.client(await one.mint("user", user_id="ana"))
    assert (await hers.get(f"/jobs/{job_id}")).json()["status"] == "queued"
    # A service key acts for one user, the owner where it names none.
    for user, seen in (("ana", [job_id]), ("bob", []), ("owner", [])):
        page = await jobs.list_jobs(db, one.caller(user), Cursor(), status="queued")
        assert [job.id for job in page.data] == seen
        answer = await one.client(Holdfast_User=user).get(f"/jobs/{job_id}")
        assert answer.status_code == (200 if seen else 404)


async def test_a_job_of_no_user_is_its_agents(db, org):
    job_id = await ask(db, org.caller(None, agent_id="bot"))
    assert (await jobs.read_job(db, org.caller("ana", agent_id="bot"), job_id)).id == job_id
    with pytest.raises(NotFound):
        await jobs.read_job(db, org.caller("ana", agent_id="other"), job_id)
    with pytest.raises(NotFound):
        await jobs.cancel_job(db, org.caller("ana"), job_id)


async def test_a_job_acts_as_whoever_asked_for_it_and_where(service, db, org):
    seen = []

    async def look(caller, subject):
        seen.append((caller.user_id, caller.agent_id, caller.workspace_id))
        return Outcome()

    async with working(service, db, {"look": look}):
        caller = org.caller("ana", agent_id="bot", workspace_id="lab")
        await until(db, caller, await ask(db, caller, "look"), "succeeded")
    assert seen == [("ana", "bot", "lab")]


async def test_the_queue_holds_ids_only(db, org, owner_connection):
    await ask(db, org.caller(), subject="memory_123")
    args = owner_connection.execute(
        "SELECT args FROM procrastinate_jobs WHERE args->>'org_id' = %s", [org.id]
    ).fetchone()
    assert set(args[0]) == {"org_id", "job_id"}


async def test_a_job_shows_before_when_it_is_not_started(service, db, org, api):
    later = clock.now() + timedelta(hours=1)
    job_id = await ask(db, org.caller(), not_before=later)
    assert (await jobs.read_job(db, org.caller(), job_id)).not_before == later
    shown = (await api.get(f"/jobs/{job_id}")).json()
    assert datetime.fromisoformat(shown["not_before"]) == later

    async def broken(caller, subject):
        raise ValueError

    async with working(service, db, {"broken": broken}):
        job_id = await ask(db, org.caller(), "broken")
        assert (await jobs.read_job(db, org.caller(), job_id)).not_before is None
        for _ in range(3_000):
            job = await jobs.read_job(db, org.caller(), job_id)
            if job.error is not None:
                break
            await asyncio.sleep(0.02)
    assert job.not_before is not None
    assert job.not_before > job.started_at


LOSE = "DELETE FROM procrastinate_jobs WHERE args->>'job_id' = %s"


@pytest.mark.parametrize("status", ["queued", "running"])
async def test_a_job_without_an_entry_of_the_queue_is_requeued(
    service, db, org, owner_connection, status
):
    """Its worker was stopped before it was done, or died between the job and the queue."""
    job_id = await ask(db, org.caller(), "lost")
    owner_connection.execute(LOSE, [job_id])
    owner_connection.execute("SELECT set_config('holdfast.org', %s, false)", [org.id])
    owner_connection.execute("UPDATE jobs SET status = %s WHERE id = %s", [status, job_id])
    stuck = owner_connection.execute(
        "SELECT reason FROM stuck_jobs(now(), now()) WHERE job_id = %s", [job_id]
    ).fetchall()
    assert stuck == [("no_entry",)]

    async def lost(caller, subject):
        return Outcome()

    async with working(service, db, {"lost": lost}), working(service, db, {"lost": lost}):
        job = await until(db, org.caller(), job_id, "succeeded")
    assert job.attempts == 1


async def test_jobs_that_something_will_move_on_are_left_alone(db, org, owner_connection):
    at_once, later = await ask(db, org.caller()), await ask(db, org.caller(), not_before=_TOMORROW)
    over = await ask(db, org.caller())
    await jobs.cancel_job(db, org.caller(), over)
    running = await ask(db, org.caller())
    owner_connection.execute(
        "WITH alive AS (INSERT INTO procrastinate_workers (last_heartbeat) VALUES (now()) RETURNING id)"
        " UPDATE procrastinate_jobs SET status = 'doing', worker_id = alive.id FROM alive"
        " WHERE args->>'job_id' = %s",
        [running],
    )

    def stuck(overdue_s):
        rows = owner_connection.execute(
            "SELECT job_id, reason FROM stuck_jobs(now() - interval '30 s', now() - %s * interval '1 s')"
            " WHERE org_id = %s",
            [overdue_s, org.id],
        ).fetchall()
        return dict(rows)

    assert stuck(60) == {}
    assert stuck(-60) == {at_once: "overdue"}
    assert await db.prove(int, jobs.queries.reconcile, "", queue=QUEUE) == [0]
    assert later not in stuck(-60)


_TOMORROW = datetime.now(UTC) + timedelta(days=1)


class Cut:
    """A way to the database that can be cut."""

    def __init__(self):
        self.open = True
        self.streams = []

    def make(self, server):
        async def take(reader, writer):
            if not self.open:
                writer.close()
                return
            from_server, to_server = await asyncio.open_unix_connection(str(server))
            self.streams += [writer, to_server]
            await asyncio.gather(_pass_on(reader, to_server), _pass_on(from_server, writer))

        return take

    def cut(self):
        """End every connection and refuse new ones."""
        self.open = False
        for stream in self.streams:
            stream.close()


async def _pass_on(reader, writer):
    with suppress(OSError):
        while data := await reader.read(65_536):
            writer.write(data)
    writer.close()


async def test_a_worker_outlives_its_database_and_loses_no_job(service, db, org, monkeypatch):
    """The database goes away while one job runs and another is asked for; all are done once it is back."""
    monkeypatch.setattr(job_worker, "HEARTBEAT_EVERY_S", 0.2)
    began, go_on, way = asyncio.Event(), asyncio.Event(), Cut()

    async def work(caller, subject):
        began.set()
        await go_on.wait()
        return Outcome()

    async with behind(service.app_url, way.make) as url:
        worker_db = Database(url, min_size=1, max_size=4)
        await worker_db.open()
        async with working(replace(service, app_url=url), worker_db, {"work": work}):
            first = await ask(db, org.caller(), "work")
            await began.wait()
            way.cut()
            second = await ask(db, org.caller(), "work")
            go_on.set()
            await stays_running_while_the_database_is_away(db, org, first)
            way.open = True
            third = await ask(db, org.caller(), "work")
            for job_id in (first, second, third):
                await until(db, org.caller(), job_id, "succeeded")
        await worker_db.close()


async def stays_running_while_the_database_is_away(db, org, job_id):
    """Long enough for the queue's library to give up: its heartbeat fails, and the outcome cannot be written."""
    await asyncio.sleep(3)
    assert (await jobs.read_job(db, org.caller(), job_id)).status == "running"


async def test_what_a_dead_worker_left_is_taken_up(service, db, org, owner_connection):
    """The queue's entry of a worker that died mid-job: taken, never finished, its worker no longer heard of."""
    job_id = await ask(db, org.caller(), "slow")
    owner_connection.execute(
        "WITH gone AS (INSERT INTO procrastinate_workers (last_heartbeat)"
        " VALUES (now() - interval '1 hour') RETURNING id)"
        " UPDATE procrastinate_jobs SET status = 'doing', worker_id = gone.id FROM gone"
        " WHERE args->>'job_id' = %s",
        [job_id],
    )

    async def slow(caller, subject):
        return Outcome()

    async with working(service, db, {"slow": slow}):
        job = await until(db, org.caller(), job_id, "succeeded")
    assert job.attempts == 1
