"""One attempt to reach the database: repeated where its connection was lost, and limited in time."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import psycopg
from psycopg_pool import PoolClosed, PoolTimeout, TooManyRequests

from holdfast.kernel.connection import Connection, NoAnswer
from holdfast.kernel.errors import BackendUnavailable

T = TypeVar("T")


async def once_more(step: Callable[[], Awaitable[T]]) -> T:
    """A step that changes nothing, repeated on another connection where its own was lost under it."""
    try:
        return await step()
    except BackendUnavailable as failure:
        if not _connection_was_lost(failure.__cause__):
            raise
    return await step()


def _connection_was_lost(cause: BaseException | None) -> bool:
    others = (PoolTimeout, PoolClosed, TooManyRequests, NoAnswer)
    return (
        isinstance(cause, psycopg.OperationalError)
        and not isinstance(cause, others)
        and (cause.sqlstate or "57P").startswith("57P")  # the server's farewell, or none
    )


@contextmanager
def hanging_up_after(seconds: float | None, connection: Connection) -> Iterator[None]:
    """Give a server so long for the block. One that stands still does not hear a cancellation, which psycopg would wait
    for: the connection is broken off, and whoever waits hears at once."""
    if seconds is None:
        yield
        return
    timer = asyncio.get_running_loop().call_later(seconds, connection.hang_up)
    try:
        yield
    finally:
        timer.cancel()
