"""Pydantic AI's conversations in a store, record by record; the agent around them is in tests/frameworks."""

import pytest

pytest.importorskip("pydantic_ai.conversation_store", reason="pydantic-ai is not installed")

from pydantic_ai.conversation_store import (
    ConversationConflict,
    ConversationEntry,
    ConversationRecord,
)
from pydantic_ai.messages import ModelRequest, UserPromptPart

from holdfast_client.pydantic_ai import HoldfastConversationStore


def chain(*ids: str) -> list[ConversationEntry]:
    """Messages with these ids, each after the one before it."""
    parents = [None, *ids[:-1]]
    return [
        ConversationEntry(id=id, parent_id=parent, message=ModelRequest([UserPromptPart(id)]))
        for id, parent in zip(ids, parents, strict=True)
    ]


def record(name: str, head: str | None, revision: str, **more) -> ConversationRecord:
    return ConversationRecord(conversation_id=name, head_id=head, revision=revision, **more)


@pytest.fixture
def store(both) -> HoldfastConversationStore:
    return HoldfastConversationStore(both.awaited)


async def kept(both) -> list[str]:
    """The paths of everything that the store holds."""
    [opened] = (await both.awaited.stores.list_stores(name="pydantic-ai")).data
    return [row.path for row in (await both.awaited.stores.list(opened.id)).data]


@pytest.mark.parametrize("ids", [("m1", "m2"), ("a.b", "c/d"), ("ü 1", "%2E")])
async def test_a_conversation_is_deleted_with_its_messages_whatever_their_ids(store, both, ids):
    await store.write_record(
        record("talk", ids[-1], "r1"), new_entries=chain(*ids), expected_revision=None
    )
    assert (await store.read_record("talk")).head_id == ids[-1]
    for id in ids:
        assert (await store.read_entry(id)).id == id
    await store.delete_record("talk", expected_revision="r1")
    assert await kept(both) == []


async def test_messages_that_another_conversation_uses_stay(store, both):
    await store.write_record(
        record("first", "c.", "r1", branches=["x."]),
        new_entries=[
            *chain("a.", "b.", "c."),
            ConversationEntry(id="x.", parent_id="a.", message=ModelRequest([UserPromptPart("x")])),
        ],
        expected_revision=None,
    )
    await store.write_record(record("fork", "b.", "f1"), expected_revision=None)
    await store.delete_record("first", expected_revision="r1")
    assert [(await store.read_entry(id)).id for id in ("a.", "b.")] == ["a.", "b."]
    for gone in ("c.", "x."):
        with pytest.raises(LookupError, match=f"no message {gone!r}"):
            await store.read_entry(gone)
    await store.delete_record("fork", expected_revision="f1")
    assert await kept(both) == []


async def test_a_stale_revision_changes_nothing(store, both):
    await store.write_record(
        record("talk", "a", "r1"), new_entries=chain("a"), expected_revision=None
    )
    before = await kept(both)
    for expected in (None, "r0"):
        with pytest.raises(ConversationConflict):
            await store.write_record(
                record("talk", "b", "r2"), new_entries=chain("b"), expected_revision=expected
            )
        with pytest.raises(ConversationConflict):
            await store.delete_record("talk", expected_revision=expected or "r9")
    with pytest.raises(ConversationConflict):  # a history that ends in a message that is not there
        await store.write_record(record("talk", "lost", "r2"), expected_revision="r1")
    with pytest.raises(ConversationConflict):
        await store.delete_record("nothing", expected_revision="r1")
    assert await kept(both) == before
    assert (await store.read_record("talk")).revision == "r1"


async def test_of_two_that_write_at_once_the_second_takes_its_messages_back(store, both):
    """The record changed between its check and its write."""
    await store.write_record(
        record("talk", "a", "r1"), new_entries=chain("a"), expected_revision=None
    )
    other = HoldfastConversationStore(both.awaited)
    send, raced = both.awaited.send, []

    async def send_after_another(call):
        if call.method == "POST" and not raced:  # the first message is about to be written
            raced.append(True)
            await other.write_record(record("talk", "a", "r2"), expected_revision="r1")
        return await send(call)

    await store._opened()
    store._memory = type("Memory", (), {"send": staticmethod(send_after_another), "_scope": both.awaited._scope})()  # fmt: skip
    with pytest.raises(ConversationConflict):
        await store.write_record(
            record("talk", "b", "r3"), new_entries=chain("b"), expected_revision="r1"
        )
    assert raced
    assert (await other.read_record("talk")).revision == "r2"
    with pytest.raises(LookupError):
        await other.read_entry("b")


async def test_records_are_listed_newest_first_by_scope(store):
    for number, scope in enumerate(("ana", "bob", "ana")):
        await store.write_record(
            record(f"t{number}", None, "r1", scope=scope), expected_revision=None
        )
    assert [each.conversation_id for each in await store.read_records()] == ["t2", "t1", "t0"]
    found = await store.read_records(scope="ana", limit=1)
    assert [each.conversation_id for each in found] == ["t2"]
    assert await store.read_records(scope="nobody") == []
    assert await store.read_record("nothing") is None
