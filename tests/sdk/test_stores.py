"""Stores through both clients: the same question, the same answer, and the API's own."""

import dataclasses
import io
import zipfile
from datetime import UTC, datetime

import pytest

import holdfast.stores.model
import holdfast_client.stores.model
from holdfast_client import Archived, Conflict, LimitExceeded, NotFound, PreconditionFailed, iterate
from holdfast_client.stores import AsyncStores, Stores


@pytest.mark.parametrize(
    "name", ["Store", "StoreEntry", "EntryPrefix", "PathPage", "EntryVersion", "FileDiff", "StoreDiff", "Imported"]
)  # fmt: skip
def test_the_client_knows_every_field_of_the_server(name):
    def fields(module):
        return {each.name for each in dataclasses.fields(getattr(module, name))}

    assert fields(holdfast_client.stores.model) == fields(holdfast.stores.model)


def test_both_clients_have_the_same_methods():
    def methods(face):
        return {name for name in vars(face) if not name.startswith("_")}

    assert methods(Stores) == methods(AsyncStores)


async def test_the_whole_life_of_a_store(both):
    stores, awaited = both.sync.stores, both.awaited.stores
    store = stores.create("notes", description="d", metadata={"k": "v"})
    assert await awaited.open(store.id) == store
    assert (await awaited.list_stores(name="NO")).data == [store]
    changed = await awaited.change(store.id, name="new", metadata={"k": None}, if_match=1)
    assert (changed.name, changed.description, changed.metadata) == ("new", "d", {})
    with pytest.raises(PreconditionFailed):
        stores.change(store.id, name="x", if_match=1)
    entry = stores.create_entry(store.id, "a/b ü.md", "one\n", metadata={"x": "y"})
    assert await awaited.read_entry(store.id, entry.id) == entry
    assert stores.get(store.id, "a/b ü.md") == entry
    second = await awaited.update_entry(store.id, entry.id, "two\n", version=1, path="c")
    with pytest.raises(Conflict) as lost:
        stores.update_entry(store.id, entry.id, "three", version=1)
    assert lost.value.current == second
    new, old = stores.list_versions(store.id, entry_id=entry.id).data
    assert stores.read_version(store.id, old.id).content == "one\n"
    assert "-one\n+two\n" in (await awaited.diff(store.id, old.id, new.id)).files[0].diff
    since = datetime(2020, 1, 1, tzinfo=UTC)
    [file] = stores.diff(store.id, since, datetime.now(UTC)).files
    assert (file.path, file.action) == ("c", "created")
    back = stores.restore_entry(store.id, entry.id, version_id=old.id, version=2)
    assert (back.content, back.path, back.version) == ("one\n", "c", 3)
    redacted = await awaited.redact_version(store.id, new.id)
    assert redacted.redacted
    assert redacted.content is None
    with pytest.raises(Conflict):
        stores.delete_entry(store.id, entry.id, version=1)
    stores.delete_entry(store.id, entry.id, version=3)
    with pytest.raises(NotFound):
        await awaited.read_entry(store.id, entry.id)
    with pytest.raises(LimitExceeded) as over:
        stores.create_entry(store.id, "big", "x" * 102_401)
    assert (over.value.limit, over.value.actual) == (102_400, 102_401)
    assert stores.archive(store.id).status == "archived"
    with pytest.raises(Archived):
        await awaited.create_entry(store.id, "p", "x")
    await awaited.delete_store(store.id)
    with pytest.raises(NotFound):
        stores.open(store.id)


async def test_a_listing_goes_through_its_pages(both):
    stores = both.sync.stores
    store = stores.create("tree")
    for path in ("a", "b/c", "b/d", "e/f/g"):
        stores.create_entry(store.id, path, "x")
    every = [item.path for item in iterate(stores.list, store.id, limit=1)]
    assert every == ["a", "b/c", "b/d", "e/f/g"]
    top = list(iterate(stores.list, store.id, depth=1, limit=1))
    assert [(item.type, item.path) for item in top] == [
        ("memory", "a"), ("memory_prefix", "b/"), ("memory_prefix", "e/"),
    ]  # fmt: skip


async def test_a_zip_goes_out_and_in(both):
    store = both.sync.stores.create("zip")
    both.sync.stores.create_entry(store.id, "a", "one")
    body = await both.awaited.stores.export(store.id)
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        assert archive.read("a") == b"one"
    other = both.sync.stores.create("copy")
    done = await both.awaited.stores.import_zip(other.id, body, mode="replace")
    assert (done.created, done.updated, done.unchanged, done.deleted) == (1, 0, 0, 0)


def test_entries_of_a_store_are_recalled_by_meaning(both):
    client = both.sync
    store = client.stores.create("handbook")
    entry = client.stores.create_entry(store.id, "refunds.md", "Refunds are paid within ten days.")

    found = client.stores.recall(store.id, "how do refunds work?", limit=3, explain=True)

    assert [each.object.id for each in found.data] == [entry.id]
    assert found.data[0].explain is not None


async def test_entries_by_path(both):
    store = both.sync.stores.create("paths")
    first = both.sync.stores.put(store.id, "notes/tea.md", "green", metadata={"k": "v"})
    assert first.version == 1
    second = await both.awaited.stores.put(store.id, "notes/tea.md", "black")
    assert (second.id, second.version, second.metadata) == (first.id, 2, {"k": "v"})
    for stale in (0, 1):
        with pytest.raises(Conflict) as conflict:
            both.sync.stores.put(store.id, "notes/tea.md", "white", version=stale)
        assert conflict.value.current.content == "black"
    assert both.sync.stores.put(store.id, "notes/tea.md", "white", version=2).version == 3
    with pytest.raises(NotFound):
        both.sync.stores.put(store.id, "notes/none.md", "x", version=1)
    assert [hit.object.path for hit in both.sync.stores.search(store.id, "white").data] == [
        "notes/tea.md"
    ]
    with pytest.raises(Conflict):
        await both.awaited.stores.delete(store.id, "notes/tea.md", version=1)
    await both.awaited.stores.delete(store.id, "notes/tea.md")
    assert both.sync.stores.list(store.id).data == []
    with pytest.raises(NotFound):
        both.sync.stores.delete(store.id, "notes/tea.md")


FIVE = ("get", "put", "delete", "list", "search")


def test_every_face_has_the_five_verbs(both):
    for client in (both.sync, both.awaited):
        for face in (
            client.blocks,
            client.entries,
            client.conversations,
            client.memories,
            client.nodes,
            client.stores,
        ):
            assert [name for name in FIVE if not callable(getattr(face, name, None))] == []
