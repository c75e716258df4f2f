"""How much each org uses the service: calls are counted in the process, and added to the database every few seconds.

A call costs a few additions; nothing is written for it. A process that is killed loses what it counted since it wrote last.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime, timedelta
from time import perf_counter

import psycopg
import structlog
from psycopg.types.json import Jsonb

from holdfast.kernel import clock
from holdfast.kernel.caller import Caller, operator
from holdfast.kernel.clock import Instant
from holdfast.kernel.db import Database
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.sql import load

queries = load(__file__, "usage.sql")
log = structlog.get_logger("holdfast.usage")

WRITE_EVERY_S = 10.0
WRITE_WITHIN_S = 3.0
# The faces of operations, by the first part of their ids; what is not here counts as itself.
FACES = {"nodes": "memories", "insights": "memories", "sessions": "conversations"}


@dataclass(slots=True)
class Tally:
    """What one call did, or many together."""

    calls: int = 0
    writes: int = 0
    recalls: int = 0
    hits: int = 0
    tokens: int = 0
    evictions: int = 0
    seconds: float = 0.0

    def add(self, other: "Tally") -> None:
        """Add another one to this."""
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))


@dataclass(frozen=True, slots=True)
class UsageBucket:
    """What one face was used for in one span of time. `hit_rate` is null without a recall, `latency_ms` without a call."""

    at: Instant
    face: str
    writes: int
    recalls: int
    hit_rate: float | None
    tokens: int
    evictions: int
    latency_ms: float | None


_current: ContextVar[Tally | None] = ContextVar("usage", default=None)


def current() -> Tally:
    """The tally of the call that this task answers; outside of one, a tally that nobody reads."""
    return _current.get() or Tally()


@dataclass(slots=True)
class Usage:
    """What this process counted and has not written yet, by org, minute and face."""

    _pending: dict[tuple[str, datetime, str], Tally] = field(default_factory=dict)

    @contextmanager
    def call(self, org_id: str, operation_id: str, *, is_write: bool) -> Iterator[Tally]:
        """Count a call; one that raises is no write."""
        tally = Tally(calls=1)
        token = _current.set(tally)
        started = perf_counter()
        try:
            yield tally
            tally.writes = int(is_write)
        finally:
            _current.reset(token)
            tally.seconds = perf_counter() - started
            face = operation_id.partition(".")[0]
            minute = clock.now().replace(second=0, microsecond=0)
            name = (org_id, minute, FACES.get(face, face))
            self._pending.setdefault(name, Tally()).add(tally)

    async def write(self, db: Database, org_id: str | None = None) -> None:
        """Add what was counted to the database, of one org or of all. What cannot be written is kept."""
        wanted = {name for name in self._pending if org_id in (None, name[0])}
        for org in sorted({name[0] for name in wanted}):
            taken = {name: self._pending.pop(name) for name in sorted(wanted) if name[0] == org}
            rows = [
                {"at": at.isoformat(), "face": face, **asdict(tally)}
                for (_, at, face), tally in taken.items()
            ]
            try:
                async with db.begin(operator(org)) as tx:
                    await tx.run(queries.add, rows=Jsonb(rows))
            except BaseException:
                for name, tally in taken.items():
                    self._pending.setdefault(name, Tally()).add(tally)
                raise

    @asynccontextmanager
    async def written(self, db: Database) -> AsyncIterator[None]:
        """Write every few seconds within this block, and once more at its end."""
        stop = asyncio.Event()
        writing = asyncio.create_task(self._write_until(stop, db))
        try:
            yield
        finally:
            stop.set()
            await writing

    async def _write_until(self, stop: asyncio.Event, db: Database) -> None:
        is_last = False
        while not is_last:
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), WRITE_EVERY_S)
            # Looked at before the write: what is counted while one runs is written by the next.
            is_last = stop.is_set()
            try:
                async with asyncio.timeout(WRITE_WITHIN_S):
                    await self.write(db)
            except (HoldfastError, psycopg.Error, TimeoutError) as error:
                log.warning("usage cannot be written now", error=type(error).__name__)


async def read(
    db: Database, caller: Caller, since: datetime, until: datetime, bucket: timedelta
) -> list[UsageBucket]:
    """The numbers of the caller's org, those of this process up to now."""
    await db.services.get(Usage).write(db, caller.org_id)
    return await db.all(caller, UsageBucket, queries.read, since=since, until=until, bucket=bucket)


async def read_latencies(
    db: Database, caller: Caller, since: datetime, until: datetime, bucket: timedelta
) -> dict[datetime, float]:
    """The mean latency of the org's calls in each span of time that has any, in milliseconds."""
    rows = await db.all(
        caller, dict, queries.read_latencies, since=since, until=until, bucket=bucket
    )
    return {row["at"]: row["latency_ms"] for row in rows}
