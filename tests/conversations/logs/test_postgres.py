"""Message lists in Postgres: a row that others hold is told from a database that does not answer."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import psycopg
import pytest

from holdfast.conversations.logs.postgres import PostgresLog
from holdfast.conversations.logs.protocol import Terms
from holdfast.conversations.logs.reads import ReadNotes
from holdfast.conversations.model import Span
from holdfast.kernel.breaker import Breaker
from holdfast.kernel.db import Database
from holdfast.kernel.errors import BackendUnavailable, LockTimeout
from tests.conversations.conftest import Talk, resource
from tests.conversations.logs.test_protocol import HERE, TERMS, drafts, texts

# Far longer than the breakers below give a call, and far shorter than psycopg waits for a cancellation.
SOON_S = 4.0


@pytest.fixture
async def own(service) -> AsyncIterator[Database]:
    """A database of one connection, to be frozen."""
    database = Database(service.app_url, min_size=1, max_size=1)
    await database.open()
    yield database
    await database.close()


@contextmanager
def frozen(pid: int) -> Iterator[None]:
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


@contextmanager
def holding(service, org, key: str = "k") -> Iterator[None]:
    """The row of an instance, locked by somebody else."""
    with psycopg.connect(service.owner_url) as connection:
        connection.execute("SELECT set_config('holdfast.org', %s, false)", [org.id])
        held = connection.execute(
            "SELECT id FROM conversations WHERE org_id = %s AND key = %s FOR UPDATE", [org.id, key]
        )
        assert held.fetchall()
        yield
        connection.rollback()


@pytest.mark.one_process  # a pooler gives the call another server process than the one that is stopped
@pytest.mark.parametrize("operation", ["append", "replace", "pop", "delete", "totals", "read"])
async def test_a_server_that_stands_still_is_given_the_breakers_time(own, org, operation):
    log, me = PostgresLog(own, Breaker("the database", 0.4), ReadNotes(own)), org.caller()
    patient = PostgresLog(own, Breaker("the database", 30), ReadNotes(own))
    await patient.append(me, HERE, drafts("a"), TERMS)
    [pid] = await own.all(me, int, _backend_pid())
    calls = {
        "append": lambda: log.append(me, HERE, drafts("b"), TERMS),
        "replace": lambda: log.replace(me, HERE, drafts("b"), TERMS, "written"),
        "pop": lambda: log.pop(me, HERE, TERMS),
        "delete": lambda: log.delete(me, HERE),
        "totals": lambda: log.totals(me, HERE),
        "read": lambda: log.read(me, HERE, Span(0, 9), note_access=False),
    }
    with frozen(pid), pytest.raises(BackendUnavailable):
        await asyncio.wait_for(calls[operation](), SOON_S)
    assert await texts(patient, me) == ["a"]  # nothing half-written, and it recovers by itself


async def test_a_row_that_is_held_is_a_lock_timeout_however_short_the_breakers_time(
    own, service, org
):
    # An attempt to lock the row takes half of the breaker's time, which leaves a busy machine the other half.
    breaker = Breaker("the database", 4, max_failures=1, reset_timeout_s=600)
    log, me = PostgresLog(own, breaker, ReadNotes(own)), org.caller()
    patient = Terms(lock_wait_s=3)
    await log.append(me, HERE, drafts("a"), TERMS)
    with holding(service, org):
        for call in (
            log.append(me, HERE, drafts("b"), patient),
            log.replace(me, HERE, drafts("b"), patient, "written"),
            log.pop(me, HERE, patient),
        ):
            with pytest.raises(LockTimeout):
                await call
        assert await texts(log, me) == ["a"]  # and the breaker has nothing against the database
    assert (await log.append(me, HERE, drafts("b"), patient)).appended == 1


async def test_whoever_waits_gets_the_row_when_it_is_free(own, service, org):
    log, me = PostgresLog(own, Breaker("the database", 4), ReadNotes(own)), org.caller()
    await log.append(me, HERE, drafts("a"), TERMS)
    with holding(service, org):
        waiting = asyncio.create_task(log.append(me, HERE, drafts("b"), Terms(lock_wait_s=30)))
        await asyncio.sleep(2.5)  # more than one attempt
        assert not waiting.done()
    assert (await waiting).appended == 1
    assert await texts(log, me) == ["a", "b"]


async def test_a_statement_that_takes_too_long_is_ended(own, service, org):
    log, me = PostgresLog(own, Breaker("the database", 0.4), ReadNotes(own)), org.caller()
    patient = PostgresLog(own, Breaker("the database", 30), ReadNotes(own))
    await patient.append(me, HERE, drafts("a"), TERMS)
    with psycopg.connect(service.owner_url) as connection:
        connection.execute("LOCK TABLE conversation_messages IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(BackendUnavailable):
            await asyncio.wait_for(texts(log, me), SOON_S)
        connection.rollback()
    assert await texts(log, me) == ["a"]


@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "once"}])
async def test_from_outside_a_held_row_is_423(service, org, api, headers):
    # Half of this is an attempt to lock the row; the other half is left to a busy machine.
    persistence = {"circuit_breaker": {"timeout": "4s"}}
    made = await api.put("/memory-resources/r", json=resource("r", persistence=persistence))
    assert made.status_code == 201
    await Talk(api, "r").append("one")
    body = {"key": "k", "messages": [{"role": "user", "content": "two", "id": "two"}]}
    with holding(service, org):
        refused = await api.post("/conversations/r/append", json=body, headers=headers)
        assert (refused.status_code, refused.json()["code"]) == (423, "lock_timeout")
    again = await api.post("/conversations/r/append", json=body)
    assert again.json()["appended"] == 1
    assert await Talk(api, "r").contents() == ["one", "two"]


def _backend_pid():
    from holdfast.kernel.sql import Query

    return Query("backend_pid", "SELECT pg_backend_pid()")
