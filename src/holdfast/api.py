"""The HTTP API of one process: uvicorn around the app, on a socket that listens already."""

import asyncio
import gc
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn

from holdfast.app import make_app
from holdfast.deployment import Config
from holdfast.edge.connections import protocol_with

# How long an idle connection is kept: longer than clients (httpx 5 s) and load balancers (usually 60 s) keep it. If the server
# closed first, a request that is just being sent on it would fail.
KEEP_ALIVE_S = 75
# A request that takes longer than this is cut when the service stops.
SHUTDOWN_GRACE_S = 25


async def run_api(
    ready: Callable[[], None], stop: asyncio.Event, config: Config, listener: socket.socket
) -> None:
    """Answer requests until `stop` is set; those that have begun are answered first. Calls `ready` when it answers."""
    server = _Server(_uvicorn_config(config))
    answering = asyncio.create_task(server.serve(sockets=[listener]))
    await server.came_up()
    tune_garbage_collector()
    ready()
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait({answering, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    server.should_exit = True
    await answering


def tune_garbage_collector() -> None:
    """Exempt what a process keeps for good (code, vocabularies, the model) from garbage collection, and collect less often:
    a large answer is made of thousands of values, and a full collection in the middle of it took 100 ms."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


class _Server(uvicorn.Server):
    """uvicorn without its signal handling: it would raise the signal again at the end, and leave with its number."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._startup_is_over = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and let `came_up` return."""
        await super().startup(sockets)
        self._startup_is_over.set()

    async def came_up(self) -> None:
        """Wait until it answers; raises when it does not come up."""
        await self._startup_is_over.wait()
        if not self.started:
            raise RuntimeError("the HTTP server did not start; the log says why")

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to `serve` and to the supervisor."""
        yield


def _uvicorn_config(config: Config) -> uvicorn.Config:
    return uvicorn.Config(
        make_app(config),
        loop="none",
        http=protocol_with(config.connections),
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=True,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=SHUTDOWN_GRACE_S,
        proxy_headers=False,
    )
