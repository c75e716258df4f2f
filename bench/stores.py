"""Whether a store with 100,000 entries and a million versions is as fast as one with 1,000 entries.

Both stores are filled by SQL and read and written in turn: over HTTP, through the service functions in this process, and as
bare SQL.
"""

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import md5
from typing import Any

import psycopg

from bench.harness import Bench, Operation, compare, console
from holdfast.kernel import sight
from holdfast.kernel.caller import Caller
from holdfast.kernel.ids import new_id
from holdfast.kernel.pages import Cursor
from holdfast.kernel.sql import Query
from holdfast.stores import entries, listing, service, versions
from holdfast.stores.entries import Expected
from holdfast.stores.versions import Filters

SMALL, LARGE = 1_000, 100_000
VERSIONS_EACH = 10
TARGET = 1.5
FIRST_AT_S = 1_700_000_000  # versions are one millisecond apart, starting here

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
    """The path of an entry, as in PATH."""
    return f"f{number // 1000}/d{number // 50 % 20}/{number}.md"


@dataclass(frozen=True)
class Filled:
    """A store that was filled by SQL, with the operations to measure."""

    id: str
    entries: int
    bench: Bench
    caller: Caller

    @property
    def some_path(self) -> str:
        return path_of(random.randint(1, self.entries))

    @property
    def some_time(self) -> str:
        """A time in the middle of its versions."""
        number = random.randint(self.entries * 2, self.entries * VERSIONS_EACH)
        return datetime.fromtimestamp(FIRST_AT_S + number / 1000, UTC).isoformat()

    async def get(self, below: str = "", **params: Any) -> Any:
        """A GET over HTTP."""
        answer = await self.bench.http.get(f"/memory_stores/{self.id}{below}", params=params)
        answer.raise_for_status()
        return answer.json()

    def list(self, *, limit: int = 100, **options: Any) -> Awaitable[Any]:
        """A page of entries, from the service function."""
        return listing.list_entries(self.bench.db, self.caller, self.id, limit=limit, **options)

    def list_versions(self, **filters: Any) -> Awaitable[Any]:
        """A page of versions, from the service function."""
        return versions.list_versions(
            self.bench.db, self.caller, self.id, Cursor(limit=100), Filters(**filters)
        )

    def read_at(self, path: str) -> Awaitable[Any]:
        """An entry, from the service function."""
        return entries.read_entry_at(self.bench.db, self.caller, self.id, path)


async def update_over_http(store: Filled) -> None:
    """Read an entry and write a new version."""
    entry = await store.get(f"/memories/by-path/{store.some_path}")
    answer = await store.bench.http.put(
        f"/memory_stores/{store.id}/memories/{entry['id']}",
        json={"content": random.randbytes(99).hex(), "version": entry["version"]},
    )
    answer.raise_for_status()


async def update_in_process(store: Filled) -> None:
    """Read an entry and write a new version."""
    entry = await store.read_at(store.some_path)
    await entries.update_entry(
        store.bench.db, store.caller, store.id, entry.id, content=random.randbytes(99).hex(),
        expected=Expected(version=entry.version),
    )  # fmt: skip


Question = Callable[[Filled], Awaitable[Any]]

OVER_HTTP: dict[str, Question] = {
    "read the store": lambda s: s.get(),
    "list, first page": lambda s: s.get("/memories", limit=100),
    "list, any page": lambda s: s.get("/memories", limit=100, after_path=s.some_path),
    "list a folder": lambda s: s.get("/memories", limit=100, path_prefix="f0/d1"),
    "list with depth 1": lambda s: s.get("/memories", limit=10, depth=1),
    "list with depth 2": lambda s: s.get("/memories", limit=20, depth=2),
    "read by path": lambda s: s.get(f"/memories/by-path/{s.some_path}"),
    "read and update": update_over_http,
    "versions": lambda s: s.get("/versions", limit=100),
    "versions of a path": lambda s: s.get("/versions", limit=100, path=s.some_path),
    "versions, created": lambda s: s.get("/versions", limit=100, action="created"),
    "versions until a time": lambda s: s.get(
        "/versions", limit=100, **{"created_at[lte]": s.some_time}
    ),
}
IN_PROCESS: dict[str, Question] = {
    "read the store": lambda s: service.read_store(s.bench.db, s.caller, s.id),
    "list, first page": lambda s: s.list(),
    "list, any page": lambda s: s.list(after_path=s.some_path),
    "list a folder": lambda s: s.list(path_prefix="f0/d1"),
    "list with depth 2": lambda s: s.list(depth=2, limit=20),
    "read by path": lambda s: s.read_at(s.some_path),
    "read and update": update_in_process,
    "versions": lambda s: s.list_versions(),
    "versions of a path": lambda s: s.list_versions(path=s.some_path),
    "versions, created": lambda s: s.list_versions(action="created"),
}


