"""Memories, insights and the first verbs through both clients: the same question, the same answer, and the API's own."""

import dataclasses
from datetime import UTC, datetime, timedelta

import pytest

import holdfast.kernel.recall.model
import holdfast.kernel.recall.query
import holdfast.memories.insights.service
import holdfast.memories.model
import holdfast.memories.recall
import holdfast.unified_recall.recall
import holdfast_client.insights.model
import holdfast_client.memories.model
import holdfast_client.unified_recall.model
from holdfast_client import (
    Client,
    Invalid,
    NotFound,
    PreconditionFailed,
    StepUpRequired,
    UnexpectedReply,
    iterate,
)
from holdfast_client.insights.model import NotStored, StoredInsight
from holdfast_client.memories.model import Source
from holdfast_client.unified_recall.calls import key_of
from holdfast_client.values import instant, to_json

# A score has a part for how recent a thing is: to compare answers, they are asked as of one moment.
NOW = datetime.now(UTC)


async def same(both, ask):
    """The answer, which both clients must give."""
    sync = ask(both.sync)
    assert sync == await ask(both.awaited)
    return sync


async def test_a_memory_is_saved_read_changed_and_brought_back_as_the_api_does(both, api):
    memories, awaited = both.sync.memories, both.awaited.memories
    made = memories.save(
        "tea",
        "Green, no sugar",
        summary="Likes green tea",
        category="preference",
        tags=["drinks"],
        importance=8,
        pinned=True,
        sources=[Source("url", "https://example.com/brief", "green")],
    )
    assert (made.created, made.version, made.importance, made.tags) == (True, 1, 8, ["drinks"])
    again = await awaited.save("tea", "Green", if_match=1)
    assert (again.id, again.created, again.version, again.pinned) == (made.id, False, 2, True)
    with pytest.raises(PreconditionFailed):
        memories.save("tea", "Black", if_match=1)
    other = memories.save("tea", "Black", dedupe="create")
    assert other.id != made.id

    for ask, path in [
        (lambda c: c.memories.get(made.id), f"/memories/{made.id}"),
        (lambda c: c.memories.history(made.id), f"/memories/{made.id}/history"),
        (lambda c: c.memories.list(), "/memories"),
        (lambda c: c.memories.list(tag="drinks", pinned=True), "/memories?tag=drinks&pinned=true"),
        (lambda c: c.memories.list(limit=1, after_id=other.id), "/memories?limit=1"),
    ]:
        answer, raw = await same(both, ask), (await api.get(path)).json()
        if "limit=1" in path:
            assert [each.id for each in answer.data] == [made.id]
            continue
        assert to_json(answer) == (raw["data"] if isinstance(answer, list) else raw)
    assert {each.id for each in iterate(memories.list, limit=1)} == {made.id, other.id}

    changed = memories.change(made.id, value="Oolong", summary=None, if_match=2)
    assert (changed.value, changed.summary, changed.tags) == ("Oolong", None, ["drinks"])
    restored = await awaited.restore(made.id, 1, if_match=3)
    assert (restored.value, restored.summary) == ("Green, no sugar", "Likes green tea")
    assert [each.version for each in memories.history(made.id).data] == [4, 3, 2, 1]
    with pytest.raises(Invalid) as refused:
        memories.save("tea", "x", importance=11)
    assert [each.field for each in refused.value.errors] == ["importance"]


async def test_deleting_takes_a_person_at_a_browser(both):
    made = both.sync.memories.save("tea", "Green")
    asset = both.sync.memories.upload_asset(made.id, "a.bin", b"x")
    with pytest.raises(StepUpRequired):
        both.sync.memories.delete(made.id)
    with pytest.raises(StepUpRequired):
        await both.awaited.memories.delete_asset(made.id, asset.id)
    assert (await both.awaited.memories.get(made.id)).assets == [asset]


async def test_a_batch_tells_of_each_item(both):
    result = both.scope(agent="bot").sync.memories.batch(
        [
            {"key": "a", "value": "one", "scope": "agent"},
            {"key": "b", "value": " "},
            {"key": "c", "value": "three", "tags": ["x"]},
        ]
    )
    assert (result.stored, result.skipped) == (2, 1)
    assert [each.status for each in result.results] == ["stored", "invalid", "stored"]
    assert result.results[1].error["code"] == "invalid"
    bots = await both.scope(agent="bot").awaited.memories.get(result.results[0].id)
    assert (bots.scope, bots.agent_id) == ("agent", "bot")
    with pytest.raises(NotFound):  # from elsewhere there is no such memory
        both.sync.memories.get(bots.id)
    answer = await both.awaited.memories.batch([{"key": "a", "value": "one"}])
    assert answer.stored == 1


