"""Redis: the connection, scripts, and a breaker that answers quickly when a backend is gone.

Nothing of the service needs Redis but what a user keeps there.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import redis.asyncio as aioredis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError, ResponseError

from holdfast.kernel.errors import BackendUnavailable

CONNECT_TIMEOUT_S = 2.0
MAX_CONNECTIONS = 200
GIVE_BACK_S = 0.2


class Redis:
    """A pool of connections to one Redis. Opens them as they are needed, and again after they broke."""

    def __init__(self, url: str) -> None:
        self._pool = aioredis.BlockingConnectionPool.from_url(
            url,
            decode_responses=True,
            max_connections=MAX_CONNECTIONS,
            timeout=CONNECT_TIMEOUT_S,
            socket_connect_timeout=CONNECT_TIMEOUT_S,
            socket_keepalive=True,
            # A write that is sent again may be applied twice: whoever asks decides, not the client.
            retry=Retry(NoBackoff(), 0),
        )
        self.client: aioredis.Redis = aioredis.Redis(connection_pool=self._pool)

    async def close(self) -> None:
        """Close every connection."""
        await self.client.aclose()
        await self._pool.disconnect()

    async def check(self) -> None:
        """Raises BackendUnavailable unless Redis answers."""
        async with reaching():
            await self.client.ping()


@asynccontextmanager
async def reaching() -> AsyncIterator[None]:
    """Redis's ways of not being there, as MEM-003. A script that is wrong is ours, and stays an error."""
    try:
        yield
    except ResponseError as error:
        if not str(error).startswith(
            ("LOADING", "MASTERDOWN", "READONLY", "MISCONF", "OOM", "NOREPLICAS")
        ):
            raise
        raise BackendUnavailable("Redis does not take this now") from error
    except (RedisError, RedisConnectionError, OSError) as error:
        raise BackendUnavailable("Redis cannot be reached") from error


@asynccontextmanager
async def releasing(lock: Awaitable[None]) -> AsyncIterator[None]:
    """Give a lock back at the end of the block. After a backend failed there is little time for it: whoever waits has
    waited for that backend once, and a lock ends by itself."""
    try:
        yield
    except BackendUnavailable:
        with suppress(BackendUnavailable, TimeoutError):
            await asyncio.wait_for(lock, GIVE_BACK_S)
        raise
    except BaseException:
        await lock
        raise
    await lock


class Script:
    """A Lua script, run atomically by Redis; sent whole once per server, by its digest afterwards."""

    def __init__(self, *parts: Path) -> None:
        self._text = "\n".join(part.read_text() for part in parts)
        self._by_client: dict[int, Any] = {}

    async def __call__(self, client: aioredis.Redis, keys: list[str], args: list[Any]) -> Any:
        """Run it."""
        script = self._by_client.get(id(client))
        if script is None:
            script = self._by_client[id(client)] = client.register_script(self._text)
        return await script(keys=keys, args=args)
