"""A read and a write by key of a small kernel table: over HTTP, through the service function, as bare SQL, with and without
row-level security."""

import psycopg

from bench.harness import Bench, compare, console
from holdfast.directory import workspaces
from holdfast.kernel.caller import operator

ROWS = 1_000

READ = "SELECT id, name, version, created_at, updated_at FROM {table} WHERE org_id = %s AND id = %s"
WRITE = (
    "UPDATE {table} SET name = %s, version = version + 1, updated_at = now()"
    " WHERE org_id = %s AND id = %s RETURNING id, name, version, created_at, updated_at"
)


async def run(bench: Bench) -> None:
    """Print the two comparisons."""
    caller = operator(bench.org_id)
    _fill(bench)
    async with await psycopg.AsyncConnection.connect(
        bench.app_url, autocommit=True, prepare_threshold=2
    ) as bare:
        await bare.execute("SELECT set_config('holdfast.org', %s, false)", [bench.org_id])

        def read(table: str):
            text = READ.format(table=table)

            async def operation(n: int) -> object:
                return await (await bare.execute(text, [bench.org_id, f"w{n % ROWS}"])).fetchone()

            return operation

        def write(table: str):
            text = WRITE.format(table=table)

            async def operation(n: int) -> object:
                cursor = await bare.execute(text, [f"n{n}", bench.org_id, f"w{n % ROWS}"])
                return await cursor.fetchone()

            return operation

        reads = await compare(
            "keyed read",
            {
                "bare SQL, no policy": read("bench_plain"),
                "bare SQL": read("workspaces"),
                "service": lambda n: workspaces.read_workspace(bench.db, caller, f"w{n % ROWS}"),
                "HTTP": lambda n: bench.http.get(f"/workspaces/w{n % ROWS}"),
            },
            against="bare SQL",
        )
        writes = await compare(
            "keyed write (the service and HTTP also write the revision)",
            {
                "bare SQL, no policy": write("bench_plain"),
                "bare SQL": write("workspaces"),
                "service": lambda n: workspaces.put_workspace(
                    bench.db, caller, f"w{n % ROWS}", f"n{n}"
                ),
                "HTTP": lambda n: bench.http.put(
                    f"/workspaces/w{n % ROWS}", json={"name": f"n{n}"}
                ),
            },
            against="bare SQL",
        )
    for name, medians in (("read", reads), ("write", writes)):
        cost = medians["bare SQL"] / medians["bare SQL, no policy"] - 1
        console.print(
            f"row-level security costs {cost:+.0%} on the keyed {name} (target: at most +25 %)"
        )


def _fill(bench: Bench) -> None:
    """Insert the same rows into the table with row-level security and into one without."""
    with psycopg.connect(bench.owner_url, autocommit=True) as owner:
        owner.execute("SELECT set_config('holdfast.org', %s, false)", [bench.org_id])
        owner.execute(
            "INSERT INTO workspaces (org_id, id, name, created_at, updated_at)"
            " SELECT %s, 'w' || n, 'name', now(), now() FROM generate_series(0, %s) n",
            [bench.org_id, ROWS - 1],
        )
        owner.execute("CREATE TABLE bench_plain (LIKE workspaces INCLUDING ALL)")
        owner.execute("INSERT INTO bench_plain SELECT * FROM workspaces")
        owner.execute("GRANT SELECT, UPDATE ON bench_plain TO holdfast_app")
        # A PUT needs the earlier version of the row in the history.
        owner.execute("ANALYZE workspaces, bench_plain")
