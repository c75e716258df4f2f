"""Connections to a real Redis that is restarted, and to one that hangs."""

import asyncio
import signal

import pytest

from holdfast.kernel.breaker import Breaker
from holdfast.kernel.errors import BackendUnavailable
from holdfast.kernel.redis import Redis, reaching
from tests.conftest import free_port, start_redis

CALLERS = 24
SOON_S = 60  # by then a call that hangs would be one too many


@pytest.fixture
async def server(tmp_path):
    """A Redis of this test alone: its process, and a way to start it again."""
    port = free_port()

    class Server:
        url = f"redis://127.0.0.1:{port}/0"
        process = start_redis(tmp_path / "redis", port)

        async def restart(self, how: signal.Signals) -> None:
            self.process.send_signal(how)
            await asyncio.to_thread(self.process.wait)
            self.process = await asyncio.to_thread(start_redis, tmp_path / "redis", port)

    server = Server()
    yield server
    server.process.send_signal(signal.SIGCONT)
    server.process.kill()
    server.process.wait()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
async def test_no_caller_is_given_a_connection_that_died_with_the_server(server, how):
    redis = Redis(server.url)

    async def call(n: int) -> str:
        async with reaching():
            return str(await redis.client.echo(f"call {n}"))

    try:
        await asyncio.gather(*(call(n) for n in range(CALLERS)))  # each has a connection of its own
        for _ in range(2):
            await server.restart(how)
            answers = await asyncio.gather(*(call(n) for n in range(CALLERS)))
            assert answers == [f"call {n}" for n in range(CALLERS)]
    finally:
        await redis.close()


async def test_a_server_that_hangs_is_unavailable_and_recovers_by_itself(server):
    redis, breaker = Redis(server.url), Breaker("Redis", timeout_s=0.3, max_failures=1000)

    async def call() -> None:
        async with breaker.guard(), reaching():
            await redis.client.ping()

    try:
        await call()
        server.process.send_signal(signal.SIGSTOP)
        for _ in range(3):
            with pytest.raises(BackendUnavailable):
                await asyncio.wait_for(call(), SOON_S)
        with pytest.raises(BackendUnavailable):
            await asyncio.wait_for(redis.check(), SOON_S)
        server.process.send_signal(signal.SIGCONT)
        await asyncio.gather(*(call() for _ in range(CALLERS)))
    finally:
        await redis.close()
