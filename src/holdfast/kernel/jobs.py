"""Work for later, on a Postgres-backed queue (procrastinate). job_worker.py does it.

A job is a row of `jobs`, and an entry of the queue that holds the org and the job's id and nothing else. Both are written
in the transaction that asks for the work, so neither is without the other; where an entry is lost all the same, the
workers' reconcile pass makes another. A job belongs to the user that asked for it, else to the agent.

A worker that dies leaves its entry behind, and another takes it up. A handler may therefore run twice and must come to
the same end: `once` at the asking, compare-and-set in the doing.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from psycopg.types.json import Jsonb

from holdfast.kernel import sight
from holdfast.kernel.caller import Caller
from holdfast.kernel.clock import Instant
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import Conflict, NotFound, PreconditionFailed
from holdfast.kernel.ids import new_id
from holdfast.kernel.pages import Cursor, Page, read_page
from holdfast.kernel.sql import load

queries = load(__file__, "jobs.sql")

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
    extractor: str | None  # of a job that learns: rules or llm, once it is done
    version: int
    created_at: Instant
    updated_at: Instant
    started_at: Instant | None
    finished_at: Instant | None
    not_before: Instant | None
    type: Literal["job"] = "job"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a handler has to say when it is done."""

    result: dict[str, Any] | None = None
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Backlog:
    """Jobs of all orgs that are due and that no worker has begun: how many, and for how long the oldest is due."""

    waiting: float
    oldest_s: float


Handler = Callable[[Caller, str], Awaitable[Outcome]]
"""Does a job: the caller it acts as (whoever asked for it), and the job's subject."""


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
        agent_id=caller.agent_id if caller else None,
        workspace_id=caller.workspace_id if caller else "default",
        not_before=not_before,
        queue=queue,
    )


async def add_progress(tx: Tx, job_id: str, *, tokens: int, messages: int) -> None:
    """Record what a running job took and read, in the transaction of what came of it."""
    await tx.run(queries.add_progress, id=job_id, tokens=tokens, messages=messages)


async def succeed(tx: Tx, job_id: str, result: dict[str, Any]) -> None:
    """End a running job in the transaction of its last change, so that it is not run again after a crash."""
    await tx.run(queries.succeed, id=job_id, tokens=0, result=Jsonb(result))


async def note_progress(db: Database, caller: Caller, progress: dict[str, Any]) -> None:
    """Say how far a running job is: `result.progress`, until the job ends. Does nothing for a caller that is no job."""
    if caller.credential == "job":
        async with db.begin(caller) as tx:
            await tx.run(queries.note_progress, id=caller.credential_id, progress=Jsonb(progress))


async def read_job(db: Database, caller: Caller, job_id: str) -> Job:
    """One job of the user that the caller acts for, or of nobody in particular."""
    job = await db.one(caller, Job, queries.read_job, id=job_id, **sight.params_of_key(caller))
    if job is None:
        raise NotFound(f"there is no job {job_id!r}")
    return job


async def list_jobs(
    db: Database,
    caller: Caller,
    cursor: Cursor,
    *,
    status: JobStatus | None = None,
    kind: str | None = None,
) -> Page[Job]:
    """Jobs that the caller sees, newest first."""
    async with db.read(caller) as tx:
        return await read_page(
            tx,
            Job,
            queries.list_jobs,
            cursor,
            status=status,
            kind=kind,
            **sight.params_of_key(caller),
        )


async def cancel_job(
    db: Database, caller: Caller, job_id: str, *, if_match: list[int] | None = None
) -> Job:
    """Take back a job that has not begun."""
    refusal = "only a queued job can be cancelled"
    return await _move(db, caller, job_id, queries.cancel, refusal, if_match)


async def retry_job(
    db: Database, caller: Caller, job_id: str, *, if_match: list[int] | None = None
) -> Job:
    """Ask again for a job that failed or was cancelled."""
    refusal = "only a failed or cancelled job can be tried again"
    return await _move(db, caller, job_id, queries.retry, refusal, if_match)


async def _move(
    db: Database, caller: Caller, job_id: str, query: Any, refusal: str, if_match: list[int] | None
) -> Job:
    seen = sight.params_of_key(caller)
    async with db.begin(caller) as tx:
        moved = await tx.one(Job, query, id=job_id, if_match=if_match, **seen)
        if moved is None:
            current = await tx.one(Job, queries.read_job, id=job_id, **seen)
            if current is None:
                raise NotFound(f"there is no job {job_id!r}")
            if if_match is not None and current.version not in if_match:
                raise PreconditionFailed("the job changed since that ETag")
            raise Conflict(f"{refusal}; this one is {current.status}", current=current)
    return moved


async def read_backlog(db: Database, queue: str = QUEUE) -> Backlog:
    """What the workers of a queue are behind with."""
    [found] = await db.prove(Backlog, queries.read_backlog, "", queue=queue)
    return found
