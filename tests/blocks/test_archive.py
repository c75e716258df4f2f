"""What recall keeps of an archive."""

from datetime import UTC, datetime, timedelta

import pytest

from holdfast.blocks.archive import Archive, read_documents, times_of
from holdfast.blocks.service import place_of, write_block
from holdfast.kernel import clock
from holdfast.kernel.sql import Query

# Of a model that nobody has heard of, every passage is missing its vector.
WITHOUT_A_VECTOR = Query("all", "SELECT object_id FROM recall_missing(%(org_id)s, 'none', 0, 1000)")
START = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.fixture
def at():
    """Turns the clock to so many days after the start."""
    yield lambda days: clock.set_source(lambda: START + timedelta(days=days))
    clock.set_source(None)


async def names_in_index(db, caller):
    async with db.read(caller) as tx:
        return await tx.all(str, WITHOUT_A_VECTOR)


async def test_a_line_keeps_the_time_it_came_wherever_it_moves(db, org, at):
    caller = org.caller()
    where = place_of(caller, "user", None)
    at(0)
    block = await write_block(db, caller, where, "archival", "one\ntwo", expected_updated_at=None)
    at(1)
    block = await write_block(
        db, caller, where, "archival", "three\n\ntwo", expected_updated_at=block.updated_at
    )
    names = sorted(await names_in_index(db, caller))
    async with db.read(caller) as tx:
        documents = await read_documents(tx, names)
    assert {d.body: d.at for d in documents} == {
        "three": START + timedelta(days=1),
        "two": START,
    }
    assert sorted(d.object_id for d in documents) == names
    assert {d.scope for d in documents} == {"block/user/owner"}


def test_times_follow_texts():
    before = Archive("blk_x", "ana", None, "a\n\nb\na", [START] * 3, START)
    later = START + timedelta(days=1)
    assert times_of("b\nc\na\na", before, later) == [START, later, START, START]
    assert times_of("x", None, later) == [later]
