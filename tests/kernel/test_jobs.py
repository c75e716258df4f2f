"""Jobs: asked for with a change, done by any worker, visible to their org."""

import asyncio
import os
from contextlib import asynccontextmanager, suppress

import pytest

from holdfast.kernel import jobs
from holdfast.kernel.errors import Conflict, NotFound
from holdfast.kernel.jobs import Outcome, Worker
from holdfast.kernel.pages import Cursor

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
    for _ in range(400):
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
    page = await jobs.list_jobs(db, one.caller(), Cursor(), status="queued")
    assert [job.id for job in page.data] == [job_id]


async def test_the_queue_holds_ids_only(db, org, owner_connection):
    await ask(db, org.caller(), subject="memory_123")
    args = owner_connection.execute(
        "SELECT args FROM procrastinate_jobs WHERE args->>'org_id' = %s", [org.id]
    ).fetchone()
    assert set(args[0]) == {"org_id", "job_id"}


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
