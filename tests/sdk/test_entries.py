"""Entries through both clients: the same question, the same answer, and the API's own."""

import dataclasses
import io
import zipfile
from datetime import UTC, datetime, timedelta

import pytest

import holdfast.entries.model
import holdfast_client.entries.model
from holdfast_client import (
    CapacityFull,
    Conflict,
    LimitExceeded,
    NotFound,
    PayloadTooLarge,
    PreconditionFailed,
    RunEnded,
    iterate,
    iterate_async,
)
from holdfast_client.entries import AsyncEntries, Entries
from holdfast_client.entries.model import Entry, NewEntry
from holdfast_client.values import to_json


@pytest.fixture
def support(both):
    """Both clients, bound to an agent."""
    return both.scope(agent="support")


SERVER = {
    **vars(holdfast.entries.model),
    "Run": holdfast.entries.model.HydratedRun,
    "BatchResult": holdfast.entries.model.EntryBatchResult,
}


@pytest.mark.parametrize(
    "name", ["Entry", "StoredEntry", "NewEntry", "EntryRevision", "ItemError", "ItemResult", "BatchResult", "Hydration", "Run", "ImportResult"]
)  # fmt: skip
def test_the_client_knows_every_field_of_the_server(name):
    theirs = {each.name for each in dataclasses.fields(SERVER[name])}
    ours = getattr(holdfast_client.entries.model, name)
    assert {each.name for each in dataclasses.fields(ours)} == theirs


def test_both_clients_have_the_same_methods():
    def methods(face):
        return {name for name in vars(face) if not name.startswith("_")}

    assert methods(Entries) == methods(AsyncEntries)


async def test_every_question_is_answered_alike_by_both_clients_and_the_api(support, api):
    entries = support.sync.entries
    entries.store("likes", "Prefers tea", tags=["drinks", "hot"])
    entries.store("a/b ü?", "A key like a path", category="notes", tags=["drinks"])
    run = entries.start_run()
    entries.store("draft", "Half a thought", category="conversation", run_id=run.run_id)
    for ask, path in [
        (lambda e: e.recall("likes"), "/entries/likes"),
        (lambda e: e.recall("a/b ü?"), "/entries/a%2Fb%20%C3%BC%3F"),
        (lambda e: e.recall("draft", run_id=run.run_id), f"/entries/draft?run_id={run.run_id}"),
        (lambda e: e.list(), "/entries"),
        (lambda e: e.list(tags=["drinks", "hot"]), "/entries?tag=drinks&tag=hot"),
        (lambda e: e.list(category="notes", limit=1), "/entries?category=notes&limit=1"),
        (lambda e: e.list(query="TEA"), "/entries?query=TEA"),
        (lambda e: e.history("likes"), "/history/likes"),
        (lambda e: e.hydrate(budget_bytes=20), "/hydration?budget_bytes=20"),
        (lambda e: e.hydrate(run_id=run.run_id), f"/hydration?run_id={run.run_id}"),
    ]:
        answer, raw = ask(entries), (await api.get(f"/agents/support{path}")).json()
        assert answer == await ask(support.awaited.entries), path
        assert to_json(answer) == (raw["data"] if isinstance(answer, list) else raw), path
    page = await support.awaited.entries.recall_markdown("likes")
    assert page == entries.recall_markdown("likes")
    assert page.startswith("---\n")
    assert "Prefers tea" in page


async def test_the_whole_life_of_an_entry(support):
    entries, awaited = support.sync.entries, support.awaited.entries
    first = entries.store("likes", "tea", tags=["drinks"], expected_version=0)
    assert (first.created, first.evicted, first.tags) == (True, [], ["drinks"])
    second = await awaited.store("likes", "green tea", expected_version=1)
    assert (second.created, second.version, second.created_at) == (False, 2, first.created_at)
    with pytest.raises(Conflict) as lost:
        await awaited.store("likes", "coffee", expected_version=1)
    assert type(lost.value.current) is Entry
    assert lost.value.current == entries.recall("likes")
    with pytest.raises(Conflict) as none_there:
        entries.store("nowhere", "x", expected_version=3)
    assert none_there.value.current is None
    with pytest.raises(PreconditionFailed):
        entries.store("likes", "coffee", if_match=1)
    with pytest.raises(PreconditionFailed):
        await awaited.forget("likes", if_match=1)
    assert await awaited.forget("likes", category="core", if_match=2) is True
    assert entries.forget("likes") is False
    with pytest.raises(NotFound):
        await awaited.recall("likes")
    assert [(each.version, each.content) for each in (await awaited.history("likes")).data] == [
        (3, None), (2, "green tea"), (1, "tea"),
    ]  # fmt: skip
    walked = [each.version for each in iterate(entries.history, "likes", limit=2)]
    assert walked == [3, 2, 1]
    with pytest.raises(Conflict) as removed:
        entries.restore("likes", 3)
    assert removed.value.current is None
    back = entries.restore("likes", 1, category="core")
    assert (back.created, back.content, back.version) == (True, "tea", 4)
    with pytest.raises(Conflict) as no_content:
        await awaited.restore("likes", 3)
    assert no_content.value.current == entries.recall("likes")
    with pytest.raises(PreconditionFailed):
        entries.restore("likes", 2, if_match=2)
    again = await awaited.restore("likes", 2, if_match=4)
    assert (again.created, again.content) == (False, "green tea")
    with pytest.raises(LimitExceeded) as over:
        entries.store("big", "x" * 16_385)
    assert (over.value.limit, over.value.actual) == (16_384, 16_385)