async def test_memories_are_recalled_with_the_reasons_of_their_score(both, api):
    tea = both.sync.memories.save("tea", "Ana drinks green tea", category="preference")
    both.sync.memories.save("dog", "Ben has a dog called Rex")
    gone = both.sync.memories.save("old tea", "Black tea")
    both.sync.memories.retire(gone.id)
    found = await same(
        both,
        lambda c: c.memories.recall("green tea", limit=3, explain=True, ids=[gone.id], now=NOW),
    )
    best = found.data[0]
    assert (best.id, best.value) == (tea.id, tea.value)
    assert best.score == pytest.approx(sum(best.explain.parts.values()))
    assert [(miss.id, miss.reason) for miss in found.misses] == [(gone.id, "expired")]
    raw = await api.post(
        "/memories/recall", json={"q": "tea", "category": "preference", "now": instant(NOW)}
    )
    plain = await same(both, lambda c: c.memories.recall("tea", category="preference", now=NOW))
    assert to_json(plain) == raw.json()
    assert plain.data[0].explain is None


async def test_sources_and_assets_hang_on_a_memory(both):
    sync, awaited = both.sync.memories, both.awaited.memories
    id = sync.save("tea", "Green").id
    link = sync.add_source(id, "url", "https://example.com", quote="green")
    await awaited.add_source(id, "message", "msg_1")
    assert await same(both, lambda c: c.memories.list_sources(id)) == [
        link,
        Source("message", "msg_1"),
    ]
    sync.remove_sources(id, kind="message")
    await awaited.remove_sources(id, ref="https://example.com")
    assert sync.list_sources(id) == []

    content = bytes(range(256))
    asset = sync.upload_asset(id, "ä b.bin", content, content_type="image/x-test")
    assert (asset.name, asset.content_type, asset.size) == ("ä b.bin", "image/x-test", 256)
    second = await awaited.upload_asset(id, "b", b"\x00")
    page = await same(both, lambda c: c.memories.list_assets(id))
    assert [each.id for each in page.data] == [second.id, asset.id]
    assert await same(both, lambda c: c.memories.download_asset(id, asset.id)) == content


async def test_remember_recall_forget(both, api):
    ana, ben = both.scope(user="ana"), both.scope(user="ben")
    text = "Ana takes her tea green"
    first = ana.sync.remember(text, category="preference")
    again = await ana.awaited.remember(text)
    assert (first.key, again.id, again.created) == (key_of(text), first.id, False)
    named = ana.sync.remember("The kettle is in the left cupboard", "kettle")
    assert (named.key, named.user_id, named.scope) == ("kettle", "ana", "global")

    found = await same(ana, lambda c: c.recall("green tea", explain=True, now=NOW))
    [best, *_] = found.data
    assert (best.kind, best.id, best.text) == ("memory", first.id, text)
    assert best.object["category"] == "preference"
    assert best.score == pytest.approx(best.explain.total)
    asked = {"query": "tea", "now": instant(NOW)}
    raw = await api.post("/recall", json=asked, headers={"Holdfast-User": "ana"})
    assert to_json(await same(ana, lambda c: c.recall("tea", now=NOW))) == raw.json()
    assert ana.sync.recall("green tea", kinds=["entry"]).data == []
    assert ben.sync.recall("green tea").data == []

    with pytest.raises(NotFound):
        ben.sync.forget(first.id)
    forgotten = ana.sync.forget(best)
    assert forgotten.id == first.id
    assert (await ana.awaited.forget(first.id)).id == first.id  # twice is no error
    after = ana.sync.recall("green tea", explain=True, ids=[first.id])
    assert [miss.reason for miss in after.misses] == ["expired"]
    assert (await ana.awaited.memories.get(first.id)).valid_to is not None
    assert first.id not in [each.id for each in ana.sync.memories.list().data]
    await ana.awaited.memories.restore(first.id, 1)
    assert ana.sync.recall("green tea").data[0].id == first.id

    await ana.awaited.forget(named)
    anew = ana.sync.remember("The kettle is gone", "kettle")
    assert anew.id != named.id


