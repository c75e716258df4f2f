"""Speed of recall, as ratios of one run: `python -m bench recall_speed`.

- hybrid recall of a caller who sees 1,000 passages, compared with the bare SQL of its arms;
- the same caller, and one who sees all, in an org of 10,000 passages and in one of a million, each with its own Postgres, in
  turns (fewer with HOLDFAST_BENCH_PASSAGES);
- frequent words compared with rare ones; p95 compared with p50 with 16 clients at once.

Passages are inserted by SQL with generated words (distributed as in a natural language), random vectors and random tokens for close
reading. A million takes most of the time and 8 GB of disk, so the two halves also run by themselves:

    python -m bench.recall_speed build FOLDER [PASSAGES]
    python -m bench.recall_speed measure SMALL_FOLDER LARGE_FOLDER
"""

import asyncio
import json
import os
import random
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import uvloop
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from bench.harness import Bench, bench_service, console, kept_service, load_note
from holdfast.kernel import logs
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.embed import Embedders
from holdfast.kernel.embedding_models import Said
from holdfast.kernel.recall import vectors
from holdfast.kernel.recall.model import Question
from holdfast.kernel.recall.search import search

SMALL = 10_000
LARGE = int(os.environ.get("HOLDFAST_BENCH_PASSAGES", "1000000"))
NARROW_SIZE = 1_000
NARROW, WIDE = "bench/narrow", "bench/wide"
WORDS = 20_000
LENGTH = 12
# Ranks of the words of a query by their frequency; a lower rank is more frequent.
MIXED, FREQUENT, RARE = (20, 5_000), (1, 30), (2_000, 19_000)
ROUNDS, PER_ROUND = 10, 10
CLIENTS, PER_CLIENT = 16, 20
BUILT = "recall_speed.json"
"""Names the org that was filled, in the folder of its database."""

Operation = Callable[[], Awaitable[object]]

FILL = """
WITH made AS MATERIALIZED (
    SELECT n, array_to_tsvector(ARRAY(
               SELECT 'w' || floor(%(words)s ^ random())::int FROM generate_series(1, %(length)s + 0 * n))) AS words
      FROM generate_series(%(first)s::int, %(last)s::int) n
), put AS (
    INSERT INTO passages (org_id, scope_id, kind, object_id, number, starts, ends, labels, words, length, at, updated_at,
                          importance, pinned)
    SELECT %(org)s, recall_scope_id(%(org)s, %(scope)s), 'memory', %(scope)s || n, 0, 0, 1, '{}', words, %(length)s, now(),
           now(), 5, false
      FROM made
    RETURNING org_id, id, scope_id, length, words
), posted AS (
    INSERT INTO postings (org_id, scope_id, lexeme, passage_id, tf, tail, length, tail_length)
    SELECT put.org_id, put.scope_id, word, put.id, 1, 0, put.length, 0
      FROM put, unnest(tsvector_to_array(put.words)) word
)
INSERT INTO passage_vectors (org_id, model_id, passage_id, scope_id, dimensions, embedding, tokens)
SELECT put.org_id, (SELECT id FROM embedding_models WHERE active), put.id, put.scope_id, 384,
       l2_normalize((SELECT array_agg(random() - 0.5) FROM generate_series(1, 384 + 0 * put.id))::vector::halfvec),
       (SELECT decode(string_agg(md5(random()::text), ''), 'hex') FROM generate_series(1, %(length)s / 2 + 0 * put.id))
  FROM put
"""

ARMS = """
WITH words AS (
    SELECT p.passage_id, sum(p.tf / (p.tf + p.length)) AS score
      FROM postings p
     WHERE p.scope_id = recall_scope_id(%(org)s, %(scope)s) AND p.lexeme = ANY (%(words)s)
     GROUP BY p.passage_id ORDER BY score DESC LIMIT 150
), near AS (
    SELECT v.passage_id, v.embedding <#> %(vector)s::halfvec AS distance
      FROM passage_vectors v
     WHERE v.scope_id = recall_scope_id(%(org)s, %(scope)s)
     ORDER BY distance LIMIT 150
)
SELECT p.id, p.object_id FROM passages p
 WHERE p.org_id = %(org)s AND p.id IN (SELECT passage_id FROM words UNION SELECT passage_id FROM near)
"""


