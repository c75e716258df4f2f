"""What one recall and one save cost beside the peers': `python -m bench.recall_cost [ROUNDS]`.

Time on the CPU, which a busy machine changes little, and the time that passed. One conversation of LoCoMo is saved, one turn at a
time, and questions are asked with 10 results, each once to every contestant. The contestants (cost_contestants.py): Holdfast over
HTTP; Holdfast's service function called in process; LangGraph's PostgresStore and mem0 in process, where `make bench-peers` was run.
The embedding alone is measured too; from it follow the parts of a search and of a save: embedding, SQL, Python, HTTP.

Searches are measured in two ways:

- in turns of ten (A B C A B C …), so that all meet the same machine. Each contestant has a copy of the model, 23 MB: when its turn
  comes, the others have pushed it out of the processor's cache, and its first calls are twice as slow as its last. It is what a search
  costs a process that does something else most of the time;
- in a row: 60 questions one after another, then the next contestant (A B C, three times), without the first five. It is what a search
  costs a service in use.

The cost of a contestant is the median over its turns or rows of: its own process (the service's, or that of the library's caller), and
the processes of Postgres that work for it. p50 and p90 are those of single calls. Holdfast answers a save before its vector is made:
each round of saves ends when all vectors are there, and what that takes is counted (`whole`).
"""

import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

import psycopg
import uvloop
from rich.table import Table

from bench.cost_contestants import (
    EMBEDDING,
    IN_PROCESS,
    LIMIT,
    OVER_HTTP,
    Contestant,
    Work,
    embedding_alone,
    in_process,
    name_of,
    on_cpu,
    over_http,
    peer,
)
from bench.harness import Bench, bench_service, console, load_note
from bench.peers import run as peers
from bench.peers.contract import ADAPTERS
from bench.quality import file_of, read
from holdfast.kernel import logs
from holdfast.kernel.db import Database
from holdfast.kernel.embed import Embedder, Embedders
from holdfast.kernel.embedding_models import LocalModel
from holdfast.kernel.recall import vectors

ROUNDS = 16
PER_ROUND = 10
WARM_UP = 3  # rounds that do not count
SAVED = 420  # units that are there before anything is measured
BATCH = 1_000
ROWS = 3
PER_ROW = 60
NOT_COUNTED = 5  # the first of each row


@dataclass
class Cost:
    """What a contestant spent, in milliseconds: `calls` has a number for each call, the others one for each turn, per call."""

    calls: list[float] = field(default_factory=list)
    least: float = float("inf")  # of the medians of the turns
    whole: list[float] = field(default_factory=list)  # until everything is done
    process: list[float] = field(default_factory=list)
    postgres: list[float] = field(default_factory=list)

    def add(self, passed: Sequence[float], rest: float, process: float, postgres: float) -> None:
        """Add a turn: the seconds of each call and until everything was done, and those on the CPU."""
        ms = 1e3 / len(passed)
        self.calls += [1e3 * each for each in passed]
        self.least = min(self.least, 1e3 * statistics.median(passed))
        self.whole.append(ms * (sum(passed) + rest))
        self.process.append(ms * process)
        self.postgres.append(ms * postgres)

    @property
    def p50(self) -> float:
        """The median time of a call."""
        return statistics.median(self.calls)

    @property
    def p90(self) -> float:
        """The time that nine of ten calls take at most."""
        return statistics.quantiles(self.calls, n=10)[-1]

    @property
    def cpu(self) -> float:
        """The median time on the CPU of both, for one call."""
        both = [a + b for a, b in zip(self.process, self.postgres, strict=True)]
        return statistics.median(both)


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


# --- rounds -----------------------------------------------------------------------------------------------------------


async def rounds(
    contestants: Sequence[Contestant],
    work: str,
    backends: Backends,
    numbers: Iterator[range],
    not_counted: int = 0,
) -> dict[str, Cost]:
    """Let each do the same in every turn: what has these numbers, of which the first are not counted."""
    costs = {each.name: Cost() for each in contestants}
    for turn in numbers:
        for each in contestants:
            do: Work = getattr(each, work)
            for n in turn[:not_counted]:
                await do(n)
            before = backends.seconds(each.database)
            spent = [await do(n) for n in turn[not_counted:]]
            settles = work == "save" and each.settle is not None
            rest = await each.settle() if settles and each.settle is not None else (0.0, 0.0)
            after = backends.seconds(each.database)
            passed, cpu = zip(*spent, strict=True)
            costs[each.name].add(passed, rest[0], sum(cpu) + rest[1], after - before)
    return costs


