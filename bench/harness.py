"""How a benchmark measures: a service of its own, rounds that alternate between what is compared, medians, ratios."""

import asyncio
import os
import statistics
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

from holdfast.engine import Engine
from holdfast.kernel.db import Database
from holdfast.kernel.migrate import migrate
from holdfast.serve import serving_app

console = Console()

Operation = Callable[[int], Awaitable[object]]
"""One thing to time; it is told the how-manieth time this is."""


@dataclass(frozen=True)
class Bench:
    """What a benchmark talks to."""

    url: str
    key: str
    org_id: str
    app_url: str
    owner_url: str
    db: Database
    http: httpx.AsyncClient


@asynccontextmanager
async def bench_service() -> AsyncIterator[Bench]:
    """A service on a fresh database, in this process; all of it gone afterwards."""
    from holdfast.bootstrap import create_org

    with tempfile.TemporaryDirectory(
        prefix="holdfast-bench-", ignore_cleanup_errors=True
    ) as folder:
        Path(folder).chmod(0o711)
        engine = Engine(Path(folder) / "data")
        endpoints = await asyncio.to_thread(engine.start)
        try:
            await asyncio.to_thread(migrate, endpoints.owner_url)
            db = Database(endpoints.app_url)
            await db.open()
            org_id, key = await create_org(db, "bench")
            async with (
                serving_app(endpoints.app_url) as url,
                httpx.AsyncClient(
                    base_url=f"{url}/api/v1", headers={"Authorization": f"Bearer {key}"}, timeout=60
                ) as http,
            ):
                yield Bench(url, key, org_id, endpoints.app_url, endpoints.owner_url, db, http)
            await db.close()
        finally:
            await asyncio.to_thread(engine.stop)


async def compare(
    title: str,
    operations: dict[str, Operation],
    *,
    against: str,
    rounds: int = 40,
    per_round: int = 25,
) -> dict[str, float]:
    """Time the operations in turns and print each median and its ratio to `against`; the medians in seconds."""
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
    """For what takes minutes: how much is done, and how long the rest will take."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
    )


def load_note() -> str:
    """What else the machine was doing, since it shows in the figures."""
    return f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
