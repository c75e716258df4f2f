"""How often a service waits for the database: a socket between the two that passes everything on, and counts."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import parse_qs, quote, urlsplit, urlunsplit

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


@asynccontextmanager
async def counted(app_url: str) -> AsyncIterator[tuple[Database, Between]]:
    """A pool of connections that are all counted."""
    parts = urlsplit(app_url)
    query = parse_qs(parts.query)
    [folder], [port] = query["host"], query["port"]
    between = Between(Path(folder) / f".s.PGSQL.{port}")
    with TemporaryDirectory(prefix="hf-") as here:
        listener = await asyncio.start_unix_server(between.take, Path(here) / f".s.PGSQL.{port}")
        url = urlunsplit(parts._replace(query=f"host={quote(here, safe='')}&port={port}"))
        # All connections from the start: one that is made meanwhile would count.
        db = Database(url, min_size=8, max_size=8)
        async with listener:
            await db.open()
            yield db, between
            await db.close()