def turns(number: int, each: int, first: int) -> Iterator[range]:
    """The numbers of so many turns, as many in each, from the first."""
    return (range(start, start + each) for start in range(first, first + number * each, each))


def show(title: str, costs: dict[str, Cost]) -> None:
    """Print medians, and the least of those of the turns, in milliseconds for one call."""
    table = Table(title=f"{title} ({load_note()})", title_justify="left", box=None)
    table.add_column("ms for one")
    columns = ("p50", "least p50", "whole", "CPU", "its process", "Postgres")
    for column in (*columns, "CPU ratio", "p50 ratio", "whole ratio"):
        table.add_column(column, justify="right")
    beside = _beside(costs)
    for name, cost in costs.items():
        if name == EMBEDDING:
            continue
        whole = statistics.median(cost.whole)
        ratios = ["–", "–", "–"]
        if beside is not None:
            other = costs[beside]
            ratios = [
                f"{cost.cpu / other.cpu:.2f}",
                f"{cost.p50 / other.p50:.2f}",
                f"{whole / statistics.median(other.whole):.2f}",
            ]
        table.add_row(
            name,
            f"{cost.p50:.2f}",
            f"{cost.least:.2f}",
            f"{whole:.2f}",
            f"{cost.cpu:.2f}",
            f"{statistics.median(cost.process):.2f}",
            f"{statistics.median(cost.postgres):.2f}",
            *ratios,
        )
    console.print(table)


def _beside(costs: dict[str, Cost]) -> str | None:
    """The contestant that the others are compared with."""
    return next((name for name in costs if name.startswith("LangGraph")), None)


def show_ways(title: str, ways: dict[str, dict[str, Cost]]) -> None:
    """Print the time of a call as it was measured in several ways, side by side."""
    table = Table(title=f"{title} ({load_note()})", title_justify="left", box=None)
    table.add_column("ms for one")
    for way in ways:
        for column in (f"{way}: p50", "p90", "p50 ratio", "p90 ratio"):
            table.add_column(column, justify="right")
    for name in next(iter(ways.values())):
        cells = []
        for costs in ways.values():
            cost, beside = costs[name], _beside(costs)
            cells += [f"{cost.p50:.2f}", f"{cost.p90:.2f}"]
            other = None if beside is None else costs[beside]
            cells.append("–" if other is None else f"{cost.p50 / other.p50:.2f}")
            cells.append("–" if other is None else f"{cost.p90 / other.p90:.2f}")
        table.add_row(name, *cells)
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
    database = name_of(bench.app_url)
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
    questions = [question["q"] for space in spaces for question in space.questions]
    asked = WARM_UP * PER_ROUND
    number = min(number, (len(questions) - asked - ROWS * PER_ROW) // PER_ROUND)
    async with AsyncExitStack() as opened:
        db = Database(bench.app_url, services=[Embedders("local")])
        await opened.enter_async_context(db.opened())
        await vectors.start(db)
        database = name_of(bench.app_url)
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
        await rounds(contestants, "save", backends, turns(SAVED // PER_ROUND, PER_ROUND, 0))
        connection.execute("VACUUM ANALYZE")
        saves = await rounds(contestants, "save", backends, turns(number, PER_ROUND, SAVED))
        await rounds(contestants, "search", backends, turns(WARM_UP, PER_ROUND, 0))
        searches = await rounds(contestants, "search", backends, turns(number, PER_ROUND, asked))
        rows = turns(ROWS, PER_ROW, asked + number * PER_ROUND)
        in_a_row = await rounds(contestants, "search", backends, rows, NOT_COUNTED)
        what = f"a search with {LIMIT} results among {SAVED}"
        show_ways(what, {"in a row": in_a_row, "in turns": searches})
        show(f"{what}, in a row", in_a_row)
        show(f"{what}, in turns", searches)
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
