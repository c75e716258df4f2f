"""A pool of connections that hands out none that is dead, and that finds a server that came back within about a second."""

from time import monotonic
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg_pool import AsyncConnectionPool

from holdfast.kernel.connection import Connection

# How long a caller waits for a connection before the answer is MEM-003.
POOL_TIMEOUT_S = 5.0
# A URL may say otherwise. The keepalives (of TCP; the embedded Postgres has a Unix socket) end a connection whose server
# vanished without a word after about 30 s.
CONNECT_OPTIONS = {
    "connect_timeout": 5,
    "keepalives_idle": 15,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
# After this the library would back off for longer and longer; it begins again instead.
RECONNECT_TIMEOUT_S = 1.5


class Pool(AsyncConnectionPool[Connection]):
    """psycopg's pool. `getconn` discards idle connections that the server has ended, for example by a restart."""

    def __init__(self, url: str, *, kwargs: dict[str, Any], **options: Any) -> None:
        given = conninfo_to_dict(url)
        defaults = {name: value for name, value in CONNECT_OPTIONS.items() if name not in given}
        super().__init__(
            url,
            connection_class=Connection,
            kwargs={**defaults, **kwargs},
            timeout=POOL_TIMEOUT_S,
            reconnect_timeout=RECONNECT_TIMEOUT_S,
            reconnect_failed=_try_on,
            open=False,
            **options,
        )

    async def getconn(self, timeout: float | None = None) -> Connection:  # noqa: ASYNC109  (the library's signature)
        """A live connection; PoolTimeout when there is none in time."""
        deadline = monotonic() + (self.timeout if timeout is None else timeout)
        while True:
            connection = await super().getconn(deadline - monotonic())
            if not connection.is_dead:
                return connection
            await connection.close()
            await self.putconn(connection)  # makes a new one

    @staticmethod
    async def check_connection(connection: Connection) -> None:
        """Raises unless the connection is alive."""
        if connection.is_dead:
            await connection.close()
            raise ConnectionError("the server has ended this connection")


async def answers(url: str) -> bool:
    """Whether the server lets us in within a few seconds."""
    try:
        connection = await psycopg.AsyncConnection.connect(url, connect_timeout=3)
    except (psycopg.Error, OSError):
        return False
    await connection.close()
    return True


async def _try_on(pool: AsyncConnectionPool[Any]) -> None:
    """The library gives a connection up and makes none until the next caller comes; those who wait already would not get
    one. `check` has it make one."""
    await pool.check()
