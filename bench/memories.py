"""Saving a memory (row, revision, passage; no embedder) compared with the bare insert of its row; saving in bulk compared with
one by one, over HTTP with the default embedder; reads in an org of 100,000 memories."""

from dataclasses import replace

import psycopg

from bench.harness import Bench, compare, console
from holdfast.kernel.caller import Caller, operator
from holdfast.kernel.ids import new_id
from holdfast.kernel.pages import Cursor
from holdfast.kernel.sql import Query
from holdfast.memories import saving, service
from holdfast.memories.model import Filter, NewMemory

VALUE = "Prefers green tea in the morning, and none after four. " * 4
BATCH = 1_000
USERS, PER_USER = 100, 1_000

# The same row in its own transaction, with the org set and nothing else: no history, no check of the key.
bare_insert = Query(
    "bare_insert",
    """
    INSERT INTO memories (org_id, id, key, value, category, tags, importance, pinned, source, scope, user_id,
                          workspace_id, trust, created_at, updated_at)
    VALUES (%(org_id)s, %(id)s, %(key)s, %(value)s, 'fact', '{}', 5, false, 'manual', 'global', %(user_id)s,
            'default', 'user', %(now)s, %(now)s)
    """,
)


def _new(key: str, value: str = VALUE) -> NewMemory:
    return NewMemory({"key": key, "value": value})


async def run(bench: Bench) -> None:
    """Print the comparisons."""
    caller = operator(bench.org_id)
    _fill(bench)
    await _reads(bench, caller)
    # Last: a job goes on embedding the batches after they are answered.
    await _saves(bench, caller)


async def _saves(bench: Bench, caller: Caller) -> None:
    async def bare(n: int) -> None:
        async with bench.db.begin(caller) as tx:
            await tx.run(
                bare_insert, id=new_id("memory"), key=f"bare {n}", value=VALUE, user_id="owner"
            )

    async def single(n: int) -> None:
        body = {"key": f"single {n}", "value": f"On day {n} it was {VALUE}"}
        (await bench.http.post("/memories", json=body)).raise_for_status()

    async def bulk(n: int) -> None:
        rows = [
            {"key": f"bulk {n} {i}", "value": f"In bulk {n}, on day {i}, it was {VALUE}"}
            for i in range(BATCH)
        ]
        reply = await bench.http.post("/memories/batch", json={"memories": rows})
        assert reply.json()["stored"] == BATCH

    medians = await compare(
        "save",
        {
            "bare insert": bare,
            "new": lambda n: saving.save_memory(bench.db, caller, _new(f"key {n}")),
            "in place": lambda n: saving.save_memory(bench.db, caller, _new("key", f"{VALUE}{n}")),
        },
        against="bare insert",
    )
    over_http = await compare(
        "over HTTP, embedding included", {"one": single}, against="one", rounds=4
    )
    over_http |= await compare(
        "batch of 1,000", {"batch": bulk}, against="batch", rounds=3, per_round=2
    )
    rate = over_http["one"] / (over_http["batch"] / BATCH)
    console.print(
        f"save: {medians['new'] / medians['bare insert']:.2f}× the bare insert; target: at most 3×"
    )
    console.print(f"in bulk: {rate:.1f}× the rate of one by one; target: at least 10×")


async def _reads(bench: Bench, caller: Caller) -> None:
    saved = await saving.save_memory(bench.db, caller, _new("to read"))
    reader = replace(caller, user_id="user0")
    await compare(
        f"read in an org of {USERS * PER_USER:,}",
        {
            "one by id": lambda _: service.read_memory(bench.db, caller, saved.id),
            "a page": lambda _: service.list_memories(bench.db, reader, Filter(), Cursor()),
            "a page, rare filter": lambda _: service.list_memories(
                bench.db, reader, Filter(category="rare"), Cursor()
            ),
        },
        against="one by id",
        rounds=20,
    )


def _fill(bench: Bench) -> None:
    """Insert memories of many users by SQL, as the data beside which is measured."""
    with psycopg.connect(bench.owner_url, autocommit=True) as owner:
        owner.execute("SELECT set_config('holdfast.org', %s, false)", [bench.org_id])
        owner.execute(
            """
            INSERT INTO memories (org_id, id, key, value, category, tags, importance, pinned, source, scope, user_id,
                                  workspace_id, trust, created_at, updated_at)
            SELECT %s, 'memory_' || lpad(to_hex(n), 32, '0'), 'key ' || n, 'value ' || n,
                   CASE WHEN n %% 100000 = 0 THEN 'rare' ELSE 'fact' END, '{}', 5, false, 'manual', 'global',
                   'user' || n %% %s, 'default', 'user', now(), now()
              FROM generate_series(1, %s) AS n
            """,
            [bench.org_id, USERS, USERS * PER_USER],
        )
        owner.execute("ANALYZE memories")
