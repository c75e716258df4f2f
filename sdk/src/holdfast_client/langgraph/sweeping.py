"""Expired items are deleted again and again while a program runs; a sweep that fails is logged and tried at the next turn."""

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable

from holdfast_client.errors import HoldfastError

SWEEP_MINUTES = 5.0
_log = logging.getLogger(__name__)


class Sweeper:
    """A thread that sweeps, at most one at a time."""

    def __init__(self, sweep: Callable[[], int]) -> None:
        self._sweep = sweep
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, interval_s: float) -> None:
        """Start unless it runs."""
        if self._thread is not None and self._thread.is_alive():
            return
        self._stopped = threading.Event()
        self._thread = threading.Thread(
            target=self._run, args=(interval_s, self._stopped), name="holdfast-ttl", daemon=True
        )
        self._thread.start()

    def stop(self, timeout_s: float | None) -> bool:
        """Stop; whether the thread ended in time."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join(timeout_s)
        return self._thread is None or not self._thread.is_alive()

    def _run(self, interval_s: float, stopped: threading.Event) -> None:
        while not stopped.wait(interval_s):
            try:
                self._sweep()
            except HoldfastError as error:
                _log.warning("expired items were not deleted: %s", error)


async def sweep_again(sweep: Callable[[], Awaitable[int]], interval_s: float) -> None:
    """Sweep until the task is cancelled."""
    while True:
        await asyncio.sleep(interval_s)
        try:
            await sweep()
        except HoldfastError as error:
            _log.warning("expired items were not deleted: %s", error)
