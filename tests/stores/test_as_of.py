"""A store as it was at a time: one entry, one path, the whole of it."""

import pytest

BEFORE_ALL = "2020-01-01T00:00:00Z"


async def paths(store, **params):
    answer = await store.get("/memories", **params)
    assert answer.status_code == 200, answer.text
    return [item["path"] for item in answer.json()["data"]]


async def test_an_entry_is_read_as_it_was(store):
    first = await store.write("a", "one", metadata={"n": "1"})
    second = await store.update(first, "two", path="b", metadata={})
    await store.delete(second)
    third = await store.write("a", "another")
    [*_, deleted, _renamed, _created] = await store.versions(entry_id=first["id"])
    entry = f"/memories/{first['id']}"
    for as_of, content, path in (
        (first["updated_at"], "one", "a"),
        (second["updated_at"], "two", "b"),
    ):
        then = (await store.get(entry, as_of=as_of)).json()
        assert (then["content"], then["path"]) == (content, path)
        assert (await store.get(f"/memories/by-path/{path}", as_of=as_of)).json() == then
    assert (await store.get(entry, as_of=first["updated_at"])).json() == first
    assert (await store.get(entry, as_of=second["updated_at"])).json() == second
    for as_of, path in (
        (BEFORE_ALL, "a"),
        (second["updated_at"], "a"),
        (deleted["created_at"], "b"),
    ):
        assert (await store.get(f"/memories/by-path/{path}", as_of=as_of)).status_code == 404
    assert (await store.get(entry, as_of=deleted["created_at"])).status_code == 404
    assert (await store.get("/memories/by-path/a", as_of=third["updated_at"])).json() == third


async def test_the_list_is_of_that_time_with_folders_and_pages(store):
    await store.write("x/a", "1")
    await store.write("x/b/c", "1")
    last = await store.write("y", "1")
    then = last["updated_at"]
    for path in ("x/a", "y"):
        found = (await store.get(f"/memories/by-path/{path}")).json()
        await store.delete(found)
    await store.write("z", "1")
    assert await paths(store) == ["x/b/c", "z"]
    assert await paths(store, as_of=then) == ["x/a", "x/b/c", "y"]
    assert await paths(store, as_of=then, depth=1) == ["x/", "y"]
    assert await paths(store, as_of=then, path_prefix="x", depth=1) == ["x/a", "x/b/"]
    assert await paths(store, as_of=then, limit=1, after_path="x/a") == ["x/b/c"]
    assert await paths(store, as_of=then, limit=1, after_path="x/", depth=1) == ["y"]
    assert await paths(store, as_of=BEFORE_ALL) == []


async def test_what_was_redacted_since_has_no_content(store):
    first = await store.write("a", "secret")
    await store.update(first, "clean")
    oldest = (await store.versions())[-1]
    await store.redact(oldest["id"])
    then = (await store.get(f"/memories/{first['id']}", as_of=first["updated_at"])).json()
    assert "content" not in then
    assert then["version"] == 1


@pytest.mark.parametrize("as_of", ["yesterday", "1700000000", "2026-13-01T00:00:00Z"])
async def test_a_time_that_is_none_is_refused(store, as_of):
    answer = await store.get("/memories", as_of=as_of)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
