"""Many clients at once for minutes: `python -m bench.load`.

64 clients send a mixed workload (60 % recall, 20 % context, 15 % writes, 5 % reads and lists) about 100,000 memories of 200 users
to a service with one process, then with two, and once more while its Postgres is killed and starts again. Printed are
throughput, p50, p95 and p99 by kind of request, errors, and the memory of all processes over time. Everything talks to
loopback only, and only processes that were started here are ended.

    python -m bench.load --memories 2000 --users 20 --seconds 20      a small one
"""

import argparse
import asyncio
import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil
from rich.table import Table

from bench.harness import console, load_note, progress_bar

Request = Callable[[httpx.AsyncClient, random.Random, str], Awaitable[httpx.Response]]

SUBJECTS = ("harbour", "garden", "bicycle", "orchestra", "bakery", "library", "tram", "vineyard")
THINGS = (
    "opens",
    "closes",
    "moved",
    "is painted",
    "was sold",
    "needs repair",
    "is praised",
    "waits",
)
WHEN = ("in spring", "at noon", "on Mondays", "last year", "every week", "after the rain")
BATCH = 500
MAX_SAMPLES = 5


@dataclass(frozen=True, slots=True)
class Plan:
    """How much of everything."""

    clients: int
    memories: int
    users: int
    seconds: float
    embedder: str


@dataclass(slots=True)
class Tally:
    """What was measured in one run."""

    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    statuses: Counter[str] = field(default_factory=Counter)
    megabytes: list[float] = field(default_factory=list)
    samples: list[str] = field(default_factory=list)  # answers that are no success
    took_s: float = 0.0

    @property
    def unavailable(self) -> int:
        """Requests that were answered 503, or met a closed connection."""
        return self.statuses["503"] + self.statuses["no connection"]

    @property
    def errors(self) -> int:
        """Answers that are neither a success nor `unavailable`."""
        good = sum(n for status, n in self.statuses.items() if status.startswith("2"))
        return self.statuses.total() - good - self.unavailable


def sentence(chance: random.Random) -> str:
    """Something to remember."""
    parts = chance.choice(SUBJECTS), chance.choice(THINGS), chance.choice(WHEN)
    return f"The {parts[0]} {parts[1]} {parts[2]}, says number {chance.randrange(10_000)}"


# --- the workload ----------------------------------------------------------------------------------------------------


async def recall(http: httpx.AsyncClient, chance: random.Random, user: str) -> httpx.Response:
    """What somebody asks."""
    body = {"query": sentence(chance), "limit": 10}
    return await http.post("/recall", json=body, headers={"Holdfast-User": user})


async def context(http: httpx.AsyncClient, chance: random.Random, user: str) -> httpx.Response:
    """What goes into a prompt."""
    body = {"message": sentence(chance), "session_id": f"{user}-{chance.randrange(10)}"}
    return await http.post("/context", json=body, headers={"Holdfast-User": user})


async def write(http: httpx.AsyncClient, chance: random.Random, user: str) -> httpx.Response:
    """A memory, an entry, or messages of a conversation."""
    headers, number = {"Holdfast-User": user}, chance.randrange(1000)
    match chance.randrange(3):
        case 0:
            body: dict[str, Any] = {"key": f"k{number}", "value": sentence(chance)}
            return await http.post("/memories", json=body, headers=headers)
        case 1:
            body = {"content": sentence(chance), "scope": "user"}
            return await http.put(f"/agents/load/entries/e{number}", json=body, headers=headers)
        case _:
            session = f"{user}-{number % 10}"
            body = {"key": session, "session_id": session, "messages": [sentence(chance)]}
            return await http.post("/conversations/sessions/append", json=body, headers=headers)


async def rest(http: httpx.AsyncClient, chance: random.Random, user: str) -> httpx.Response:
    """Lists and reads."""
    path = chance.choice(("/memories?limit=20", "/agents/load/entries", "/users/me"))
    return await http.get(path, headers={"Holdfast-User": user})


MIX: tuple[tuple[str, Request, int], ...] = (
    ("recall", recall, 60),
    ("context", context, 20),
    ("write", write, 15),
    ("rest", rest, 5),
)


