"""Work for later, on a Postgres-backed queue (procrastinate).

A job is a row of `jobs`, which its org sees, and an entry of the queue that holds the org and the job's id and nothing
else. Both are written in the transaction of whatever asked for the work, so neither is without the other. A worker
that dies leaves its entry behind; another takes it up. A handler may therefore run twice and must come to the same
end: `once` at the asking, compare-and-set in the doing.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

import procrastinate
import structlog
from psycopg.types.json import Jsonb

from holdfast.kernel import metrics
from holdfast.kernel.caller import Caller
from holdfast.kernel.clock import Instant
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import Conflict, HoldfastError, NotFound
from holdfast.kernel.ids import new_id
from holdfast.kernel.pages import Cursor, Page, read_page
from holdfast.kernel.sql import load

queries = load(__file__, "jobs.sql")
log = structlog.get_logger("holdfast.jobs")

MAX_ATTEMPTS = 5
WORKER_IS_GONE_AFTER_S = 30.0
QUEUE = "holdfast"

JobStatus = Literal["queued", "running", "succeeded", "failed", "cancelled"]


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of work: what kind, about what, and how it went."""

    id: str
    kind: str
    subject: str
    status: JobStatus
    attempts: int
    error: str | None
    tokens: int
    result: dict[str, Any] | None
    version: int
    created_at: Instant
    updated_at: Instant
    started_at: Instant | None
    finished_at: Instant | None
    type: Literal["job"] = "job"


@dataclass(frozen=True, slots=True)
class _Claimed:
    id: str
    kind: str
    subject: str
    attempts: int
    user_id: str | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a handler has to say when it is done."""

    result: dict[str, Any] | None = None
    tokens: int = 0


Handler = Callable[[Caller, str], Awaitable[Outcome]]
"""Does a job: the caller it acts as, and the job's subject."""


async def enqueue(
    tx: Tx,
    kind: str,
    subject: str,
    *,
    once: str | None = None,
    not_before: datetime | None = None,
    queue: str = QUEUE,
) -> str | None:
    """Ask for work with the transaction's change; its job id, or None where `once` was asked for before."""
    caller = tx.caller
    return await tx.one(
        str,
        queries.enqueue,
        id=new_id("job"),
        kind=kind,
        subject=subject,
        once=once,
        user_id=caller.user_id if caller else None,
        not_before=not_before,
        queue=queue,
    )


async def read_job(db: Database, caller: Caller, job_id: str) -> Job:
    """One job of the caller's org."""
    job = await db.one(caller, Job, queries.read_job, id=job_id, **_sight(caller))
    if job is None:
        raise NotFound(f"there is no job {job_id!r}")
    return job


async def list_jobs(
    db: Database, caller: Caller, cursor: Cursor, *, status: JobStatus | None = None
) -> Page[Job]:
    """Jobs of the caller's org, newest first."""
    async with db.read(caller) as tx:
        return await read_page(tx, Job, queries.list_jobs, cursor, status=status, **_sight(caller))


async def cancel_job(db: Database, caller: Caller, job_id: str) -> Job:
    """Take back a job that has not begun."""
    return await _move(db, caller, job_id, queries.cancel, "only a queued job can be cancelled")


async def retry_job(db: Database, caller: Caller, job_id: str) -> Job:
    """Ask again for a job that failed or was cancelled."""
    return await _move(
        db, caller, job_id, queries.retry, "only a failed or cancelled job can be tried again"
    )


async def _move(db: Database, caller: Caller, job_id: str, query: Any, refusal: str) -> Job:
    async with db.begin(caller) as tx:
        moved = await tx.one(Job, query, id=job_id, **_sight(caller))
        if moved is None:
            current = await tx.one(Job, queries.read_job, id=job_id, **_sight(caller))
            if current is None:
                raise NotFound(f"there is no job {job_id!r}")
            raise Conflict(f"{refusal}; this one is {current.status}", current=current)
    return moved


def _sight(caller: Caller) -> dict[str, Any]:
    """Whoever looks after the org sees every job; others their own user's."""
    return {"user_id": caller.user_id, "all_users": caller.administers}


class Worker:
    """Runs jobs until it is stopped. Any number may run, in any number of processes."""

    def __init__(
        self, url: str, db: Database, handlers: Mapping[str, Handler], *, queue: str = QUEUE
    ) -> None:
        self._name = queue
        self._db = db
        self._handlers = handlers
        self._queue = procrastinate.App(
            connector=procrastinate.PsycopgConnector(
                conninfo=url,
                kwargs={"application_name": "holdfast worker", **db.session_options},
                min_size=1,
                max_size=4,
            )
        )
        self._queue.task(name="job", pass_context=False)(self._run)

    async def run(self, *, concurrency: int = 4) -> None:
        """Work until cancelled; what has begun is finished first."""
        async with self._queue.open_async():
            watch = asyncio.create_task(self._take_up_what_dead_workers_left())
            try:
                await self._queue.run_worker_async(
                    queues=[self._name],
                    concurrency=concurrency,
                    install_signal_handlers=False,
                    shutdown_graceful_timeout=20,
                    delete_jobs="always",
                    # A pooler passes no notifications on: the queue is asked instead.
                    listen_notify=not self._db.pooled,
                    fetch_job_polling_interval=1.0 if self._db.pooled else 5.0,
                )
            finally:
                watch.cancel()

    async def _run(self, org_id: str, job_id: str) -> None:
        caller = Caller(
            org_id=org_id, credential="job", credential_id=job_id, workspace_id="default"
        )
        async with self._db.begin(caller) as tx:
            claimed = await tx.one(_Claimed, queries.claim, id=job_id)
        if claimed is None:
            return  # cancelled or finished meanwhile
        acting = Caller(
            org_id=org_id,
            credential="job",
            credential_id=job_id,
            workspace_id="default",
            user_id=claimed.user_id,
        )
        try:
            outcome = await self._handlers[claimed.kind](acting, claimed.subject)
        except Exception as error:  # whatever it is, the job says so
            await self._failed(acting, claimed, error)
            return
        async with self._db.begin(caller) as tx:
            await tx.run(
                queries.succeed,
                id=job_id,
                tokens=outcome.tokens,
                result=None if outcome.result is None else Jsonb(outcome.result),
            )
        metrics.jobs_finished.labels(claimed.kind, "succeeded").inc()

    async def _failed(self, caller: Caller, job: _Claimed, error: Exception) -> None:
        """Try again later, each time after a longer while; give up with the reason in sight."""
        reason = error.detail if isinstance(error, HoldfastError) else type(error).__name__
        gives_up = job.attempts >= MAX_ATTEMPTS or isinstance(error, KeyError | NotFound)
        async with self._db.begin(caller) as tx:
            await tx.run(
                queries.give_up if gives_up else queries.try_again,
                id=job.id,
                error=reason,
                not_before=tx.now + timedelta(seconds=2**job.attempts),
            )
        outcome = "failed" if gives_up else "retried"
        metrics.jobs_finished.labels(job.kind, outcome).inc()
        log.warning("job", kind=job.kind, job=job.id, outcome=outcome, error=type(error).__name__)

    async def _take_up_what_dead_workers_left(self) -> None:
        manager = self._queue.job_manager
        while True:
            for stalled in await manager.get_stalled_jobs(
                queue=self._name, seconds_since_heartbeat=WORKER_IS_GONE_AFTER_S
            ):
                await manager.retry_job(stalled)
            await asyncio.sleep(WORKER_IS_GONE_AFTER_S / 2)
