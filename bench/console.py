"""How long each page of the console takes in a large org: `python -m bench.console FOLDER [--memories 100000]`.

One user has 100,000 memories with their passages, 10,000 entries of ten agents, a block and a memory whose histories are 1 MB
each, and a conversation of 1 MB. Everything is written through the API and embedded by the worker, once: a second run with the
same FOLDER only measures. With --borrow-vectors, what the worker has not embedded by then gets the vector of another passage with
some noise, by SQL (embedding 100,000 texts takes an hour on two cores). Printed are the median and the longest time of ten requests of each page, over loopback, and its size.
"""

import argparse
import asyncio
import json
import os
import random
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
import psycopg
from rich.table import Table

from bench.harness import console, load_note
from holdfast.access.service import make_link
from holdfast.engine import Endpoints, find_running
from holdfast.kernel.caller import operator
from holdfast.kernel.db import Database

SPACES = Path(__file__).parents[1] / "data" / "memchat" / "spaces"
BATCH, ROUNDS = 500, 10
AGENTS, ENTRIES_EACH = 10, 1_000
VERSIONS = {"block": 270, "memory": 135}  # of 4,000 and 8,000 characters: 1 MB each
QUESTIONS = (
    "who wants e-mail only",
    "when is the birthday of the second child",
    "what did we decide about the budget",
    "allergies",
)
KEY_FILE = "bench-key.json"
INDEX = "passage_vectors_384"
BORROW = """
WITH real AS MATERIALIZED (
    SELECT row_number() OVER () AS n, v.* FROM passage_vectors v WHERE v.org_id = %(org)s
), bare AS (
    SELECT p.id, p.scope_id, 1 + floor(random() * (SELECT count(*) FROM real))::bigint AS n
      FROM passages p
     WHERE p.org_id = %(org)s AND NOT EXISTS (SELECT FROM passage_vectors v WHERE v.org_id = p.org_id AND v.passage_id = p.id)
)
INSERT INTO passage_vectors (org_id, model_id, passage_id, scope_id, dimensions, embedding, tokens)
SELECT real.org_id, real.model_id, bare.id, bare.scope_id, real.dimensions,
       l2_normalize(real.embedding + (SELECT array_agg((random() - 0.5) / 25) FROM generate_series(1, 384 + 0 * bare.id))
                                     ::vector::halfvec), real.tokens
  FROM bare JOIN real USING (n)
    ON CONFLICT DO NOTHING
"""


def sentences() -> Iterator[str]:
    """What people say in the conversations of memchat, with other names and numbers each time it comes again."""
    said = [
        " ".join(turn["text"].split())
        for path in sorted(SPACES.glob("*.json"))
        for session in json.loads(path.read_text())["sessions"]
        for turn in session["turns"]
    ]
    words = sorted({word for text in said for word in text.split() if word.isalpha()})
    chance = random.Random(0)
    while True:
        chance.shuffle(said)
        for text in said:
            extra = " ".join(chance.choices(words, k=6))
            yield f"{text[:300]} ({extra} {chance.randrange(10_000)})"


async def fill(http: httpx.AsyncClient, folder: Path, memories: int) -> None:
    """Write everything; a part that was finished in an earlier run is not written again."""
    texts = sentences()
    parts = {
        "memories": lambda: _memories(http, texts, memories),
        "entries": lambda: _entries(http, texts),
        "histories": lambda: _histories(http, texts),
        "conversation": lambda: _conversation(http, texts),
    }
    for name, write in parts.items():
        if not (folder / f"filled-{name}").exists():
            console.print(f"writing: {name}")
            await write()
            (folder / f"filled-{name}").touch()


async def _memories(http: httpx.AsyncClient, texts: Iterator[str], number: int) -> None:
    for first in range(0, number, BATCH):
        some = range(first, min(first + BATCH, number))
        rows = [
            {"key": f"memory {n}", "value": next(texts), "tags": [f"tag{n % 50}"]} for n in some
        ]
        await _send(http, "POST", "/memories/batch", {"memories": rows})


