"""Connections of the pool, lent for one call: within its time limit, with every failure as MEM-003."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import psycopg
from psycopg_pool import PoolClosed, PoolTimeout, TooManyRequests

from holdfast.kernel import metrics, time_limit
from holdfast.kernel.connection import Connection, NoAnswer
from holdfast.kernel.disk import FULL, Disk
from holdfast.kernel.errors import BackendUnavailable
from holdfast.kernel.pool import POOL_TIMEOUT_S, Pool, answers
from holdfast.kernel.time_limit import TimeLimit


class Lender:
    """Lends connections of one pool."""

    def __init__(
        self, url: str, pool: Pool, disk: Disk, *, statement_timeout_s: float | None
    ) -> None:
        """`statement_timeout_s` limits how long one call waits for a server that does not answer; None: it waits on."""
        self._url = url
        self._pool = pool
        self._disk = disk
        self._statement_timeout_s = statement_timeout_s
        self._probe: asyncio.Task[bool] | None = None

    @asynccontextmanager
    async def lent(self, limit: TimeLimit | None = None) -> AsyncIterator[Connection]:
        """A connection within this block, which commits or rolls back what it leaves open. Without a limit the call's own
        holds."""
        async with self.lent_for_one_read(limit) as connection, connection:
            yield connection

    @asynccontextmanager
    async def lent_for_one_read(self, limit: TimeLimit | None = None) -> AsyncIterator[Connection]:
        """The same for a block that leaves no transaction open, and closes the connection where it fails."""
        limit = limit or self._limit_of_call()
        with self.reaching():
            connection = await self._check_out(limit)
            connection.time_limit = limit
            try:
                yield connection
            finally:
                connection.time_limit = None
                await self._pool.putconn(connection)

    @contextmanager
    def reaching(self) -> Iterator[None]:
        """Everything that says that the database is not there, as MEM-003."""
        try:
            yield
        except (PoolTimeout, PoolClosed, TooManyRequests) as error:
            raise self._unavailable("the database cannot be reached") from error
        except NoAnswer as error:
            raise self._unavailable(f"the database gave {error}") from error
        except psycopg.errors.DiskFull as error:
            self._disk.write_was_refused()
            raise self._unavailable(FULL) from error
        except psycopg.InternalError as error:
            # Its caller went on after a statement had failed (25P02: a read is joined without a savepoint), or the server has a
            # fault (XX…: statistics rewritten while a statement was planned). Nothing was written; the call may be repeated.
            raise self._unavailable(f"the database failed ({error.sqlstate})") from error
        except psycopg.OperationalError as error:
            raise self._unavailable("the database went away while it was asked") from error

    def _unavailable(self, detail: str) -> BackendUnavailable:
        metrics.backend_failures.labels("database").inc()
        return BackendUnavailable(FULL if self._disk.is_full else detail)

    def _limit_of_call(self) -> TimeLimit | None:
        if self._statement_timeout_s is None:
            return None
        return time_limit.current(self._statement_timeout_s, self._answers)

    async def _answers(self) -> bool:
        """Whether the server takes a new connection. Those who ask at once share one attempt."""
        if self._probe is None or self._probe.done():
            self._probe = asyncio.create_task(answers(self._url))
        return await asyncio.shield(self._probe)

    async def _check_out(self, limit: TimeLimit | None) -> Connection:
        if limit is None:
            return await self._pool.getconn()
        if not limit.left_s and not await limit.renew():
            raise NoAnswer(f"no answer in {limit.seconds:g} s")
        with limit:
            # At least a second: what is left may be a moment, and the next round would only begin then.
            return await self._pool.getconn(min(POOL_TIMEOUT_S, max(1.0, limit.left_s)))
