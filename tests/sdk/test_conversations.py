"""Conversations through both clients: the same question, the same answer, and the API's own."""

import dataclasses
from datetime import datetime

import pytest

import holdfast.conversations.model
import holdfast_client.conversations.model
from holdfast_client import (
    Conflict,
    Invalid,
    LimitExceeded,
    NotFound,
    PreconditionFailed,
    ScopeDenied,
    iterate,
    iterate_async,
)
from holdfast_client.conversations import AsyncConversations, Conversations
from holdfast_client.conversations.model import MemoryResource, Problem
from holdfast_client.directory.model import MemoryReference
from holdfast_client.values import Unreadable, read, to_json

CONFIG = {
    "resource": "memory",
    "id": "support",
    "type": "token_based",
    "max_tokens": 100,
    "persistence": {"type": "postgres", "ttl": "30d"},
    "default_key_template": "case:{{.case}}",
}
YAML = """
resource: memory
id: support
type: buffer
max_messages: 3
persistence: {type: in_memory}
"""


@pytest.fixture
def resource(both):
    """A small budget, and keys by case."""
    return both.sync.conversations.put_resource("support", CONFIG)


@pytest.mark.parametrize(
    "name", ["Message", "Messages", "FlushResult", "NotPersisted", "AppendResult", "Cleared", "Popped", "Share", "TokenizerUsed", "LastFlush", "LastError", "Stats", "Health", "InstanceRow"]
)  # fmt: skip
def test_the_client_knows_every_field_of_the_server(name):
    def fields(module):
        return {each.name for each in dataclasses.fields(getattr(module, name))}

    assert fields(holdfast_client.conversations.model) == fields(holdfast.conversations.model)


def test_both_clients_have_the_same_methods():
    def methods(face):
        return {name for name in vars(face) if not name.startswith("_")}

    assert methods(Conversations) == methods(AsyncConversations)


async def test_the_whole_life_of_a_resource(both, api):
    sync, awaited = both.sync.conversations, both.awaited.conversations
    made = sync.put_resource("support", CONFIG)
    assert (made.id, made.config, made.revision) == ("support", CONFIG, 1)
    assert isinstance(made.created_at, datetime)
    assert await awaited.read_resource("support") == made
    assert [each.id for each in sync.list_resources().data] == ["support", "sessions"]
    assert [each.id async for each in iterate_async(awaited.list_resources, limit=1)] == [
        "support", "sessions",
    ]  # fmt: skip
    larger = await awaited.put_resource("support", {**made.config, "max_tokens": 200}, if_match=1)
    assert (larger.config["max_tokens"], larger.revision) == (200, 2)
    with pytest.raises(PreconditionFailed):
        sync.put_resource("support", CONFIG, if_match=1)
    with pytest.raises(Invalid) as wrong:
        sync.put_resource("support", {"type": "cloud"})
    assert "type" in {each.field for each in wrong.value.errors}

    sync.append("support", "Hello", key="k")
    with pytest.raises(Conflict) as used:
        await awaited.delete_resource("support")
    assert isinstance(used.value.current, MemoryResource)
    assert used.value.current == larger
    with pytest.raises(Conflict) as moved:
        sync.put_resource("support", YAML)
    assert moved.value.current == larger
    await awaited.delete_resource("support", force=True)
    with pytest.raises(NotFound):
        sync.read_resource("support")
    assert sync.put_resource("support", YAML).config["max_messages"] == 3
    sync.delete_resource("support", if_match=4)
    assert await awaited.read_schema() == (await api.get("/memory-resources/schema")).json()
    assert sync.read_schema()["properties"]["persistence"]


async def test_validation_says_all_that_is_wrong_and_on_which_line(both):
    sync, awaited = both.sync.conversations, both.awaited.conversations
    assert sync.validate_resource(CONFIG).valid
    assert (await awaited.validate_resource(YAML)).errors == []
    wrong = sync.validate_resource({**CONFIG, "max_tokens": 0, "colour": "red"})
    assert not wrong.valid
    assert {each.field for each in wrong.errors} == {"max_tokens", "colour"}
    assert wrong == await awaited.validate_resource({**CONFIG, "max_tokens": 0, "colour": "red"})
    [problem] = (await awaited.validate_resource(YAML + "colour: red\n")).errors
    assert isinstance(problem, Problem)
    assert (problem.field, problem.line) == ("colour", 7)


@pytest.mark.usefixtures("resource")
async def test_every_question_is_answered_alike_by_both_clients_and_the_api(both, api):
    sync, awaited = both.sync.conversations, both.awaited.conversations
    call = {"role": "assistant", "content": "", "tool_calls": [{"id": "c"}], "name": "bot"}
    sync.append("support", ["Hello", call], key="case:7")
    for ask, path in [
        (lambda c: c.read("support", key="case:7"), "read?key=case:7"),
        (lambda c: c.read("support", variables={"case": 7}), "read?key=case:7"),
        (lambda c: c.read("support", key="case:7", tail=1), "read?key=case:7&tail=1"),
        (lambda c: c.read("support", key="none"), "read?key=none"),
        (lambda c: c.health("support", key="case:7"), "health?key=case:7"),
        (lambda c: c.list_instances("support"), "instances"),
    ]:
        answer, raw = ask(sync), (await api.get(f"/conversations/support/{path}")).json()
        assert answer == await ask(awaited), path
        assert to_json(answer) == raw, path
    stats = await awaited.stats("support", variables={"case": "7"})
    assert (stats.message_count, stats.token_limit) == (2, 100)
    assert stats.role_distribution == {"user": 1, "assistant": 1}
    assert sync.stats("support", key="case:7").token_count == stats.token_count
    assert sync.resolve("support", {"case": 7}) == "case:7"
    assert await awaited.resolve("support", {"case": 8}) == "case:8"
    with pytest.raises(Invalid):
        sync.resolve("support", {})


