"""Redis: the connections, scripts and errors. Only conversations that are kept in Redis need it."""

import asyncio
import os
import socket
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
CHECK_TIMEOUT_S = 2.0
RELEASE_TIMEOUT_S = 0.2


class _Pool(aioredis.BlockingConnectionPool):
    """A pool that hands out no connection which the server closed meanwhile: it is opened again first.

    The client itself notices a closed connection only once the event loop has read its end, which may be after a command
    was sent on it. The operating system knows at once.
    """

    async def ensure_connection(self, connection: Any) -> None:
        """Connect, again where the connection is closed."""
        if connection.is_connected and _is_closed(connection):
            await connection.disconnect(nowait=True)
        await super().ensure_connection(connection)


def _is_closed(connection: Any) -> bool:
    """Whether the server closed this connection: there is an end of file, or an error, to be read on its socket."""
    transport = connection._writer.transport
    if transport.is_closing():
        return True
    try:
        with socket.socket(fileno=os.dup(transport.get_extra_info("socket").fileno())) as peek:
            peek.setblocking(False)
            return peek.recv(1, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False  # nothing to read: it is open
    except OSError:
        return True


class Redis:
    """A pool of connections to one Redis. Opens them as they are needed, and again after they broke."""

    def __init__(self, url: str) -> None:
        self._pool = _Pool.from_url(
            url,
            decode_responses=True,
            max_connections=MAX_CONNECTIONS,
            timeout=CONNECT_TIMEOUT_S,
            socket_connect_timeout=CONNECT_TIMEOUT_S,
            socket_keepalive=True,
            # A write that is sent again may be applied twice: the caller decides on that, not the client.
            retry=Retry(NoBackoff(), 0),
        )
        self.client: aioredis.Redis = aioredis.Redis(connection_pool=self._pool)

    async def close(self) -> None:
        """Close every connection."""
        await self.client.aclose()
        await self._pool.disconnect()

    async def check(self) -> None:
        """Raises BackendUnavailable unless Redis answers."""
        try:
            async with asyncio.timeout(CHECK_TIMEOUT_S), reaching():
                await self.client.ping()
        except TimeoutError as error:
            raise BackendUnavailable("Redis does not answer") from error


@asynccontextmanager
async def reaching() -> AsyncIterator[None]:
    """Errors of a Redis that cannot be used now become BackendUnavailable (MEM-003); an error in a script of ours stays."""
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
    """Release a lock at the end of the block. After the backend failed, only a short time is spent on it: the caller has
    waited for that backend once, and the lock expires by itself."""
    try:
        yield
    except BackendUnavailable:
        with suppress(BackendUnavailable, TimeoutError):
            await asyncio.wait_for(lock, RELEASE_TIMEOUT_S)
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
