"""The database: a pool, one transaction per service call, rows into values.

Every way in is bound to the caller's org by row-level security from its first statement on:

- `db.one(caller, …)`, `db.all(caller, …)`: a single statement that only looks, in a single round trip.
- `db.read(caller)`: several of them.
- `db.begin(caller)`: all or nothing. BEGIN and the org travel with the first statement; statements sent with `run` and
  `revise` travel with the next one that waits, or with COMMIT.

All use libpq's pipeline mode. An outer transaction that is already open in this task (an idempotent request has one)
is joined by a savepoint, so that a service function need not know.
"""

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from datetime import datetime
from typing import Any, TypeVar

import psycopg
from psycopg.rows import BaseRowFactory, class_row, dict_row, scalar_row
from psycopg.types.json import Jsonb
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout, TooManyRequests

from holdfast.kernel import clock, metrics
from holdfast.kernel.caller import Caller
from holdfast.kernel.embed import Embedders
from holdfast.kernel.errors import BackendUnavailable
from holdfast.kernel.ids import id_at, new_id
from holdfast.kernel.sql import Query, load

queries = load(__file__, "db.sql")

T = TypeVar("T")
Connection = psycopg.AsyncConnection[Any]

# What a pooled connection waits for before the caller hears MEM-003.
POOL_TIMEOUT_S = 5.0


class Tx:
    """An open transaction of one caller. Every query is given %(org_id)s and %(now)s."""

    def __init__(
        self,
        connection: Connection,
        caller: Caller | None,
        now: datetime,
        embedders: Embedders | None = None,
    ) -> None:
        self.connection = connection
        self.embedders = embedders or Embedders()
        self.left_to_jobs: set[str] = set()  # kinds of work asked for once in this transaction
        self.passages_put = 0
        self.caller = caller
        self.now = now
        self._common = {"now": now, "org_id": caller.org_id if caller else None}

    async def one(self, row_type: type[T], query: Query, **params: Any) -> T | None:
        """The first row as a value, or None."""
        return await (await self.send(row_type, query, params)).fetchone()

    async def all(self, row_type: type[T], query: Query, **params: Any) -> list[T]:
        """Every row as a value."""
        return await (await self.send(row_type, query, params)).fetchall()

    async def run(self, query: Query, **params: Any) -> None:
        """Send without waiting; if it fails, so does the transaction."""
        await self.send(dict, query, params)

    async def run_many(self, query: Query, many: Sequence[dict[str, Any]]) -> None:
        """`run` for each set of parameters, in order."""
        for params in many:
            await self.send(dict, query, params)

    async def revise(
        self,
        kind: str,
        object_id: str,
        *,
        version: int,
        action: str,
        state: dict[str, Any] | None = None,
        content: str | None = None,
        parent_id: str | None = None,
        label: str | None = None,
        at: datetime | None = None,
    ) -> str:
        """Write down what an object became, and by whom: the revision's id. Goes with the change or not at all.

        `state` is the object's fields without its content; a deleted object has neither. `at` is the object's new
        updated_at, for a face that pages its revisions by time: it then stands in the revision's id too.
        """
        caller = self.caller
        if caller is None:
            raise RuntimeError("a revision needs a caller")
        actor = caller.actor
        revision_id = new_id("memver") if at is None else id_at("memver", at)
        await self.run(
            queries.write_revision,
            id=revision_id,
            kind=kind,
            object_id=object_id,
            parent_id=parent_id,
            label=label,
            version=version,
            action=action,
            actor_type=actor.type,
            actor_id=actor.id,
            user_id=caller.user_id,
            agent_id=caller.agent_id,
            session_id=caller.session_id,
            request_id=caller.request_id,
            now=at or self.now,
            state=None if state is None else Jsonb(state),
            content=content,
        )
        return revision_id

    async def tell(self, kind: str, object_id: str) -> None:
        """Record that something happened, for those that listen (worker.py)."""
        await self.run(queries.write_event, id=new_id("evt"), kind=kind, object_id=object_id)

    async def send(
        self, row_type: type[T], query: Query, params: dict[str, Any]
    ) -> psycopg.AsyncCursor[T]:
        """Send a statement without waiting; fetching from the cursor waits."""
        cursor = self.connection.cursor(row_factory=_rows_as(row_type))
        await cursor.execute(query.bytes, {**self._common, **params})
        return cursor


