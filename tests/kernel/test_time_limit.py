"""How long a call may wait for the database, and what becomes of what it waited for."""

import asyncio

import pytest

from holdfast.kernel import time_limit
from holdfast.kernel.db import Database
from holdfast.kernel.errors import BackendUnavailable
from holdfast.kernel.sql import Query
from holdfast.kernel.time_limit import TimeLimit

SLEEP = Query("sleep", "SELECT pg_sleep(%(s)s)::text")
ADD = Query(
    "add",
    "INSERT INTO workspaces (org_id, id, created_at, updated_at) VALUES (%(org_id)s, %(id)s, %(now)s, %(now)s)",
)
IDS = Query("ids", "SELECT id FROM workspaces WHERE id <> 'default' ORDER BY id")
RUNNING = Query(
    "running",
    "SELECT count(*)::int FROM pg_stat_activity"
    " WHERE state = 'active' AND pid <> pg_backend_pid() AND query LIKE '%%too_long%%'",
)
TOO_LONG = Query("too_long", "SELECT pg_sleep(600)::text AS too_long")


@pytest.fixture
async def limited(service, monkeypatch):
    monkeypatch.setattr(time_limit, "LONGEST", 2)
    database = Database(service.app_url, min_size=1, max_size=2, statement_timeout_s=2.0)
    await database.open()
    yield database
    await database.close()


async def sleep(db, org, seconds):
    return await db.one(org.caller(), str, SLEEP, s=seconds)


async def test_a_statement_over_the_limit_is_given_up_here_and_on_the_server(limited, db, org):
    with pytest.raises(BackendUnavailable, match="no answer in 2 s"):
        async with limited.begin(org.caller()) as tx:
            await tx.run(ADD, id="lost")
            await tx.one(str, TOO_LONG)
    assert await limited.all(org.caller(), str, IDS) == []
    for _ in range(1200):
        if await db.one(org.caller(), int, RUNNING) == 0:
            return
        await asyncio.sleep(0.05)
    raise AssertionError("the server still runs it")


async def test_all_statements_of_a_call_share_one_limit(limited, org):
    with time_limit.one_call(), pytest.raises(BackendUnavailable):
        for _ in range(8):
            await sleep(limited, org, 0.8)
    await sleep(limited, org, 0.1)  # another call begins anew


async def test_a_call_whose_work_grows_takes_its_time_while_the_server_answers(limited, org):
    with time_limit.one_call(grows=True):
        assert await sleep(limited, org, 5) == ""


async def test_time_that_is_not_spent_waiting_for_the_database_does_not_count(limited, org):
    with time_limit.one_call():
        async with limited.begin(org.caller()) as tx:
            await tx.one(str, IDS)
            await asyncio.sleep(4.2)
            await tx.one(str, IDS)


def test_waits_that_overlap_count_once(monkeypatch):
    now = 0.0
    monkeypatch.setattr(time_limit, "monotonic", lambda: now)
    limit = TimeLimit(10)
    with limit:
        now = 2.0
        with limit:
            now = 3.0
            assert limit.left_s == 7
        now = 4.0
    now = 100.0
    assert limit.left_s == 6
    with limit:
        now = 200.0
        assert limit.left_s == 0


async def test_a_server_that_does_not_answer_is_not_waited_for_again(monkeypatch):
    now = 0.0
    monkeypatch.setattr(time_limit, "monotonic", lambda: now)
    answers = [True, False]

    async def probe():
        return answers.pop(0)

    limit = TimeLimit(10, probe=probe)
    with limit:
        now = 8.0
        assert limit.left_s == 0  # the rest is for the probe
        assert await limit.renew()
        assert limit.left_s == 7
        assert await limit.renew()  # nothing to ask: there is time left
        now = 15.0
        assert not await limit.renew()
    assert answers == []
