"""What a process counts reaches the database once: not lost where a write fails, not counted twice, of the right org."""

import asyncio
from datetime import timedelta

import pytest

from holdfast.kernel import clock, usage
from holdfast.kernel.db import Database
from holdfast.kernel.errors import BackendUnavailable
from holdfast.kernel.usage import Tally, Usage


async def numbers(db, org):
    """The org's numbers by face, summed up by the hour, as the database has them."""
    now = clock.now()
    found = await db.all(
        org.operator,
        usage.UsageBucket,
        usage.queries.read,
        since=now - timedelta(hours=1),
        until=now + timedelta(minutes=1),
        bucket=timedelta(days=1),
    )
    return {each.face: each for each in found}


def count(counter: Usage, org, operation_id="memories.save", *, is_write=True, **numbers: int):
    with counter.call(org.id, operation_id, is_write=is_write) as tally:
        tally.add(Tally(**numbers))


async def test_what_was_counted_is_added_to_what_is_there(db, org):
    counter = Usage()
    for _ in range(2):
        count(counter, org, recalls=1, hits=1, tokens=5)
        count(counter, org, recalls=1)
        await counter.write(db)
    found = (await numbers(db, org))["memories"]
    assert (found.writes, found.recalls, found.hit_rate, found.tokens) == (4, 4, 0.5, 10)
    await counter.write(db)  # nothing is left to write
    assert (await numbers(db, org))["memories"].writes == 4


async def test_faces_are_found_by_the_first_part_of_an_operation(db, org):
    counter = Usage()
    for operation_id in ("nodes.create", "insights.add", "sessions.append", "stores.put"):
        count(counter, org, operation_id)
    await counter.write(db)
    found = await numbers(db, org)
    assert {face: each.writes for face, each in found.items()} == {
        "memories": 2,
        "conversations": 1,
        "stores": 1,
    }


async def test_a_call_that_raises_is_a_call_and_no_write(db, org):
    counter = Usage()
    with pytest.raises(ValueError), counter.call(org.id, "memories.save", is_write=True):
        raise ValueError
    await counter.write(db)
    found = (await numbers(db, org))["memories"]
    assert (found.writes, found.hit_rate) == (0, None)
    assert found.latency_ms is not None


async def test_what_cannot_be_written_is_kept_and_written_later(db, org):
    counter = Usage()
    count(counter, org, tokens=3)
    nowhere = Database("postgresql://nobody@127.0.0.1:1/none", min_size=0, max_size=1)
    with pytest.raises(BackendUnavailable):  # it was never opened
        await counter.write(nowhere)
    count(counter, org, tokens=4)  # meanwhile
    await counter.write(db)
    assert (await numbers(db, org))["memories"].tokens == 7


async def test_one_org_is_written_and_the_others_wait(db, make_org):
    counter = Usage()
    first, second = await make_org(), await make_org()
    count(counter, first)
    count(counter, second)
    await counter.write(db, first.id)
    assert (await numbers(db, first))["memories"].writes == 1
    assert await numbers(db, second) == {}
    await counter.write(db)
    assert (await numbers(db, first))["memories"].writes == 1
    assert (await numbers(db, second))["memories"].writes == 1


async def test_the_numbers_of_an_org_that_is_gone_go_with_it(db, org):
    counter = Usage()
    with counter.call("org_" + "0" * 32, "memories.save", is_write=True):
        pass
    count(counter, org)
    await counter.write(db)
    assert (await numbers(db, org))["memories"].writes == 1


async def test_the_rest_is_written_at_the_end(db, org):
    counter = Usage()
    async with counter.written(db):
        count(counter, org)
    assert (await numbers(db, org))["memories"].writes == 1


async def test_calls_side_by_side_are_counted_apart(db, org):
    counter = Usage()

    async def call(tokens: int) -> int:
        with counter.call(org.id, "context.get", is_write=False):
            usage.current().tokens += tokens
            await asyncio.sleep(0)
            return usage.current().tokens

    assert await asyncio.gather(call(1), call(20)) == [1, 20]
    usage.current().tokens += 1000  # outside of a call nobody counts
    await counter.write(db)
    found = (await numbers(db, org))["context"]
    assert (found.tokens, found.writes) == (21, 0)