async def one_client(
    http: httpx.AsyncClient, seed: int, plan: Plan, until: float, tally: Tally
) -> None:
    """One client, one request after the other."""
    chance = random.Random(seed)
    weights = [weight for _, _, weight in MIX]
    while time.monotonic() < until:
        name, request, _ = chance.choices(MIX, weights)[0]
        started = time.perf_counter()
        try:
            reply = await request(http, chance, user_of(chance, plan))
            status = str(reply.status_code)
            if status not in ("200", "201") and len(tally.samples) < MAX_SAMPLES:
                tally.samples.append(
                    f"{reply.request.method} {reply.request.url.path}: {reply.text[:300]}"
                )
        except httpx.HTTPError as error:
            status = "no connection"
            if len(tally.samples) < MAX_SAMPLES:
                tally.samples.append(f"after {time.perf_counter() - started:.1f} s: {error!r}")
            await asyncio.sleep(0.1)
        tally.statuses[status] += 1
        tally.times[name].append(time.perf_counter() - started)


def user_of(chance: random.Random, plan: Plan) -> str:
    """One of the users."""
    return f"user-{chance.randrange(plan.users)}"


# --- the service -----------------------------------------------------------------------------------------------------


@asynccontextmanager
async def serving(
    data_dir: Path, plan: Plan, processes: int
) -> AsyncIterator[tuple[dict[str, str], int]]:
    """A service on a folder: what it said when it was ready, and its process id."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "holdfast", "serve", "--json", "--port", "0"),
        *("--processes", str(processes)),
        stdout=asyncio.subprocess.PIPE,
        stderr=(data_dir.parent / "serve.log").open("ab"),
        env={**os.environ, "HOLDFAST_DATA_DIR": str(data_dir), "HOLDFAST_LOG_LEVEL": "error"}
        | {"HOLDFAST_EMBEDDER": plan.embedder},
    )
    line = await process.stdout.readline() if process.stdout else b""
    if not line:
        raise SystemExit("the service did not start")
    try:
        yield json.loads(line), process.pid
    finally:
        process.terminate()
        await process.wait()


async def fill(http: httpx.AsyncClient, plan: Plan) -> None:
    """The memories of all users, in batches, until the worker has embedded them all."""
    chance = random.Random(0)
    per_user = max(1, plan.memories // plan.users)
    (await http.put("/agents/load/entries/first", json={"content": "x"})).raise_for_status()
    with progress_bar() as bar:
        task = bar.add_task("memories", total=per_user * plan.users)
        for number in range(plan.users):
            for first in range(0, per_user, BATCH):
                some = range(first, min(first + BATCH, per_user))
                body = {"memories": [{"key": f"k{n}", "value": sentence(chance)} for n in some]}
                reply = await http.post(
                    "/memories/batch", json=body, headers={"Holdfast-User": f"user-{number}"}
                )
                if reply.status_code not in (200, 201, 207):
                    raise SystemExit(
                        f"the batch was refused: {reply.status_code} {reply.text[:200]}"
                    )
                bar.advance(task, len(some))
        task = bar.add_task("waiting for their vectors", total=None)
        for number in range(plan.users):
            while await has_jobs(http, f"user-{number}"):
                await asyncio.sleep(1)
        bar.remove_task(task)


async def has_jobs(http: httpx.AsyncClient, user: str) -> bool:
    """Whether the worker still has something to do for this user."""
    headers = {"Holdfast-User": user}
    for status in ("queued", "running"):
        reply = await http.get("/jobs", params={"status": status, "limit": 1}, headers=headers)
        if reply.raise_for_status().json()["data"]:
            return True
    return False


async def run(url: str, key: str, pid: int, plan: Plan, *, restart: bool = False) -> Tally:
    """All clients at once for so long; with `restart`, Postgres is killed after a third of the time."""
    tally, started = Tally(), time.monotonic()
    limits = httpx.Limits(max_connections=plan.clients)
    headers = {"Authorization": f"Bearer {key}"}
    async with httpx.AsyncClient(
        base_url=f"{url}/api/v1", headers=headers, timeout=60, limits=limits
    ) as http:
        until = started + plan.seconds
        watching = asyncio.create_task(_watch_memory(pid, tally))
        killing = asyncio.create_task(_kill_postgres(pid, plan.seconds / 3)) if restart else None
        await asyncio.gather(
            *(one_client(http, n, plan, until, tally) for n in range(plan.clients))
        )
        watching.cancel()
        if killing is not None:
            await killing
    tally.took_s = time.monotonic() - started
    return tally


async def _watch_memory(pid: int, tally: Tally) -> None:
    """The memory of the service's own processes every second; shared pages of Postgres would be counted many times."""
    while True:
        total = 0
        for process in (psutil.Process(pid), *psutil.Process(pid).children(recursive=True)):
            try:
                if not process.name().startswith("postgres"):
                    total += process.memory_info().rss
            except psutil.NoSuchProcess:
                continue
        tally.megabytes.append(total / 2**20)
        await asyncio.sleep(1)


