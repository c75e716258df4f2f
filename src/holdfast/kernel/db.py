"""The database: a pool, one transaction per service call, rows into values.

Every way in is bound to the caller's org by row-level security from its first statement on:

- `db.one(caller, …)`, `db.all(caller, …)`: one read-only statement, in one round trip; sent again once if its
  connection was lost under it.
- `db.in_turn(caller, …)`: two of these in one round trip, the second of which may be made while the first is being answered, and a
  third that is made of their rows, and carried out while the caller goes on with them.
- `db.together(caller)`: such statements of several services (`asyncio.gather`) in one round trip.
- `db.read(caller)`: several read-only statements.
- `db.begin(caller)`: all or nothing. BEGIN and the org travel with the first statement; statements sent with `run` and
  `revise` travel with the next one that waits, or with COMMIT.

All use libpq's pipeline mode. An outer transaction that is already open in this task (an idempotent request has one)
is joined by a savepoint, so that a service function need not know (decision 17).
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TypeVar

import psycopg
from psycopg_pool import PoolTimeout

from holdfast.kernel import clock, replica, tracing
from holdfast.kernel.attempts import hanging_up_after, once_more
from holdfast.kernel.caller import Caller
from holdfast.kernel.connection import Connection
from holdfast.kernel.disk import FULL, Disk
from holdfast.kernel.errors import BackendUnavailable
from holdfast.kernel.lending import Lender
from holdfast.kernel.pool import POOL_TIMEOUT_S, Pool
from holdfast.kernel.replica import Replica
from holdfast.kernel.session import ROLE, enter_service, one_transaction
from holdfast.kernel.sql import Query, load
from holdfast.kernel.time_limit import TimeLimit
from holdfast.kernel.tx import FollowUp, Read, ReadBatch, Tx, rows_by_id
from holdfast.kernel.typed_store import TypedStore

queries = load(__file__, "db.sql")

__all__ = ["Database", "Read", "Tx", "rows_by_id"]

T = TypeVar("T")
U = TypeVar("U")
V = TypeVar("V")

# How long a check of the database may take.
CHECK_TIMEOUT_S = 2.0


class Database:
    """The pool of connections. Every transaction takes on the role `holdfast_app`, which owns nothing and bypasses no
    policy, together with its org."""

    def __init__(
        self,
        url: str,
        *,
        min_size: int = 2,
        max_size: int = 20,
        services: Iterable[object] = (),
        statement_timeout_s: float | None = None,
        folder: Path | None = None,
        replica_url: str | None = None,
    ) -> None:
        """`statement_timeout_s` limits how long one call waits for a server that does not answer; None: it waits on.
        `replica_url` is a replica that reads may be answered from (see replica.py), once `replica.watched` is entered.
        `folder` is where a database on this machine keeps its data. `services` are found again by their type in
        `services`, here and in every transaction: what embeds, the cache of keys."""
        self._disk = Disk(folder)
        self.url = url
        self.services = TypedStore(services)
        self.services.put(Database, self)
        self._before_close: list[Callable[[], Awaitable[None]]] = []
        self.pooled = False  # whether a pooler is in between, known once it is open
        self.on_citus = False  # whether tables are distributed over nodes, known likewise
        self._pool = Pool(
            url,
            kwargs={
                "autocommit": True,
                "application_name": "holdfast",
                "prepare_threshold": 2,
            },
            min_size=min_size,
            max_size=max_size,
            max_waiting=1000,
            configure=self._enter_service,
        )
        self._lender = Lender(url, self._pool, self._disk, statement_timeout_s=statement_timeout_s)
        self.replica: Replica | None = None
        if replica_url is not None:
            self.replica = Replica(
                replica_url, self, max_size=max_size, statement_timeout_s=statement_timeout_s
            )
        self._open_tx: ContextVar[Tx | None] = ContextVar("open_tx", default=None)
        self._batch: ContextVar[ReadBatch | None] = ContextVar("batch", default=None)

    async def open(self, *, timeout_s: float = 30) -> None:
        """Connect; raises BackendUnavailable when there is nothing to connect to, DatabaseUnfit when it cannot serve."""
        with suppress(psycopg.OperationalError):  # the pool tries again for a while
            async with await Connection.connect(
                self.url, autocommit=True, connect_timeout=int(POOL_TIMEOUT_S)
            ) as connection:
                await self._enter_service(connection)
        try:
            await self._pool.open(wait=True, timeout=timeout_s)
        except PoolTimeout as error:
            raise BackendUnavailable("the database cannot be reached") from error

    @asynccontextmanager
    async def opened(self) -> AsyncIterator["Database"]:
        """Open within this block."""
        await self.open()
        try:
            yield self
        finally:
            await self.close()

    def before_close(self, step: Callable[[], Awaitable[None]]) -> None:
        """Await this before the connections are closed, once: for work that outlasts the call that began it."""
        if step not in self._before_close:
            self._before_close.append(step)

    async def close(self) -> None:
        """Finish what `before_close` was given, and close every connection."""
        for step in self._before_close:
            await step()
        await self._pool.close()

    @property
    def session_options(self) -> dict[str, Any]:
        """How the queue's library connects, which takes on no role by itself. Behind a pooler nothing lasts longer than a
        transaction: it works as the login, and prepares nothing."""
        return {"prepare_threshold": None} if self.pooled else {"options": f"-c role={ROLE}"}

    async def _enter_service(self, connection: Connection) -> None:
        self.pooled = await enter_service(connection)
        self.on_citus = connection.on_citus

    async def check(self) -> None:
        """Raises BackendUnavailable unless the database answers and can write."""
        async with self._lender.lent(TimeLimit(CHECK_TIMEOUT_S)) as connection:
            await connection.execute("SELECT 1")
        if self._disk.is_full:
            raise BackendUnavailable(FULL)

    async def position(self) -> str:
        """Where the log of this database is on disk: every acknowledged commit lies before."""
        return await self._server_fact(replica.queries.position)

    async def complete_log(self) -> None:
        """Bring the log to disk up to the end of its last record."""
        await self._server_fact(replica.queries.complete_log)

    async def system_identifier(self) -> str:
        """The number that a cluster and its replicas share."""
        return await self._server_fact(replica.queries.system_identifier)

    async def _server_fact(self, query: Query) -> str:
        async with self._lender.lent() as connection:
            [fact] = await (await connection.execute(query.bytes)).fetchone() or [""]
        return str(fact)

    async def one(self, caller: Caller, row_type: type[T], query: Query, **params: Any) -> T | None:
        """One read-only statement, in one round trip: its first row as a value, or None."""
        with tracing.statement(query.name):
            return await (await self._read_one(caller, row_type, query, params)).fetchone()

    async def all(self, caller: Caller, row_type: type[T], query: Query, **params: Any) -> list[T]:
        """One read-only statement, in one round trip: every row as a value."""
        with tracing.statement(query.name):
            return await (await self._read_one(caller, row_type, query, params)).fetchall()

    async def _read_one(
        self, caller: Caller, row_type: type[T], query: Query, params: dict[str, Any]
    ) -> psycopg.AsyncCursor[T]:
        batch = self._batch.get()
        if batch is not None and not batch.is_over:
            _must_be_of_one_org(batch.tx, caller)
            return await batch.read(row_type, query, params)

        if self._open_tx.get() is not None:
            async with self.read(caller) as tx:
                return await tx.send(row_type, query, params)
        read = Read(row_type, query, params)
        return (await once_more(lambda: self._read_alone(caller, [read])))[0]

    async def in_turn(
        self,
        caller: Caller,
        first: Read[T],
        second: Read[U] | Callable[[], Read[U]],
        third: Callable[[list[T], list[U]], Read[V] | None],
        meanwhile: Callable[[], None],
    ) -> psycopg.AsyncCursor[V] | None:
        """Two read-only statements in one round trip, and a third of their rows in another, if it is wanted: the cursor that has
        its rows. A `second` that is a function makes the statement once the first was sent, while the server carries that out;
        `meanwhile` is called while it carries out the third. Where `overlaps`, all are in one transaction."""
        if self.gathers or self.in_transaction:
            rows = await self.all(caller, first.row_type, first.query, **first.params)
            then = second if isinstance(second, Read) else second()
            others = await self.all(caller, then.row_type, then.query, **then.params)
            read = third(rows, others)
            meanwhile()
            return None if read is None else await self._read_one(caller, *read)
        reads, last = ([first, second], None) if isinstance(second, Read) else ([first], second)

        async def follow_up(cursors: Sequence[psycopg.AsyncCursor[Any]]) -> Read[V] | None:
            return third(await cursors[0].fetchall(), await cursors[1].fetchall())

        with tracing.statement(", ".join(each.query.name for each in reads)):
            cursors = await once_more(
                lambda: self._read_alone(caller, reads, last, follow_up, meanwhile)
            )
        return cursors[2] if len(cursors) > 2 else None

    @property
    def overlaps(self) -> bool:
        """Whether `in_turn` can have a statement carried out while this process does something else that holds up nobody."""
        return self.idle and not self.on_citus and not self.gathers and self._open_tx.get() is None

    async def _read_alone(
        self,
        caller: Caller,
        reads: Sequence[Read[Any]],
        last: Callable[[], Read[Any]] | None = None,
        follow_up: FollowUp | None = None,
        meanwhile: Callable[[], None] | None = None,
    ) -> list[psycopg.AsyncCursor[Any]]:
        replicated = None if self.replica is None else await self.replica.check_out()
        if self.replica is not None and replicated is not None:
            async with self.replica.lent(replicated):
                return await self._read_on(replicated, caller, reads, last, follow_up, meanwhile)
        async with self._lender.lent_for_one_read() as connection:
            return await self._read_on(connection, caller, reads, last, follow_up, meanwhile)

    async def _read_on(
        self,
        connection: Connection,
        caller: Caller,
        reads: Sequence[Read[Any]],
        last: Callable[[], Read[Any]] | None,
        follow_up: FollowUp | None,
        meanwhile: Callable[[], None] | None,
    ) -> list[psycopg.AsyncCursor[Any]]:
        try:
            tx = Tx(connection, caller, clock.now(), self.services)
            return await tx.read_alone(reads, last, follow_up, meanwhile)
        except BaseException:
            await connection.close()  # as in `read`
            raise

    @property
    def idle(self) -> bool:
        """Whether no call of this process has a connection."""
        stats = self._pool.get_stats()
        return self.replica is None and stats["pool_available"] == stats["pool_size"]

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open in this task, which others would join."""
        return self._open_tx.get() is not None

    @property
    def gathers(self) -> bool:
        """Whether a block of `together` is open in this task, which a single statement would travel with."""
        batch = self._batch.get()
        return batch is not None and not batch.is_over

    @asynccontextmanager
    async def together(self, caller: Caller) -> AsyncIterator[None]:
        """Read-only statements (`one`, `all`) that are gathered within this block are sent in one round trip."""
        async with AsyncExitStack() as opened:
            tx = await opened.enter_async_context(self.read(caller))
            batch = ReadBatch(tx, opened.pop_all())
        token = self._batch.set(batch)
        try:
            yield
        finally:
            self._batch.reset(token)
            await batch.finish()

    async def prove(self, row_type: type[T], query: Query, proof: str, **params: Any) -> list[T]:
        """One statement outside of any org, which may be sent twice: it finds the row that a digest or an address proves,
        or calls a function that goes through every org."""

        async def once() -> list[T]:
            async with self._lender.lent() as connection:
                async with one_transaction(connection):
                    await connection.execute(queries.enter_with_proof.bytes, {"proof": proof})
                    tx = Tx(connection, None, clock.now())
                    cursor = await tx.send(row_type, query, {"proof": proof, **params})
                return await cursor.fetchall()

        return await once_more(once)

    @asynccontextmanager
    async def read(self, caller: Caller, *, within_s: float | None = None) -> AsyncIterator[Tx]:
        """Several read-only statements. Between two Syncs of a pipeline Postgres runs one implicit transaction, so the org (a
        setting local to it) and what follows travel and end together. A database that does not answer `within_s` is
        unavailable."""
        outer = self._joined(caller)
        if outer is not None:
            with self._lender.reaching(), hanging_up_after(within_s, outer.connection):
                yield Tx(outer.connection, caller, outer.now, self.services)
            return
        async with self._read_connection() as connection:
            with hanging_up_after(within_s, connection):
                try:
                    async with one_transaction(connection):
                        await connection.execute(queries.enter.bytes, {"org_id": caller.org_id})
                        yield Tx(connection, caller, clock.now(), self.services)
                except psycopg.Error:
                    # psycopg takes for prepared what was skipped behind the failing statement; the pool makes another one.
                    await connection.close()
                    raise

    @asynccontextmanager
    async def begin(self, caller: Caller, *, within_s: float | None = None) -> AsyncIterator[Tx]:
        """All or nothing: commits when the block ends, rolls back when it raises. A database that does not answer
        `within_s` is unavailable."""
        outer = self._joined(caller)
        if outer is not None:
            with self._lender.reaching(), hanging_up_after(within_s, outer.connection):
                async with outer.step(caller) as inner:
                    yield inner
            return
        replica.stop_reading()
        async with self._lender.lent() as connection:
            tx = Tx(connection, caller, clock.now(), self.services)
            token = self._open_tx.set(tx)
            try:
                with hanging_up_after(within_s, connection):
                    async with connection.pipeline():
                        await connection.execute("BEGIN")
                        await connection.execute(queries.enter.bytes, {"org_id": caller.org_id})
                        if caller.user_is_new:
                            await tx.run(queries.register_user, user_id=caller.user_id)
                        yield tx
                        await tx.finish()
                        await connection.execute("COMMIT")
                tx.run_on_commit()
            except BaseException:
                if not connection.closed:
                    await connection.rollback()
                raise
            finally:
                self._open_tx.reset(token)

    @asynccontextmanager
    async def snapshot(self, caller: Caller) -> AsyncIterator[Connection]:
        """A connection on which everything is read as it stood at one moment, for as long as that takes: an export. It is
        not pipelined, so that rows can be read through a cursor of the server."""
        async with self._lender.lent() as connection:
            connection.time_limit = None
            await connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            try:
                await connection.execute(queries.enter.bytes, {"org_id": caller.org_id})
                yield connection
            finally:
                if not connection.closed:
                    await connection.rollback()

    def _joined(self, caller: Caller) -> Tx | None:
        """The transaction that is open in this task, to be joined; it is of the same org, or something is wrong."""
        outer = self._open_tx.get()
        if outer is not None:
            _must_be_of_one_org(outer, caller)
        return outer

    @asynccontextmanager
    async def _read_connection(self) -> AsyncIterator[Connection]:
        """A connection to the replica where this call may read from it, else one of the pool."""
        connection = None if self.replica is None else await self.replica.check_out()
        if self.replica is None or connection is None:
            async with self._lender.lent() as connection:
                yield connection
            return
        async with self.replica.lent(connection):
            yield connection


def _must_be_of_one_org(tx: Tx, caller: Caller) -> None:
    if tx.caller is None or tx.caller.org_id != caller.org_id:
        raise RuntimeError("a transaction of one org cannot be joined by another")