async def _entries(http: httpx.AsyncClient, texts: Iterator[str]) -> None:
    for agent in range(AGENTS):
        for first in range(0, ENTRIES_EACH, BATCH):
            rows = [
                {"key": f"entry-{first + n}", "content": next(texts)[:400], "category": "context"}
                for n in range(BATCH)
            ]
            await _send(http, "POST", f"/agents/agent-{agent}/entries-batch", {"entries": rows})


async def _conversation(http: httpx.AsyncClient, texts: Iterator[str]) -> None:
    for _ in range(10):
        said = [
            {"role": "user", "content": " ".join(next(texts) for _ in range(4))[:1_000]}
            for _ in range(100)
        ]
        body = {"key": "long", "messages": said}
        await _send(http, "POST", "/conversations/sessions/append", body)


async def _histories(http: httpx.AsyncClient, texts: Iterator[str]) -> None:
    await http.delete("/memory/blocks/core")  # of a run that was ended here
    stamp = None
    for _ in range(VERSIONS["block"]):
        lines = "\n".join(next(texts)[:190] for _ in range(20))
        body = {"content": lines[:4_000], "expected_updated_at": stamp}
        stamp = (await _send(http, "PUT", "/memory/blocks/core", body)).json()["updated_at"]
    for _ in range(VERSIONS["memory"]):
        value = "\n".join(next(texts) for _ in range(40))[:8_000]
        await _send(http, "POST", "/memories", {"key": "a long history", "value": value})


async def _send(http: httpx.AsyncClient, method: str, path: str, body: Any) -> httpx.Response:
    reply = await http.request(method, path, json=body)
    if reply.is_error:
        raise SystemExit(f"{method} {path}: {reply.status_code} {reply.text[:300]}")
    return reply


async def embedded(http: httpx.AsyncClient) -> None:
    """Wait until the worker has nothing left to embed."""
    while True:
        jobs = (await http.get("/jobs", params={"limit": 20})).json()["data"]
        if all(job["status"] not in ("queued", "running") for job in jobs):
            return
        await asyncio.sleep(2)


def borrow_vectors(data_dir: Path, org_id: str) -> None:
    """Vectors for the passages that have none; the index is made again afterwards, which is faster."""
    with psycopg.connect(_running(data_dir).owner_url, autocommit=True) as connection:
        connection.execute("SELECT set_config('holdfast.org', %s, false)", [org_id])
        connection.execute("SET maintenance_work_mem = '2GB'")
        with connection.transaction():
            found = connection.execute(
                "SELECT indexdef FROM pg_indexes WHERE indexname = %s", [INDEX]
            ).fetchone()
            if found is None:
                raise SystemExit(f"there is no index {INDEX}")
            connection.execute(f"DROP INDEX {INDEX}".encode())
            connection.execute(BORROW, {"org": org_id})
            connection.execute(str(found[0]).encode())
        connection.execute(
            "VACUUM ANALYZE passages, postings, passage_vectors, memories, revisions"
        )


async def addresses(http: httpx.AsyncClient) -> list[str]:
    """The pages to measure."""
    found = (await http.get("/memories", params={"limit": 1})).json()["data"][0]
    long = {"q": "a long history", "limit": 1}
    history = (await http.post("/memories/recall", json=long)).json()["data"]
    searches = [f"/search?{urlencode({'q': each})}" for each in QUESTIONS]
    return [
        "/", "/?days=30", "/prompt?message=Write+to+Morag+about+the+budget&agent_id=agent-1&max_tokens=4000",
        *searches, f"/search?{urlencode({'q': QUESTIONS[0], 'graph': '1', 'ids': found['id']})}",
        "/blocks", "/blocks/core", "/entries", "/entries/agent-1", "/entries/agent-1?q=budget",
        "/entries/agent-1/hydration?budget_bytes=20000", "/entries/agent-1/entry?key=entry-7",
        "/conversations", "/conversations/sessions", "/conversations/sessions/messages?key=long",
        "/memories", "/memories?tag=tag7", "/memories?category=none", f"/memories/{found['id']}",
        *(f"/memories/{each['id']}" for each in history),
        "/nodes", "/stores", "/activity", "/activity?kind=memory&actor=nobody", "/proposals", "/hygiene",
        "/hygiene?preview=expired",
        "/jobs", "/people", "/agents", "/projects", "/keys", "/settings", "/erase", "/account",
    ]  # fmt: skip


