"""Reads from a real streaming replica: none is older than a write that was acknowledged, whatever the replica does."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psutil
import psycopg
import pytest

from holdfast.app import make_app
from holdfast.bootstrap import create_org
from holdfast.cli.doctor import _replica
from holdfast.deployment import Config
from holdfast.kernel import metrics
from holdfast.kernel.caller import operator
from holdfast.kernel.db import Database
from holdfast.kernel.migrate import migrate
from holdfast.kernel.replica import reading
from holdfast.kernel.sql import Query
from holdfast.walls import walk
from holdfast.walls.specimens import one_of_everything
from tests.conftest import free_port, scratch
from tests.contract.faces import SPECIMENS
from tests.own_cluster import Cluster, copy_for_replica, own_cluster, running_replica

IS_REPLICA = Query("is_replica", "SELECT pg_is_in_recovery()")
WRITE = Query("write", "UPDATE orgs SET name = 'changed' WHERE org_id = %(org_id)s")
SLOW = Query("slow", "SELECT pg_is_in_recovery() FROM pg_sleep(%(seconds)s)")


@dataclass
class Pair:
    """A primary and its replica, both on this machine."""

    primary: Cluster
    folder: Path
    port: int = field(default_factory=free_port)
    _running: ExitStack = field(default_factory=ExitStack)
    replica: Cluster | None = None

    @property
    def url(self) -> str:
        return self.primary.url("holdfast", "holdfast")

    @property
    def replica_url(self) -> str:
        return f"postgresql://holdfast@127.0.0.1:{self.port}/holdfast"

    def start_replica(self) -> None:
        pgdata = self.folder / "replica"
        if not pgdata.exists():
            copy_for_replica(self.primary, self.folder)
        self.replica = self._running.enter_context(running_replica(self.primary, pgdata, self.port))

    def stop_replica(self) -> None:
        self._running.close()
        self.replica = None

    def on_replica(self, statement: str) -> object:
        assert self.replica is not None
        with psycopg.connect(self.replica.url("postgres", "holdfast"), autocommit=True) as there:
            found = there.execute(statement.encode()).fetchone()
        return found[0] if found else None


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    folder, _ = scratch()
    with folder, own_cluster(Path(folder.name), free_port()) as primary:
        primary.execute(
            "CREATE ROLE holdfast LOGIN NOSUPERUSER CREATEROLE",
            "CREATE DATABASE holdfast OWNER holdfast",
        )
        primary.execute("CREATE EXTENSION vector", database="holdfast")
        made = Pair(primary, Path(folder.name))
        migrate(made.url)
        made.start_replica()
        try:
            yield made
        finally:
            made.stop_replica()


@dataclass
class Process:
    """An application as one API process has it, with its own pools and its own view of the replica."""

    app: object
    db: Database
    org_id: str
    client: httpx.AsyncClient

    async def used_again(self) -> None:
        """Wait until the watch has found the replica fit."""
        async with asyncio.timeout(60):
            while self.db.replica is None or self.db.replica.trouble is not None:
                await asyncio.sleep(0.05)


@asynccontextmanager
async def process(
    pair: Pair, org: tuple[str, str], replica_url: str | None, *, with_mcp: bool = False
) -> AsyncIterator[Process]:
    config = Config(pair.url, replica_url=replica_url, pool_size=4, embedder="none")
    app = make_app(config, embedded=not with_mcp)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(
            transport=httpx.ASGITransport(app),
            base_url="http://127.0.0.1/api/v1",
            headers={"Authorization": f"Bearer {org[1]}"},
        ) as client,
    ):
        yield Process(app, app.state.db, org[0], client)


@pytest.fixture
async def tenant(pair) -> tuple[str, str]:
    async with Database(pair.url, min_size=1, max_size=1).opened() as db:
        return await create_org(db, "test")


@pytest.fixture
async def writer(pair, tenant) -> AsyncIterator[Process]:
    """An API process without a replica."""
    async with process(pair, tenant, None) as made:
        yield made


@pytest.fixture
async def reader(pair, tenant) -> AsyncIterator[Process]:
    """Another one, which reads from the replica."""
    async with process(pair, tenant, pair.replica_url) as made:
        await made.used_again()
        yield made


def outcomes() -> dict[str, float]:
    names = ("replica", "skipped", "lagging", "unreachable", "lost")
    return {name: metrics.replica_reads.labels(name)._value.get() for name in names}


class Counted:
    """How many reads had each outcome within a block; `found` has those that happened."""

    found: dict[str, float]

    def __enter__(self) -> "Counted":
        self._before = outcomes()
        return self

    def __exit__(self, *_: object) -> None:
        after = outcomes()
        self.found = {
            name: after[name] - before
            for name, before in self._before.items()
            if after[name] > before
        }


async def test_every_read_can_be_answered_by_the_replica(writer, reader):
    named = await one_of_everything(writer.client, writer.client)
    document = reader.app.openapi()
    expected = await walk.seen(document, named, writer.client)
    with Counted() as reads:
        assert await walk.seen(document, named, reader.client) == expected
        found = await reader.client.post("/recall", json={"query": "tea"})
        assert found.status_code == 200, found.text
    # None was refused there for writing something. (A slow machine may be behind: some of these count the read itself.)
    assert set(reads.found) <= {"replica", "lagging", "skipped"}
    assert reads.found["replica"] > len(expected) / 2
    await reader.used_again()
    ready = await reader.client.get("http://127.0.0.1/readyz")
    assert ready.json()["checks"]["replica"] == "ok"


async def test_what_another_process_wrote_is_read_while_the_replica_stands_still(
    pair, writer, reader
):
    pair.on_replica("SELECT pg_wal_replay_pause()")
    try:
        made = [(specimen, (await specimen.make(writer.client)).json()) for specimen in SPECIMENS]
        assert {specimen.room for specimen, _ in made} >= {
            "blocks",
            "entries",
            "memories",
            "stores",
        }
        with Counted() as reads:
            for specimen, body in made:
                got = await reader.client.get(specimen.path(body))
                assert got.status_code == 200, (specimen.kind, got.text)
                if specimen.list_path:
                    listed = (await reader.client.get(specimen.list_path)).json()["data"]
                    assert listed, specimen.kind
            recalled = await reader.client.post("/recall", json={"query": "one"})
            assert {"memory", "store_entry"} <= {each["kind"] for each in recalled.json()["data"]}
        assert "replica" not in reads.found
        assert reads.found["lagging"] >= 1
        # The replica itself has none of it: the answers were the primary's.
        count = f"SELECT count(*) FROM memories WHERE org_id = '{reader.org_id}'"
        assert pair.on_replica(count) == 0
        ready = await reader.client.get("http://127.0.0.1/readyz")
        assert ready.status_code == 200
        assert "bytes of the log behind" in ready.json()["checks"]["replica"]
    finally:
        pair.on_replica("SELECT pg_wal_replay_resume()")
    await reader.used_again()
    with Counted() as reads:
        listed = (await reader.client.get("/memories")).json()["data"]
    assert [each["value"] for each in listed] == ["one"]
    assert set(reads.found) == {"replica"}


async def test_a_log_that_ends_inside_a_record_does_not_keep_the_replica_away(pair, reader):
    # A long message that nobody commits is brought to disk up to the end of a page, in the middle of itself.
    with psycopg.connect(pair.url, autocommit=True) as primary:
        [before] = primary.execute(
            "SELECT pg_logical_emit_message(false, 'test', repeat('x', 100000))"
        ).fetchone() or [None]
        async with asyncio.timeout(30):
            while primary.execute(
                "SELECT pg_current_wal_flush_lsn() < %s::pg_lsn - 50000", [before]
            ).fetchone() == (True,):
                await asyncio.sleep(0.02)
    with Counted() as reads:
        await reader.db.replica.look()
        assert (await reader.client.get("/memories")).status_code == 200
    assert set(reads.found) == {"replica"}


async def test_doctor_says_whether_the_replica_is_used(pair):
    used = await asyncio.to_thread(_replica, pair.url, pair.replica_url)
    assert used.ok, used
    unused = await asyncio.to_thread(_replica, pair.url, pair.url)
    assert not unused.ok
    assert "no replica" in unused.detail


async def test_a_read_waits_for_a_replica_that_is_a_moment_behind(pair, writer, reader):
    pair.on_replica("SELECT pg_wal_replay_pause()")
    asked = asyncio.Event()
    replica = reader.db.replica
    behind = replica._bytes_behind

    async def resume() -> None:
        await asked.wait()
        await asyncio.to_thread(pair.on_replica, "SELECT pg_wal_replay_resume()")

    async def noticed(*arguments):
        asked.set()
        return await behind(*arguments)

    await writer.client.post("/memories", json={"key": "k", "value": "just written"})
    replica._bytes_behind = noticed
    resuming = asyncio.create_task(resume())
    try:
        listed = (await reader.client.get("/memories")).json()["data"]
    finally:
        del replica._bytes_behind
        await resuming
    assert [each["value"] for each in listed] == ["just written"]


async def test_a_call_that_writes_reads_what_it_wrote(reader):
    caller = operator(reader.org_id)

    async def call() -> list[bool | None]:
        before = await reader.db.one(caller, bool, IS_REPLICA)
        async with reader.db.begin(caller) as tx:
            within = await tx.one(bool, IS_REPLICA)
            await tx.run(WRITE)
        return [before, within, await reader.db.one(caller, bool, IS_REPLICA)]

    assert await reading(reader.db, call) == [True, False, False]
    assert await reader.db.one(caller, bool, IS_REPLICA) is False  # outside of a call that reads


async def test_a_replica_that_ends_in_the_middle_of_a_read_is_not_noticed(pair, reader):
    caller = operator(reader.org_id)
    runs = []

    async def call() -> bool | None:
        runs.append(1)
        seconds = 30 if len(runs) == 1 else 0
        async with reader.db.read(caller) as tx:
            return await tx.one(bool, SLOW, seconds=seconds)

    async def end_it() -> None:
        ended = None
        while not ended:
            ended = await asyncio.to_thread(
                pair.on_replica,
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE query LIKE '%pg_sleep%' AND state = 'active' AND pid <> pg_backend_pid()",
            )

    with Counted() as reads:
        answer, _ = await asyncio.gather(reading(reader.db, call), end_it())
    assert answer is False  # the primary's
    assert len(runs) == 2
    assert reads.found["lost"] == 1

    # And one that is gone for a while: stopped, and started again.
    await reader.used_again()
    pair.stop_replica()
    with Counted() as reads:
        for _ in range(3):
            assert (await reader.client.get("/memories")).status_code == 200
    assert "replica" not in reads.found
    await reader.db.replica.look()
    assert reader.db.replica.trouble is not None
    pair.start_replica()
    await reader.used_again()
    with Counted() as reads:
        assert (await reader.client.get("/memories")).status_code == 200
    assert set(reads.found) == {"replica"}


async def test_a_replica_that_does_not_answer_is_left_alone(pair, reader):
    postmaster = psutil.Process(pair.replica.process.pid)
    stopped = [postmaster, *postmaster.children(recursive=True)]
    for each in stopped:
        each.suspend()
    try:
        with Counted() as reads:
            for _ in range(2):
                assert (await reader.client.get("/memories")).status_code == 200
        assert "replica" not in reads.found
        await reader.db.replica.look()
        assert reader.db.replica.trouble is not None
    finally:
        for each in stopped:
            each.resume()
    await reader.used_again()


async def test_tools_that_read_are_answered_by_the_replica(pair, tenant):
    async with process(pair, tenant, pair.replica_url, with_mcp=True) as made:
        await made.used_again()
        call = {"name": "recall", "arguments": {"query": "tea"}}
        with Counted() as reads:
            reply = await made.client.post(
                "http://127.0.0.1/mcp",
                json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call},
                headers={"Accept": "application/json, text/event-stream"},
            )
        assert reply.status_code == 200, reply.text
        assert 'isError":true' not in reply.text
    assert set(reads.found) == {"replica"}


async def test_a_server_that_is_no_replica_of_this_database_is_not_read_from(pair, tenant, service):
    for url, reason in [
        (pair.url, "no replica"),
        (service.app_url, "another database"),
        (f"postgresql://holdfast@127.0.0.1:{free_port()}/holdfast", "cannot be reached"),
    ]:
        async with process(pair, tenant, url) as made:
            with Counted() as reads:
                assert (await made.client.get("/memories")).status_code == 200
            assert "replica" not in reads.found
            assert reason in made.db.replica.trouble
            ready = await made.client.get("http://127.0.0.1/readyz")
            assert ready.status_code == 200
            assert reason in ready.json()["checks"]["replica"]


async def test_a_replica_that_was_promoted_is_not_read_from_any_more(pair, tenant):
    folder, _ = scratch()
    with folder:
        other = Pair(pair.primary, Path(folder.name))  # the shared one must stay a replica
        other.start_replica()
        try:
            async with process(other, tenant, other.replica_url) as reader:
                await reader.used_again()
                assert other.on_replica("SELECT pg_promote()") is True
                with Counted() as reads:
                    assert (await reader.client.get("/memories")).status_code == 200
                assert "replica" not in reads.found
        finally:
            other.stop_replica()
