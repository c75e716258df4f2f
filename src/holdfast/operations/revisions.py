"""Who changed what: the revisions of every face, without their contents."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from holdfast.kernel import sight
from holdfast.kernel.caller import Actor, Caller
from holdfast.kernel.clock import Instant
from holdfast.kernel.db import Database
from holdfast.kernel.ids import ids_between
from holdfast.kernel.pages import Cursor, Page, read_page
from holdfast.kernel.revisions import WhatChanged
from holdfast.kernel.sql import load

queries = load(__file__, "revisions.sql")


@dataclass(frozen=True, slots=True)
class ChangeRow(WhatChanged):
    """One change, for the console."""

    job_id: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class RecordedChange:
    """One change of one object: who made it, for which user, in which job."""

    id: str
    kind: str
    object_id: str
    version: int
    action: str
    actor: Actor
    user_id: str | None
    job_id: str | None
    created_at: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which changes are wanted; None asks for nothing."""

    kind: str | None = None
    object_id: str | None = None
    actor: str | None = None
    user_id: str | None = None
    job_id: str | None = None
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class WritesBucket:
    """The changes of one span of time in the org."""

    at: datetime
    writes: int
    evictions: int
    by_jobs: int


async def list_changes(
    db: Database, caller: Caller, cursor: Cursor, wanted: Wanted
) -> Page[RecordedChange]:
    """Changes of what the caller sees, newest first."""
    page = await list_rows(db, caller, cursor, wanted)
    changes = [_change(row) for row in page.data]
    return Page(changes, page.first_id, page.last_id, page.has_more)


async def list_rows(
    db: Database, caller: Caller, cursor: Cursor, wanted: Wanted
) -> Page[ChangeRow]:
    """The same, with the names of what was changed."""
    async with db.read(caller) as tx:
        return await read_page(
            tx,
            ChangeRow,
            queries.list_revisions,
            cursor,
            kind=wanted.kind,
            object_id=wanted.object_id,
            actor=wanted.actor,
            user_id=wanted.user_id,
            job_id=wanted.job_id,
            since=wanted.since,
            administers=caller.administers,
            names_agents=caller.credential != "agent",
            **sight.params(caller),
        )


async def count_writes(
    db: Database, caller: Caller, since: datetime, bucket: timedelta
) -> list[WritesBucket]:
    """How many changes there were in the org in each span since an instant; spans without any are left out."""
    since_id = ids_between("memver", since, None)[0]
    return await db.all(
        caller, WritesBucket, queries.count_writes, since_id=since_id, bucket=bucket
    )


def _change(row: ChangeRow) -> RecordedChange:
    return RecordedChange(
        id=row.id,
        kind=row.kind,
        object_id=row.object_id,
        version=row.version,
        action=row.action,
        actor=row.actor,
        user_id=row.user_id,
        job_id=row.job_id,
        created_at=row.created_at,
    )
