"""Who saves and searches for `bench.recall_cost`: Holdfast over HTTP and in process, its embedding alone, and the peers.

Each returns what one call took: the time that passed, and the time on the CPU of its own process.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from bench.harness import Bench
from bench.peers import run as peers
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.embed import Embedder
from holdfast.kernel.embedding_models import Said
from holdfast.kernel.recall.answer import Ask
from holdfast.kernel.recall.underway import Underway
from holdfast.memories import recall, saving
from holdfast.memories.model import ANYWHERE, NewMemory, Place
from holdfast.memories.passages import BEFORE_CHARS

LIMIT = 10
OVER_HTTP, IN_PROCESS, EMBEDDING = "Holdfast over HTTP", "Holdfast in process", "embedding alone"

Spent = tuple[float, float]
"""The time that passed, and the time that a process was on the CPU, in seconds."""
Work = Callable[[int], Awaitable[Spent]]
"""Does one thing."""


@dataclass(frozen=True)
class Contestant:
    """Something that saves and searches, and the name of its database."""

    name: str
    database: str
    save: Work
    search: Work
    settle: Callable[[], Awaitable[Spent]] | None = None  # waits until what was saved is complete


def on_cpu(pid: int) -> float:
    """The time that a process was on the CPU since it began, in seconds."""
    return time.clock_gettime((~pid << 3) | 2)  # how Linux numbers the clocks of processes


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

    return Contestant(OVER_HTTP, name_of(bench.app_url), save, search, settle)


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

    return Contestant(IN_PROCESS, name_of(bench.app_url), save, search, settle)


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

            yield Contestant(f"{name} {version}", name_of(database), save, search)


def name_of(url: str) -> str:
    """The name of the database at a URL."""
    return str(conninfo_to_dict(url)["dbname"])