class Database:
    """The pool of connections, all in the role `holdfast_app`, which owns nothing and bypasses no policy."""

    def __init__(
        self,
        url: str,
        *,
        min_size: int = 2,
        max_size: int = 20,
        embedders: Embedders | None = None,
    ) -> None:
        self.embedders = (
            embedders or Embedders()
        )  # what is written through this database is embedded by
        self._pool: AsyncConnectionPool[Connection] = AsyncConnectionPool(
            url,
            connection_class=psycopg.AsyncConnection,
            kwargs={
                "autocommit": True,
                "options": "-c role=holdfast_app",
                "application_name": "holdfast",
                "prepare_threshold": 2,
            },
            min_size=min_size,
            max_size=max_size,
            max_waiting=1000,
            timeout=POOL_TIMEOUT_S,
            reconnect_timeout=30,
            check=None,
            open=False,
        )
        self._open_tx: ContextVar[Tx | None] = ContextVar("open_tx", default=None)

    async def open(self, *, timeout_s: float = 30) -> None:
        """Connect; raises BackendUnavailable when there is nothing to connect to."""
        try:
            await self._pool.open(wait=True, timeout=timeout_s)
        except PoolTimeout as error:
            raise BackendUnavailable("the database cannot be reached") from error

    async def close(self) -> None:
        """Close every connection, and the embedder."""
        await self._pool.close()
        await self.embedders.close()

    async def check(self) -> None:
        """Raises BackendUnavailable unless the database answers."""
        async with self._connection() as connection:
            await connection.execute("SELECT 1")

    async def one(self, caller: Caller, row_type: type[T], query: Query, **params: Any) -> T | None:
        """One statement that only looks, in one round trip: its first row as a value, or None."""
        async with self.read(caller) as tx:
            cursor = await tx.send(row_type, query, params)
        return await cursor.fetchone()

    async def all(self, caller: Caller, row_type: type[T], query: Query, **params: Any) -> list[T]:
        """One statement that only looks, in one round trip: every row as a value."""
        async with self.read(caller) as tx:
            cursor = await tx.send(row_type, query, params)
        return await cursor.fetchall()

    async def prove(self, row_type: type[T], query: Query, proof: str, **params: Any) -> list[T]:
        """Look for whom a digest or an address belongs to, before any org is known."""
        async with self._connection() as connection:
            async with connection.pipeline():
                await connection.execute(queries.enter_with_proof.bytes, {"proof": proof})
                tx = Tx(connection, None, clock.now())
                cursor = await tx.send(row_type, query, {"proof": proof, **params})
            return await cursor.fetchall()

    @asynccontextmanager
    async def read(self, caller: Caller, *, within_s: float | None = None) -> AsyncIterator[Tx]:
        """Several statements that only look. Between two Syncs of a pipeline Postgres runs one implicit transaction,
        so the org (a setting local to it) and what follows travel together and end together.

        A database that does not answer `within_s` is unavailable."""
        outer = self._joined(caller)
        if outer is not None:
            with _reaching(), _hanging_up_after(within_s, outer.connection):
                yield Tx(outer.connection, caller, outer.now, self.embedders)
            return
        async with self._connection() as connection:
            with _hanging_up_after(within_s, connection):
                async with connection.pipeline():
                    await connection.execute(queries.enter.bytes, {"org_id": caller.org_id})
                    yield Tx(connection, caller, clock.now(), self.embedders)

    @asynccontextmanager
    async def begin(self, caller: Caller, *, within_s: float | None = None) -> AsyncIterator[Tx]:
        """All or nothing: commits when the block ends, rolls back when it raises. A database that does not answer
        `within_s` is unavailable."""
        outer = self._joined(caller)
        if outer is not None:
            with _reaching(), _hanging_up_after(within_s, outer.connection):
                async with _savepoint(outer.connection):
                    yield Tx(outer.connection, caller, outer.now, self.embedders)
            return
        async with self._connection() as connection:
            tx = Tx(connection, caller, clock.now(), self.embedders)
            token = self._open_tx.set(tx)
            try:
                with _hanging_up_after(within_s, connection):
                    async with connection.pipeline():
                        await connection.execute("BEGIN")
                        await connection.execute(queries.enter.bytes, {"org_id": caller.org_id})
                        if caller.user_is_new:
                            await tx.run(queries.register_user, user_id=caller.user_id)
                        yield tx
                        await connection.execute("COMMIT")
            except BaseException:
                await connection.rollback()
                raise
            finally:
                self._open_tx.reset(token)

    def _joined(self, caller: Caller) -> Tx | None:
        """The transaction that is open in this task, to be joined; it is of the same org, or something is wrong."""
        outer = self._open_tx.get()
        if outer is not None and (outer.caller is None or outer.caller.org_id != caller.org_id):
            raise RuntimeError("a transaction of one org cannot be joined by another")
        return outer

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Connection]:
        with _reaching():
            async with self._pool.connection() as connection:
                yield connection


@contextmanager
def _reaching() -> Iterator[None]:
    """The database's ways of not being there, as MEM-003."""
    try:
        yield
    except (PoolTimeout, PoolClosed, TooManyRequests) as error:
        metrics.backend_failures.labels("database").inc()
        raise BackendUnavailable("the database cannot be reached") from error
    except psycopg.OperationalError as error:
        metrics.backend_failures.labels("database").inc()
        raise BackendUnavailable("the database went away while it was asked") from error


@contextmanager
def _hanging_up_after(seconds: float | None, connection: Connection) -> Iterator[None]:
    """Give a server so long for the block. One that stands still does not hear a cancellation, which psycopg would wait
    for: the connection is broken off, and whoever waits hears at once."""
    if seconds is None:
        yield
        return
    timer = asyncio.get_running_loop().call_later(seconds, _hang_up, connection)
    try:
        yield
    finally:
        timer.cancel()


def _hang_up(connection: Connection) -> None:
    with suppress(OSError, psycopg.Error), socket.socket(fileno=os.dup(connection.fileno())) as end:
        end.shutdown(socket.SHUT_RDWR)


@asynccontextmanager
async def _savepoint(connection: Connection) -> AsyncIterator[None]:
    """A step of an open transaction that can be taken back alone."""
    async with connection.pipeline() as pipeline:
        await connection.execute("SAVEPOINT step")
        try:
            yield
            await connection.execute("RELEASE step")
        except BaseException:
            # A failed statement has aborted the pipeline: a Sync makes it take commands again.
            with suppress(psycopg.Error):
                await pipeline.sync()
            await connection.execute("ROLLBACK TO step")
            await connection.execute("RELEASE step")
            await pipeline.sync()
            raise


def _rows_as(row_type: type[T]) -> BaseRowFactory[T]:
    if row_type is dict:
        return dict_row  # type: ignore[return-value]  # the caller asked for plain dicts
    if row_type in (str, int, bool, float, bytes, datetime):
        return scalar_row
    return class_row(row_type)
