"""When a session is learned from: after a rest, after many messages, before a flush, or when somebody asks."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from holdfast.conversations.model import Instance
from holdfast.kernel import clock, given, jobs
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import NotFound
from holdfast.kernel.sql import load

queries = load(__file__)

JOB = "settle"
SETTLE_AFTER_MESSAGES = 40
"""After so many messages that were not learned from, a session settles without a rest."""


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session as settling needs it."""

    id: str
    user_id: str | None
    agent_id: str | None
    workspace_id: str
    last_activity_at: datetime
    learned_until: datetime | None
    settle_job: str | None
    project_id: str | None

    def acting(self, caller: Caller) -> Caller:
        """The caller, acting for the session's user with its agent, from its project."""
        return replace(
            caller,
            user_id=self.user_id,
            agent_id=self.agent_id,
            project_id=self.project_id,
            workspace_id=self.workspace_id,
            session_id=self.id,
        )


@dataclass(frozen=True, slots=True)
class _LastJob:
    job_id: str | None
    status: str | None


@dataclass(frozen=True, slots=True)
class _Rested:
    org_id: str
    session_id: str
    user_id: str | None
    agent_id: str | None
    workspace_id: str


async def read_session(db: Database, caller: Caller, session_id: str) -> SessionRow:
    """A session that the caller has seen, or that a job names."""
    found = await db.one(caller, SessionRow, queries.session_to_settle, session_id=session_id)
    if found is None:
        raise NotFound(f"there is no session {session_id!r}")
    return found


async def request_settling(tx: Tx, session_id: str) -> tuple[str, str]:
    """The job that settles a session, and its status: the one on its way, else a new one."""
    last = await tx.one(_LastJob, queries.hold_session, session_id=session_id)
    if last is None:
        raise NotFound(f"there is no session {session_id!r}")
    if last.job_id is not None and last.status in ("queued", "running"):
        return last.job_id, last.status
    job_id = await jobs.enqueue(tx, JOB, session_id)
    if job_id is None:
        raise RuntimeError("the job was not made")
    await tx.run(queries.set_settle_job, session_id=session_id, job_id=job_id)
    return job_id, "queued"


@dataclass(frozen=True, slots=True)
class SessionEvents:
    """What conversations report, and what becomes of it."""

    db: Database

    async def appended(
        self, caller: Caller, session_id: str, instance: Instance, number: int
    ) -> None:
        """Messages of a session were appended: settle it where many were not learned from."""
        async with self.db.begin(caller) as tx:
            unlearned = await tx.one(
                int,
                queries.note_appended,
                session_id=session_id,
                resource_id=instance.resource_id,
                key=instance.key,
                number=number,
            )
            if (unlearned or 0) >= SETTLE_AFTER_MESSAGES:
                await request_settling(tx, session_id)

    async def before_removal(self, caller: Caller, instance: Instance) -> None:
        """Messages are about to leave an instance: settle its sessions. Flushed messages can still be learned from."""
        async with self.db.begin(caller) as tx:
            for session in await tx.all(
                SessionRow,
                queries.sessions_with,
                resource_id=instance.resource_id,
                key=instance.key,
                user_id=instance.user_id,
            ):
                await request_settling(tx, session.id)


async def settle_rested(db: Database, settle_after: timedelta) -> int:
    """Ask for a job for each session, of every org, that has rested long enough and has none: how many."""
    found = await db.prove(_Rested, queries.rested, "", before=clock.now() - settle_after)
    for each in found:
        caller = Caller(
            each.org_id,
            "job",
            "settle_rested",
            each.workspace_id,
            user_id=each.user_id,
            agent_id=each.agent_id,
        )
        async with db.begin(caller) as tx:
            await request_settling(tx, each.session_id)
    return len(found)


async def sweep_given(db: Database) -> int:
    """Delete what sessions were given more than a week ago, in every org: in how many."""
    found = await db.prove(
        str, queries.orgs_with_given_texts, "", before=clock.now() - given.KEPT_FOR
    )
    for org_id in found:
        async with db.begin(Caller(org_id, "job", "given_sweep", "default")) as tx:
            await given.sweep(tx)
    return len(found)
