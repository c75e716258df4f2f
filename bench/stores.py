"""Does a store with 100,000 entries and a million versions answer like one with 1,000?

    python -m bench.stores [--entries 100000] [--versions 10] [--rounds 200]

Starts a service of its own in a temporary folder, fills a small and a large store by SQL, and asks both the same
questions in turn, over HTTP and as bare SQL. Prints the medians and their ratio; 1.5 is the most we want to see.
"""

import argparse
import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psycopg

from holdfast.engine import find_running
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.ids import new_id
from holdfast.kernel.pages import Cursor
from holdfast.stores import entries, service, versions
from holdfast.stores.entries import Expected
from holdfast.stores.versions import Filters

SMALL = 1_000
TARGET = 1.5

FILL_STORE = """
INSERT INTO memory_stores (org_id, id, workspace_id, name, name_folded, entry_count, total_size, created_at, updated_at)
VALUES (%(org_id)s, %(store_id)s, 'default', 'bench', 'bench', %(entries)s, %(entries)s * 200, now(), now())
"""
FILL_ENTRIES = """
INSERT INTO store_entries
       (org_id, id, store_id, path, content, size, content_sha256, version, created_at, updated_at)
SELECT %(org_id)s, 'mem_' || md5(%(store_id)s || n), %(store_id)s, %(path)s, repeat('x', 200), 200,
       encode(sha256('x'), 'hex'), %(versions)s, now(), now()
  FROM generate_series(1, %(entries)s) AS n
"""
FILL_VERSIONS = """
INSERT INTO revisions
       (org_id, id, kind, object_id, parent_id, label, version, action, actor_type, actor_id, created_at, state, content)
SELECT %(org_id)s,
       'memver_' || lpad(to_hex(us / 1000), 12, '0') || '7' || lpad(to_hex(us %% 1000 * 4), 3, '0')
                 || '8' || left(md5(%(store_id)s || us), 15),
       'store_entry', 'mem_' || md5(%(store_id)s || n), %(store_id)s, %(path)s, v,
       CASE v WHEN 1 THEN 'created' ELSE 'updated' END, 'api_key', 'key_bench', to_timestamp(us / 1e6),
       '{"size": 200, "content_sha256": "x", "metadata": {}}', repeat('x', 200)
  FROM generate_series(1, %(versions)s) AS v,
       generate_series(1, %(entries)s) AS n,
       LATERAL (SELECT 1700000000000000 + (v * %(entries)s + n)::bigint * 1000 AS us) AS at
"""
PATH = "'f' || n / 1000 || '/d' || n / 50 %% 20 || '/' || n || '.md'"


def path_of(number: int) -> str:
    """The path of an entry, as PATH has it."""
    return f"f{number // 1000}/d{number // 50 % 20}/{number}.md"


@dataclass(frozen=True)
class Filled:
    """A store that was filled by SQL."""

    id: str
    entries: int

    def some_entry(self) -> int:
        return random.randint(1, self.entries)


@dataclass(frozen=True)
class Bench:
    """Where to ask."""

    api: httpx.AsyncClient
    db: Database
    caller: Caller


Question = Callable[[Bench, Filled], Awaitable[Any]]


async def _get(bench: Bench, store: Filled, below: str = "", **params: Any) -> httpx.Response:
    answer = await bench.api.get(f"/memory_stores/{store.id}{below}", params=params)
    answer.raise_for_status()
    return answer


async def _update(bench: Bench, store: Filled) -> None:
    entry = (await _get(bench, store, f"/memories/by-path/{path_of(store.some_entry())}")).json()
    answer = await bench.api.put(
        f"/memory_stores/{store.id}/memories/{entry['id']}",
        json={"content": random.randbytes(99).hex(), "version": entry["version"]},
    )
    answer.raise_for_status()


async def _update_in_sql(bench: Bench, store: Filled) -> None:
    path = path_of(store.some_entry())
    entry = await entries.read_entry_at(bench.db, bench.caller, store.id, path)
    await entries.update_entry(
        bench.db, bench.caller, store.id, entry.id, content=random.randbytes(99).hex(),
        expected=Expected(version=entry.version),
    )  # fmt: skip


def _list(bench: Bench, store: Filled, **options: Any) -> Awaitable[Any]:
    return entries.list_entries(bench.db, bench.caller, store.id, limit=100, **options)


def _versions(bench: Bench, store: Filled, filters: Filters) -> Awaitable[Any]:
    return versions.list_versions(bench.db, bench.caller, store.id, Cursor(limit=100), filters)


