"""A connection to Postgres that writes at once, and that waits for an answer no longer than its call may.

It reads in one round trip and with one write: `read` sends the statement that enters an org, one or several statements and the Sync
together. psycopg's own pipeline does the same in five waits and four writes, half a millisecond of a recall. With a last statement that
takes this process some time to make, the others are sent first: the server carries them out meanwhile. So it does with one that follows
up, while this process goes on with the rows of the others.

psycopg asks the event loop whether a socket can be written to, twice for each statement of a pipeline, and every such
question is a turn of the loop. A socket nearly always can: this one is looked at directly, and the loop is asked only
when it cannot, when there is something to wait for, and now and then so that others have their turn.

`wait` is psycopg's one place for waiting, and `_reading` is made of the parts of its pipeline; pyproject.toml bounds psycopg
above for as long as either is used here.
"""

import os
import select
import socket
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, TypeVar

import psycopg
from psycopg.errors import _WaitTimeout
from psycopg.types.json import set_json_loads
from psycopg.waiting import Ready, Wait
from pydantic_core import from_json

from holdfast.kernel import half_vectors, text_lists
from holdfast.kernel.time_limit import TimeLimit

T = TypeVar("T")
Statement = tuple[psycopg.AsyncCursor[Any], bytes, dict[str, Any], bool]
"""The cursor that takes the rows, the text, its parameters, and whether the rows come in binary."""
Waits = Generator[Wait, Ready | int, T]

# About eight statements: a long series of them holds up nobody else for more than a few milliseconds.
WRITES_PER_TURN = 16
# How often psycopg looks up from a wait, for a Ctrl-C.
WAIT_INTERVAL_S = 0.1
# A server that still reads its sockets takes a cancellation within this.
CANCEL_TIMEOUT_S = 0.5


class NoAnswer(psycopg.OperationalError):
    """The server did not answer within the time limit; the connection is closed."""


