"""The database: transactions, and the wall between orgs."""

import asyncio
from contextlib import suppress
from statistics import median

import psycopg
import pytest

from holdfast.kernel import metrics
from holdfast.kernel.db import Database
from holdfast.kernel.errors import BackendUnavailable
from holdfast.kernel.sql import Query
from tests.round_trips import behind, counted

ADD = Query(
    "add",
    "INSERT INTO workspaces (org_id, id, created_at, updated_at) VALUES (%(org_id)s, %(id)s, %(now)s, %(now)s)",
)
IDS = Query("ids", "SELECT id FROM workspaces WHERE id <> 'default' ORDER BY id")
FAIL = Query("fail", "SELECT 1 / 0")
PLAN_MODE = Query("plan_mode", "SELECT current_setting('plan_cache_mode')")


async def ids(db, caller):
    return await db.all(caller, str, IDS)


async def test_what_was_done_before_a_failing_statement_is_taken_back(db, org):
    with pytest.raises(psycopg.errors.DivisionByZero):
        async with db.begin(org.caller()) as tx:
            await tx.run(ADD, id="w")
            await tx.one(int, FAIL)
    assert await ids(db, org.caller()) == []


async def test_a_statement_that_fails_without_being_waited_for_fails_the_transaction(db, org):
    with pytest.raises(psycopg.errors.DivisionByZero):
        async with db.begin(org.caller()) as tx:
            await tx.run(ADD, id="w")
            await tx.run(FAIL)
    assert await ids(db, org.caller()) == []


async def test_going_on_after_a_read_that_was_cancelled_is_unavailable_and_writes_nothing(db, org):
    """An append under an Idempotency-Key did this: what it reports to others may fail without failing the append."""
    limit = Query("limit", "SELECT set_config('statement_timeout', '20', true)")
    with pytest.raises(BackendUnavailable):
        async with db.begin(org.caller()) as tx:
            await tx.run(ADD, id="w")
            await tx.one(str, limit)
            with suppress(BackendUnavailable):
                await db.one(org.caller(), str, Query("sleep", "SELECT pg_sleep(5)::text"))
            await tx.one(str, IDS)
    assert await ids(db, org.caller()) == []


async def test_a_fault_of_the_server_itself_is_unavailable_and_one_of_ours_is_not(db, org):
    def raises(code):
        return Query("raises", f"DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '{code}'; END $$")

    for code in ("XX000", "XX001", "25P02"):
        with pytest.raises(BackendUnavailable, match=code):
            async with db.begin(org.caller()) as tx:
                await tx.run(ADD, id="w")
                await tx.run(raises(code))
    with pytest.raises(psycopg.errors.RaiseException):
        async with db.begin(org.caller()) as tx:
            await tx.run(raises("P0001"))
    assert await ids(db, org.caller()) == []


async def test_an_exception_of_the_block_takes_everything_back(db, org):
    with pytest.raises(LookupError):
        async with db.begin(org.caller()) as tx:
            await tx.run(ADD, id="w")
            raise LookupError
    assert await ids(db, org.caller()) == []


async def test_a_cancelled_block_takes_everything_back_and_frees_its_connection(db, org):
    async def slow():
        async with db.begin(org.caller()) as tx:
            await tx.run(ADD, id="w")
            await tx.one(str, Query("sleep", "SELECT pg_sleep(30)::text"))

    for _ in range(12):  # more than the pool has
        task = asyncio.create_task(slow())
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert await ids(db, org.caller()) == []


async def test_an_inner_block_is_taken_back_alone(db, org):
    async with db.begin(org.caller()) as tx:
        await tx.run(ADD, id="outer")
        with pytest.raises(psycopg.errors.DivisionByZero):
            async with db.begin(org.caller()) as inner:
                await inner.run(ADD, id="lost")
                await inner.one(int, FAIL)
        async with db.begin(org.caller()) as inner:
            await inner.run(ADD, id="kept")
        assert await db.all(org.caller(), str, IDS) == ["kept", "outer"]
    assert await ids(db, org.caller()) == ["kept", "outer"]


