"""Child processes that are started again when they end.

Decision 16 says why this is not uvicorn's supervisor. A child whose parent was killed ends by itself: it watches a pipe
whose other end only the parent holds.
"""

import asyncio
import multiprocessing
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from time import monotonic
from typing import Any

import structlog
import uvloop
from prometheus_client.multiprocess import mark_process_dead

from holdfast.kernel import logs

log = structlog.get_logger("holdfast.supervisor")

# A child takes 3 s of CPU time to start; on a machine that is busy this is minutes.
START_TIMEOUT_S = 180.0
# One that ended soon after its start is started again after a pause, which grows up to LONGEST_PAUSE_S.
SOON_S = 10.0
LONGEST_PAUSE_S = 5.0

_spawn = multiprocessing.get_context("spawn")


class StartFailed(Exception):
    """A child ended, or did not become ready, when everything was started for the first time."""


Ready = Callable[[], None]
Stop = asyncio.Event


@dataclass(frozen=True, slots=True)
class Role:
    """What a child does: `run(ready, stop, *args)`, a coroutine function of a module. It calls `ready` once it works, and
    returns soon after `stop` is set."""

    name: str
    run: Callable[..., Any]
    args: tuple[Any, ...]


class Supervisor:
    """Runs a child for each role."""

    def __init__(self, roles: Sequence[Role], *, log_level: str, stop_within_s: float) -> None:
        self._roles = roles
        self._log_level = log_level
        self._stop_within_s = stop_within_s
        self._stopping = False
        self._running: dict[int, SpawnProcess] = {}
        self._keepers: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> "Supervisor":
        """Start every child, and wait until each is ready."""
        first = [asyncio.get_running_loop().create_future() for _ in self._roles]
        self._keepers = [
            asyncio.create_task(self._keep(role, ready))
            for role, ready in zip(self._roles, first, strict=True)
        ]
        try:
            async with asyncio.timeout(START_TIMEOUT_S):
                await asyncio.gather(*first)
        except BaseException as error:
            await self._stop()
            if isinstance(error, TimeoutError):
                raise StartFailed(f"not ready within {START_TIMEOUT_S:g} s") from None
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stop()

    async def _keep(self, role: Role, first: "asyncio.Future[None]") -> None:
        """Run a child of this role until the supervisor stops."""
        quick_ends = 0
        while not self._stopping:
            began = monotonic()
            process = await self._run_once(role, first)
            if self._stopping:
                return
            if not first.done():
                first.set_exception(
                    StartFailed(f"the {role.name} process ended with status {process.exitcode}")
                )
                return
            quick_ends = quick_ends + 1 if monotonic() - began < SOON_S else 0
            pause_s = min(0.1 * 2**quick_ends, LONGEST_PAUSE_S) if quick_ends else 0.0
            log.warning(
                "a process ended and is started again",
                role=role.name,
                pid=process.pid,
                status=process.exitcode,
            )
            await asyncio.sleep(pause_s)

    async def _run_once(self, role: Role, first: "asyncio.Future[None]") -> SpawnProcess:
        """Start a child and wait for its end."""
        hears_ready, says_ready = _spawn.Pipe(duplex=False)
        process = _spawn.Process(
            target=_main, args=(role, says_ready, self._log_level), name=f"holdfast {role.name}"
        )
        # In a thread: starting a process takes milliseconds, and requests may be answered here.
        await asyncio.to_thread(process.start)
        assert process.pid is not None
        self._running[process.pid] = process
        says_ready.close()  # so that the child's end is the only one
        try:
            if await _hear(hears_ready) and not first.done():
                first.set_result(None)
            await _readable(process.sentinel)
            await asyncio.to_thread(process.join)
        finally:
            hears_ready.close()
            if process.exitcode is not None:
                del self._running[process.pid]
                with suppress(OSError, KeyError):  # KeyError: metrics are not shared
                    mark_process_dead(process.pid)  # type: ignore[no-untyped-call]
        return process

    async def _stop(self) -> None:
        """Have every child finish what it began; after `stop_within_s` end those that have not."""
        self._stopping = True
        for process in self._running.values():
            process.terminate()
        _, late = await asyncio.wait(self._keepers, timeout=self._stop_within_s)
        for process in [*self._running.values()]:
            process.kill()
        if late:
            log.warning("processes did not end in time and were killed", number=len(late))
            await asyncio.wait(late)


async def _hear(ready: Connection) -> bool:
    """Whether the child said that it is ready, before it ended."""
    await _readable(ready.fileno())
    try:
        return bool(ready.recv())
    except (EOFError, OSError):
        return False


async def _readable(fd: int) -> None:
    loop, found = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(fd, found.set)
    try:
        await found.wait()
    finally:
        loop.remove_reader(fd)


# --- in the child ------------------------------------------------------------------------------------------------------


def _main(role: Role, says_ready: Connection, log_level: str) -> None:
    logs.configure(log_level)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's Ctrl-C is the parent's to act on
    uvloop.run(_run(role, says_ready))


async def _run(role: Role, says_ready: Connection) -> None:
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    parent = multiprocessing.parent_process()
    assert parent is not None
    orphaned = asyncio.create_task(_stop_with(parent.sentinel, stop))

    def ready() -> None:
        with suppress(OSError):  # the parent is gone
            says_ready.send(True)

    await role.run(ready, stop, *role.args)
    orphaned.cancel()


async def _stop_with(sentinel: int, stop: asyncio.Event) -> None:
    await _readable(sentinel)
    stop.set()