@pytest.mark.usefixtures("resource")
async def test_the_whole_life_of_a_conversation(both):
    sync, awaited = both.sync.conversations, both.awaited.conversations
    hello = {"id": "m1", "role": "user", "content": "Hello", "metadata": {"lang": "en"}}
    first = sync.append("support", hello, key="k")
    assert (first.appended, first.total_count, first.flush) == (1, 1, None)
    again = await awaited.append("support", [hello, "Anyone there?"], key="k")
    assert (again.appended, again.duplicates, again.total_count) == (1, 1, 2)
    parts = iterate(sync.read, "support", key="k", limit=1)
    assert [each.content for each in parts] == ["Hello", "Anyone there?"]
    newest = iterate_async(awaited.read, "support", key="k", tail=1)
    assert [each.content async for each in newest] == ["Anyone there?"]
    popped = await awaited.pop("support", key="k")
    assert popped.message is not None
    assert (popped.message.content, popped.total_count) == ("Anyone there?", 1)
    with pytest.raises(LimitExceeded) as over:
        sync.append("support", "word " * 200, key="k")
    assert over.value.limit == 100 < over.value.actual

    with pytest.raises(Invalid):
        sync.clear("support", key="k", confirm=False)
    cleared = sync.clear("support", key="k", confirm=True, backup=True)
    assert (cleared.messages_cleared, await awaited.clear("support", key="k", confirm=True)) == (
        1, holdfast_client.conversations.model.Cleared(0, None),
    )  # fmt: skip
    assert cleared.backup_id is not None
    back = await awaited.restore("support", cleared.backup_id, key="k")
    assert (back.restored, back.total_count) == (1, 1)
    assert sync.restore("support", cleared.backup_id, key="k") == back
    assert sync.read("support", key="k").messages[0].metadata == {"lang": "en"}

    written = await awaited.write("support", [f"word {n}" for n in range(4)], key="k")
    assert (written.appended, written.total_count) == (4, 4)
    assert sync.write("support", "only this", key="k").total_count == 1
    assert sync.pop("support", key="k").total_count == 0
    assert sync.pop("support", key="k").message is None
    assert await awaited.delete("support", key="k") is True
    assert sync.delete("support", key="k") is False


@pytest.mark.usefixtures("resource")
async def test_a_flush_can_be_tried_before_it_is_done(both):
    sync, awaited = both.sync.conversations, both.awaited.conversations
    sync.append("support", [f"message number {n}" for n in range(8)], key="k")
    tried = await awaited.flush("support", key="k", dry_run=True, force=True)
    assert (tried.would_flush, tried.flushed) == (True, False)
    assert sync.read("support", key="k").total_count == 8
    assert not sync.flush("support", key="k").flushed
    done = await awaited.flush("support", key="k", strategy="lru", force=True)
    assert (done.flushed, done.actual_strategy) == (True, "lru")
    assert done.removed == 8 - done.message_count > 0
    everything = sync.read("support", key="k", include_flushed=True)
    assert everything.total_count == 8
    assert everything.messages[0].flushed_at is not None
    stats = sync.stats("support", key="k")
    assert stats.last_flush is not None
    assert stats.last_flush == (await awaited.health("support", key="k")).last_flush
    full = await awaited.append("support", [f"message number {n}" for n in range(20)], key="k")
    assert full.flush is not None
    assert full.flush.flushed
    assert full.total_count == full.flush.message_count


async def test_a_bound_session_is_the_conversation_and_a_bound_agent_speaks(both):
    bound = both.scope(user="ana", agent="bot", session="s1")
    bound.sync.conversations.append("sessions", "Hello")
    found = await bound.awaited.conversations.read("sessions")
    assert [each.content for each in found.messages] == ["Hello"]
    of_ana = both.scope(user="ana")
    assert of_ana.sync.conversations.read("sessions", key="s1") == found
    session = of_ana.sync.directory.read_session("s1")
    assert (session.agent_id, session.user_id) == ("bot", "ana")
    bound.sync.directory.put_agent(memory=[MemoryReference("sessions", mode="read-only")])
    with pytest.raises(ScopeDenied):
        await bound.awaited.conversations.append("sessions", "Hello again")
    assert (await bound.awaited.conversations.append("sessions", "x", agent_id="b")).appended == 1


@pytest.mark.usefixtures("resource")
async def test_a_question_is_kept_by_nobody(org, both, owner_connection):
    owner_connection.execute("SELECT set_config('holdfast.org', %s, false)", [org.id])

    def kept():
        query = "SELECT count(*) FROM idempotency_keys WHERE org_id = %s"
        return owner_connection.execute(query, [org.id]).fetchone()

    before = kept()
    both.sync.conversations.resolve("support", {"case": 1})
    await both.awaited.conversations.validate_resource(CONFIG)
    both.sync.conversations.flush("support", key="k", dry_run=True)
    assert kept() == before


def test_a_resource_without_its_stamps_is_refused_with_what_is_missing():
    with pytest.raises(Unreadable, match=r"current\.revision: is missing"):
        read(dict[str, MemoryResource], {"current": {**CONFIG}})
    with pytest.raises(Unreadable, match="expected an object"):
        read(MemoryResource, ["support"])
