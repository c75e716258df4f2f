"""Who changed what: a page of revisions, and how many there were each day."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from holdfast.kernel import sight
from holdfast.kernel.caller import Actor, ActorType, Caller
from holdfast.kernel.clock import Instant
from holdfast.kernel.db import Database
from holdfast.kernel.ids import ids_between
from holdfast.kernel.pages import Cursor, Page, read_page
from holdfast.kernel.sql import load

queries = load(__file__)


@dataclass(frozen=True, slots=True)
class RevisionRow:
    """A revision as the database has it, without content."""

    id: str
    kind: str
    object_id: str
    parent_id: str | None
    label: str | None
    version: int
    action: str
    actor_type: ActorType
    actor_id: str
    user_id: str | None
    job_id: str | None
    created_at: Instant
    type: Literal["revision"] = "revision"

    @property
    def actor(self) -> Actor:
        """Who made the change."""
        return Actor(self.actor_type, self.actor_id)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which revisions; None asks for nothing."""

    kind: str | None = None
    object_id: str | None = None
    actor: str | None = None
    user_id: str | None = None
    job_id: str | None = None
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class Day:
    """The changes of one day in the org."""

    day: datetime
    writes: int
    evictions: int
    learned: int


async def list_revisions(
    db: Database, caller: Caller, cursor: Cursor, wanted: Wanted
) -> Page[RevisionRow]:
    """Changes of what the caller sees, and those made for the user it acts for, newest first."""
    async with db.read(caller) as tx:
        return await read_page(
            tx,
            RevisionRow,
            queries.list_revisions,
            cursor,
            kind=wanted.kind,
            object_id=wanted.object_id,
            actor=wanted.actor,
            user_id=wanted.user_id,
            job_id=wanted.job_id,
            since_id=ids_between("memver", wanted.since, None)[0],
            administers=caller.administers,
            **sight.params(caller),
        )


async def count_writes(db: Database, caller: Caller, since: datetime) -> list[Day]:
    """How many changes there were in the org on each day since an instant; days without any are left out."""
    since_id = ids_between("memver", since, None)[0]
    return await db.all(caller, Day, queries.count_writes, since_id=since_id)
