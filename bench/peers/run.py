"""Measures the peers, each in its own process and on its own database in the Postgres of the service."""

import asyncio
import json
import os
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from bench.harness import progress_bar
from bench.quality import Figures, read, steps

ROOT = Path(__file__).parents[2]
ENVIRONMENT = ROOT / ".venv-peers"
HOW_TO_GET_THEM = "LangGraph's store and mem0 are not here to compare with: make bench-peers"


class PeerFailed(Exception):
    """A peer's process ended early; the text is the end of its output."""


def python() -> Path | None:
    """The Python of the peers' environment: HOLDFAST_BENCH_PEERS, or .venv-peers; None if there is none."""
    path = Path(os.environ.get("HOLDFAST_BENCH_PEERS", ENVIRONMENT / "bin" / "python"))
    return path if path.is_file() else None


async def measure(interpreter: Path, peer: str, file: Path, owner_url: str) -> tuple[str, Figures]:
    """The peer's version and its figures on the data set in a file. Raises PeerFailed."""
    figures, spaces = Figures(), read(file)
    with database_of_its_own(owner_url) as database, progress_bar() as progress:
        task = progress.add_task(
            f"{file.name.removesuffix('.json.gz')}, {peer}", total=steps(spaces)
        )
        async with reports_of(interpreter, peer, file, database) as reports:
            version: str = (await anext(reports))["version"]
            for space in spaces:
                for _ in space.units:
                    figures.add_s.append((await anext(reports))["add_s"])
                    progress.advance(task)
                for question in space.questions:
                    answer = await anext(reports)
                    figures.search_s.append(answer["search_s"])
                    figures.count(space, question, answer["found"])
                    progress.advance(task)
    return version, figures


@contextmanager
def database_of_its_own(owner_url: str, label: str = "one") -> Iterator[str]:
    """The URL of a new, empty database, which is dropped afterwards."""
    name = f"peer_{label}_{os.getpid()}"
    with psycopg.connect(owner_url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield make_conninfo(owner_url, dbname=name)
        finally:
            drop = sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name))
            connection.execute(drop)


@asynccontextmanager
async def reports_of(
    interpreter: Path, peer: str, file: Path, database: str
) -> AsyncIterator[AsyncIterator[dict[str, Any]]]:
    """The report of the peer's process, line by line."""
    module = ("-m", "bench.peers", peer, str(file.resolve()))
    async with started(interpreter, module, database) as (_, lines):
        yield lines


@asynccontextmanager
async def started(
    interpreter: Path, arguments: Sequence[str], database: str
) -> AsyncIterator[tuple[Callable[[str], None], AsyncIterator[dict[str, Any]]]]:
    """A process of a peer: what sends it a line, and its report, line by line. Its environment has no keys and no home, and
    telemetry is off."""
    with tempfile.TemporaryDirectory(prefix="holdfast-peer-") as home:
        words = Path(home) / "stderr"
        environment = {
            "PATH": os.environ.get("PATH", ""),
            "HOME": home,
            "TMPDIR": home,
            "MEM0_DIR": f"{home}/mem0",
            "MEM0_TELEMETRY": "False",
            "PEER_DATABASE": database,
        }
        with words.open("wb") as stderr:
            process = await asyncio.create_subprocess_exec(
                *(str(interpreter), *arguments),
                cwd=ROOT, env=environment, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=stderr,
            )  # fmt: skip
        commands = process.stdin
        assert commands is not None

        def send(line: str) -> None:
            commands.write(f"{line}\n".encode())

        try:
            yield send, _lines(process, words)
        finally:
            with suppress(ProcessLookupError):  # it ended meanwhile
                process.kill()
            await process.wait()


async def _lines(process: asyncio.subprocess.Process, words: Path) -> AsyncIterator[dict[str, Any]]:
    """Yield lines; if the process ends and more lines are requested, raise PeerFailed with the reason."""
    assert process.stdout is not None
    async for line in process.stdout:
        yield json.loads(line)
    await process.wait()
    last = words.read_text(errors="replace").strip().splitlines()[-5:]
    raise PeerFailed("\n".join(last) or f"exit status {process.returncode}")
