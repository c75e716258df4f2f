"""What one recall and one save cost beside the peers': `python -m bench.recall_cost [ROUNDS]`.

Time on the CPU, which a busy machine changes little, and the time that passed. One conversation of LoCoMo is saved, one turn at a
time, and its questions are asked with 10 results; each contestant takes its turn in every round (A B C A B C …), so that all
meet the same machine. The cost of a contestant is the median over the rounds of: its own process (the service's, or that of the
library's caller), and the processes of Postgres that work for it. Holdfast answers a save before its vector is made: each round of
saves ends when all vectors are there, and what that takes is counted (`whole`).

Contestants: Holdfast over HTTP; Holdfast's service function called in process; LangGraph's PostgresStore and mem0 in process,
where `make bench-peers` was run. The embedding alone takes its turn too; from it follow the parts of a search and of a save:
embedding, SQL, Python, HTTP.
"""

import asyncio
import json
import statistics
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg
import uvloop
from psycopg.conninfo import conninfo_to_dict
from rich.table import Table

from bench.harness import Bench, bench_service, console, load_note
from bench.peers import run as peers
from bench.peers.contract import ADAPTERS
from bench.quality import file_of, read
from holdfast.kernel import logs
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.embed import Embedder, Embedders
from holdfast.kernel.embedding_models import LocalModel, Said
from holdfast.kernel.recall import vectors
from holdfast.kernel.recall.answer import Ask
from holdfast.kernel.recall.underway import Underway
from holdfast.memories import recall, saving
from holdfast.memories.model import ANYWHERE, NewMemory, Place
from holdfast.memories.passages import BEFORE_CHARS

ROUNDS = 16
PER_ROUND = 10
WARM_UP = 3  # rounds that do not count
LIMIT = 10
SAVED = 420  # units that are there before anything is measured
BATCH = 1_000
OVER_HTTP, IN_PROCESS, EMBEDDING = "Holdfast over HTTP", "Holdfast in process", "embedding alone"

Spent = tuple[float, float]
"""The time that passed, and the time that a process was on the CPU, in seconds."""
Work = Callable[[int], Awaitable[Spent]]
"""Does one thing."""


@dataclass
class Cost:
    """What a contestant spent in the rounds so far: milliseconds for one call, a number for each round."""

    wall: list[float] = field(default_factory=list)
    whole: list[float] = field(
        default_factory=list
    )  # until everything is done, by the number of calls
    process: list[float] = field(default_factory=list)
    postgres: list[float] = field(default_factory=list)

    @property
    def cpu(self) -> float:
        """The median time on the CPU of both, for one call."""
        both = [a + b for a, b in zip(self.process, self.postgres, strict=True)]
        return statistics.median(both)


@dataclass(frozen=True)
class Contestant:
    """Something that saves and searches, and the name of its database."""

    name: str
    database: str
    save: Work
    search: Work
    settle: Callable[[], Awaitable[Spent]] | None = None  # waits until what was saved is complete


class Backends:
    """The processes of Postgres that serve a database, by their time on the CPU."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def seconds(self, database: str) -> float:
        """The time on the CPU of all that serve it now, since each began."""
        rows = self._connection.execute(
            "SELECT pid FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()",
            [database],
        )
        return sum(on_cpu(pid) for (pid,) in rows)


def on_cpu(pid: int) -> float:
    """The time that a process was on the CPU since it began, in seconds."""
    return time.clock_gettime((~pid << 3) | 2)  # how Linux numbers the clocks of processes


# --- contestants ------------------------------------------------------------------------------------------------------


def as_body(user: str, unit: dict[str, Any], number: int) -> dict[str, Any]:
    """A unit as a memory of a user."""
    return {
        "key": f"turn-{number}",
        "value": unit["text"],
        "source": unit["speaker"],
        "session_id": f"{user}-{unit['session']}".replace(" ", "_"),
    }


def over_http(
    bench: Bench,
    connection: psycopg.Connection[Any],
    units: list[dict[str, Any]],
    questions: list[str],
) -> Contestant:
    """Holdfast as a client sees it. The client's own work counts for the time that passed, not for the CPU."""
    headers = {"Holdfast-User": "over-http"}

    async def post(path: str, body: dict[str, Any]) -> Spent:
        before, started = on_cpu(bench.pid), time.perf_counter()
        reply = await bench.http.post(path, json=body, headers=headers)
        passed = time.perf_counter() - started
        reply.raise_for_status()
        return passed, on_cpu(bench.pid) - before

    async def save(n: int) -> Spent:
        return await post("/memories", as_body("over-http", units[n % len(units)], n))

    async def search(n: int) -> Spent:
        return await post("/memories/recall", {"q": questions[n], "limit": LIMIT})

    async def settle() -> Spent:
        before, started = on_cpu(bench.pid), time.perf_counter()
        while connection.execute("SELECT FROM embeddings_underway LIMIT 1").fetchone():
            await asyncio.sleep(0.001)
        return time.perf_counter() - started, on_cpu(bench.pid) - before

    return Contestant(OVER_HTTP, _name(bench.app_url), save, search, settle)