async def test_what_was_skipped_behind_a_failure_of_an_inner_block_is_not_taken_for_prepared(
    service, org
):
    caller = org.caller()
    async with Database(service.app_url, min_size=1, max_size=1).opened() as db:
        for before in range(4):  # psycopg prepares what comes the third time
            async with db.begin(caller) as tx:
                for n in range(before):
                    async with db.begin(caller) as inner:
                        await inner.run(ADD, id=f"{before}-{n}")
                with pytest.raises(psycopg.errors.DivisionByZero):
                    async with db.begin(caller) as inner:
                        await inner.run(FAIL)
                        await inner.run(ADD, id="skipped")
                await tx.run(ADD, id=f"after-{before}")
        found = await ids(db, caller)
    assert found == sorted(
        [f"after-{n}" for n in range(4)]
        + [f"{before}-{n}" for before in range(4) for n in range(before)]
    )


async def test_an_inner_block_is_taken_back_for_a_failure_that_nobody_waited_for(db, org):
    async with db.begin(org.caller()) as tx:
        await tx.run(ADD, id="outer")
        with pytest.raises(psycopg.errors.DivisionByZero):
            async with db.begin(org.caller()) as inner:
                await inner.run(ADD, id="lost")
                await inner.run(FAIL)
        await tx.run(ADD, id="later")
    assert await ids(db, org.caller()) == ["later", "outer"]


async def test_a_transaction_is_not_joined_by_another_org(db, make_org):
    one, other = await make_org(), await make_org()
    async with db.begin(one.caller()):
        with pytest.raises(RuntimeError, match="cannot be joined"):
            async with db.begin(other.caller()):
                raise AssertionError("unreachable")


async def test_tasks_do_not_share_a_transaction(db, org):
    async def write(name):
        async with db.begin(org.caller()) as tx:
            await tx.run(ADD, id=name)
            await asyncio.sleep(0.01)

    await asyncio.gather(*(write(f"w{n}") for n in range(8)))
    assert len(await ids(db, org.caller())) == 8


async def test_a_forgotten_where_shows_nothing_of_anyone_else(db, make_org):
    one, other = await make_org(), await make_org()
    async with db.begin(one.caller()) as tx:
        await tx.run(ADD, id="mine")
    assert await ids(db, other.caller()) == []
    count = Query("count", "SELECT count(*)::int FROM orgs")
    assert await db.one(other.caller(), int, count) == 1


async def test_a_row_cannot_be_written_into_another_org(db, make_org):
    one, other = await make_org(), await make_org()
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        async with db.begin(one.caller()) as tx:
            await tx.run(ADD, id="planted", org_id=other.id)


async def test_a_database_that_is_not_there_is_said_so():
    db = Database("postgresql://nobody@127.0.0.1:1/nothing", min_size=1, max_size=1)
    with pytest.raises(BackendUnavailable):
        await asyncio.wait_for(db.open(timeout_s=1), 20)
    await db.close()


async def test_a_database_that_cannot_be_reached_is_counted(service):
    def failures():
        return metrics.backend_failures.labels("database")._value.get()

    before = failures()
    with pytest.raises(BackendUnavailable):
        await Database(service.app_url).check()  # never opened
    assert failures() == before + 1


async def test_looks_that_are_gathered_take_one_round_trip(service, org):
    caller = org.caller()
    together, apart = [], []
    async with counted(service.app_url) as (db, between):
        for _ in range(8):
            before = between.count
            async with db.together(caller):
                answers = await asyncio.gather(*(ids(db, caller) for _ in range(5)))
            together.append(between.count - before)
            before = between.count
            assert await asyncio.gather(*(ids(db, caller) for _ in range(5))) == answers
            apart.append(between.count - before)
    assert median(together) == 1
    assert median(apart) == 5


async def test_a_look_that_fails_among_others_leaves_the_pool_usable(service, org):
    caller = org.caller()
    db = Database(service.app_url, min_size=1, max_size=1)
    await db.open()
    with pytest.raises(psycopg.errors.DivisionByZero):
        async with db.together(caller):
            await asyncio.gather(ids(db, caller), db.one(caller, int, FAIL), ids(db, caller))
    for _ in range(4):
        assert await ids(db, caller) == []
    await db.close()