STEP = 10_000
# Loading much is fastest without indexes; they are created again afterwards.
MUCH = 5_000
INDEXES = ("passage_vectors_384", "postings_by_lexeme", "postings_by_passage", "postings_sample")


# --- building ---------------------------------------------------------------------------------------------------------


def fill(bench: Bench, passages: int) -> None:
    """Insert this many passages into the org, a thousand of them in a scope of their own."""
    with psycopg.connect(bench.owner_url, autocommit=True) as connection:
        connection.execute("SELECT set_config('holdfast.org', %s, false)", [bench.org_id])
        connection.execute("SET maintenance_work_mem = '4GB'")
        connection.execute("SET synchronous_commit = off")
        indexes = dict(
            connection.execute(
                "SELECT indexname, indexdef FROM pg_indexes WHERE indexname = ANY (%s)",
                [list(INDEXES) if passages >= MUCH else []],
            ).fetchall()
        )
        for name in indexes:
            connection.execute(f"DROP INDEX {name}".encode())
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        with Progress(*columns, TimeRemainingColumn(), console=console) as progress:
            _fill_scope(connection, bench.org_id, NARROW, NARROW_SIZE, progress)
            _fill_scope(connection, bench.org_id, WIDE, passages - NARROW_SIZE, progress)
            task = progress.add_task("making the indexes", total=len(indexes))
            for definition in indexes.values():
                connection.execute(definition.encode())
                progress.advance(task)
        connection.execute("VACUUM ANALYZE passages, postings, passage_vectors")


def _fill_scope(
    connection: psycopg.Connection, org_id: str, scope: str, passages: int, progress: Progress
) -> None:
    task = progress.add_task(f"filling {scope}", total=passages)
    for first in range(0, passages, STEP):
        last = min(first + STEP, passages) - 1
        params = {"org": org_id, "scope": scope, "first": first, "last": last, "words": WORDS, "length": LENGTH}  # fmt: skip
        with psycopg.ClientCursor(connection) as cursor:
            cursor.execute(FILL, params)
        progress.advance(task, last + 1 - first)


async def build(folder: Path, passages: int) -> None:
    """Make a database with so many passages in a folder."""
    folder.mkdir(parents=True)
    folder.chmod(0o711)
    async with kept_service(folder) as bench:
        started = time.perf_counter()
        fill(bench, passages)
        (folder / BUILT).write_text(json.dumps({"org_id": bench.org_id, "passages": passages}))
    console.print(f"{passages:,} passages in {time.perf_counter() - started:.0f} s")


# --- measuring --------------------------------------------------------------------------------------------------------


class Asker:
    """Asks the org of a database."""

    def __init__(self, bench: Bench, db: Database) -> None:
        self.bench = bench
        self.db = db
        self._rng = random.Random(7)
        self._caller = Caller(
            org_id=bench.org_id,
            credential="service",
            credential_id="bench",
            workspace_id="default",
            user_id="owner",
        )

    def recall(self, scope: str, ranks: tuple[int, int]) -> Operation:
        """Hybrid recall of words of these ranks. Every query is different: the vector of a query is cached."""

        async def ask() -> None:
            question = Question(
                text=self._query(ranks), scopes=(scope,), kinds=("memory",), now=datetime.now(UTC)
            )
            await search(self.db, self._caller, question)

        return ask

    def bare_arms(self, connection: psycopg.AsyncConnection) -> Operation:
        """The embedding and the two arms in plain SQL."""

        async def ask() -> None:
            text = self._query(MIXED)
            embedder = await self.db.services.get(Embedders).serving()
            assert embedder is not None
            [made] = await embedder.embed([Said(text)])
            params = {"org": self.bench.org_id, "scope": NARROW, "words": text.split(), "vector": made.vector.text}  # fmt: skip
            await connection.execute(ARMS, params)

        return ask

    def _query(self, ranks: tuple[int, int]) -> str:
        return " ".join(f"w{self._rng.randint(*ranks)}" for _ in range(5))