def in_process(
    bench: Bench, db: Database, units: list[dict[str, Any]], questions: list[str]
) -> Contestant:
    """Holdfast's service functions, called from this process."""
    caller = Caller(
        org_id=bench.org_id,
        credential="service",
        credential_id="bench",
        workspace_id="default",
        user_id="in-process",
        user_is_new=True,
    )

    async def timed(work: Awaitable[object]) -> Spent:
        before, started = time.process_time(), time.perf_counter()
        await work
        return time.perf_counter() - started, time.process_time() - before

    async def save(n: int) -> Spent:
        body = as_body("in-process", units[n % len(units)], n)
        place = Place(session_id=body.pop("session_id"))
        return await timed(saving.save_memory(db, caller, NewMemory(body, place=place)))

    async def search(n: int) -> Spent:
        ask = Ask(query=questions[n], field="q", kinds=("memory",), whole=True, limit=LIMIT)
        return await timed(recall.recall(db, caller, ANYWHERE, ask))

    async def settle() -> Spent:
        return await timed(db.services.get(Underway).finish())

    return Contestant(IN_PROCESS, _name(bench.app_url), save, search, settle)


def embedding_alone(
    embedder: Embedder, database: str, units: list[dict[str, Any]], questions: list[str]
) -> Contestant:
    """What the service embeds for a save (the text after the end of the turn before it) and for a search, and nothing else."""

    async def embed(said: Said) -> Spent:
        before, started = time.process_time(), time.perf_counter()
        await embedder.embed([said], urgent=True)
        return time.perf_counter() - started, time.process_time() - before

    async def save(n: int) -> Spent:
        unit, last = units[n % len(units)], units[(n - 1) % len(units)]
        said_last = f"{last['speaker']}: {last['text'][-BEFORE_CHARS:]}"
        return await embed(Said(unit["text"], unit["speaker"], said_last))

    async def search(n: int) -> Spent:
        return await embed(Said(questions[n]))

    return Contestant(EMBEDDING, database, save, search)


@asynccontextmanager
async def peer(
    bench: Bench, name: str, units: list[dict[str, Any]], questions: list[str]
) -> AsyncIterator[Contestant]:
    """A peer in a process of its own, which answers one command after the other."""
    interpreter = peers.python()
    if interpreter is None:
        raise RuntimeError(peers.HOW_TO_GET_THEM)
    with peers.database_of_its_own(bench.owner_url, name.split()[0].lower()) as database:
        module = ("-m", "bench.peers.talk", name)
        async with peers.started(interpreter, module, database) as (send, reports):
            version = (await anext(reports))["version"]

            async def ask(command: dict[str, Any]) -> Spent:
                send(json.dumps({"space": "cost", **command}))
                answer = await anext(reports)
                return answer["s"], answer["cpu_s"]

            async def save(n: int) -> Spent:
                return await ask({"unit": {**units[n % len(units)], "id": f"unit-{n}"}})

            async def search(n: int) -> Spent:
                return await ask({"question": questions[n], "limit": LIMIT})

            yield Contestant(f"{name} {version}", _name(database), save, search)


def _name(url: str) -> str:
    return str(conninfo_to_dict(url)["dbname"])


# --- rounds -----------------------------------------------------------------------------------------------------------


async def rounds(
    contestants: Sequence[Contestant], work: str, backends: Backends, number: int, first: int = 0
) -> dict[str, Cost]:
    """Let each do a few in every round; `first` is the number of the first."""
    costs = {each.name: Cost() for each in contestants}
    for turn in range(number):
        for each in contestants:
            do: Work = getattr(each, work)
            before = backends.seconds(each.database)
            spent = [await do(first + turn * PER_ROUND + n) for n in range(PER_ROUND)]
            settles = work == "save" and each.settle is not None
            rest = await each.settle() if settles and each.settle is not None else (0.0, 0.0)
            after = backends.seconds(each.database)
            cost = costs[each.name]
            cost.wall.append(1e3 * statistics.median(passed for passed, _ in spent))
            passed, cpu = (sum(each) for each in zip(*spent, rest, strict=True))
            cost.whole.append(1e3 * passed / PER_ROUND)
            cost.process.append(1e3 * cpu / PER_ROUND)
            cost.postgres.append(1e3 * (after - before) / PER_ROUND)
    return costs


