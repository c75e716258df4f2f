"""How often a service waits for the database: a socket between the two that passes everything on, and counts."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import parse_qs, quote, urlsplit, urlunsplit

import pytest

from holdfast.kernel.db import Database


class Between:
    """Counts a round trip each time the client speaks after the server did."""

    def __init__(self, server: Path) -> None:
        self.count = 0
        self._server = server

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, until either side ends it."""
        from_server, to_server = await asyncio.open_unix_connection(str(self._server))
        server_spoke = True

        async def ask() -> None:
            nonlocal server_spoke
            while data := await _burst(reader):
                self.count += server_spoke
                server_spoke = False
                to_server.write(data)
            to_server.close()

        async def answer() -> None:
            nonlocal server_spoke
            while data := await from_server.read(65_536):
                server_spoke = True
                writer.write(data)
            writer.close()

        await asyncio.gather(ask(), answer())


async def _burst(reader: asyncio.StreamReader) -> bytes:
    """All that is said in one go: what is sent in two pieces must not be half answered before the second."""
    data = more = await reader.read(65_536)
    while more:
        try:
            more = await asyncio.wait_for(reader.read(65_536), 0.02)
        except TimeoutError:
            break
        data += more
    return data


Take = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def behind(app_url: str, make: Callable[[Path], Take]) -> AsyncIterator[str]:
    """A URL of the same database, behind a socket whose connections are taken by what `make` gives for the server's."""
    parts = urlsplit(app_url)
    if parts.hostname:
        pytest.skip("the socket of the embedded database is needed, to stand in between")
    query = parse_qs(parts.query)
    [folder], [port] = query["host"], query["port"]
    name = f".s.PGSQL.{port}"
    with TemporaryDirectory(prefix="hf-") as here:
        listener = await asyncio.start_unix_server(make(Path(folder) / name), Path(here) / name)
        async with listener:
            yield urlunsplit(parts._replace(query=f"host={quote(here, safe='')}&port={port}"))


@asynccontextmanager
async def counted(app_url: str) -> AsyncIterator[tuple[Database, Between]]:
    """A pool of connections that are all counted."""
    counters: list[Between] = []

    def make(server: Path) -> Take:
        counters.append(Between(server))
        return counters[0].take

    async with behind(app_url, make) as url:
        # All connections from the start: one that is made meanwhile would count.
        db = Database(url, min_size=8, max_size=8)
        await db.open()
        yield db, counters[0]
        await db.close()
