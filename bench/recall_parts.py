"""Where the time of a recall goes: `python -m bench.recall_parts`, and at the end of `make bench-recall`.

One scope of 600 memories. Every query is sent once over HTTP, once through the service function in this process, and once in
parts: its embedding alone, its statements alone. "Python" is the rest of the call in process, "HTTP" the rest of the request.
"""

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

import psycopg
import uvloop
from rich.table import Table

from bench.harness import Bench, bench_service, console, load_note
from holdfast.kernel import logs
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.embed import Embedders
from holdfast.kernel.embedding_models import Said
from holdfast.kernel.recall import search as engine
from holdfast.kernel.recall import vectors
from holdfast.kernel.recall.answer import Ask
from holdfast.kernel.recall.model import Question
from holdfast.kernel.recall.passages import queries
from holdfast.memories import recall as memories
from holdfast.memories.model import ANYWHERE

SIZE = 600
USER = "parts"
SCOPES = (f"memory/user:{USER}",)
TOPICS = ("the garden", "a trip to Lisbon", "the release", "her sister", "green tea", "the invoice")


async def fill(bench: Bench) -> None:
    """600 short memories of one user."""
    for first in range(0, SIZE, 100):
        rows = [
            {
                "key": f"k{n}",
                "value": f"On day {n} we talked about {TOPICS[n % 6]} and room {n % 37}",
            }
            for n in range(first, first + 100)
        ]
        reply = await bench.http.post(
            "/memories/batch", json={"memories": rows}, headers={"Holdfast-User": USER}
        )
        reply.raise_for_status()


async def timed(work: Callable[[str], Awaitable[object]], texts: list[str]) -> float:
    """The median time of one call, in milliseconds."""
    times = []
    for text in texts:
        started = time.perf_counter()
        await work(text)
        times.append(time.perf_counter() - started)
    return 1000 * statistics.median(times)


async def run(bench: Bench) -> None:
    """Measure the parts, and print them."""
    await fill(bench)
    db = Database(bench.app_url, services=[Embedders("local")])
    await db.open()
    await vectors.start(db)
    caller = Caller(
        org_id=bench.org_id,
        credential="service",
        credential_id="bench",
        workspace_id="default",
        user_id=USER,
    )
    embedder = await db.services.get(Embedders).serving()
    if embedder is None:
        raise RuntimeError("there is no embedder to measure")
    while (await vectors.progress(db, caller, embedder.model)).embedded < SIZE:
        await asyncio.sleep(0.2)  # the worker embeds the part of a batch that is left to jobs
    try:
        await measure(bench, db, caller)
    finally:
        await db.close()


async def measure(bench: Bench, db: Database, caller: Caller) -> None:
    """Measure each part with its own queries, so that none finds a cached embedding."""

    def texts(form: str) -> list[str]:
        return [form.format(n=n, about=TOPICS[n % 6]) for n in range(80)]

    embedder = await db.services.get(Embedders).serving()
    if embedder is None:
        raise RuntimeError("there is no embedder to measure")

    async def over_http(text: str) -> None:
        body = {"q": text, "limit": 10}
        reply = await bench.http.post(
            "/memories/recall", json=body, headers={"Holdfast-User": USER}
        )
        reply.raise_for_status()

    async def in_process(text: str) -> None:
        ask = Ask(query=text, field="q", kinds=("memory",), whole=True, limit=10)
        await memories.recall(db, caller, ANYWHERE, ask)

    async def embedding(text: str) -> None:
        await embedder.embed([Said(text)], urgent=True)

    await timed(in_process, texts("warm up {n} {about}"))
    http = await timed(over_http, texts("what did we say of {about} on day {n}?"))
    whole = await timed(in_process, texts("what was said about {about} on day {n}?"))
    embed = await timed(embedding, texts("what did they say about {about} on day {n}?"))
    sql = await sql_ms(db, caller, texts("what do we know about {about} of day {n}?"))
    show(embed=embed, sql=sql, whole=whole, http=http)
    show_storage(bench)


async def sql_ms(db: Database, caller: Caller, texts: list[str]) -> float:
    """The median time of the statement that finds the candidates, in milliseconds."""
    spent = []
    for text in texts:
        question = Question(
            text=text, scopes=SCOPES, kinds=("memory",), now=datetime.now(UTC), limit=10
        )
        asked = await engine.understand(db, caller, question)
        started = time.perf_counter()
        await db.all(
            caller,
            tuple,
            queries.candidates,
            scopes=list(SCOPES),
            workspace_id=None,
            **engine.candidate_params(question, asked),
        )
        spent.append(time.perf_counter() - started)
    return 1000 * statistics.median(spent)


def show(*, embed: float, sql: float, whole: float, http: float) -> None:
    """Print the parts, in milliseconds."""
    table = Table(
        "part", "p50 ms", title=f"one recall of 10 among {SIZE} ({load_note()})",
        title_justify="left", box=None,
    )  # fmt: skip
    for name, value in (
        ("embedding", embed),
        ("SQL, candidates", sql),
        ("Python and the other statements", max(whole - embed - sql, 0.0)),
        ("in process, together", whole),
        ("HTTP", max(http - whole, 0.0)),
        ("over HTTP, together", http),
    ):
        table.add_row(name, f"{value:.1f}")
    console.print(table)


def show_storage(bench: Bench) -> None:
    """What a passage keeps for meaning: its vector, and its tokens for close reading."""
    with psycopg.connect(bench.owner_url) as connection:
        found = connection.execute(
            "SELECT avg(pg_column_size(embedding)), avg(pg_column_size(tokens)), max(pg_column_size(tokens))"
            " FROM passage_vectors"
        ).fetchone()
    if found is not None:
        vector, tokens, most = map(float, found)
        console.print(
            f"storage per passage: vector {vector:.0f} bytes, tokens {tokens:.0f} on average and {most:.0f} at most"
            f" ({100 * tokens / vector:.0f} % more)"
        )


async def main() -> None:
    """The command line."""
    async with bench_service() as bench:
        await run(bench)


if __name__ == "__main__":
    logs.configure("warning")
    uvloop.run(main())
