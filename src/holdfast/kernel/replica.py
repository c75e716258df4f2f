"""Reads from a streaming replica that miss no write which was acknowledged before they began.

A call that only reads runs inside `reading(db, call)`. Its first read asks the primary for its position in the write-ahead log:
every acknowledged commit of every process lies before it. The read then takes a connection to the replica, and waits a
short time until the replica has replayed that position. Where it has not, or cannot be reached, the whole call reads from
the primary, and so do all others until the watch (once a second) finds the replica fit again. A replica that fails in the
middle of a read raises `ReplicaLost`, and `reading` runs the call again on the primary. Decision 20 has the reasons.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

import psycopg
import structlog
from psycopg_pool import PoolClosed, PoolTimeout, TooManyRequests

from holdfast.kernel import metrics
from holdfast.kernel.connection import Connection
from holdfast.kernel.errors import BackendUnavailable
from holdfast.kernel.pool import Pool, answers
from holdfast.kernel.session import DatabaseUnfit, enter_service
from holdfast.kernel.sql import load
from holdfast.kernel.time_limit import TimeLimit

if TYPE_CHECKING:
    from holdfast.kernel.db import Database

queries = load(__file__, "replica.sql")
log = structlog.get_logger("holdfast.replica")

T = TypeVar("T")

# How long a read waits for the replica to replay the writer's position. Streaming usually takes a millisecond or a few.
REPLAY_WITHIN_S = 0.1
FIRST_PAUSE_S = 0.001
# The primary writes its log page by page, so its position may lie inside a record whose rest waits for the next commit: the
# replica cannot replay half a record. A read that has waited this long commits something small; one does it for all.
COMMIT_AFTER_S = 0.008
COMMIT_EVERY_S = 0.05
# How long a read waits for a connection to the replica. The primary would be slower than this only when it is overloaded.
CONNECT_WITHIN_S = 0.25
WATCH_EVERY_S = 1.0
WATCH_WITHIN_S = 3.0
CHECK_WITHIN_S = 1.0

NOT_WATCHED = "it is not watched by this process"


class ReplicaLost(Exception):
    """The replica failed in the middle of a read. Nothing was changed, and the primary can answer."""


@dataclass(slots=True)
class _Reading:
    """One call that may read from the replica, until it writes something or the replica is not fit."""

    allowed: bool = True
    position: str | None = None


_reading: ContextVar[_Reading | None] = ContextVar("reading", default=None)


async def reading(db: "Database", call: Callable[[], Awaitable[T]]) -> T:
    """Answer a call that changes nothing, from the replica where there is one that is fit. The call may run twice."""
    if db.replica is None or _reading.get() is not None:
        return await call()
    token = _reading.set(_Reading())
    try:
        return await call()
    except ReplicaLost:
        metrics.replica_reads.labels("lost").inc()
    finally:
        _reading.reset(token)
    return await call()


def stop_reading() -> None:
    """The call writes: from here on it reads from the primary, where it finds what it wrote."""
    current = _reading.get()
    if current is not None:
        current.allowed = False


class Replica:
    """The pool of connections to the replica, and whether it is fit to be read from."""

    def __init__(
        self,
        url: str,
        primary: "Database",
        *,
        max_size: int,
        statement_timeout_s: float | None = None,
    ) -> None:
        """Nothing is connected before `watched`. `statement_timeout_s` is as for the primary."""
        self.url = url
        self.trouble: str | None = NOT_WATCHED
        self._primary = primary
        self._statement_timeout_s = statement_timeout_s
        self._positions = _Latest(primary.position)
        self._committed_at = float("-inf")
        self._system: str | None = None
        self._refused: str | None = None
        self._pool = Pool(
            url,
            kwargs={
                "autocommit": True,
                "application_name": "holdfast replica",
                "prepare_threshold": 2,
            },
            min_size=1,
            max_size=max_size,
            max_waiting=1000,
            configure=self._configure,
        )

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        """Within this block the replica is connected and watched, and read from while it is fit."""
        await self._pool.open(wait=False)
        await self.look()
        watching = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching
            self.trouble = NOT_WATCHED
            await self._pool.close()

    async def check(self) -> None:
        """Raises BackendUnavailable where reads go to the primary, with the reason."""
        if self.trouble is not None:
            raise BackendUnavailable(f"not used, reads go to the primary: {self.trouble}")

    async def look(self) -> None:
        """Find out whether the replica is fit to be read from."""
        try:
            async with asyncio.timeout(WATCH_WITHIN_S):
                self._found(await self._trouble())
        except TimeoutError:
            self._found("it does not answer")
        except BackendUnavailable:
            return  # the primary is away: reads fail there, and what is known of the replica stays

    # --- one read ----------------------------------------------------------------------------------------------------

    async def check_out(self) -> Connection | None:
        """A connection to the replica, which has replayed every write that was acknowledged before this call began; None
        where the primary is to be asked."""
        current = _reading.get()
        if current is None or not current.allowed:
            return None
        outcome, connection = await self._find(current)
        metrics.replica_reads.labels(outcome).inc()
        if connection is None:  # the rest of the call too, so that it sees one state
            current.allowed = False
        return connection

    async def _find(self, current: _Reading) -> tuple[str, Connection | None]:
        """What came of it, as the metric has it, and the connection."""
        if self.trouble is not None:
            return "skipped", None
        if current.position is None:
            current.position = await self._positions.get()
        connection = await self._connect()
        if connection is None:
            return "unreachable", None
        try:
            behind = await self._bytes_behind(connection, current.position)
        except psycopg.Error as error:
            self._found(f"it failed ({type(error).__name__})")
            await self._discard(connection)
            return "unreachable", None
        except BaseException:
            await self._discard(connection)
            raise
        if behind:
            self._found(_lag(behind))
            await self._pool.putconn(connection)
            return "lagging", None
        return "replica", connection

    @asynccontextmanager
    async def lent(self, connection: Connection) -> AsyncIterator[None]:
        """Read on a connection that was checked out, and give it back."""
        if self._statement_timeout_s is not None:
            connection.time_limit = TimeLimit(self._statement_timeout_s, probe=self._answers)
        try:
            with self._losing():
                async with connection:
                    yield
        finally:
            connection.time_limit = None
            await self._pool.putconn(connection)

    @contextmanager
    def _losing(self) -> Iterator[None]:
        """Failures of the server as ReplicaLost; those of the statement itself are the same on the primary."""
        try:
            yield
        except psycopg.errors.SerializationFailure as error:
            # The replay of a cleanup needed rows that this read still looked at: nothing is wrong with the replica.
            raise ReplicaLost("a read was cancelled by the replay of a cleanup") from error
        except (psycopg.OperationalError, psycopg.InternalError) as error:
            self._found(f"it failed ({type(error).__name__})")
            raise ReplicaLost(str(error)) from error

    async def _connect(self) -> Connection | None:
        try:
            return await self._pool.getconn(CONNECT_WITHIN_S)
        except (PoolTimeout, PoolClosed, TooManyRequests):
            self._found(self._refused or "it cannot be reached, or has no connection left")
            return None

    async def _bytes_behind(self, connection: Connection, position: str) -> int:
        """0 once the replica has replayed the position, which is waited for; else by how much it is behind."""
        began, pause_s = monotonic(), FIRST_PAUSE_S
        connection.time_limit = TimeLimit(CHECK_WITHIN_S)
        while True:
            cursor = await connection.execute(queries.bytes_behind.bytes, {"position": position})
            [behind] = await cursor.fetchone() or [None]
            if behind is None:
                raise psycopg.OperationalError("it is no replica any more")
            waited_s = monotonic() - began
            if behind <= 0 or waited_s + pause_s > REPLAY_WITHIN_S:
                return max(0, int(behind))
            if waited_s > COMMIT_AFTER_S:
                await self._complete_log()
            await asyncio.sleep(pause_s)
            pause_s *= 2

    async def _complete_log(self) -> None:
        """Have the primary write the rest of its last record."""
        if monotonic() - self._committed_at > COMMIT_EVERY_S:
            self._committed_at = monotonic()
            await self._primary.complete_log()

    async def _discard(self, connection: Connection) -> None:
        await connection.close()
        await self._pool.putconn(connection)

    async def _answers(self) -> bool:
        return await answers(self.url)

    # --- the watch ---------------------------------------------------------------------------------------------------

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(WATCH_EVERY_S)
            await self.look()

    async def _trouble(self) -> str | None:
        """Why the replica cannot be read from; None where it can."""
        position = await self._primary.position()
        try:
            connection = await self._pool.getconn(CHECK_WITHIN_S)
        except (PoolTimeout, PoolClosed, TooManyRequests):
            return self._refused or "it cannot be reached"
        try:
            behind = await self._bytes_behind(connection, position)
        except psycopg.Error as error:
            await connection.close()
            return f"it failed ({type(error).__name__}: {str(error).strip()[:100]})"
        finally:
            connection.time_limit = None
            await self._pool.putconn(connection)
        return _lag(behind) if behind else None

    def _found(self, trouble: str | None) -> None:
        """Note what was found, and log it once."""
        if (trouble is None) != (self.trouble is None):
            if trouble is None:
                log.info("the replica is read from")
            else:
                log.warning("the replica is not read from", reason=trouble)
        self.trouble = trouble

    async def _configure(self, connection: Connection) -> None:
        """Refuse a server that is no replica of the primary, or that the service cannot work on."""
        try:
            await enter_service(connection)
            if self._system is None:
                self._system = await self._primary.system_identifier()
            cursor = await connection.execute(queries.read_server.bytes)
            [system, is_replica] = await cursor.fetchone() or [None, False]
        except DatabaseUnfit as error:
            self._refused = str(error)
            raise
        if not is_replica or system != self._system:
            self._refused = (
                "HOLDFAST_REPLICA_URL leads to a server that is no replica"
                if system == self._system
                else "HOLDFAST_REPLICA_URL leads to a server of another database"
            )
            raise psycopg.OperationalError(self._refused)
        self._refused = None


def _lag(behind: int) -> str:
    return f"it is {behind} bytes of the log behind"


class _Latest:
    """One question at a time for all who ask. Everybody gets the answer to a question that was sent after they asked: an
    older one would not know of writes in between."""

    def __init__(self, ask: Callable[[], Awaitable[str]]) -> None:
        self._ask = ask
        self._running: asyncio.Task[str] | None = None
        self._next: asyncio.Task[str] | None = None

    async def get(self) -> str:
        """The answer."""
        if self._next is None:
            self._next = asyncio.create_task(self._after(self._running))
        return await asyncio.shield(self._next)

    async def _after(self, running: "asyncio.Task[str] | None") -> str:
        if running is not None:
            await asyncio.wait({running})
        self._running, self._next = self._next, None
        return await self._ask()
