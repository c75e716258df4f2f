"""Blocks and contexts through both clients: the same question, the same answer, and the API's own."""

import dataclasses

import pytest

import holdfast.blocks.model
import holdfast.context.model
import holdfast.entries.model
import holdfast_client.blocks.model
import holdfast_client.context.model
from holdfast_client import AgentNotFound, Conflict, LimitExceeded, NotFound
from holdfast_client.blocks.model import Block
from holdfast_client.context.model import MemoryPolicy
from holdfast_client.values import to_json


async def same(both, ask):
    """The answer, which both clients must give."""
    sync = ask(both.sync)
    assert sync == await ask(both.awaited)
    return sync


async def test_every_method_answers_alike_in_both_clients_and_as_the_api_does(both, api):
    sync = both.sync.blocks
    core = sync.write("core", "likes tea", expected_updated_at=None)
    archive = sync.write("archival", "Has a dog called Rex", expected_updated_at=None)
    mine = both.sync.scope(agent="bot").blocks.write(
        "core", "asks a lot", scope="agent", expected_updated_at=None
    )
    assert (mine.scope, mine.agent_id) == ("agent", "bot")

    for ask, path in [
        (lambda c: c.blocks.list(), "/memory/blocks"),
        (lambda c: c.blocks.list(scope="all"), "/memory/blocks?scope=all"),
        (lambda c: c.blocks.list(agent_id="bot"), "/memory/blocks?agent_id=bot"),
        (lambda c: c.blocks.read("core"), "/memory/blocks/core"),
        (lambda c: c.blocks.read("core", agent_id="bot"), "/memory/blocks/core?agent_id=bot"),
        (lambda c: c.blocks.history("core"), "/memory/blocks/core/history"),
        (lambda c: c.context.user_memory(), "/context/user-memory"),
        (lambda c: c.context.user_memory(agent_id="bot"), "/context/user-memory?agent_id=bot"),
    ]:
        answer, raw = await same(both, ask), (await api.get(path)).json()
        assert to_json(answer) == (raw["data"] if isinstance(answer, list) else raw)

    [line] = await same(both, lambda c: c.blocks.recall("dog"))
    assert (line.content, line.updated_at) == ("Has a dog called Rex", archive.updated_at)
    assert [each.score for each in sync.recall("")] == [None]

    second = await both.awaited.blocks.write(
        "core", "likes coffee", expected_updated_at=core.updated_at
    )
    restored = sync.restore("core", 1, expected_updated_at=second.updated_at)
    assert (restored.content, restored.version) == ("likes tea", 3)
    await both.awaited.blocks.delete("core", expected_updated_at=restored.updated_at)
    with pytest.raises(NotFound):
        sync.read("core")


async def test_a_conflict_carries_the_block_to_merge_with(both):
    blocks = both.sync.blocks
    first = blocks.write("core", "likes tea", expected_updated_at=None)
    second = blocks.write("core", "likes tea\nhas a dog", expected_updated_at=first.updated_at)
    with pytest.raises(Conflict) as lost:
        blocks.write("core", "likes tea\nhas a cat", expected_updated_at=first.updated_at)
    current = lost.value.current
    assert isinstance(current, Block)
    assert current == second
    merged = blocks.write(
        "core", f"{current.content}\nhas a cat", expected_updated_at=current.updated_at
    )
    assert merged.version == 3
    with pytest.raises(Conflict):
        blocks.delete("core", expected_updated_at=first.updated_at)
    with pytest.raises(LimitExceeded) as over:
        blocks.write("core", "x" * 4_001, expected_updated_at=merged.updated_at)
    assert (over.value.limit, over.value.actual) == (4_000, 4_001)


async def test_a_context_is_asked_for_in_one_call(both, api):
    ana = both.scope(user="ana", agent="bot", session="s")
    ana.sync.blocks.write("core", "likes tea", expected_updated_at=None)
    with pytest.raises(AgentNotFound):
        ana.sync.context("hello")
    ana.sync.blocks.write("core", "asks a lot", agent_id="bot", expected_updated_at=None)
    ana.sync.blocks.write("archival", "Has a dog called Rex", expected_updated_at=None)
    policy = MemoryPolicy(archival_mode="auto")
    context = await same(
        ana, lambda c: c.context("the dog?", message_id="m", memory_policy=policy, max_tokens=900)
    )
    assert "likes tea" in context.user_memory.content
    assert "asks a lot" in context.user_memory.content
    assert [each.content for each in context.system_reminders] == ["Has a dog called Rex"]
    raw = await api.post(
        "/context",
        headers={"Holdfast-User": "ana"},
        json={"message": "x", "agent_id": "bot", "session_id": "s", "message_id": "m"},
    )
    assert to_json(context) == raw.json()


async def test_a_question_is_kept_by_nobody(org, both, owner_connection):
    both.sync.blocks.recall("")
    await both.awaited.context("hello")
    owner_connection.execute("SELECT set_config('holdfast.org', %s, false)", [org.id])
    kept = owner_connection.execute(
        "SELECT count(*) FROM idempotency_keys WHERE org_id = %s", [org.id]
    ).fetchone()
    assert kept == (0,)


SERVER = {
    **vars(holdfast.blocks.model),
    **vars(holdfast.context.model),
    "ContextEntry": holdfast.entries.model.Entry,
}


@pytest.mark.parametrize("module", [holdfast_client.blocks.model, holdfast_client.context.model])
def test_the_clients_values_have_the_services_fields(module):
    checked = 0
    for name, kind in vars(module).items():
        if dataclasses.is_dataclass(kind) and kind.__module__ == module.__name__ and name in SERVER:
            theirs = {field.name for field in dataclasses.fields(SERVER[name])}
            assert {field.name for field in dataclasses.fields(kind)} == theirs, name
            checked += 1
    assert checked >= 3


async def test_edit_calls_its_function_again_until_nobody_wrote_meanwhile(both, api):
    seen = []

    def change(text):
        seen.append(text)
        if len(seen) == 1:  # somebody else is quicker
            both.sync.blocks.edit_line("core", new_line="from another")
        return f"{text}\nmine".strip()

    block = both.sync.blocks.edit("core", change)
    assert seen == ["", "from another"]
    assert (block.content, block.version) == ("from another\nmine", 2)
    again = await both.awaited.blocks.edit("core", lambda text: text)
    assert again == block
    shorter = await both.awaited.blocks.edit("core", lambda text: text.replace("\nmine", ""))
    assert (shorter.content, shorter.version) == ("from another", 3)
    replaced = await both.awaited.blocks.edit_line(
        "core", old_line="from another", new_line="from us"
    )
    assert replaced.content == "from us"
    with pytest.raises(Conflict) as lost:
        both.sync.blocks.edit_line("core", old_line="from another")
    assert lost.value.current == replaced
    assert (await api.get("/memory/blocks/core")).json()["content"] == "from us"