class Connection(psycopg.AsyncConnection[Any]):
    """psycopg's, with fewer turns of the event loop and a time limit."""

    time_limit: TimeLimit | None = None
    on_citus = (
        False  # whether tables are distributed over nodes, known once the service has entered
    )
    _writes_left = WRITES_PER_TURN

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """As psycopg's. What it reads and writes faster is set for this connection: a program that embeds Holdfast may use
        psycopg too."""
        super().__init__(*args, **kwargs)
        # Rows carry several JSON columns each; this parser takes a fifth of the time of the standard library's.
        set_json_loads(from_json, self)
        text_lists.install(self)
        half_vectors.install(self)

    async def wait(  # psycopg's signature
        self,
        gen: Waits[T],
        interval: float = WAIT_INTERVAL_S,
        timeout: float | None = None,  # noqa: ASYNC109
    ) -> T:
        """Consume a generator operating on the connection."""
        limit = self.time_limit
        gen = self._writing_at_once(gen)
        if limit is None or timeout is not None:
            return await super().wait(gen, interval, timeout)
        while True:
            try:
                with limit:
                    return await super().wait(gen, interval, limit.left_s)
            except _WaitTimeout as error:
                if not await limit.renew():
                    await self._abandon()
                    raise NoAnswer(f"no answer in {limit.seconds:g} s") from error

    async def read(
        self,
        enter: tuple[bytes, dict[str, Any]],
        statements: Sequence[Statement],
        last: Callable[[], Statement] | None = None,
        follow_up: Callable[[], Awaitable[Statement | None]] | None = None,
        meanwhile: Callable[[], None] | None = None,
    ) -> None:
        """Send statements in one implicit transaction, `enter` first, and wait for all; each cursor has its rows then.

        `last` makes the last statement; it is called when the others were sent. `follow_up` may make one more when they have their
        rows, and `meanwhile` is called when that was sent. Whoever calls closes the connection where this raises: psycopg takes
        for prepared what was skipped.
        """
        async with self.lock:
            await self.wait(self._reading(enter, statements, last, ends=follow_up is None))
            if follow_up is not None:
                await self.wait(self._reading_on(await follow_up(), meanwhile))

    def _reading(
        self,
        enter: tuple[bytes, dict[str, Any]],
        statements: Sequence[Statement],
        last: Callable[[], Statement] | None,
        *,
        ends: bool,
    ) -> Waits[None]:
        pipeline = self._pipeline = psycopg.AsyncPipeline(self)
        yield from pipeline._enter_gen()
        yield from _enqueue(self._entering, *enter, False)
        for statement in statements:
            yield from _enqueue(*statement)
        if last is not None:
            _hand_over(pipeline)
            self.pgconn.flush()  # what does not fit into the socket now goes with the rest
            yield from _enqueue(*last())
        if not ends:
            _hand_over(pipeline)
            yield from pipeline._fetch_gen(flush=True)
            return
        yield from self._finishing(pipeline)

    def _reading_on(
        self, statement: Statement | None, meanwhile: Callable[[], None] | None
    ) -> Waits[None]:
        assert self._pipeline is not None, "what follows up has a pipeline"
        if statement is not None:
            yield from _enqueue(*statement)
        yield from self._finishing(self._pipeline, meanwhile)

    def _finishing(
        self, pipeline: psycopg.AsyncPipeline, meanwhile: Callable[[], None] | None = None
    ) -> Waits[None]:
        pipeline._enqueue_sync()
        _hand_over(pipeline)
        if meanwhile is not None:
            self.pgconn.flush()  # as above
            meanwhile()
        yield from pipeline._communicate_gen()
        yield from pipeline._fetch_gen(flush=False)
        pipeline._exit(None)
        self._pipeline = None
        yield from self._prepared.maintain_gen(self)

    async def sync(self) -> None:
        """Wait until the server has carried out what was sent in the open pipeline; raises what failed."""
        assert self._pipeline is not None, "only statements of a pipeline are sent without waiting"
        await self._pipeline.sync()

    async def recover(self) -> None:
        """Make the open pipeline take statements again after one has failed.

        The server skipped what was sent behind that one, `PREPARE` included, which psycopg takes for done: everything is
        prepared anew.
        """
        with suppress(psycopg.Error):
            await self.sync()
        self._prepared.clear()

    @cached_property
    def _entering(self) -> psycopg.AsyncCursor[Any]:
        return self.cursor()

    @property
    def is_dead(self) -> bool:
        """Whether the server has ended this connection while nobody used it. Asks the kernel, not the server: an idle
        connection has nothing to read but the server's last message or the end of the stream."""
        if self.closed:
            return True
        [(_, events)] = self._socket.poll(0) or [(0, 0)]
        return bool(events & ~select.POLLOUT)

    def hang_up(self) -> None:
        """Shut the socket down, so that whoever waits for an answer fails at once."""
        with suppress(OSError, psycopg.Error), socket.socket(fileno=os.dup(self.fileno())) as end:
            end.shutdown(socket.SHUT_RDWR)

    async def _abandon(self) -> None:
        """Close the connection in the middle of a statement. A server that is merely slow is sent a cancellation, so that the
        statement holds no locks any longer and what was sent behind it is not carried out."""
        with suppress(psycopg.Error, OSError):
            await self.cancel_safe(timeout=CANCEL_TIMEOUT_S)
        self.pgconn.finish()

    def _writing_at_once(self, gen: Waits[T]) -> Waits[T]:
        """The same generator, which waits for less."""
        try:
            wanted = next(gen)
            while True:
                # A wait that is taken up again after a timeout sends None: nothing is ready.
                wanted = gen.send(self._ready_to_write(wanted) or (yield wanted) or 0)
        except StopIteration as end:
            result: T = end.value
            return result

    def _ready_to_write(self, wanted: Wait) -> int:
        """What can be done without waiting, if writing is wanted and can; else 0."""
        if not wanted & Wait.W or not self._writes_left:
            self._writes_left = WRITES_PER_TURN
            return 0
        self._writes_left -= 1
        [(_, events)] = self._socket.poll(0) or [(0, 0)]
        if not events & select.POLLOUT:
            return 0
        # One that was hung up is read from, which gives the reason.
        return Ready.RW if events & ~select.POLLOUT else Ready.W

    @cached_property
    def _socket(self) -> "select.poll":
        socket = select.poll()
        socket.register(self.pgconn.socket, select.POLLIN | select.POLLOUT)
        return socket


def _hand_over(pipeline: psycopg.AsyncPipeline) -> None:
    """Give what is in a pipeline's queue to libpq."""
    while pipeline.command_queue:
        pipeline.command_queue.popleft()()


def _enqueue(
    cursor: psycopg.AsyncCursor[Any], query: bytes, params: dict[str, Any], binary: bool
) -> Waits[None]:
    """Put a statement into the pipeline, prepared where it comes again and again; as the cursor's `execute`, unsent."""
    yield from cursor._start_query(query)
    converted = cursor._convert_query(query, params)
    yield from cursor._maybe_prepare_gen(converted, binary=binary)
    cursor._last_query = query
