"""The contract of a message log, on all three."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest

from holdfast.conversations.budget import Budget
from holdfast.conversations.logs.local import LocalLog
from holdfast.conversations.logs.postgres import PostgresLog
from holdfast.conversations.logs.postgres_rows import params_of
from holdfast.conversations.logs.protocol import MessageLog, Overtaken, Terms
from holdfast.conversations.logs.reads import ReadNotes
from holdfast.conversations.logs.redis import RedisLog
from holdfast.conversations.model import Draft, Instance, LastError, LastFlush, Removal, Span
from holdfast.kernel import clock
from holdfast.kernel.breaker import Breaker
from holdfast.kernel.errors import LockTimeout
from holdfast.kernel.pages import Cursor
from holdfast.kernel.redis import Redis

HERE = Instance("r", "k")
TERMS = Terms()


def draft(name: str, tokens: int = 5, role: Any = "user", share: str = "short_term") -> Draft:
    return Draft(name, role, f"text of {name}", tokens, share, clock.now())


def drafts(*names: str) -> list[Draft]:
    return [draft(name) for name in names]


def removal(*seqs: int, summary: Draft | None = None) -> Removal:
    flush = LastFlush(clock.now(), "simple_fifo", len(seqs), summary is not None, 0, 0)
    return Removal(seqs, summary, flush)


@pytest.fixture
async def redis(service) -> AsyncIterator[Redis]:
    connection = Redis(service.redis_url)
    yield connection
    await connection.close()


@pytest.fixture
def log(backend: str, db, redis) -> MessageLog:
    match backend:
        case "postgres":
            return PostgresLog(db, Breaker("the database"), ReadNotes(db))
        case "redis":
            return RedisLog(redis, db, Breaker("Redis"))
        case _:
            return LocalLog(db)


@pytest.fixture
def turn_clock() -> Any:
    ahead = timedelta()

    def turn(**by: float) -> None:
        nonlocal ahead
        ahead += timedelta(**by)
        clock.set_source(lambda: clock._system_time() + ahead)

    yield turn
    clock.set_source(None)


async def texts(log: MessageLog, caller, instance: Instance = HERE) -> list[str]:
    window = await log.read(caller, instance, Span(0, 1000), note_access=False)
    return [kept.draft.id for kept in window.messages]


async def test_everything_about_a_message_comes_back(log, org):
    full = Draft(
        "a", "assistant", "☃ 'quoted' \"text\"\n", 7, "notes", clock.now(), "message", "n",
        [{"id": "c", "x": [1, None, {"y": "ü"}]}], "t", {"deep": {"er": [1.5, True]}},
    )  # fmt: skip
    await log.append(org.caller(), HERE, [full], TERMS)
    [kept] = (await log.read(org.caller(), HERE, Span(0, 9, tail=True), note_access=False)).messages
    assert kept.draft == full
    [head] = await log.heads(org.caller(), HERE)
    assert (head.role, head.tokens, head.share, head.calls, head.answers) == (
        "assistant",
        7,
        "notes",
        ("c",),
        "t",
    )
    assert [k.draft for k in await log.fetch(org.caller(), HERE, [head.seq, 999])] == [full]


async def test_totals_run_along_with_every_change(log, org):
    me = org.caller()
    await log.append(
        me,
        HERE,
        [draft("a", 3), draft("b", 4, "assistant"), draft("c", 5, "system", "system")],
        TERMS,
    )
    totals = await log.totals(me, HERE)
    assert (totals.message_count, totals.token_count) == (3, 12)
    assert totals.roles == {"user": 1, "assistant": 1, "system": 1}
    assert totals.shares == {"short_term": 7, "system": 5}
    await log.pop(me, HERE, TERMS)
    totals = await log.totals(me, HERE)
    assert (totals.roles, totals.shares) == ({"user": 1, "assistant": 1}, {"short_term": 7})
    await log.replace(me, HERE, drafts("x"), TERMS, "written")
    totals = await log.totals(me, HERE)
    assert (totals.message_count, totals.roles, totals.token_count) == (1, {"user": 1}, 5)


async def test_an_instance_ends_with_its_time_and_a_write_makes_it_live_on(log, org, turn_clock):
    me, terms = org.caller(), Terms(ttl_s=3600)
    await log.append(me, HERE, drafts("a"), terms)
    first = (await log.totals(me, HERE)).conversation_id
    turn_clock(minutes=50)
    await log.append(me, HERE, drafts("b"), terms)
    turn_clock(minutes=50)
    assert await texts(log, me) == ["a", "b"]
    turn_clock(minutes=11)
    assert await texts(log, me) == []
    assert await log.totals(me, HERE) is None
    assert await log.heads(me, HERE) == []
    assert await log.lock(me, HERE, 1) is None
    assert (await log.instances(me, "r", HERE, Cursor())).data == []
    assert (await log.pop(me, HERE, terms))[0] is None
    again = await log.append(me, HERE, drafts("a"), terms)
    assert (again.appended, again.totals.message_count) == (1, 1)
    assert again.totals.conversation_id != first


async def test_the_lock_is_one_holder_s_at_a_time_and_its_token_grows(log, org):
    me = org.caller()
    assert await log.lock(me, HERE, 10) is None  # there is nothing to lock
    await log.append(me, HERE, drafts("a", "b"), TERMS)
    lease = await log.lock(me, HERE, 10)
    assert await log.lock(me, HERE, 10) is None
    await log.release(me, HERE, lease)
    second = await log.lock(me, HERE, 10)
    assert second.token > lease.token
    await log.release(me, HERE, lease)  # the first holder's: gives nothing back
    assert await log.lock(me, HERE, 10) is None


async def test_a_holder_that_outlived_its_lock_cannot_write(log, org):
    me = org.caller()
    await log.append(me, HERE, drafts("a", "b", "c"), TERMS)
    slow = await log.lock(me, HERE, 0.1)
    first, *_ = await log.heads(me, HERE)
    await asyncio.sleep(0.2)
    with pytest.raises(Overtaken):  # over, and nobody else's yet
        await log.remove(me, HERE, slow, removal(first.seq))
    quick = await log.lock(me, HERE, 10)
    with pytest.raises(Overtaken):  # somebody else's
        await log.remove(me, HERE, slow, removal(first.seq))
    assert await texts(log, me) == ["a", "b", "c"]
    await log.remove(me, HERE, quick, removal(first.seq))
    assert await texts(log, me) == ["b", "c"]


async def test_a_removal_is_all_or_nothing(log, org):
    me = org.caller()
    await log.append(me, HERE, drafts("a", "b"), TERMS)
    lease = await log.lock(me, HERE, 10)
    first, _ = await log.heads(me, HERE)
    with pytest.raises(Overtaken):
        await log.remove(me, HERE, lease, removal(first.seq, 999))
    assert await texts(log, me) == ["a", "b"]


async def test_a_summary_stands_first_and_the_flush_is_remembered(log, org):
    me = org.caller()
    await log.append(
        me, HERE, [draft("s", role="system", share="system"), *drafts("a", "b")], TERMS
    )
    await log.note_error(me, HERE, LastError(clock.now(), "x", "y"))
    await log.note_pending(me, HERE, "job_1")
    totals = await log.totals(me, HERE)
    assert (totals.last_error.code, totals.pending_job) == ("x", "job_1")
    lease = await log.lock(me, HERE, 10)
    _, a, _ = await log.heads(me, HERE)
    summary = draft("sum", 4, "system", "long_term")
    totals = await log.remove(me, HERE, lease, removal(a.seq, summary=summary))
    assert await texts(log, me) == ["sum", "s", "b"]
    assert totals.last_flush.message_count == 3
    assert totals.last_flush.token_count == totals.token_count == 14
    assert (totals.last_error, totals.pending_job) == (None, None)
    again = await log.append(me, HERE, drafts("a"), TERMS)
    assert again.appended == 0


async def test_a_read_counts_as_access_where_it_is_asked_to(log, org):
    me = org.caller()
    await log.append(me, HERE, drafts("a", "b", "c"), TERMS)
    before = [head.accessed_at for head in await log.heads(me, HERE)]
    assert len(set(before)) == 1
    await log.read(me, HERE, Span(1, 1), note_access=True)
    after = [head.accessed_at for head in await log.heads(me, HERE)]
    assert after[1] > before[1]
    assert [after[0], after[2]] == [before[0], before[2]]


async def test_a_buffer_drops_and_appends_in_one_step(log, org):
    me, terms = org.caller(), Terms(buffer=Budget(max_messages=2))
    await log.append(me, HERE, drafts("a", "b"), terms)
    done = await log.append(me, HERE, drafts("b", "c", "d", "e"), terms)
    assert (done.appended, done.duplicates, done.dropped) == (3, 1, 3)
    assert await texts(log, me) == ["d", "e"]


async def test_buffers_hold_under_many_writers(log, org):
    me, terms = org.caller(), Terms(buffer=Budget(max_messages=5))

    async def write(writer: int) -> None:
        for n in range(4):
            done = await log.append(me, HERE, drafts(f"{writer}.{n}.a", f"{writer}.{n}.b"), terms)
            assert done.totals.message_count <= 5

    await asyncio.gather(*(write(writer) for writer in range(6)))
    left = await texts(log, me)
    assert len(left) == len(set(left)) == 5


async def test_writes_wait_for_each_other_and_not_for_ever(log, backend, org, db, redis):
    me = org.caller()
    await log.append(me, HERE, drafts("a"), TERMS)
    short = Terms(lock_wait_s=0.2)
    if backend == "postgres":
        async with db.begin(me) as tx:
            await tx.one(dict, _locking_query(), **params_of(HERE))

            async def elsewhere() -> None:
                await log.append(me, HERE, drafts("b"), short)

            with pytest.raises(LockTimeout):
                await asyncio.create_task(elsewhere(), context=_fresh_context())
    elif backend == "redis":
        await redis.client.set(f"holdfast:{{{org.id}/r}}:org/k/w", "7", px=60_000)
        for operation in (
            log.append(me, HERE, drafts("b"), short),
            log.append(
                me, HERE, drafts("b"), Terms(lock_wait_s=0.2, buffer=Budget(max_messages=1))
            ),
            log.replace(me, HERE, drafts("b"), short, "written"),
            log.pop(me, HERE, short),
        ):
            with pytest.raises(LockTimeout):
                await operation
    assert await texts(log, me) == ["a"]


async def test_instances_are_of_one_org_and_one_resource(log, org, make_org):
    other = await make_org()
    for caller, instance in (
        (org.caller(), HERE),
        (other.caller(), HERE),
        (org.caller(), Instance("q", "k")),
    ):
        await log.append(caller, instance, drafts("a"), TERMS)
    assert [row.key for row in (await log.instances(org.caller(), "r", HERE, Cursor())).data] == [
        "k"
    ]
    await log.delete_all(org.caller(), "r")
    assert (await log.instances(org.caller(), "r", HERE, Cursor())).data == []
    assert await texts(log, other.caller()) == ["a"]
    assert await texts(log, org.caller(), Instance("q", "k")) == ["a"]


def _locking_query() -> Any:
    from holdfast.conversations.logs.postgres_changes import queries

    return queries.lock_conversation


def _fresh_context() -> Any:
    """Without the transaction of this task."""
    from contextvars import Context

    return Context()