async def test_the_agent_is_the_clients_own_unless_another_is_named(both, support):
    support.sync.entries.store("likes", "tea")
    support.sync.entries.store("likes", "coffee", agent_id="other")
    assert support.sync.entries.recall("likes").agent_id == "support"
    assert (await both.awaited.entries.recall("likes", agent_id="other")).content == "coffee"
    with pytest.raises(ValueError, match="name an agent"):
        both.sync.entries.recall("likes")


async def test_a_list_goes_through_its_pages_and_times(support):
    entries = support.sync.entries
    for number in range(5):
        entries.store(f"k{number}", "x")
    keys = [entry.key for entry in iterate(entries.list, limit=2)]
    assert keys == ["k4", "k3", "k2", "k1", "k0"]
    awaited = iterate_async(support.awaited.entries.list, limit=2, query="K")
    assert [entry.key async for entry in awaited] == keys
    middle = entries.recall("k2").updated_at
    assert [each.key for each in entries.list(updated_after=middle).data] == ["k4", "k3"]
    assert [each.key for each in entries.list(updated_before=middle).data] == ["k1", "k0"]
    assert entries.list(updated_after=datetime.now(UTC) + timedelta(days=1)).data == []


async def test_a_batch_stores_what_is_right_and_says_what_is_wrong(support):
    entries, awaited = support.sync.entries, support.awaited.entries
    batch = [NewEntry("a", "one"), NewEntry("", "no key"), NewEntry("b", "two", "notes", ["t"])]
    done = entries.store_batch(batch)
    assert (done.stored, done.skipped, done.evicted) == (2, 1, [])
    assert [result.status for result in done.results] == ["stored", "invalid", "stored"]
    assert done.results[1].error is not None
    assert done.results[1].error.code == "invalid"
    assert (await awaited.recall("b")).tags == ["t"]
    with pytest.raises(PayloadTooLarge) as over:
        await awaited.store_batch([NewEntry(f"k{n}", "x" * 16_384) for n in range(16)])
    assert over.value.limit == 262_144


async def test_a_full_agent_refuses_what_is_not_core(support):
    entries = support.sync.entries
    assert entries.store_batch([NewEntry(f"k{n}", "x") for n in range(1_000)]).stored == 1_000
    with pytest.raises(CapacityFull):
        await support.awaited.entries.store("note", "x", category="notes")
    refused = entries.store_batch([NewEntry("note", "x", "notes")]).results[0]
    assert refused.status == "refused"
    assert refused.error is not None
    assert refused.error.code == "capacity"
    assert entries.store("new", "x").evicted == ["k0"]


async def test_a_run_starts_with_what_the_agent_sees_and_ends_for_good(support):
    entries, awaited = support.sync.entries, support.awaited.entries
    stored = entries.store("likes", "tea")
    run = await awaited.start_run(hydrate=True)
    assert run.hydration is not None
    assert [entry.id for entry in run.hydration.data] == [stored.id]
    assert run.hydration == entries.hydrate()
    etag = run.hydration.etag
    assert entries.hydrate_if_changed(etag) is None
    assert await awaited.hydrate_if_changed(etag) is None
    entries.store("draft", "x", category="conversation", run_id=run.run_id)
    changed = await awaited.hydrate_if_changed(etag, run_id=run.run_id)
    assert changed is not None
    assert len(changed.data) == 2
    assert entries.start_run().hydration is None
    ended = entries.end_run(run.run_id)
    assert ended.ended_at is not None
    assert await awaited.end_run(run.run_id) == ended
    with pytest.raises(RunEnded):
        await awaited.store("draft", "y", category="conversation", run_id=run.run_id)


async def test_a_zip_goes_out_and_in(support):
    entries, awaited = support.sync.entries, support.awaited.entries
    entries.store("likes", "tea")
    body = entries.export()
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        assert archive.namelist() == ["core/likes.md"]
    entries.store("other", "x")
    same = await awaited.import_zip(await awaited.export())
    assert (same.upserted, same.unchanged, same.deleted) == (0, 2, 0)
    replaced = entries.import_zip(body, mode="replace")
    assert (replaced.unchanged, replaced.deleted) == (1, 1)
