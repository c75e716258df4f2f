"""Speed of recall, as ratios of one run: `python -m bench recall_speed`.

- hybrid recall of a caller who sees 1,000 passages, compared with the bare SQL of its arms;
- the same caller, and one who sees all, while the org grows to a million passages, which takes a quarter of an hour and 8 GB
  of disk (fewer with HOLDFAST_BENCH_PASSAGES);
- frequent words compared with rare ones; p95 compared with p50 with 16 clients at once.

Passages are inserted by SQL with generated words (distributed as in a natural language) and random vectors.
"""

import asyncio
import os
import random
import statistics
import time
from datetime import UTC, datetime

import psycopg
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from bench.harness import Bench, console
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.embed import Embedders
from holdfast.kernel.recall import vectors
from holdfast.kernel.recall.model import Question
from holdfast.kernel.recall.search import search

SMALL = 10_000
LARGE = int(os.environ.get("HOLDFAST_BENCH_PASSAGES", "1000000"))
NARROW, WIDE = "bench/narrow", "bench/wide"
WORDS = 20_000
LENGTH = 12

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
INSERT INTO passage_vectors (org_id, model_id, passage_id, scope_id, dimensions, embedding)
SELECT put.org_id, (SELECT id FROM embedding_models WHERE active), put.id, put.scope_id, 384,
       l2_normalize((SELECT array_agg(random() - 0.5) FROM generate_series(1, 384 + 0 * put.id))::vector::halfvec)
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
# Loading is fastest without indexes; they are created again afterwards.
INDEXES = ("passage_vectors_384", "postings_by_lexeme", "postings_by_passage", "postings_sample")


def fill(bench: Bench, scope: str, first: int, last: int) -> None:
    """Insert this many passages by SQL, in steps."""
    with psycopg.connect(bench.owner_url, autocommit=True) as connection:
        connection.execute("SELECT set_config('holdfast.org', %s, false)", [bench.org_id])
        connection.execute("SET maintenance_work_mem = '4GB'")
        kept = dict(
            connection.execute(
                "SELECT indexname, indexdef FROM pg_indexes WHERE indexname = ANY (%s)",
                [list(INDEXES)],
            ).fetchall()
        )
        for name in kept:
            connection.execute(f"DROP INDEX {name}".encode())
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        with Progress(*columns, TimeRemainingColumn(), console=console) as progress:
            task = progress.add_task(f"filling {scope}", total=last - first)
            for start in range(first, last, STEP):
                _fill_step(connection, bench.org_id, scope, start, min(start + STEP, last) - 1)
                progress.advance(task, min(start + STEP, last) - start)
            task = progress.add_task("making the indexes", total=len(kept))
            for definition in kept.values():
                connection.execute(definition.encode())
                progress.advance(task)
        connection.execute("VACUUM ANALYZE passages, postings, passage_vectors")


def _fill_step(
    connection: psycopg.Connection, org_id: str, scope: str, first: int, last: int
) -> None:
    params = {
        "org": org_id,
        "scope": scope,
        "first": first,
        "last": last,
        "words": WORDS,
        "length": LENGTH,
    }
    with psycopg.ClientCursor(connection) as cursor:
        cursor.execute(FILL, params)


def query(rng: random.Random, low: int, high: int) -> str:
    """Five words with a frequency rank between two numbers; a lower rank is more frequent."""
    return " ".join(f"w{rng.randint(low, high)}" for _ in range(5))


async def timed(operation, rounds: int) -> list[float]:
    """The time of each call, after the same number of calls to warm up: the first reads after a bulk insert also write
    pages out."""
    for n in range(rounds):
        await operation(n)
    times = []
    for n in range(rounds):
        started = time.perf_counter()
        await operation(n)
        times.append(time.perf_counter() - started)
    return times


async def run(bench: Bench) -> None:
    """Insert, measure, insert more, measure again."""
    db = Database(bench.app_url, services=[Embedders("local")])
    await db.open()
    await vectors.start(db)
    try:
        await _run(bench, db)
    finally:
        await db.close()


async def _run(bench: Bench, db: Database) -> None:
    caller = Caller(org_id=bench.org_id, credential="service", credential_id="bench",
                    workspace_id="default", user_id="owner")  # fmt: skip
    rng = random.Random(7)
    mixed, frequent, rare = (20, 5_000), (1, 30), (2_000, 19_000)

    def asking(scope: str, ranks: tuple[int, int]):
        async def ask(_: int) -> None:
            # Every query is different: the vector of a query is cached.
            text = query(rng, *ranks)
            await search(db, caller, Question(text=text, scopes=(scope,), kinds=("memory",),
                                              now=datetime.now(UTC)))  # fmt: skip

        return ask

    embedder = await db.services.get(Embedders).serving()
    assert embedder is not None

    async with await psycopg.AsyncConnection.connect(bench.owner_url, autocommit=True) as bare:

        async def arms(_: int) -> None:
            text = query(rng, *mixed)
            [vector] = await embedder.embed([text])
            await bare.execute(
                ARMS,
                {"org": bench.org_id, "scope": NARROW, "words": text.split(), "vector": vector},
            )

        fill(bench, NARROW, 0, 1_000)
        fill(bench, WIDE, 0, SMALL - 1_000)
        small = {
            "arms in bare SQL, 1,000 seen": await timed(arms, 100),
            "sees 1,000 of 10,000": await timed(asking(NARROW, mixed), 100),
            "sees all of 10,000": await timed(asking(WIDE, mixed), 60),
        }
    fill(bench, WIDE, SMALL - 1_000, LARGE - 1_000)
    large = {
        f"sees 1,000 of {LARGE:,}": await timed(asking(NARROW, mixed), 100),
        f"sees all of {LARGE:,}": await timed(asking(WIDE, mixed), 60),
        "all, frequent words": await timed(asking(WIDE, frequent), 60),
        "all, rare words": await timed(asking(WIDE, rare), 60),
    }
    clients = await _sixteen(asking(NARROW, mixed))
    _show(small | large, clients)


async def _sixteen(ask) -> list[float]:
    async def one(first: int) -> list[float]:
        times = []
        for n in range(20):
            started = time.perf_counter()
            await ask(first + n)
            times.append(time.perf_counter() - started)
        return times

    return [t for each in await asyncio.gather(*(one(c * 20) for c in range(16))) for t in each]


def _show(times: dict[str, list[float]], clients: list[float]) -> None:
    p50 = {name: statistics.median(each) for name, each in times.items()}
    table = Table("", "p50 ms", "p95 ms", title="hybrid recall, embedding included", box=None)
    for name, each in times.items():
        table.add_row(
            name, f"{p50[name] * 1e3:.1f}", f"{statistics.quantiles(each, n=20)[18] * 1e3:.1f}"
        )
    console.print(table)
    names = list(p50)
    p95 = statistics.quantiles(clients, n=20)[18]
    for what, ratio, goal in (
        ("recall / bare arms", p50[names[1]] / p50[names[0]], 3),
        ("growth, caller who sees 1,000", p50[names[3]] / p50[names[1]], 2),
        ("growth, caller who sees all", p50[names[4]] / p50[names[2]], 4),
        ("frequent / rare words", p50[names[5]] / p50[names[6]], 2),
        ("16 clients: p95 / p50", p95 / statistics.median(clients), 4),
    ):
        console.print(f"  {what}: {ratio:.2f} (at most {goal})")