def bare_sql(connection: psycopg.AsyncConnection[Any]) -> dict[str, Question]:
    """The bare statements, as the service's role with row-level security."""

    async def ask(store: Filled, query: Query, **params: Any) -> None:
        common: dict[str, Any] = {
            "org_id": store.bench.org_id,
            "store_id": store.id,
            "workspace_id": "default",
        }
        common |= sight.params(store.caller) | {"writes_read_only": False}
        await (await connection.execute(query.bytes, {**common, **params})).fetchall()

    nothing = dict.fromkeys(("version", "if_match", "expected_sha256", "path", "metadata"))

    def update(store: Filled) -> Awaitable[None]:
        number = random.randint(1, store.entries)
        return ask(
            store, service.queries.update_entry, **nothing, now=datetime.now(UTC), size=198, sha256="x",
            entry_id=f"mem_{md5(f'{store.id}{number}'.encode(), usedforsecurity=False).hexdigest()}",
            content=random.randbytes(99).hex(),
        )  # fmt: skip

    page = {"end": "~", "limit": 101, "with_content": False}
    return {
        "list, any page": lambda s: ask(s, service.queries.list_entries, start=s.some_path, **page),
        "read by path": lambda s: ask(s, service.queries.read_entry_at_path, path=s.some_path),
        "update": update,
    }


async def run(bench: Bench) -> None:
    """Print how each operation scales."""
    small, large = fill(bench, SMALL), fill(bench, LARGE)
    async with await psycopg.AsyncConnection.connect(
        bench.app_url, autocommit=True, options="-c role=holdfast_app", prepare_threshold=2
    ) as connection:
        await connection.execute("SELECT set_config('holdfast.org', %s, false)", [bench.org_id])
        await ask_both(small, large, bare_sql(connection))


async def ask_both(small: Filled, large: Filled, in_sql: dict[str, Question]) -> None:
    """Measure every operation on both stores, in turns."""
    worst = 0.0
    for how, questions in (
        ("over HTTP", OVER_HTTP),
        ("in process", IN_PROCESS),
        ("as bare SQL", in_sql),
    ):
        for what, question in questions.items():
            medians = await compare(
                f"{what}, {how}",
                {f"{store.entries:,} entries": asking(question, store) for store in (small, large)},
                against=f"{SMALL:,} entries",
                rounds=12,
                per_round=5,
            )
            few, many = medians.values()
            worst = max(worst, many / few)
    console.print(f"worst ratio {worst:.2f} (target: at most {TARGET})")


def asking(question: Question, store: Filled) -> Operation:
    """One operation on one store."""
    return lambda _: question(store)


def fill(bench: Bench, count: int) -> Filled:
    """A store with this many entries, each with ten versions."""
    caller = Caller(bench.org_id, "service", "key_bench", "default", user_id="owner")
    store = Filled(new_id("memstore"), count, bench, caller)
    params = {
        "org_id": bench.org_id,
        "store_id": store.id,
        "entries": count,
        "versions": VERSIONS_EACH,
    }
    with psycopg.connect(bench.owner_url, autocommit=True) as owner:
        owner.execute("SELECT set_config('holdfast.org', %s, false)", (bench.org_id,))
        for statement in (FILL_STORE, FILL_ENTRIES, FILL_VERSIONS):
            owner.execute(statement.replace("%(path)s", PATH), params)
        owner.execute("VACUUM ANALYZE memory_stores, store_entries, revisions")
    return store