async def test_a_read_that_fails_or_is_cancelled_leaves_the_pool_usable(service, org):
    slow = Query("slow", "SELECT pg_sleep(5)::text")
    async with Database(service.app_url, min_size=1, max_size=1).opened() as db:
        for _ in range(4):  # from the third time on the statements are prepared
            with pytest.raises(psycopg.errors.DivisionByZero):
                await db.one(org.caller(), int, FAIL)
            assert await ids(db, org.caller()) == []
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await db.one(org.caller(), str, slow)
        assert await ids(db, org.caller()) == []


async def test_a_read_of_one_org_leaves_nothing_of_it_to_the_next_read(service, make_org):
    ana, ben = await make_org(), await make_org()
    who = Query("who", "SELECT current_org()")
    async with Database(service.app_url, min_size=1, max_size=1).opened() as db:
        for caller in (ana.caller(), ben.caller()) * 3:
            assert await db.one(caller, str, who) == caller.org_id
        async with db._lender.lent() as connection:
            with pytest.raises(psycopg.Error):
                await connection.execute(who.bytes)


async def test_another_orgs_look_cannot_join_a_batch(db, org, make_org):
    other = (await make_org()).caller()
    with pytest.raises(RuntimeError, match="one org cannot be joined"):
        async with db.together(org.caller()):
            await ids(db, other)


async def test_what_is_taken_back_is_not_counted(org, db):
    caller, told = org.caller(), []
    async with db.begin(caller) as tx:
        tx.on_commit(lambda: told.append("outer"))
        with pytest.raises(RuntimeError):
            async with db.begin(caller) as step:
                step.on_commit(lambda: told.append("taken back"))
                raise RuntimeError
        async with db.begin(caller) as step:
            step.on_commit(lambda: told.append("inner"))
        assert told == []
    assert told == ["outer", "inner"]
    with pytest.raises(RuntimeError):
        async with db.begin(caller) as tx:
            tx.on_commit(lambda: told.append("never"))
            raise RuntimeError
    assert told == ["outer", "inner"]


class Dying:
    """A way to the database that ends the connection with the next statement that it is sent."""

    def __init__(self):
        self.deaths = 0

    def make(self, server):
        async def take(reader, writer):
            from_server, to_server = await asyncio.open_unix_connection(str(server))

            async def forward():
                while data := await reader.read(65_536):
                    if self.deaths:
                        self.deaths -= 1
                        break
                    to_server.write(data)
                to_server.close()
                writer.close()

            async def back():
                while data := await from_server.read(65_536):
                    writer.write(data)
                writer.close()

            await asyncio.gather(forward(), back(), return_exceptions=True)

        return take


async def test_a_read_whose_connection_is_lost_under_it_is_sent_again_once(service, org):
    way = Dying()
    async with behind(service.app_url, way.make) as url:
        db = Database(url, min_size=1, max_size=1)
        await db.open()
        await ids(db, org.caller())
        way.deaths = 1
        assert await ids(db, org.caller()) == []
        assert way.deaths == 0
        way.deaths = 1
        assert await db.prove(int, Query("one", "SELECT 1"), "") == [1]
        way.deaths = 1
        with pytest.raises(BackendUnavailable):  # nobody knows how much of it was done
            async with db.begin(org.caller()) as tx:
                await tx.one(str, IDS)
        assert await ids(db, org.caller()) == []
        await db.close()


async def test_a_transaction_that_plans_for_its_values_leaves_the_next_one_alone(db, org):
    for how, named in (("any", "force_generic_plan"), ("these", "force_custom_plan")):
        async with db.read(org.caller()) as tx:
            await getattr(tx, f"plan_for_{how}_values")()
            assert await tx.all(str, PLAN_MODE) == [named]
        async with db.read(org.caller()) as tx:
            assert await tx.all(str, PLAN_MODE) == ["auto"]
