"""A save that guesses whether its key is held: in one round trip where it is not, and the same rows either way."""

from statistics import median

import pytest

from holdfast.kernel.db import Database
from holdfast.memories import held_keys
from holdfast.memories.held_keys import HeldKeys
from holdfast.memories.model import NewMemory
from holdfast.memories.saving import save_memory
from tests.round_trips import counted


def tea(value: str, key: str = "tea", **fields) -> NewMemory:
    return NewMemory({"key": key, "value": value, **fields})


@pytest.fixture
def indexed(owner_connection, org):
    """What the index has of a word: the ids of objects."""

    def find(word: str) -> list[str]:
        found = owner_connection.execute(
            "SELECT object_id FROM passages WHERE org_id = %s AND words @@ %s::tsquery",
            [org.id, word],
        )
        return [id for (id,) in found]

    return find


async def test_a_new_key_is_saved_in_one_round_trip_and_a_held_one_in_two(service, org):
    caller = org.caller()
    async with counted(service.app_url) as (db, between):

        async def taken(key: str, value: str) -> int:
            before = between.count
            await save_memory(db, caller, tea(value, key=key))
            return between.count - before

        new = [await taken(f"tea {number}", "green") for number in range(12)]
        held = [await taken("tea 0", f"black {number}") for number in range(12)]
    # Over all connections of the pool, most of which have the statements prepared then.
    assert (median(new), median(held)) == (1, 2)


async def test_a_key_that_another_process_holds_is_updated(service, org, indexed):
    caller = org.caller()
    async with (
        Database(service.app_url, min_size=1, max_size=2).opened() as one,
        Database(service.app_url, min_size=1, max_size=2).opened() as other,
    ):
        made = await save_memory(one, caller, tea("green"))
        updated = await save_memory(other, caller, tea("black"))
    assert (made.created, updated.created) == (True, False)
    assert (updated.id, updated.version, updated.value) == (made.id, 2, "black")
    assert indexed("black") == [made.id]
    assert indexed("green") == []


async def test_a_key_that_is_held_no_longer_gets_a_new_row(service, org, sign_in, indexed):
    caller, browser = org.caller(), await sign_in("owner")
    async with Database(service.app_url, min_size=1, max_size=2).opened() as db:
        old = await save_memory(db, caller, tea("green"))
        assert (await browser.delete(f"/memories/{old.id}")).status_code == 204
        new = await save_memory(db, caller, tea("black"))
    assert (new.created, new.version) == (True, 1)
    assert new.id != old.id
    assert indexed("black") == [new.id]


async def test_the_keys_of_two_users_are_two(service, org):
    ana, bob = org.caller("ana", user_is_new=True), org.caller("bob", user_is_new=True)
    async with Database(service.app_url, min_size=1, max_size=2).opened() as db:
        for _ in range(2):
            rows = [await save_memory(db, each, tea("green")) for each in (ana, bob)]
    assert rows[0].id != rows[1].id
    assert [row.version for row in rows] == [2, 2]


def test_held_keys_are_known_by_org_and_forgotten():
    known, slot = HeldKeys(), ("user:ana", "default", "tea")
    known.note("org_a", slot)
    assert known.likely("org_a", slot)
    assert not known.likely("org_b", slot)
    for number in range(held_keys.MAX_KEYS):
        known.note("org_a", ("user:ana", "default", f"key {number}"))
    assert not known.likely("org_a", slot)
    assert known.likely("org_a", ("user:ana", "default", "key 0"))