def show(title: str, costs: dict[str, Cost]) -> None:
    """Print medians over the rounds, and the least, in milliseconds for one call."""
    table = Table(title=f"{title} ({load_note()})", title_justify="left", box=None)
    table.add_column("ms for one")
    columns = ("p50", "least p50", "whole", "CPU", "its process", "Postgres")
    for column in (*columns, "CPU ratio", "p50 ratio", "whole ratio"):
        table.add_column(column, justify="right")
    beside = next((name for name in costs if name.startswith("LangGraph")), None)
    for name, cost in costs.items():
        if name == EMBEDDING:
            continue
        p50, whole = statistics.median(cost.wall), statistics.median(cost.whole)
        ratios = ["–", "–", "–"]
        if beside is not None:
            other = costs[beside]
            ratios = [
                f"{cost.cpu / other.cpu:.2f}",
                f"{p50 / statistics.median(other.wall):.2f}",
                f"{whole / statistics.median(other.whole):.2f}",
            ]
        table.add_row(
            name,
            f"{p50:.2f}",
            f"{min(cost.wall):.2f}",
            f"{whole:.2f}",
            f"{cost.cpu:.2f}",
            f"{statistics.median(cost.process):.2f}",
            f"{statistics.median(cost.postgres):.2f}",
            *ratios,
        )
    console.print(table)


def show_parts(searches: dict[str, Cost], saves: dict[str, Cost]) -> None:
    """Print the parts of what a call over HTTP spends on the CPU, in milliseconds: medians over the rounds."""
    table = Table(title="the parts of a call: ms on the CPU", title_justify="left", box=None)
    for column in ("part", "a search", "a save"):
        table.add_column(column, justify="left" if column == "part" else "right")
    both = [_parts(each) for each in (searches, saves)]
    for part in both[0]:
        table.add_row(part, *(f"{each[part]:.2f}" for each in both))
    console.print(table)


def _parts(costs: dict[str, Cost]) -> dict[str, float]:
    inside, outside = costs[IN_PROCESS], costs[OVER_HTTP]
    embedding = statistics.median(costs[EMBEDDING].process)
    process = statistics.median(inside.process)
    return {
        "embedding": embedding,
        "SQL (Postgres)": statistics.median(inside.postgres),
        "Python": process - embedding,
        "in process, together": inside.cpu,
        "HTTP": statistics.median(outside.process) - process,
        "over HTTP, together": outside.cpu,
    }


async def save_batch(bench: Bench, backends: Backends) -> None:
    """The cost of one row in a batch of a thousand, embedding by the worker included."""
    rows = [
        {"key": f"row {n}", "value": f"On day {n} they talked about the garden and room {n % 37}"}
        for n in range(BATCH)
    ]
    database = _name(bench.app_url)
    before, on_backends = on_cpu(bench.pid), backends.seconds(database)
    started = time.perf_counter()
    reply = await bench.http.post(
        "/memories/batch", json={"memories": rows}, headers={"Holdfast-User": "batch"}
    )
    passed = time.perf_counter() - started
    reply.raise_for_status()
    ms = 1e3 / BATCH
    console.print(
        f"a batch of {BATCH:,}: {passed * ms:.2f} ms a row until it is answered"
        f" (CPU {(on_cpu(bench.pid) - before) * ms:.2f} in the service,"
        f" {(backends.seconds(database) - on_backends) * ms:.2f} in Postgres)"
    )


async def run(bench: Bench, number: int = ROUNDS) -> None:
    """Save, ask, print."""
    spaces = read(file_of("locomo-tune"))
    # Texts and questions come once to each contestant, so that nobody finds a vector at hand.
    units = [unit for space in spaces for unit in space.units]
    questions = [question["q"] for question in spaces[0].questions]
    number = min(number, len(questions) // PER_ROUND - WARM_UP)
    async with AsyncExitStack() as opened:
        db = Database(bench.app_url, services=[Embedders("local")])
        await opened.enter_async_context(db.opened())
        await vectors.start(db)
        database = _name(bench.app_url)
        connection = opened.enter_context(psycopg.connect(bench.owner_url, autocommit=True))
        contestants = [
            over_http(bench, connection, units, questions),
            in_process(bench, db, units, questions),
            embedding_alone(Embedder(LocalModel(), local=True), database, units, questions),
        ]
        if peers.python() is not None:
            for name in ADAPTERS:
                entered = peer(bench, name, units, questions)
                contestants.append(await opened.enter_async_context(entered))
        backends = Backends(connection)
        await rounds(contestants, "save", backends, SAVED // PER_ROUND)
        connection.execute("VACUUM ANALYZE")
        saves = await rounds(contestants, "save", backends, number, SAVED)
        await rounds(contestants, "search", backends, WARM_UP)
        searches = await rounds(contestants, "search", backends, number, WARM_UP * PER_ROUND)
        show(f"a search with {LIMIT} results among {SAVED}", searches)
        show("a save", saves)
        show_parts(searches, saves)
        await save_batch(bench, backends)


async def main() -> None:
    """The command line."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    async with bench_service() as bench:
        await run(bench, number)


if __name__ == "__main__":
    logs.configure("warning")
    uvloop.run(main())
