"""A transaction of one caller: statements that are sent and waited for, revisions, what is left for its end."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, NamedTuple, TypeVar

import psycopg
from psycopg.rows import BaseRowFactory, RowMaker, class_row, dict_row, scalar_row, tuple_row
from psycopg.types.json import Jsonb

from holdfast.kernel import row_values, tracing
from holdfast.kernel.caller import Caller
from holdfast.kernel.connection import Connection, Statement
from holdfast.kernel.ids import id_at, new_id
from holdfast.kernel.session import one_transaction
from holdfast.kernel.sql import Query, load
from holdfast.kernel.typed_store import TypedStore

queries = load(__file__, "db.sql")

T = TypeVar("T")


class Read(NamedTuple, Generic[T]):
    """A read-only statement, and what its rows become."""

    row_type: type[T]
    query: Query
    params: dict[str, Any]


class Tx:
    """An open transaction of one caller. Every query is given %(org_id)s and %(now)s."""

    def __init__(
        self,
        connection: Connection,
        caller: Caller | None,
        now: datetime,
        services: TypedStore | None = None,
        ending: "_Ending | None" = None,
    ) -> None:
        """`services` is what its database was given; `notes` is what rooms keep for as long as it lasts."""
        self.connection = connection
        self._ending = ending or _Ending()
        self.services = services or TypedStore()
        self.notes = TypedStore()
        self.caller = caller
        self.now = now
        self._common = {"now": now, "org_id": caller.org_id if caller else None}

    async def one(self, row_type: type[T], query: Query, **params: Any) -> T | None:
        """The first row as a value, or None."""
        with tracing.statement(query.name):
            return await (await self.send(row_type, query, params)).fetchone()

    async def all(self, row_type: type[T], query: Query, **params: Any) -> list[T]:
        """Every row as a value."""
        with tracing.statement(query.name):
            return await (await self.send(row_type, query, params)).fetchall()

    async def run(self, query: Query, **params: Any) -> None:
        """Send without waiting; if it fails, so does the transaction."""
        await self.send(dict, query, params)

    async def plan_for_any_values(self) -> None:
        """Have this transaction's statements planned once for all values, which saves planning where the plan is always the
        same. Citus needs the values, to know the node."""
        if not self.connection.on_citus:
            await self.run(queries.plan_for_any_values)

    async def plan_for_these_values(self) -> None:
        """Have this transaction's statements planned for their values, each time."""
        await self.run(queries.plan_for_these_values)

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

    def before_commit(self, step: "LastStep") -> None:
        """Run this just before COMMIT, after everything else: for what takes a lock that many want."""
        self._ending.last_steps.append(step)

    def on_commit(self, callback: Callable[[], object]) -> None:
        """Call this once the whole transaction is committed, for example to count what happened."""
        self._ending.callbacks.append(callback)

    async def finish(self) -> None:
        """Do what was left for last, in the order it was asked for."""
        for step in self._ending.last_steps:
            await step(self)

    def run_on_commit(self) -> None:
        """Call what `on_commit` was given."""
        for callback in self._ending.callbacks:
            callback()

    @asynccontextmanager
    async def step(self, caller: Caller) -> AsyncIterator["Tx"]:
        """A part of this transaction that can be taken back alone, with what it left for later."""
        before = self._ending.size
        try:
            async with _savepoint(self.connection):
                yield Tx(self.connection, caller, self.now, self.services, self._ending)
        except BaseException:
            self._ending.cut_back(before)
            raise

    async def send(
        self, row_type: type[T], query: Query, params: dict[str, Any]
    ) -> psycopg.AsyncCursor[T]:
        """Send a statement without waiting; fetching from the cursor waits."""
        if query.changes_keys and self.connection.on_citus:  # where tables have no triggers
            self.before_commit(_notify_keys_changed)
        cursor = self.connection.cursor(row_factory=_rows_as(row_type))
        await cursor.execute(
            query.bytes, {**self._common, **params}, binary=_comes_in_binary(row_type)
        )
        return cursor

    async def read_alone(
        self,
        reads: "Sequence[Read[Any]]",
        last: "Callable[[], Read[Any]] | None" = None,
        follow_up: "FollowUp | None" = None,
        meanwhile: Callable[[], None] | None = None,
    ) -> list[psycopg.AsyncCursor[Any]]:
        """Enter the caller's org, run read-only statements and wait for them, in one round trip; the transaction is over
        then. `last` makes another one while the server carries the others out; `follow_up` one more of their rows, for a second
        round trip of the same transaction, and `meanwhile` is called while the server carries that out."""
        if self.connection.on_citus:
            async with one_transaction(self.connection):
                await self.connection.execute(queries.enter.bytes, self._common)
                cursors = [await self.send(*each) for each in reads]
                if last is not None:
                    cursors.append(await self.send(*last()))
                read = None if follow_up is None else await follow_up(cursors)
                if read is not None:
                    cursors.append(await self.send(*read))
                if meanwhile is not None:
                    meanwhile()
                return cursors
        enter = (queries.enter.bytes, {"org_id": self._common["org_id"]})
        statements = [self._statement(each) for each in reads]

        def made_last() -> Statement:
            assert last is not None
            statements.append(self._statement(last()))
            return statements[-1]

        async def followed_up() -> Statement | None:
            assert follow_up is not None
            read = await follow_up([cursor for cursor, *_ in statements])
            if read is None:
                return None
            statements.append(self._statement(read))
            return statements[-1]

        await self.connection.read(
            enter,
            statements[:],
            None if last is None else made_last,
            None if follow_up is None else followed_up,
            meanwhile,
        )
        return [cursor for cursor, *_ in statements]

    def _statement(self, read: "Read[Any]") -> Statement:
        return (
            self.connection.cursor(row_factory=_rows_as(read.row_type)),
            read.query.bytes,
            {**self._common, **read.params},
            _comes_in_binary(read.row_type),
        )