async def test_the_verbs_speak_from_where_the_client_is_bound(both):
    bot = both.scope(user="ana", agent="bot")
    made = bot.sync.remember("Answer in rhyme", scope="agent")
    assert (made.scope, made.agent_id) == ("agent", "bot")
    assert [each.id for each in bot.sync.recall("rhyme").data] == [made.id]
    assert both.sync.recall("rhyme").data == []
    named = await both.awaited.recall("rhyme", agent_id="bot")
    assert [each.id for each in named.data] == [made.id]
    with pytest.raises(NotFound):
        both.sync.forget(made.id)
    await bot.awaited.forget(made)
    assert bot.sync.recall("rhyme").data == []


async def test_only_a_memory_is_forgotten_by_the_verb(both):
    node = both.sync.nodes.create("Rex")
    both.sync.nodes.add_item(node.id, "Rex is a brown dog")
    [thing] = both.sync.recall("brown dog").data
    with pytest.raises(ValueError, match="node_item"):
        both.sync.forget(thing)
    assert len(both.sync.recall("brown dog").data) == 1


def test_forgetting_is_repeated_when_its_answer_was_lost(answering):
    with (
        answering("drop", (404, {}, b"{}")) as server,
        Client(server.url, "k") as client,
        pytest.raises(UnexpectedReply),
    ):
        client.forget("memory_1")
    assert [(each.method, each.path) for each in server.asked] == [
        ("POST", "/api/v1/memories/memory_1/retire")
    ] * 2


async def test_questions_are_kept_by_nobody(org, both, owner_connection):
    both.sync.recall("tea")
    await both.awaited.memories.recall("tea")
    owner_connection.execute("SELECT set_config('holdfast.org', %s, false)", [org.id])
    kept = owner_connection.execute(
        "SELECT count(*) FROM idempotency_keys WHERE org_id = %s", [org.id]
    ).fetchone()
    assert kept == (0,)


async def test_insights_are_kept_until_the_user_says_no(both, api):
    ana = both.scope(user="ana")
    style = ana.sync.insights.save("Prefers short answers", category="style", confidence=0.8)
    assert isinstance(style, StoredInsight)
    other = await ana.awaited.insights.save("Works at night", metadata={"seen": 2})
    page = await same(ana, lambda c: c.insights.list())
    raw = await api.get("/insights", headers={"Holdfast-User": "ana"})
    assert to_json(page) == raw.json()
    assert [each.id for each in ana.sync.insights.list(category="style").data] == [style.id]
    assert (await same(ana, lambda c: c.insights.get(other.id))).metadata == {"seen": 2}

    ana.sync.directory.change_me(insight_capture=False)
    assert ana.sync.insights.save("not kept") == NotStored()
    ana.sync.insights.delete(style.id)
    with pytest.raises(NotFound):
        await ana.awaited.insights.delete(style.id)
    assert ana.sync.insights.wipe(category="style").deleted == 0
    assert (await ana.awaited.insights.wipe()).deleted == 1


async def test_lists_filter_and_look_back(both):
    memories = both.sync.memories
    tea = memories.save("tea", "Green", importance=9)
    before = tea.updated_at + timedelta(microseconds=1)
    memories.change(tea.id, value="Black")
    past = await same(both, lambda c: c.memories.list(as_of=before, min_importance=9))
    assert [each.value for each in past.data] == ["Green"]
    both.sync.forget(tea)
    assert memories.list().data == []
    assert [each.id for each in memories.list(include_expired=True).data] == [tea.id]


SERVER = {
    name: kind
    for module in (
        holdfast.kernel.recall.model,
        holdfast.kernel.recall.query,
        holdfast.memories.insights.service,
        holdfast.memories.model,
        holdfast.memories.recall,
        holdfast.unified_recall.recall,
    )
    for name, kind in vars(module).items()
}


@pytest.mark.parametrize(
    "module",
    [
        holdfast_client.memories.model,
        holdfast_client.insights.model,
        holdfast_client.unified_recall.model,
    ],
)
def test_the_clients_values_have_the_services_fields(module):
    checked = 0
    for name, kind in vars(module).items():
        if dataclasses.is_dataclass(kind) and kind.__module__ == module.__name__ and name in SERVER:
            theirs = {field.name for field in dataclasses.fields(SERVER[name])}
            assert {field.name for field in dataclasses.fields(kind)} == theirs, name
            checked += 1
    assert checked >= 2