async def measure_hygiene(browser: httpx.AsyncClient) -> None:
    """Have the job of the hygiene page run once, and wait for its result."""
    page = (await browser.get("/hygiene")).text
    token = page.partition('name="_csrf" value="')[2].partition('"')[0]
    await browser.post("/hygiene/measure", data={"_csrf": token})
    while "data-again" in (await browser.get("/hygiene")).text:
        await asyncio.sleep(1)


async def measure(url: str, link: str, paths: list[str]) -> None:
    """Open each page several times; the first opening is counted with the others."""
    table = Table("page", "median", "longest", "size", title=f"pages ({load_note()})", box=None)
    async with httpx.AsyncClient(base_url=url, timeout=120) as browser:
        await browser.post("/sign-in", data={"link": link})
        await measure_hygiene(browser)
        for path in paths:
            times = []
            for _ in range(ROUNDS):
                started = time.perf_counter()
                reply = await browser.get(path)
                times.append(time.perf_counter() - started)
                if reply.status_code != 200:
                    raise SystemExit(f"{path}: {reply.status_code}")
            table.add_row(
                path[:70],
                f"{statistics.median(times) * 1e3:,.0f} ms",
                f"{max(times) * 1e3:,.0f} ms",
                f"{len(reply.content) / 1e3:,.0f} kB",
            )
    console.print(table)


async def main(folder: Path, memories: int, *, borrow: bool) -> None:
    """Start a service on the folder, fill it the first time, and measure."""
    folder.mkdir(parents=True, exist_ok=True)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "holdfast", "serve", "--json", "--port", "0"),
        stdout=asyncio.subprocess.PIPE,
        env={
            **os.environ,
            "HOLDFAST_DATA_DIR": str(folder / "data"),
            "HOLDFAST_LOG_LEVEL": "error",
        },
    )
    try:
        ready = json.loads(await process.stdout.readline() if process.stdout else b"{}")
        known = folder / KEY_FILE
        if not known.exists():
            known.write_text(json.dumps({"api_key": ready["api_key"]}))
        headers = {"Authorization": f"Bearer {json.loads(known.read_text())['api_key']}"}
        async with httpx.AsyncClient(
            base_url=f"{ready['url']}/api/v1", headers=headers, timeout=120
        ) as http:
            await fill(http, folder, memories)
            org_id = (await http.get("/org")).json()["id"]
            if borrow:
                await asyncio.to_thread(borrow_vectors, folder / "data", org_id)
            await embedded(http)
            await measure(ready["url"], await _link(folder / "data", org_id), await addresses(http))
    finally:
        process.terminate()
        await process.wait()


async def _link(data_dir: Path, org_id: str) -> str:
    db = Database(_running(data_dir).app_url)
    await db.open()
    try:
        return await make_link(db, operator(org_id), "owner")
    finally:
        await db.close()


def _running(data_dir: Path) -> Endpoints:
    endpoints = find_running(data_dir)
    if endpoints is None:
        raise SystemExit("the service's database is not to be found")
    return endpoints


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Times of the console's pages in a large org.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--borrow-vectors", action="store_true")
    given = parser.parse_args()
    asyncio.run(main(given.folder, given.memories, borrow=given.borrow_vectors))