async def rows_by_id(cursor: psycopg.AsyncCursor[T], ids: Sequence[str]) -> dict[str, T]:
    """Of a cursor's rows those with these ids, as values; the others are not made into values."""
    if cursor.pgresult is None:  # it was sent in a transaction that goes on
        with suppress(IndexError):  # there is no row
            await cursor.scroll(0)
    result = cursor.pgresult
    assert result is not None, "the cursor has its rows"
    column = [result.fname(n) for n in range(result.nfields)].index(b"id")
    places = {result.get_value(n, column): n for n in range(result.ntuples)}
    found: dict[str, T] = {}
    for id in ids:
        place = places.get(id.encode())
        if place is not None:
            await cursor.scroll(place, "absolute")
            row = await cursor.fetchone()
            assert row is not None, "there is a row at each place"
            found[id] = row
    return found


FollowUp = Callable[[Sequence[psycopg.AsyncCursor[Any]]], Awaitable[Read[Any] | None]]
"""Makes one more statement of the rows of others."""

LastStep = Callable[[Tx], Awaitable[None]]


async def _notify_keys_changed(tx: Tx) -> None:
    await tx.run(queries.notify_keys_changed)


@dataclass(slots=True)
class _Ending:
    """What a transaction and its steps leave for its end."""

    last_steps: list[LastStep] = field(default_factory=list)
    callbacks: list[Callable[[], object]] = field(default_factory=list)

    @property
    def size(self) -> tuple[int, int]:
        return len(self.last_steps), len(self.callbacks)

    def cut_back(self, size: tuple[int, int]) -> None:
        del self.last_steps[size[0] :], self.callbacks[size[1] :]


class ReadBatch:
    """Read-only statements of several tasks that are sent together and answered together."""

    def __init__(self, tx: Tx, opened: AsyncExitStack) -> None:
        self.tx = tx
        self.is_over = False
        self._opened = opened
        self._finishing = asyncio.Lock()
        self._error: BaseException | None = None

    async def read(
        self, row_type: type[T], query: Query, params: dict[str, Any]
    ) -> psycopg.AsyncCursor[T]:
        """Send a statement with those of others, and wait for them all."""
        try:
            cursor = await self.tx.send(row_type, query, params)
        except (
            psycopg.Error
        ) as error:  # another's, as it may be: the answer came while this one was sent
            self._error = self._error or error
            raise
        finally:
            await asyncio.sleep(0)  # whoever was gathered with this one sends too
            await self.finish()
        if self._error is not None:
            raise self._error
        return cursor

    async def finish(self) -> None:
        """Wait for all that was sent; nothing can be sent afterwards."""
        async with self._finishing:
            if self.is_over:
                return
            self.is_over = True
            failed = self._error
            try:
                # `db.read` closes a connection on which something failed.
                await self._opened.__aexit__(type(failed) if failed else None, failed, None)
            except Exception as error:  # raised by each that waits
                self._error = failed or error


@asynccontextmanager
async def _savepoint(connection: Connection) -> AsyncIterator[None]:
    """A step of an open transaction that can be taken back alone."""
    await connection.sync()  # so that a failure from here on is the step's
    await connection.execute("SAVEPOINT step")
    try:
        yield
        await connection.execute("RELEASE step")
        await connection.sync()  # a statement that nobody waited for may have failed
    except BaseException:
        await connection.recover()
        await connection.execute("ROLLBACK TO step")
        await connection.execute("RELEASE step")
        await connection.sync()
        raise


def _comes_in_binary(row_type: type[Any]) -> bool:
    """Tuples are read by the hundred: their numbers and times come as they are, not as text."""
    return issubclass(row_type, tuple)


def _rows_as(row_type: type[T]) -> BaseRowFactory[T]:
    if row_type is dict:
        return dict_row  # type: ignore[return-value]  # the caller asked for plain dicts
    if row_type in (str, int, bool, float, bytes, datetime):
        return scalar_row
    if row_type is tuple:
        return tuple_row  # type: ignore[return-value]  # plain tuples, of any length
    if issubclass(row_type, tuple):
        return _named_tuples_of(row_type)
    return _values_of(row_type)


def _values_of(row_type: type[T]) -> BaseRowFactory[T]:
    """By position: the columns of a statement are the same for all its rows."""
    hashable: Any = row_type  # as every class is

    def factory(cursor: Any) -> RowMaker[T]:
        result = cursor.pgresult
        if result is None or not result.nfields:
            return class_row(row_type)(cursor)
        columns = tuple(result.fname(n).decode() for n in range(result.nfields))
        return row_values.maker(hashable, columns)

    return factory


def _named_tuples_of(row_type: type[T]) -> BaseRowFactory[T]:
    """By position where the columns stand as the fields do, which takes a quarter of the time that names take."""

    def factory(cursor: Any) -> RowMaker[T]:
        result = cursor.pgresult
        columns = tuple(result.fname(n).decode() for n in range(result.nfields))
        if columns == row_type._fields:  # type: ignore[attr-defined]  # a tuple with names has them
            return row_type._make  # type: ignore[attr-defined, no-any-return]
        return class_row(row_type)(cursor)

    return factory
