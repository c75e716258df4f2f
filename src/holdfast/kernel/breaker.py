"""A circuit breaker: bounds how long a call of a backend may take, and stops calling one that keeps failing."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from holdfast.kernel import metrics
from holdfast.kernel.errors import BackendUnavailable


@dataclass(slots=True)
class Breaker:
    """Stops asking a backend that failed `max_failures` times running; asks again after `reset_timeout_s`.

    Every call is given `timeout_s`, whoever waits for it hears MEM-003 then at the latest.
    """

    backend: str
    timeout_s: float | None = 5.0
    max_failures: int = 5
    reset_timeout_s: float = 10.0
    clock: Callable[[], float] = time.monotonic
    _failures: int = field(default=0, init=False)
    _open_until: float = field(default=0.0, init=False)

    @asynccontextmanager
    async def guard(self) -> AsyncIterator[None]:
        """One call of the backend."""
        if self.clock() < self._open_until:
            metrics.backend_failures.labels(self.backend).inc()
            raise BackendUnavailable(
                f"{self.backend} failed lately and is given a moment to recover"
            )
        try:
            async with asyncio.timeout(self.timeout_s):
                yield
        except TimeoutError as error:
            self._failed()
            detail = f"{self.backend} did not answer in {self.timeout_s:g} s"
            raise BackendUnavailable(detail) from error
        except BackendUnavailable:
            self._failed()
            raise
        else:
            self._failures = 0

    def _failed(self) -> None:
        metrics.backend_failures.labels(self.backend).inc()
        self._failures += 1
        if self._failures >= self.max_failures:
            # One call is let through at the end of it; should that fail too, the wait begins again.
            self._open_until = self.clock() + self.reset_timeout_s
            self._failures = self.max_failures - 1
