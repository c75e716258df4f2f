"""A Postgres of somebody else's: an owner who is no superuser, and a pooler that works by transactions."""

import asyncio
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import psycopg
import pytest

from holdfast.bootstrap import bootstrap, create_org
from holdfast.kernel.caller import operator
from holdfast.kernel.db import Database
from holdfast.kernel.migrate import migrate
from holdfast.kernel.session import DatabaseUnfit
from holdfast.kernel.sql import Query
from tests.conftest import free_port, scratch, serving
from tests.own_cluster import Cluster, own_cluster, wait_until_it_answers

WHO = Query("who", "SELECT current_user::text")
EXTENSION = "CREATE EXTENSION vector"  # the one that only an administrator may create


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    folder, _ = scratch()
    with folder, own_cluster(Path(folder.name), free_port()) as running:
        yield running


@pytest.fixture
def make_database(cluster):
    """Makes a database that belongs to a new role without superuser rights: the owner's URL."""

    def make(owner: str, *rights: str) -> str:
        cluster.execute(
            f"CREATE ROLE {owner} LOGIN NOSUPERUSER {' '.join(rights)}",
            f"CREATE DATABASE {owner} OWNER {owner}",
        )
        cluster.execute(EXTENSION, database=owner)
        return cluster.url(owner, owner)

    return make


async def assert_it_serves(url: str, owner_url: str) -> None:
    """A first start succeeds, and transactions work as the service's role."""
    db = Database(url, min_size=1, max_size=2)
    await db.open()
    try:
        first = await bootstrap(db, owner_url)
        assert first is not None
        caller = operator(first.org_id)
        assert await db.one(caller, str, WHO) == "holdfast_app"
        async with db.begin(caller) as tx:
            assert await tx.one(str, WHO) == "holdfast_app"
        assert await db.prove(str, WHO, "nobody") == ["holdfast_app"]
    finally:
        await db.close()


async def test_an_owner_who_is_no_superuser_can_start(cluster, make_database):
    # The role is of the whole cluster: first without it, then with it.
    plain = make_database("plain")
    with pytest.raises(
        DatabaseUnfit, match=r'CREATE ROLE holdfast_app NOLOGIN; GRANT .* TO "plain"'
    ):
        migrate(plain)
    managed = make_database("managed", "CREATEROLE")
    migrate(managed)
    await assert_it_serves(managed, managed)

    # One that may not grant it to itself says what an administrator has to do.
    migrate(plain)
    with pytest.raises(DatabaseUnfit, match='GRANT holdfast_app TO "plain"'):
        await Database(plain).open()
    cluster.execute("GRANT holdfast_app TO plain")
    await assert_it_serves(plain, plain)

    # A login of the service's own, beside the owner of the schema.
    separate = make_database("separate")
    migrate(separate)
    cluster.execute("CREATE ROLE service LOGIN NOSUPERUSER", "GRANT holdfast_app TO service")
    await assert_it_serves(cluster.url("service", "separate"), separate)

    cluster.execute("ALTER ROLE holdfast_app BYPASSRLS")
    try:
        with pytest.raises(DatabaseUnfit, match="bypass"):
            await Database(managed).open()
    finally:
        cluster.execute("ALTER ROLE holdfast_app NOBYPASSRLS")


# --- a pooler --------------------------------------------------------------------------------------------------------


@pytest.fixture
def pooled(cluster, make_database) -> Iterator[tuple[str, str]]:
    """A URL through pgbouncer, whose server connections are handed out by the transaction, and the direct one."""
    program = shutil.which("pgbouncer") or shutil.which("/usr/sbin/pgbouncer")
    if program is None:
        pytest.skip("pgbouncer is not installed (Debian: apt-get install pgbouncer)")
    direct = make_database("pooled", "CREATEROLE")
    folder, _ = scratch()
    with folder:
        port, settings = free_port(), Path(folder.name) / "pgbouncer.ini"
        settings.write_text(
            f"[databases]\npooled = user=pooled host=127.0.0.1 port={cluster.port}\n"
            f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
            f"auth_type = any\npool_mode = transaction\ndefault_pool_size = 3\n"
        )
        identity = {}
        if not cluster.account.is_us:
            identity = {"user": cluster.account.uid, "group": cluster.account.gid}
        settings.chmod(0o644)
        with (Path(folder.name) / "pgbouncer.log").open("wb") as log:
            process = subprocess.Popen([program, str(settings)], stdout=log, stderr=log, **identity)
        try:
            url = f"postgresql://pooled@127.0.0.1:{port}/pooled"
            wait_until_it_answers(url, process)
            yield url, direct
        finally:
            process.terminate()
            process.wait(20)


async def test_through_a_pooler_every_answer_is_that_of_the_one_who_asked(pooled, data_dir):
    url, direct = pooled
    with pytest.raises(DatabaseUnfit, match="HOLDFAST_MIGRATION_URL"):
        migrate(url)
    migrate(direct)
    await assert_it_serves(url, direct)
    db = Database(url, min_size=1, max_size=8)
    await db.open()
    try:
        assert db.pooled
        orgs = [await create_org(db, f"org {number}") for number in range(4)]
    finally:
        await db.close()

    with serving(
        data_dir, first_start=True, HOLDFAST_DATABASE_URL=url, HOLDFAST_MIGRATION_URL=direct
    ) as (ready, _):
        base = f"{ready['url']}/api/v1"
        async with httpx.AsyncClient(base_url=base, timeout=30) as client:

            async def use(org_id: str, key: str, number: int) -> None:
                mine = {"Authorization": f"Bearer {key}"}
                name = f"{org_id} {number}"
                path = f"/workspaces/place-{number}"
                assert (await client.get("/org", headers=mine)).json()["id"] == org_id
                put = await client.put(path, headers=mine, json={"name": name})
                assert put.status_code in (200, 201), put.text
                assert (await client.get(path, headers=mine)).json()["name"] == name
                missing = await client.get("/workspaces/not-here", headers=mine)
                assert missing.status_code == 404

            # More clients than server connections, so that each of these serves all orgs.
            for _ in range(3):
                await asyncio.gather(
                    *(use(org_id, key, number) for number in range(6) for org_id, key in orgs)
                )

            # Work for later is done, although the pooler passes no notifications on.
            mine = {"Authorization": f"Bearer {orgs[0][1]}"}
            changed = await client.patch("/org", headers=mine, json={"language": "german"})
            assert changed.status_code == 200, changed.text
            async with asyncio.timeout(60):
                while True:
                    jobs = (await client.get("/jobs", headers=mine)).json()["data"]
                    if jobs and all(job["status"] == "succeeded" for job in jobs):
                        break
                    await asyncio.sleep(0.1)

    with psycopg.connect(direct, autocommit=True) as connection:  # and nothing was left behind
        left = connection.execute(
            "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
            " WHERE d.datname = 'pooled' AND l.locktype = 'advisory'"
        ).fetchone()
    assert left == (0,)
