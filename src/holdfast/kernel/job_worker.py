"""Does jobs. Any number of workers may run, in any number of processes.

A worker outlives its database: it reconnects for as long as it is not stopped, and a job whose claim or outcome cannot be
written is held until it can. Every RECONCILE_EVERY_S, and when it starts, it requeues what others lost: entries of workers
that show no sign of life, and jobs without an entry.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

import procrastinate
import structlog
from procrastinate.exceptions import ProcrastinateException
from psycopg import Error as PostgresError
from psycopg.types.json import Jsonb
from psycopg_pool import PoolClosed, PoolTimeout

from holdfast.kernel import metrics, tracing
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.errors import BackendUnavailable, HoldfastError, NotFound
from holdfast.kernel.jobs import QUEUE, Handler, queries
from holdfast.kernel.pool import Pool

log = structlog.get_logger("holdfast.jobs")

T = TypeVar("T")

MAX_ATTEMPTS = 5
WORKER_IS_GONE_AFTER_S = 30.0
RECONCILE_EVERY_S = 15.0
RECONNECT_AFTER_S = 1.0
HEARTBEAT_EVERY_S = 10.0
FINISH_WITHIN_S = 20

# What the queue's library raises when the database is away.
LOST = (ProcrastinateException, PostgresError, PoolTimeout, PoolClosed, BackendUnavailable, OSError)


@dataclass(frozen=True, slots=True)
class _Claimed:
    id: str
    kind: str
    subject: str
    attempts: int
    user_id: str | None
    agent_id: str | None
    workspace_id: str


class Worker:
    """Runs jobs of one queue until it is cancelled."""

    def __init__(
        self, url: str, db: Database, handlers: Mapping[str, Handler], *, queue: str = QUEUE
    ) -> None:
        self._url = url
        self._name = queue
        self._db = db
        self._handlers = handlers

    async def run(self, *, concurrency: int = 4) -> None:
        """Work until cancelled; what has begun is finished first."""
        while True:
            try:
                await self._work(concurrency)
                log.warning("the worker lost the queue")
            except LOST as error:
                log.warning("the worker lost the database", error=type(error).__name__)
            await asyncio.sleep(RECONNECT_AFTER_S)

    async def _work(self, concurrency: int) -> None:
        """Work until cancelled, or until the queue's library has had enough: it ends when its heartbeat fails."""
        queue = procrastinate.App(
            connector=procrastinate.PsycopgConnector(
                pool_factory=_pool,
                url=self._url,
                kwargs={"application_name": "holdfast worker", **self._db.session_options},
                min_size=1,
                max_size=4,
            )
        )
        queue.task(name="job", pass_context=False)(self._run)
        async with queue.open_async():
            reconciling = asyncio.create_task(self._reconcile_forever(queue))
            try:
                await queue.run_worker_async(
                    queues=[self._name],
                    concurrency=concurrency,
                    install_signal_handlers=False,
                    shutdown_graceful_timeout=FINISH_WITHIN_S,
                    update_heartbeat_interval=HEARTBEAT_EVERY_S,
                    delete_jobs="always",
                    # A pooler passes no notifications on: the queue is asked instead.
                    listen_notify=not self._db.pooled,
                    fetch_job_polling_interval=1.0 if self._db.pooled else 5.0,
                )
            finally:
                reconciling.cancel()

    # --- one job -----------------------------------------------------------------------------------------------------

    async def _run(self, org_id: str, job_id: str) -> None:
        """An entry of the queue. It ends only when the job's row says how the job ended: the library deletes the entry
        then, whatever happened."""
        found = await _insist(lambda: self._claim(org_id, job_id))
        if found is None:
            return  # cancelled, or finished by another worker
        caller, claimed = found
        try:
            with tracing.span(f"job {claimed.kind}", holdfast__job__id=job_id):
                outcome = await self._handlers[claimed.kind](caller, claimed.subject)
        except Exception as error:  # whatever it is, the job says so
            await self._failed(caller, claimed, error)
            return
        await self._write(
            caller,
            queries.succeed,
            id=job_id,
            tokens=outcome.tokens,
            result=None if outcome.result is None else Jsonb(outcome.result),
        )
        metrics.jobs_finished.labels(claimed.kind, "succeeded").inc()

    async def _claim(self, org_id: str, job_id: str) -> tuple[Caller, _Claimed] | None:
        """The job, and the caller that it acts as."""
        async with self._db.begin(_as_job(org_id, job_id)) as tx:
            claimed = await tx.one(_Claimed, queries.claim, id=job_id)
        if claimed is None:
            return None
        names = {"user_id": claimed.user_id, "agent_id": claimed.agent_id}
        return _as_job(org_id, job_id, workspace_id=claimed.workspace_id, **names), claimed

    async def _failed(self, caller: Caller, job: _Claimed, error: Exception) -> None:
        """Try again later, each time after a longer while; give up with the reason in sight."""
        reason = error.detail if isinstance(error, HoldfastError) else type(error).__name__
        gives_up = job.attempts >= MAX_ATTEMPTS or isinstance(error, KeyError | NotFound)
        await self._write(
            caller,
            queries.give_up if gives_up else queries.try_again,
            id=job.id,
            error=reason,
            delay=timedelta(seconds=2**job.attempts),
        )
        outcome = "failed" if gives_up else "retried"
        metrics.jobs_finished.labels(job.kind, outcome).inc()
        log.warning("job", kind=job.kind, job=job.id, outcome=outcome, error=type(error).__name__)

    async def _write(self, caller: Caller, query: Any, **params: Any) -> None:
        async def write() -> None:
            async with self._db.begin(caller) as tx:
                await tx.run(query, **params)

        await _insist(write)

    # --- what others lost --------------------------------------------------------------------------------------------

    async def _reconcile_forever(self, queue: procrastinate.App) -> None:
        while True:
            try:
                await self._reconcile(queue)
            except LOST as error:
                log.warning("jobs cannot be reconciled now", error=type(error).__name__)
            await asyncio.sleep(RECONCILE_EVERY_S)

    async def _reconcile(self, queue: procrastinate.App) -> None:
        """Requeue entries of dead workers and jobs without an entry."""
        manager = queue.job_manager
        stalled = [
            *await manager.get_stalled_jobs(
                queue=self._name, seconds_since_heartbeat=WORKER_IS_GONE_AFTER_S
            )
        ]
        for entry in stalled:
            await manager.retry_job(entry)
        [without_entry] = await self._db.prove(int, queries.reconcile, "", queue=self._name)
        for lost, number in (("worker", len(stalled)), ("entry", without_entry)):
            if number:
                metrics.jobs_requeued.labels(lost).inc(number)
                log.warning("jobs requeued", lost=lost, number=number)


def _pool(
    *, url: str, **options: Any
) -> Any:  # the library's type of a pool names another connection class
    """The library would check a connection by a query, and back off for seconds after one that is dead."""
    options.pop("check")
    options.pop("open")
    return Pool(url, **options)


def _as_job(org_id: str, job_id: str, *, workspace_id: str = "default", **names: Any) -> Caller:
    return Caller(org_id, "job", job_id, workspace_id=workspace_id, **names)


async def _insist(step: Callable[[], Awaitable[T]]) -> T:
    """Repeat a step until the database takes it. Each may be repeated after it was done and its answer was lost."""
    while True:
        try:
            return await step()
        except BackendUnavailable as error:
            log.warning("a job waits for the database", detail=error.detail)
            await asyncio.sleep(RECONNECT_AFTER_S)
