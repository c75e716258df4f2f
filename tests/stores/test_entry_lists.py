"""Lists of a store's entries, from outside and against a model."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.stores import entries, listing, service
from holdfast.stores.model import EntryPrefix

# --- lists -----------------------------------------------------------------------------------------------------------


async def walk(store, **params):
    """Every item of a listing, page by page."""
    items, after = [], None
    while True:
        asked = {**params, **({} if after is None else {"after_path": after})}
        answer = await store.get("/memories", **asked)
        assert answer.status_code == 200, answer.text
        page = answer.json()
        assert set(page) == {"data", "has_more", "next_path"}
        items += page["data"]
        if not page["has_more"]:
            assert page["next_path"] is None
            return items
        after = page["next_path"]
        assert after == page["data"][-1]["path"]


async def test_a_list_is_by_path_bytewise_and_without_content(store):
    for path in ("b", "a", "B", "a/z", "a-", "é", "语", "a0", "\U0001f375", "\uffee"):
        await store.write(path)
    for limit in (1, 3, 100):
        items = await walk(store, limit=limit)
        assert [item["path"] for item in items] == [
            "B", "a", "a-", "a/z", "a0", "b", "é", "语", "\uffee", "\U0001f375",
        ]  # fmt: skip
        assert all("content" not in item and item["type"] == "memory" for item in items)


async def test_a_prefix_means_whole_segments(store):
    for path in ("notes", "notes/a", "notes/b/c", "notes-x", "notes0", "notesx/d", "other/notes/a"):
        await store.write(path)
    for prefix in ("notes", "notes/"):
        assert [i["path"] for i in await walk(store, path_prefix=prefix)] == [
            "notes/a",
            "notes/b/c",
        ]
    assert [i["path"] for i in await walk(store, path_prefix="notes/b")] == ["notes/b/c"]
    assert await walk(store, path_prefix="notes/b/c") == []
    assert len(await walk(store, path_prefix="")) == 7
    for prefix in ("/", "/notes", "notes//", "..", "a//b"):
        assert (await store.get("/memories", path_prefix=prefix)).status_code == 400


async def test_depth_rolls_up_what_lies_deeper(store):
    for path in ("a", "a-b", "a/b", "a/c/d", "a/c/e/f", "z/y/x"):
        await store.write(path)

    async def shown(**params):
        return [(i["type"][7:] or "entry", i["path"]) for i in await walk(store, **params)]

    for limit in (1, 2, 50):
        assert await shown(depth=1, limit=limit) == [
            ("entry", "a"), ("entry", "a-b"), ("prefix", "a/"), ("prefix", "z/"),
        ]  # fmt: skip
        assert await shown(depth=2, limit=limit) == [
            ("entry", "a"), ("entry", "a-b"), ("entry", "a/b"), ("prefix", "a/c/"), ("prefix", "z/y/"),
        ]  # fmt: skip
        assert await shown(depth=1, path_prefix="a", limit=limit) == [
            ("entry", "a/b"), ("prefix", "a/c/"),
        ]  # fmt: skip
        assert len(await shown(depth=0, limit=limit)) == 6
    assert await shown(depth=1, after_path="a/b") == [("prefix", "z/")]
    assert (await store.get("/memories", depth=1, limit=2)).json()["data"][0].keys() >= {
        "id",
        "size",
    }
    prefix = (await store.get("/memories", depth=1, path_prefix="a")).json()["data"][1]
    assert prefix == {"type": "memory_prefix", "path": "a/c/"}
    for wrong in ({"depth": -1}, {"limit": 0}, {"limit": 101}, {"after_id": "x"}):
        assert (await store.get("/memories", **wrong)).status_code == 400


segment = st.text("ab/0-.é語", min_size=1, max_size=3).filter(
    lambda s: "/" not in s and s not in (".", "..")
)


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    paths=st.sets(st.lists(segment, min_size=1, max_size=4).map("/".join), max_size=12),
    prefix=st.lists(segment, max_size=2).map("/".join),
    depth=st.integers(0, 3),
    limit=st.integers(1, 4),
)
async def test_any_listing_is_what_the_paths_say(db, org, paths, prefix, depth, limit):
    caller = org.caller()
    store = await service.create_store(db, caller, "tree")
    for path in paths:
        await entries.create_entry(db, caller, store.id, path, "x")
    below = f"{prefix}/" if prefix else ""

    def item(path):
        segments = path[len(below) :].split("/")
        if depth and len(segments) > depth:
            return f"{below}{'/'.join(segments[:depth])}/"
        return path

    expected = sorted({item(path) for path in paths if path.startswith(below)}, key=str.encode)
    seen, after = [], None
    while True:
        page = await listing.list_entries(
            db, caller, store.id, limit=limit, path_prefix=prefix, depth=depth, after_path=after
        )
        assert all(isinstance(each, EntryPrefix) == each.path.endswith("/") for each in page.data)
        seen += [each.path for each in page.data]
        if not page.has_more:
            break
        after = page.next_path
    assert seen == expected
