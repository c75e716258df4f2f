"""What is past its time is cleared away, and nothing else is."""

import asyncio
from datetime import timedelta

import pytest

from holdfast.conversations import sweep
from holdfast.conversations.backends import Backends
from holdfast.conversations.logs.local import LocalLog, forget_expired
from holdfast.conversations.logs.postgres import PostgresLog
from holdfast.conversations.logs.protocol import Terms
from holdfast.conversations.logs.reads import ReadNotes
from holdfast.conversations.model import Instance
from holdfast.kernel.breaker import Breaker
from tests.conftest import serving
from tests.conversations.conftest import Talk, resource
from tests.conversations.flush.test_index import SMALL, found
from tests.conversations.logs.test_protocol import drafts, texts
from tests.conversations.test_routes import said

SHORT = Terms(ttl_s=0.05)


@pytest.fixture
def rows(owner_connection, org):
    """What the database has of this org."""

    def read(statement: str):
        owner_connection.execute("SELECT set_config('holdfast.org', %s, false)", [org.id])
        return owner_connection.execute(statement, [org.id]).fetchall()

    return read


async def test_instances_whose_time_is_over_are_removed_batch_after_batch(db, org, rows):
    log, me = PostgresLog(db, Breaker("the database"), ReadNotes(db)), org.caller()
    number = sweep.BATCH + 5
    for n in range(number):
        await log.append(me, Instance("r", f"old{n}"), drafts("a", "b"), SHORT)
    await log.append(me, Instance("r", "new"), drafts("a"), Terms(ttl_s=3600))
    await log.append(me, Instance("r", "lasting"), drafts("a"), Terms())
    await asyncio.sleep(0.1)
    assert org.id in await db.prove(str, sweep.queries.orgs_to_sweep, "", flushed_before=None)
    assert await sweep.sweep_org(Backends(db), org.id) == sweep.Swept(number)
    assert rows("SELECT count(*) FROM conversations WHERE org_id = %s") == [(2,)]
    assert rows("SELECT count(*) FROM conversation_messages WHERE org_id = %s") == [(2,)]
    assert await texts(log, me, Instance("r", "new")) == ["a"]
    told = rows(
        "SELECT label, version, content, state ->> 'message_count', actor_type, actor_id FROM revisions"
        " WHERE org_id = %s AND action = 'expired'"
    )
    assert len(told) == number
    assert ("old0", 2, None, "2", "job", "conversation_sweep") in told
    assert not await sweep.sweep_org(Backends(db), org.id)
    assert org.id not in await db.prove(str, sweep.queries.orgs_to_sweep, "", flushed_before=None)


async def test_a_write_after_the_end_begins_anew_and_tells_of_it(db, org, rows):
    log, me, here = (
        PostgresLog(db, Breaker("the database"), ReadNotes(db)),
        org.caller(),
        Instance("r", "k"),
    )
    await log.append(me, here, drafts("a"), SHORT)
    await asyncio.sleep(0.1)
    await log.append(me, here, drafts("b"), Terms())
    assert await texts(log, me, here) == ["b"]
    actions = rows(
        "SELECT action, version FROM revisions WHERE org_id = %s AND kind = 'conversation' ORDER BY id"
    )
    assert actions == [("appended", 1), ("expired", 2), ("appended", 1)]


async def test_an_instance_that_is_being_written_to_is_left_alone(db, org, service):
    log, me = PostgresLog(db, Breaker("the database"), ReadNotes(db)), org.caller()
    await log.append(me, Instance("r", "k"), drafts("a"), SHORT)
    await asyncio.sleep(0.1)
    from tests.conversations.logs.test_postgres import holding

    with holding(service, org):
        assert await sweep.sweep_org(Backends(db), org.id) == sweep.Swept(0)
    assert await sweep.sweep_org(Backends(db), org.id) == sweep.Swept(1)


async def test_lists_of_this_process_go_too(db, org):
    log, me = LocalLog(db), org.caller()
    await log.append(me, Instance("r", "k"), drafts("a"), SHORT)
    await log.append(me, Instance("r", "lasting"), drafts("a"), Terms())
    await asyncio.sleep(0.1)
    assert forget_expired() >= 1
    assert await texts(log, me, Instance("r", "lasting")) == ["a"]


async def test_a_summary_leaves_recall_with_its_instance(talk, api, db, org, rows):
    for ttl_ms in (
        500,
        5_000,
        30_000,
    ):  # longer where the first message was over before the others came
        it = await talk(persistence={"ttl": f"{ttl_ms}ms"}, **SMALL)
        await it.append("The zebra lives in Bergen.")
        done = await it.append(said(4))
        if done["flush"] is not None:
            break
    assert done["flush"]["summary_generated"] is True
    await asyncio.sleep(ttl_ms / 1000 + 0.1)
    await sweep.sweep_org(Backends(db), org.id)
    assert rows("SELECT count(*) FROM conversation_summaries WHERE org_id = %s") == [(0,)]
    assert rows("SELECT count(*) FROM passages WHERE org_id = %s AND kind = 'summary'") == [(0,)]
    assert await found(api) == []


async def test_flushed_contents_are_kept_for_as_long_as_the_deployment_says(talk, db, org, rows):
    it = await talk(type="message_count_based", max_messages=4)
    for n in range(12):
        await it.append(said(1, n))
    stored = "SELECT count(*) FROM conversation_flushed WHERE org_id = %s"
    passages = "SELECT count(*) FROM passages WHERE org_id = %s AND kind = 'flushed'"
    [(kept,)] = rows(stored)
    assert kept > 1
    assert rows(passages) == [(kept,)]
    for kept_for in (None, timedelta(days=1)):
        assert not await sweep.sweep_org(Backends(db, flushed_kept_for=kept_for), org.id)
    assert rows(stored) == [(kept,)]
    assert (await it.get("read", include_flushed=True))["total_count"] == 12
    backends = Backends(db, flushed_kept_for=timedelta(milliseconds=1))
    await asyncio.sleep(0.01)
    assert await sweep.sweep_org(backends, org.id) == sweep.Swept(0, kept)
    assert rows(stored) == rows(passages) == [(0,)]
    assert (await it.get("read"))["total_count"] == (await it.get("stats"))["message_count"]


async def test_the_worker_sweeps_when_it_starts(data_dir):
    import httpx
    import psycopg

    from holdfast.engine import find_running

    with serving(data_dir) as (ready, _):
        key = ready["api_key"]
        async with httpx.AsyncClient(
            base_url=f"{ready['url']}/api/v1", headers={"Authorization": f"Bearer {key}"}
        ) as api:
            fields = {"type": "message_count_based", "max_messages": 4}
            config = resource("r", persistence={"ttl": "1s"}, **fields)
            assert (await api.put("/memory-resources/r", json=config)).status_code == 201
            assert (await Talk(api, "r").append(said(4)))["flush"]["flushed"] is True
    await asyncio.sleep(1)
    with serving(data_dir, HOLDFAST_FLUSHED_KEPT_FOR="1s"):
        endpoints = find_running(data_dir)
        assert endpoints is not None
        with psycopg.connect(endpoints.owner_url, autocommit=True) as connection:
            [(org_id,)] = connection.execute("SELECT org_id FROM orgs").fetchall()
            connection.execute("SELECT set_config('holdfast.org', %s, false)", [org_id])
            left = "SELECT (SELECT count(*) FROM conversations), (SELECT count(*) FROM conversation_flushed)"
            for _ in range(1200):
                if connection.execute(left).fetchone() == (0, 0):
                    break
                await asyncio.sleep(0.05)
            assert connection.execute(left).fetchone() == (0, 0)
