"""Postgres fails for one org in the middle of a call: by a trigger that answers as a server that is going down would."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from tests.conversations.conftest import Talk, resource
from tests.conversations.test_routes import said

Failing = Callable[[str, str], AbstractContextManager[None]]


@pytest.fixture
def failing(owner_connection, org) -> Failing:
    """A table that takes nothing more of this org, for as long as the block lasts."""

    @contextmanager
    def fail(table: str, condition: str = "true") -> Iterator[None]:
        name = f"fail_{org.id}"
        owner_connection.execute(
            f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            " RAISE EXCEPTION 'going down' USING ERRCODE = '57P03'; END $$"
        )
        owner_connection.execute(
            f"CREATE TRIGGER {name} BEFORE INSERT ON {table} FOR EACH ROW"
            f" WHEN (new.org_id = '{org.id}' AND {condition}) EXECUTE FUNCTION {name}()"
        )
        try:
            yield
        finally:
            owner_connection.execute(f"DROP TRIGGER {name} ON {table}")
            owner_connection.execute(f"DROP FUNCTION {name}")

    return fail


async def make(api, backend: str = "redis", **fields) -> Talk:
    made = await api.put("/memory-resources/r", json=resource("r", backend, **fields))
    assert made.status_code == 201, made.text
    return Talk(api, "r")


@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "once"}])
async def test_an_append_without_its_revision_can_be_sent_again(api, failing, headers):
    it = await make(api)
    await it.append(said(1))
    body = {"key": "k", "messages": said(2, 1)}
    with failing("revisions", "new.kind = 'conversation'"):
        refused = await api.post("/conversations/r/append", json=body, headers=headers)
        assert (refused.status_code, refused.json()["code"]) == (503, "MEM-003")
    again = await api.post("/conversations/r/append", json=body, headers=headers)
    assert again.status_code == 200, again.text
    assert again.json()["total_count"] == 3
    assert [m["id"] for m in (await it.get("read"))["messages"]] == ["m0", "m1", "m2"]
    stats = await it.get("stats")
    assert (stats["message_count"], stats["role_distribution"]) == (3, {"user": 3})


async def test_nothing_is_taken_out_that_the_history_does_not_have(api, failing):
    it = await make(api, type="message_count_based", max_messages=12)
    await it.append(said(9))
    with failing("revisions", "new.kind = 'conversation'"):
        for operation, body in {
            "pop": {},
            "write": {"messages": ["something else"]},
            "clear": {"confirm": True, "backup": True},
            "flush": {"force": True, "strategy": "lru"},
            "delete": {},
        }.items():
            refused = await it.call(operation, status=503, **body)
            assert refused["code"] == "MEM-003", operation
        assert await it.contents() == [f"message {n}" for n in range(9)]
    assert (await it.call("pop"))["message"]["id"] == "m8"  # no lock was left behind
    cleared = await it.call("clear", confirm=True, backup=True)
    assert cleared["messages_cleared"] == 8
    await it.call("restore", backup_id=cleared["backup_id"])
    assert len(await it.contents()) == 8


async def test_a_full_buffer_drops_nothing_unheard(api, failing):
    it = await make(api, type="buffer", max_messages=3)
    await it.append(said(3))
    with failing("revisions", "new.kind = 'conversation'"):
        await it.append(said(1, 3), status=503)
        assert await it.contents() == [f"message {n}" for n in range(3)]
    assert (await it.append(said(1, 3)))["total_count"] == 3
    assert await it.contents() == [f"message {n}" for n in range(1, 4)]
    assert await it.contents(include_flushed=True) == [f"message {n}" for n in range(4)]


async def test_a_session_that_cannot_be_registered_keeps_everything_out(api, failing):
    it = await make(api)
    with failing("sessions"):
        await it.append(said(1), status=503, session_id="talk")
        assert await it.contents() == []
    await it.append(said(1), session_id="talk")
    assert await it.contents() == ["message 0"]


async def test_an_append_is_done_also_when_its_flush_is_not(api, failing):
    it = await make(api, "postgres", type="message_count_based", max_messages=10)
    with failing("conversation_leases"):
        done = await it.append(said(8))
        assert (done["appended"], done["flush"], done["total_count"]) == (8, None, 8)
    done = await it.append(said(1, 8))
    assert (done["flush"]["flushed"], done["total_count"]) == (True, 5)
    assert len(await it.contents(include_flushed=True)) == 9
