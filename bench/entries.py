"""Entries of 100 agents with 1,000 each: storing at the cap compared with storing in an empty agent, and hydration of 1,000
entries compared with its bare SQL."""

import psycopg

from bench.harness import Bench, compare, console
from holdfast.entries import service
from holdfast.entries.model import MAX_ENTRIES, NewEntry
from holdfast.entries.reach import Reach
from holdfast.kernel import clock
from holdfast.kernel.caller import operator

AGENTS = 100
BUDGET = 64 * 1024 * 1024


async def run(bench: Bench) -> None:
    """Print the comparisons."""
    caller = operator(bench.org_id)
    _fill(bench)

    def store(agent: str, category: str):
        async def operation(n: int) -> object:
            # An "empty" agent has at most a few entries: a new one every ten writes.
            agent_id = f"empty-{category}-{n // 10}" if agent == "empty" else agent
            new = NewEntry(f"new{n}", "x" * 200, category)
            return await service.store(bench.db, caller, agent_id, new)

        return operation

    def put(agent: str):
        async def operation(n: int) -> object:
            agent_id = f"empty-http-{n // 10}" if agent == "empty" else agent
            path = f"/agents/{agent_id}/entries/http{n}"
            return (await bench.http.put(path, json={"content": "x" * 200})).raise_for_status()

        return operation

    stores = await compare(
        "store a new key",
        {
            "empty agent": store("empty", "note"),
            "at the cap, evicting a note": store("full1", "note"),
            "at the cap, all core": store("core1", "core"),
            "refresh in a full agent": lambda n: service.store(
                bench.db, caller, "full2", NewEntry(f"k{n % MAX_ENTRIES}", "y" * 200, "note")
            ),
            "HTTP, empty agent": put("empty"),
            "HTTP, at the cap": put("full3"),
        },
        against="empty agent",
        rounds=20,
    )
    hydrations = await _hydrations(bench)
    full = stores["at the cap, evicting a note"] / stores["empty agent"]
    core = stores["at the cap, all core"] / stores["empty agent"]
    console.print(f"storing at the cap: {full:.2f}× ({core:.2f}× all core); target: at most 2×")
    ours = hydrations["service"] / hydrations["bare SQL"]
    console.print(f"hydration of {MAX_ENTRIES:,}: {ours:.2f}× its bare SQL; target: at most 3×")


async def _hydrations(bench: Bench) -> dict[str, float]:
    caller = operator(bench.org_id)
    query = service.hydration.queries.hydrate.bytes
    async with await psycopg.AsyncConnection.connect(
        bench.app_url, autocommit=True, prepare_threshold=2
    ) as bare:
        await bare.execute("SELECT set_config('holdfast.org', %s, false)", [bench.org_id])

        async def bare_sql(n: int) -> object:
            reach = Reach.of(caller, f"full{n % AGENTS}")
            params = {
                "org_id": bench.org_id,
                "quotas": reach.quotas,
                **reach.params,
                "now": clock.now(),
                "budget": BUDGET,
            }
            rows = await (await bare.execute(query, params)).fetchall()
            assert len(rows) == MAX_ENTRIES
            return rows

        def path(n: int, budget: int) -> str:
            return f"/agents/full{n % AGENTS}/hydration?budget_bytes={budget}"

        return await compare(
            "hydrate 1,000 entries",
            {
                "bare SQL": bare_sql,
                "service": lambda n: service.hydrate(
                    bench.db, caller, f"full{n % AGENTS}", budget_bytes=BUDGET
                ),
                "HTTP": lambda n: bench.http.get(path(n, BUDGET)),
                "HTTP, 16 KiB of them": lambda n: bench.http.get(path(n, 16_384)),
            },
            against="bare SQL",
            rounds=10,
            per_round=10,
        )


def _fill(bench: Bench) -> None:
    """Insert full agents by SQL; one of them has only core entries."""
    with psycopg.connect(bench.owner_url, autocommit=True) as owner:
        owner.execute("SELECT set_config('holdfast.org', %s, false)", [bench.org_id])
        owner.execute(
            "INSERT INTO agents (org_id, id, workspace_id, created_at, updated_at)"
            " SELECT %s, a, 'default', now(), now()"
            "   FROM (SELECT 'full' || n AS a FROM generate_series(0, %s) n UNION ALL SELECT 'core1')",
            [bench.org_id, AGENTS - 1],
        )
        owner.execute(
            "INSERT INTO entry_quotas (org_id, audience, used)"
            " SELECT org_id, 'agent:' || id, %s FROM agents",
            [MAX_ENTRIES],
        )
        owner.execute(
            "INSERT INTO entries (org_id, id, key, category, content, tags, size, agent_id,"
            "                     workspace_id, version, created_at, updated_at)"
            " SELECT a.org_id, 'ent_' || md5(a.id || '/' || n), 'k' || n,"
            "        CASE WHEN a.id = 'core1' OR n %% 4 = 0 THEN 'core' ELSE 'note' END,"
            "        repeat('x', 200), '{}', 210, a.id, 'default', 1, at, at"
            "   FROM agents a, generate_series(0, %s) n, LATERAL (SELECT now() - n * interval '1 min') t(at)",
            [MAX_ENTRIES - 1],
        )
        owner.execute("ANALYZE entries, entry_quotas, agents")
