"""What only shows inside the process: stamps under a clock that stands still."""

import asyncio
from datetime import UTC, datetime

import pytest

from holdfast.blocks.service import delete_block, place_of, write_block
from holdfast.kernel import clock
from holdfast.kernel.errors import Conflict


@pytest.fixture
def frozen_clock():
    clock.set_source(lambda: datetime(2030, 1, 1, tzinfo=UTC))
    yield
    clock.set_source(None)


async def test_two_writes_in_one_microsecond_have_different_stamps(db, org, frozen_clock):
    caller = org.caller()
    where = place_of(caller, "user", None)
    first = await write_block(db, caller, where, "core", "one", expected_updated_at=None)
    second = await write_block(
        db, caller, where, "core", "two", expected_updated_at=first.updated_at
    )
    assert second.updated_at > first.updated_at

    with pytest.raises(Conflict) as lost:
        await write_block(db, caller, where, "core", "three", expected_updated_at=first.updated_at)
    assert lost.value.current == second

    await delete_block(db, caller, where, "core")
    again = await write_block(db, caller, where, "core", "four", expected_updated_at=None)
    assert again.updated_at > second.updated_at
    assert again.version == 4


async def test_of_64_writers_in_one_microsecond_one_wins(db, org, frozen_clock):
    caller = org.caller()
    where = place_of(caller, "user", None)
    first = await write_block(db, caller, where, "core", "one", expected_updated_at=None)

    async def write(number):
        try:
            return await write_block(
                db, caller, where, "core", f"{number}", expected_updated_at=first.updated_at
            )
        except Conflict as lost:
            return lost

    results = await asyncio.gather(*map(write, range(64)))
    won = [result for result in results if not isinstance(result, Conflict)]
    assert len(won) == 1
    assert all(lost.current == won[0] for lost in results if isinstance(lost, Conflict))