async def in_turns(operations: Mapping[str, Operation]) -> dict[str, list[float]]:
    """The time of each call, after as many that do not count: the first reads after a bulk insert also write pages out."""
    times: dict[str, list[float]] = {name: [] for name in operations}
    for turn in range(2 * ROUNDS):
        for name, operation in operations.items():
            for _ in range(PER_ROUND):
                started = time.perf_counter()
                await operation()
                if turn >= ROUNDS:
                    times[name].append(time.perf_counter() - started)
    return times


async def measure(small: Bench, large: Bench, passages: int) -> None:
    """Ask both orgs in turns, and print the times and their ratios."""
    async with AsyncExitStack() as opened:
        askers = []
        for bench in (small, large):
            db = Database(bench.app_url, services=[Embedders("local")])
            await opened.enter_async_context(db.opened())
            await vectors.start(db)
            askers.append(Asker(bench, db))
        connecting = await psycopg.AsyncConnection.connect(small.owner_url, autocommit=True)
        bare = await opened.enter_async_context(connecting)
        in_small, in_large = askers
        times = await in_turns(
            {
                "arms in bare SQL, 1,000 seen": in_small.bare_arms(bare),
                "sees 1,000 of 10,000": in_small.recall(NARROW, MIXED),
                "sees all of 10,000": in_small.recall(WIDE, MIXED),
                f"sees 1,000 of {passages:,}": in_large.recall(NARROW, MIXED),
                f"sees all of {passages:,}": in_large.recall(WIDE, MIXED),
                "all, frequent words": in_large.recall(WIDE, FREQUENT),
                "all, rare words": in_large.recall(WIDE, RARE),
            }
        )
        _show(times, await _at_once(in_large.recall(NARROW, MIXED)))


async def _at_once(ask: Operation) -> list[float]:
    async def one() -> list[float]:
        times = []
        for _ in range(PER_CLIENT):
            started = time.perf_counter()
            await ask()
            times.append(time.perf_counter() - started)
        return times

    return [t for each in await asyncio.gather(*(one() for _ in range(CLIENTS))) for t in each]


def _show(times: dict[str, list[float]], clients: list[float]) -> None:
    p50 = {name: statistics.median(each) for name, each in times.items()}
    table = Table(
        "", "p50 ms", "p95 ms", title=f"hybrid recall, embedding included ({load_note()})",
        title_justify="left", box=None,
    )  # fmt: skip
    for name, each in times.items():
        table.add_row(name, f"{p50[name] * 1e3:.1f}", f"{_p95(each) * 1e3:.1f}")
    console.print(table)
    bare, narrow, wide, narrow_large, wide_large, frequent, rare = p50.values()
    for what, ratio, goal in (
        ("recall / bare arms", narrow / bare, 3),
        ("growth, caller who sees 1,000", narrow_large / narrow, 1.2),
        ("growth, caller who sees all", wide_large / wide, 2),
        ("frequent / rare words", frequent / rare, 2),
        (f"{CLIENTS} clients: p95 / p50", _p95(clients) / statistics.median(clients), 2),
    ):
        console.print(f"  {what}: {ratio:.2f} (goal: at most {goal})")


def _p95(times: list[float]) -> float:
    return statistics.quantiles(times, n=20)[18]


async def run(bench: Bench) -> None:
    """Build both, and measure."""
    async with bench_service() as other:
        fill(bench, SMALL)
        fill(other, LARGE)
        await measure(bench, other, LARGE)


async def measure_built(small: Path, large: Path) -> None:
    """Measure what `build` made in two folders."""
    async with kept_service(small) as in_small, kept_service(large) as in_large:
        benches = []
        for folder, bench in ((small, in_small), (large, in_large)):
            built = json.loads((folder / BUILT).read_text())
            benches.append(replace(bench, org_id=built["org_id"]))
        await measure(benches[0], benches[1], built["passages"])


if __name__ == "__main__":
    logs.configure("warning")
    match sys.argv[1:]:
        case ["build", folder, *size]:
            uvloop.run(build(Path(folder), int(size[0]) if size else LARGE))
        case ["measure", small, large]:
            uvloop.run(measure_built(Path(small), Path(large)))
        case _:
            raise SystemExit(__doc__)
