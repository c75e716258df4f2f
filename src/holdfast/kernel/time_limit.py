"""How long a call may wait for the database.

The limit counts the time spent waiting (for a pooled connection, for an answer of the server) and nothing else: a call
that holds a transaction open while a model answers is not cut off for that. A server that stands still answers nothing,
not even a cancellation, so the limit is kept by the client.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic


class TimeLimit:
    """Seconds of waiting. Waits that overlap, of statements sent side by side, count once."""

    def __init__(self, seconds: float, *, per_wait: bool = False) -> None:
        self.seconds = seconds
        self._per_wait = per_wait
        self._spent_s = 0.0
        self._waiting = 0
        self._since = 0.0

    @property
    def left_s(self) -> float:
        """How much longer the call may wait; not below 0."""
        waiting_s = monotonic() - self._since if self._waiting else 0.0
        return max(0.0, self.seconds - self._spent_s - waiting_s)

    def __enter__(self) -> None:
        if not self._waiting:
            self._since = monotonic()
        self._waiting += 1

    def __exit__(self, *_: object) -> None:
        self._waiting -= 1
        if not self._waiting and not self._per_wait:
            self._spent_s += monotonic() - self._since


class _Call:
    """One call: its limit is made by the first wait, which knows how many seconds its database allows."""

    def __init__(self, *, per_wait: bool) -> None:
        self._per_wait = per_wait
        self._limit: TimeLimit | None = None

    def limit(self, seconds: float) -> TimeLimit:
        if self._limit is None:
            self._limit = TimeLimit(seconds, per_wait=self._per_wait)
        return self._limit


_call: ContextVar[_Call | None] = ContextVar("call", default=None)


@contextmanager
def one_call(*, per_wait: bool = False) -> Iterator[None]:
    """All database work within this block shares one limit. With `per_wait` the limit holds for each wait alone: for
    uploads and downloads, whose database work grows with their size."""
    token = _call.set(_Call(per_wait=per_wait))
    try:
        yield
    finally:
        _call.reset(token)


def current(seconds: float) -> TimeLimit:
    """The limit of the call this task works for; a new one outside of any call."""
    call = _call.get()
    return TimeLimit(seconds) if call is None else call.limit(seconds)
