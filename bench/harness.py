"""Tools of the benchmarks: start a service, time operations in alternating rounds, print medians and ratios."""

import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from holdfast.bootstrap import create_org
from holdfast.engine import find_running
from holdfast.kernel.db import Database

# A pipe or a file has no width of its own: tables would be cut off at 80 columns.
console = Console(width=None if sys.stdout.isatty() else 140)

Operation = Callable[[int], Awaitable[object]]
"""One thing to time; it is told the how-manieth time this is."""


@dataclass(frozen=True)
class Bench:
    """The service and the database of a benchmark."""

    pid: int
    url: str
    key: str
    org_id: str
    app_url: str
    owner_url: str
    db: Database
    http: httpx.AsyncClient


@asynccontextmanager
async def bench_service() -> AsyncIterator[Bench]:
    """Start `holdfast serve` on a new database, in its own process as users run it; both are removed afterwards."""
    with tempfile.TemporaryDirectory(
        prefix="holdfast-bench-", ignore_cleanup_errors=True
    ) as folder:
        Path(folder).chmod(0o711)
        async with kept_service(Path(folder)) as bench:
            yield bench


@asynccontextmanager
async def kept_service(folder: Path) -> AsyncIterator[Bench]:
    """The same on the database in a folder, which stays there; it is made where there is none. The org is a new one."""
    process, ready = await _serve(folder / "data")
    try:
        async with _reach(folder / "data", process.pid, ready["url"]) as bench:
            yield bench
    finally:
        process.terminate()
        await process.wait()


async def _serve(data_dir: Path) -> tuple[asyncio.subprocess.Process, dict[str, str]]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "holdfast", "serve", "--json", "--port", "0"),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "HOLDFAST_DATA_DIR": str(data_dir), "HOLDFAST_LOG_LEVEL": "warning"},
    )
    line = await process.stdout.readline() if process.stdout else b""
    if not line:
        raise RuntimeError("the service did not start")
    return process, json.loads(line)


@asynccontextmanager
async def _reach(data_dir: Path, pid: int, url: str) -> AsyncIterator[Bench]:
    """Create an org for the benchmark, and connect to it over HTTP and in the database."""
    endpoints = find_running(data_dir)
    if endpoints is None:
        raise RuntimeError("the service's database is not to be found")
    db = Database(endpoints.app_url)
    await db.open()
    org_id, key = await create_org(db, "bench")
    headers = {"Authorization": f"Bearer {key}"}
    async with httpx.AsyncClient(base_url=f"{url}/api/v1", headers=headers, timeout=60) as http:
        yield Bench(pid, url, key, org_id, endpoints.app_url, endpoints.owner_url, db, http)
    await db.close()


async def compare(
    title: str,
    operations: dict[str, Operation],
    *,
    against: str,
    rounds: int = 40,
    per_round: int = 25,
) -> dict[str, float]:
    """Time the operations in turns, print each median and its ratio to `against`, and return the medians in seconds."""
    times: dict[str, list[float]] = {name: [] for name in operations}
    done = dict.fromkeys(operations, 0)
    for name, operation in operations.items():  # prepared statements, warm caches
        for _ in range(10):
            await operation(done[name])
            done[name] += 1
    for _ in range(rounds):
        for name, operation in operations.items():
            for _ in range(per_round):
                started = time.perf_counter()
                await operation(done[name])
                times[name].append(time.perf_counter() - started)
                done[name] += 1
    medians = {name: statistics.median(each) for name, each in times.items()}
    table = Table("", "p50", "p95", f"× {against}", title=title, title_justify="left", box=None)
    for name, each in times.items():
        table.add_row(
            name,
            f"{medians[name] * 1e6:,.0f} µs",
            f"{statistics.quantiles(each, n=20)[18] * 1e6:,.0f} µs",
            f"{medians[name] / medians[against]:.2f}",
        )
    console.print(table)
    console.print()
    return medians


def progress_bar() -> Progress:
    """A progress bar with the remaining time, for steps that take minutes."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
    )


def load_note() -> str:
    """The load of the machine, which affects the figures."""
    return f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