async def _kill_postgres(pid: int, after_s: float) -> None:
    await asyncio.sleep(after_s)
    for child in psutil.Process(pid).children():
        if child.name().startswith("postgres"):
            child.kill()


# --- the report ------------------------------------------------------------------------------------------------------


def report(title: str, tally: Tally) -> None:
    """Throughput, times, errors and memory."""
    requests = tally.statuses.total()
    table = Table("", "requests", "p50 ms", "p95 ms", "p99 ms", title=title, box=None)
    every = [t for times in tally.times.values() for t in times]
    for name, times in (*tally.times.items(), ("all", every)):
        cuts = statistics.quantiles(times, n=100) if len(times) > 1 else [times[0]] * 99
        table.add_row(name, str(len(times)), *(f"{cuts[p - 1] * 1000:,.1f}" for p in (50, 95, 99)))
    console.print(table)
    console.print(
        f"{requests / tally.took_s:,.0f} requests/s, errors {tally.errors}, unavailable {tally.unavailable},"
        f" statuses {dict(tally.statuses)}"
    )
    for sample in tally.samples:
        console.print(f"  {sample}", markup=False)
    if tally.megabytes:
        first, last = tally.megabytes[0], tally.megabytes[-1]
        console.print(
            f"memory {first:,.0f} MB at first, {max(tally.megabytes):,.0f} at most, {last:,.0f} at last\n"
        )


async def main(plan: Plan, processes: list[int], folder: Path) -> int:
    """Fill once; run with each number of processes, then with a restart of Postgres. The number of errors."""
    errors, data_dir, key_file = 0, folder / "data", folder / "api-key"
    key = key_file.read_text() if key_file.exists() else ""  # of a folder that was filled before
    for number in processes:
        async with serving(data_dir, plan, number) as (ready, pid):
            if not key:
                key = ready["api_key"]
                headers = {"Authorization": f"Bearer {key}"}
                async with httpx.AsyncClient(
                    base_url=f"{ready['url']}/api/v1", headers=headers, timeout=300
                ) as http:
                    await fill(http, plan)
                key_file.write_text(key)
            tally = await run(ready["url"], key, pid, plan)
            report(f"{number} process(es), {plan.clients} clients ({load_note()})", tally)
            errors += tally.errors + tally.unavailable
    async with serving(data_dir, plan, 1) as (ready, pid):
        tally = await run(ready["url"], key, pid, plan, restart=True)
        report("Postgres is killed after a third of the time", tally)
        errors += tally.errors
    return errors


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--users", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=180.0)
    parser.add_argument("--processes", default="1,2", help="numbers of API processes, with commas")
    parser.add_argument("--embedder", default="local")
    parser.add_argument(
        "--folder",
        type=Path,
        help="where to keep the data folder and the log, filled once; by default they go",
    )
    return parser.parse_args()


if __name__ == "__main__":
    given = _arguments()
    wanted = Plan(given.clients, given.memories, given.users, given.seconds, given.embedder)
    numbers = [int(n) for n in given.processes.split(",")]
    with tempfile.TemporaryDirectory(
        prefix="holdfast-load-", ignore_cleanup_errors=True
    ) as scratch:
        Path(scratch).chmod(0o711)
        failed = asyncio.run(main(wanted, numbers, given.folder or Path(scratch)))
    sys.exit(1 if failed else 0)
