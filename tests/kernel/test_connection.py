"""A connection that writes at once: fewer turns of the event loop, never too few."""

import asyncio
import time

import psycopg
import pytest

from holdfast.kernel.connection import WRITES_PER_TURN, Connection

MEGABYTE = "x" * 1_000_000


@pytest.fixture
async def connection(service):
    async with await Connection.connect(service.app_url, autocommit=True) as opened:
        yield opened


async def test_statements_of_a_pipeline_are_sent_without_asking_the_loop(connection, monkeypatch):
    loop, asked = asyncio.get_running_loop(), []
    add_writer = loop.add_writer
    monkeypatch.setattr(
        loop, "add_writer", lambda *args: asked.append(args) or add_writer(*args), raising=False
    )
    async with connection.pipeline():
        cursors = [await connection.execute("SELECT %s::int", [n]) for n in range(5)]
    assert [await cursor.fetchone() for cursor in cursors] == [(n,) for n in range(5)]
    assert asked == []


async def test_a_long_series_of_statements_lets_others_have_their_turn(connection):
    turns = 0

    async def other():
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    beside = asyncio.create_task(other())
    async with connection.pipeline():
        for n in range(400):
            await connection.execute("SELECT %s::int", [n])
    beside.cancel()
    assert turns >= 400 * 2 // WRITES_PER_TURN


async def test_more_than_the_socket_takes_is_sent_while_answers_are_read(connection):
    async with connection.pipeline():
        cursors = [await connection.execute("SELECT %s::text", [MEGABYTE]) for _ in range(40)]
    for cursor in cursors:
        assert await cursor.fetchone() == (MEGABYTE,)


async def test_a_statement_that_fails_is_told_and_the_connection_goes_on(connection):
    with pytest.raises(psycopg.errors.DivisionByZero):
        async with connection.pipeline():
            await connection.execute("SELECT 1 / %s", [0])
            await connection.execute("SELECT 1")
    assert await (await connection.execute("SELECT 2")).fetchone() == (2,)


async def test_a_server_that_hung_up_is_heard_of(connection, service):
    with psycopg.connect(service.app_url, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s)", [connection.info.backend_pid])
    with pytest.raises(psycopg.OperationalError):
        async with connection.pipeline():
            for _ in range(3):
                await connection.execute("SELECT 1")
                await asyncio.sleep(0.05)


async def test_a_cancelled_statement_leaves_a_connection_that_can_be_used(connection):
    async with asyncio.timeout(20):
        asking = asyncio.create_task(connection.execute("SELECT pg_sleep(60)"))
        await asyncio.sleep(0.1)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert await (await connection.execute("SELECT 2")).fetchone() == (2,)


async def test_what_a_read_sends_first_is_carried_out_while_its_last_statement_is_made(
    service, connection
):
    """The first statement takes a lock; another connection sees it taken before the last statement is there."""
    enter = (b"SELECT 1", {})
    first, last = connection.cursor(), connection.cursor()
    seen = []

    def made():
        with psycopg.connect(service.app_url, autocommit=True) as other:
            free, until = True, time.monotonic() + 60
            while free and time.monotonic() < until:
                [free] = other.execute("SELECT pg_try_advisory_xact_lock(77014)").fetchone()
            seen.append(free)
        return last, b"SELECT %(n)s::int", {"n": 2}, False

    take = (first, b"SELECT 1 FROM (SELECT pg_advisory_xact_lock(77014)) taken", {}, False)
    await connection.read(enter, [take], made)
    assert seen == [False]
    assert await first.fetchall() == [(1,)]
    assert await last.fetchall() == [(2,)]
    await connection.read(enter, [(first, b"SELECT 3", {}, False)])
    assert await first.fetchall() == [(3,)]
