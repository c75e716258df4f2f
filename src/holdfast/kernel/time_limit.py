"""How long a call may wait for a database that does not answer.

The limit counts the time spent waiting (for a pooled connection, for an answer of the server) and nothing else: a call
that holds a transaction open while a model answers is not cut off for that. A server that stands still answers nothing,
not even a cancellation, so the limit is kept by the client.

Slow is not dead: before the limit is reached the server is asked on another connection. If it answers, the call may wait as
long again, up to LONGEST times in all; if not, the call is given up when the limit is reached.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic

# How long the server is given to answer on another connection; half of a limit that is shorter than twice this.
PROBE_TIMEOUT_S = 3.0
LONGEST = 6

Probe = Callable[[], Awaitable[bool]]
"""Whether the server answers."""


class TimeLimit:
    """Seconds of waiting. Waits that overlap, of statements sent side by side, count once."""

    def __init__(
        self, seconds: float, *, probe: Probe | None = None, longest: int | None = LONGEST
    ) -> None:
        """Without a probe the limit is final. With `longest` None a server that answers is waited for without end."""
        self.seconds = seconds
        self._probe = probe
        self._probe_s = 0.0 if probe is None else min(PROBE_TIMEOUT_S, seconds / 2)
        self._rounds_left = longest
        self._spent_s = 0.0
        self._waiting = 0
        self._since = 0.0

    @property
    def left_s(self) -> float:
        """How much longer the call may wait before the next `renew`; not below 0."""
        waiting_s = monotonic() - self._since if self._waiting else 0.0
        return max(0.0, self.seconds - self._probe_s - self._spent_s - waiting_s)

    def __enter__(self) -> None:
        if not self._waiting:
            self._since = monotonic()
        self._waiting += 1

    def __exit__(self, *_: object) -> None:
        self._waiting -= 1
        if not self._waiting:
            self._spent_s += monotonic() - self._since

    async def renew(self) -> bool:
        """Whether the call may go on waiting after nothing was left."""
        if self.left_s > 0:  # a wait beside this one has asked
            return True
        if self._probe is None or self._rounds_left == 1 or not await self._answers(self._probe):
            return False
        if self._rounds_left is not None:
            self._rounds_left -= 1
        self._spent_s, self._since = 0.0, monotonic()
        return True

    async def _answers(self, probe: Probe) -> bool:
        try:
            return await asyncio.wait_for(probe(), self._probe_s)
        except TimeoutError:
            return False


class _Call:
    """One call: its limit is made by the first wait, which knows how many seconds its database allows."""

    def __init__(self, longest: int | None) -> None:
        self._longest = longest
        self._limit: TimeLimit | None = None

    def limit(self, seconds: float, probe: Probe) -> TimeLimit:
        if self._limit is None:
            self._limit = TimeLimit(seconds, probe=probe, longest=self._longest)
        return self._limit


_call: ContextVar[_Call | None] = ContextVar("call", default=None)


@contextmanager
def one_call(*, grows: bool = False) -> Iterator[None]:
    """All database work within this block shares one limit. `grows`: it may take any time for as long as the server
    answers, for uploads and downloads, whose work grows with their size."""
    token = _call.set(_Call(None if grows else LONGEST))
    try:
        yield
    finally:
        _call.reset(token)


def current(seconds: float, probe: Probe) -> TimeLimit:
    """The limit of the call this task works for; a new one outside of any call."""
    call = _call.get()
    return TimeLimit(seconds, probe=probe) if call is None else call.limit(seconds, probe)