OVER_HTTP: dict[str, Question] = {
    "read the store": lambda b, s: _get(b, s),
    "list, first page": lambda b, s: _get(b, s, "/memories", limit=100),
    "list, any page": lambda b, s: _get(b, s, "/memories", limit=100, after_path=path_of(s.some_entry())),
    "list a folder": lambda b, s: _get(b, s, "/memories", limit=100, path_prefix="f0/d1"),
    "list with depth 1": lambda b, s: _get(b, s, "/memories", limit=10, depth=1),
    "list with depth 2": lambda b, s: _get(b, s, "/memories", limit=20, depth=2),
    "read by path": lambda b, s: _get(b, s, f"/memories/by-path/{path_of(s.some_entry())}"),
    "read and update": _update,
    "versions": lambda b, s: _get(b, s, "/versions", limit=100),
    "versions of a path": lambda b, s: _get(b, s, "/versions", limit=100, path=path_of(s.some_entry())),
    "versions, created": lambda b, s: _get(b, s, "/versions", limit=100, action="created"),
    "versions until a time": lambda b, s: _get(
        b, s, "/versions", limit=100, **{"created_at[lte]": "2023-11-14T22:13:23Z"}
    ),
}  # fmt: skip
IN_SQL: dict[str, Question] = {
    "read the store": lambda b, s: service.read_store(b.db, b.caller, s.id),
    "list, first page": lambda b, s: _list(b, s),
    "list, any page": lambda b, s: _list(b, s, after_path=path_of(s.some_entry())),
    "list a folder": lambda b, s: _list(b, s, path_prefix="f0/d1"),
    "list with depth 2": lambda b, s: entries.list_entries(b.db, b.caller, s.id, limit=20, depth=2),
    "read by path": lambda b, s: entries.read_entry_at(b.db, b.caller, s.id, path_of(s.some_entry())),
    "read and update": _update_in_sql,
    "versions": lambda b, s: _versions(b, s, Filters()),
    "versions of a path": lambda b, s: _versions(b, s, Filters(path=path_of(s.some_entry()))),
    "versions, created": lambda b, s: _versions(b, s, Filters(action="created")),
}  # fmt: skip


async def measure(
    bench: Bench, question: Question, small: Filled, large: Filled, rounds: int
) -> tuple[float, float]:
    """The medians in milliseconds. The two take turns, so that whatever else happens here happens to both."""
    times: dict[str, list[float]] = {small.id: [], large.id: []}
    for number in range(rounds + rounds // 10):
        for store in (small, large) if number % 2 else (large, small):
            started = time.perf_counter()
            await question(bench, store)
            if number >= rounds // 10:  # after the plans and caches are warm
                times[store.id].append((time.perf_counter() - started) * 1000)
    return statistics.median(times[small.id]), statistics.median(times[large.id])


def fill(owner_url: str, org_id: str, count: int, kept: int) -> Filled:
    """A store with this many entries, each with this many versions."""
    store = Filled(new_id("memstore"), count)
    params = {"org_id": org_id, "store_id": store.id, "entries": count, "versions": kept}
    with psycopg.connect(owner_url) as connection:
        connection.execute("SELECT set_config('holdfast.org', %s, false)", (org_id,))
        for statement in (FILL_STORE, FILL_ENTRIES, FILL_VERSIONS):
            connection.execute(statement.replace("%(path)s", PATH), params)
    with psycopg.connect(owner_url, autocommit=True) as connection:
        for table in ("memory_stores", "store_entries", "revisions"):
            connection.execute(f"VACUUM ANALYZE {table}")
    return store


@contextmanager
def serving(folder: Path) -> Iterator[dict[str, Any]]:
    """A service of our own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "holdfast", "serve", "--json", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "HOLDFAST_DATA_DIR": str(folder)},
    )
    try:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())
    finally:
        process.terminate()
        process.wait(60)


async def compare(folder: Path, ready: dict[str, Any], count: int, kept: int, rounds: int) -> float:
    """Print every comparison; the worst ratio."""
    endpoints = find_running(folder)
    assert endpoints is not None
    with psycopg.connect(endpoints.owner_url) as connection:
        row = connection.execute("SELECT org_id FROM orgs").fetchone()
        assert row is not None
        org_id = row[0]
    started = time.perf_counter()
    small, large = (fill(endpoints.owner_url, org_id, each, kept) for each in (SMALL, count))
    print(
        f"filled {count:,} entries and {count * kept:,} versions in {time.perf_counter() - started:.0f} s"
    )
    db = Database(endpoints.app_url, min_size=1, max_size=2)
    await db.open()
    caller = Caller(org_id, "service", "key_bench", "default", user_id="owner")
    headers = {"Authorization": f"Bearer {ready['api_key']}"}
    worst = 0.0
    async with httpx.AsyncClient(base_url=f"{ready['url']}/api/v1", headers=headers) as api:
        for name, questions in (("HTTP", OVER_HTTP), ("SQL, in process", IN_SQL)):
            print(f"\n{name:28}{SMALL:>12,}{count:>12,}  ratio")
            for what, question in questions.items():
                times = await measure(Bench(api, db, caller), question, small, large, rounds)
                ratio = times[1] / times[0]
                worst = max(worst, ratio)
                print(f"{what:28}{times[0]:9.2f} ms{times[1]:9.2f} ms  {ratio:5.2f}")
    await db.close()
    print(f"\nworst ratio {worst:.2f} (target: at most {TARGET})")
    return worst


def main() -> None:
    """Run the comparison; fails past the target."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=100_000)
    parser.add_argument("--versions", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder:
        data_dir = Path(folder) / "data"
        with serving(data_dir) as ready:
            worst = asyncio.run(
                compare(data_dir, ready, options.entries, options.versions, options.rounds)
            )
    raise SystemExit(worst > TARGET)


if __name__ == "__main__":
    main()
