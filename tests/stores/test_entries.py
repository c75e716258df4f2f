"""Entries of a store, from outside."""

import asyncio
import unicodedata
from hashlib import sha256
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.stores import entries, service


async def test_a_new_entry_is_at_version_1_with_its_measures(store):
    content = "Grüße,\r\n\ttea \U0001f375 \u2028\ufeff end "
    made = await store.create("notes/tea.md", content, metadata={"source": "chat"})
    assert made.status_code == 201
    assert made.headers["etag"] == '"1"'
    entry = made.json()
    assert entry.pop("id").startswith("mem_")
    assert entry.pop("created_at") == entry.pop("updated_at")
    assert entry == {
        "type": "memory",
        "store_id": store.id,
        "path": "notes/tea.md",
        "size": len(content.encode()),
        "content_sha256": sha256(content.encode()).hexdigest(),
        "version": 1,
        "metadata": {"source": "chat"},
        "content": content,
    }


async def test_an_entry_is_read_by_id_and_by_path(store):
    for path in (
        "plain",
        "a/b/c.md",
        "with space",
        "100%/ü?#&+;=",
        "日本/語",
        "a\\b",
        ".hidden",
        "...",
    ):
        entry = await store.write(path, f"at {path}")
        assert (await store.get(f"/memories/{entry['id']}")).json() == entry
        by_path = await store.get(f"/memories/by-path/{quote(path, safe='/')}")
        assert by_path.json() == entry
        assert by_path.headers["etag"] == '"1"'
    whole = await store.get(f"/memories/by-path/{quote('a/b/c.md', safe='')}")
    assert whole.json()["path"] == "a/b/c.md"


@pytest.mark.parametrize(
    "path", ["nowhere", "a/", "/a", "a//b", "../a", "a%00b", "%ff", "x" * 2000]
)
async def test_what_is_not_at_a_path_is_not_found(store, path):
    await store.write("a")
    answer = await store.api.get(f"{store.path}/memories/by-path/{path}")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    "path",
    ["", "/", "/a", "a/", "a//b", ".", "..", "./a", "a/.", "a/../b", "a\nb", "a\x7fb", "a\x85b", "\t",
     unicodedata.normalize("NFD", "café"), None, 7],
)  # fmt: skip
async def test_what_is_not_a_path_is_refused_and_not_changed(store, path):
    refused = await store.create(path)
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid")
    entry = await store.write("there")
    if path is not None:
        renamed = await store.put(entry, "text", path=path)
        assert (renamed.status_code, renamed.json()["code"]) == (422, "invalid")
    await store.must_count(["text"])


@pytest.mark.parametrize(
    ("fits", "too_long"),
    [
        ("x" * 1024, "x" * 1025),
        ("é" * 512, "é" * 512 + "x"),
        ("語" * 341 + "x", "語" * 341 + "xx"),
        ("a/" * 511 + "aa", "a/" * 511 + "aaa"),
    ],
)
async def test_a_path_is_measured_in_bytes(store, fits, too_long):
    entry = await store.write(fits)
    assert entry["path"] == fits
    refused = await store.create(too_long)
    assert refused.status_code == 422
    assert {k: refused.json()[k] for k in ("code", "limit", "actual")} == {
        "code": "limit_exceeded",
        "limit": 1024,
        "actual": 1025,
    }
    assert (await store.put(entry, "text", path=too_long)).status_code == 422


@pytest.mark.parametrize("char", ["x", "é", "語", "\U0001f375"])
async def test_content_is_measured_in_bytes_and_kept_to_the_last(store, char):
    width = len(char.encode())
    fits = char * (102_400 // width) + "x" * (102_400 % width)
    entry = await store.write("big", fits)
    assert entry["size"] == 102_400
    assert (await store.get(f"/memories/{entry['id']}")).json()["content"] == fits
    for refused in (await store.create("bigger", fits + "x"), await store.put(entry, fits + "x")):
        assert refused.status_code == 422
        assert {k: refused.json()[k] for k in ("code", "limit", "actual")} == {
            "code": "limit_exceeded",
            "limit": 102_400,
            "actual": 102_401,
        }
    await store.must_count([fits])


@pytest.mark.parametrize("content", ["", " ", "\n\t \r\n", "\u2003\u3000", None, 7, "a\x00b"])
async def test_blank_or_missing_content_is_refused(store, content):
    refused = await store.create("a", content)
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid")
    missing = await store.api.post(f"{store.path}/memories", json={"path": "a"})
    assert missing.status_code == 422
    entry = await store.write("b")
    assert (await store.put(entry, content)).status_code == 422


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    content=st.text(
        st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1
    ).filter(str.strip)
)
async def test_content_comes_back_byte_for_byte(db, org, content):
    caller = org.caller()
    store = await service.create_store(db, caller, "bytes")
    entry = await entries.create_entry(db, caller, store.id, "a", content)
    assert (await entries.read_entry(db, caller, store.id, entry.id)).content == content


async def test_a_taken_path_is_a_conflict_with_the_entry_that_has_it(store):
    entry = await store.write("a", "first")
    taken = await store.create("a", "second")
    assert (taken.status_code, taken.json()["code"]) == (409, "conflict")
    assert taken.json()["current"] == entry
    await store.write("A", "paths are case-sensitive")
    await store.must_count(["first", "paths are case-sensitive"])


@pytest.mark.parametrize(
    ("metadata", "code"),
    [
        ({f"k{n}": "v" for n in range(17)}, "limit_exceeded"),
        ({"k" * 65: "v"}, "limit_exceeded"),
        ({"k": "v" * 513}, "limit_exceeded"),
        ({"": "v"}, "invalid"),
        ({"k": 1}, "invalid"),
        ({"k": None}, "invalid"),
    ],
)
async def test_metadata_of_an_entry_has_the_limits_of_a_stores(store, metadata, code):
    edge = {**{f"k{n}": "v" for n in range(15)}, "k" * 64: "é" * 512}
    entry = await store.write("a", metadata=edge)
    assert entry["metadata"] == edge
    for refused in (
        await store.create("b", metadata=metadata),
        await store.put(entry, "x", metadata=metadata),
    ):
        assert (refused.status_code, refused.json()["code"]) == (422, code)


async def test_an_update_needs_the_current_version(store):
    first = await store.write("a", "one", metadata={"k": "v"})
    second = await store.update(first, "two")
    assert second["version"] == 2
    assert second["content"] == "two"
    assert second["metadata"] == {"k": "v"}
    assert second["created_at"] == first["created_at"]
    assert second["updated_at"] > first["updated_at"]
    stale = await store.put(first, "three")
    assert (stale.status_code, stale.json()["code"]) == (409, "conflict")
    assert stale.json()["current"] == second
    ahead = await store.put({**second, "version": 9}, "three")
    assert ahead.status_code == 409
    for version in (0, -1, 2**31, "two", None):
        assert (await store.put({**second, "version": version}, "x")).status_code == 422
    await store.must_count(["two"])


async def test_if_match_is_honoured_beside_the_version(store):
    entry = await store.write("a", "one")
    stale = await store.put(entry, "two", headers={"If-Match": '"2"'})
    assert (stale.status_code, stale.json()["code"]) == (412, "precondition_failed")
    weak = await store.put(entry, "two", headers={"If-Match": 'W/"1"'})
    assert weak.status_code == 412
    fresh = await store.put(entry, "two", headers={"If-Match": '"1"'})
    assert (fresh.status_code, fresh.headers["etag"]) == (200, '"2"')
    one = f"{store.path}/memories/{entry['id']}"
    assert (await store.api.delete(one, headers={"If-Match": '"1"'})).status_code == 412
    assert (await store.api.delete(one, headers={"If-Match": '"2"'})).status_code == 204


async def test_metadata_is_replaced_whole_and_a_path_renames(store):
    entry = await store.write("a", "text", metadata={"old": "1"})
    changed = await store.update(entry, "text", metadata={"new": "2"})
    assert (changed["version"], changed["metadata"]) == (2, {"new": "2"})
    renamed = await store.update(changed, "text", path="b/c")
    assert (renamed["id"], renamed["path"], renamed["version"]) == (entry["id"], "b/c", 3)
    assert (await store.get("/memories/by-path/a")).status_code == 404
    assert (await store.get("/memories/by-path/b/c")).json() == renamed
    await store.write("a", "the old path is free again")
    emptied = await store.update(renamed, "text", metadata={})
    assert emptied["metadata"] == {}


async def test_a_rename_to_a_taken_path_is_a_conflict(store):
    entry, holder = await store.write("a", "mine"), await store.write("b", "theirs")
    taken = await store.put(entry, "mine, longer", path="b")
    assert (taken.status_code, taken.json()["code"]) == (409, "conflict")
    assert taken.json()["current"] == holder
    kept = await store.api.put(
        f"{store.path}/memories/{entry['id']}",
        json={"content": "mine, longer", "version": 1, "path": "b"},
        headers={"Idempotency-Key": "rename"},
    )
    assert (kept.status_code, kept.json()["current"]) == (409, holder)
    assert (await store.get(f"/memories/{entry['id']}")).json() == entry
    await store.must_count(["mine", "theirs"])


async def test_a_write_that_changes_nothing_records_no_version(store):
    entry = await store.write("a", "text", metadata={"k": "v"})
    same = await store.put(entry, "text", path="a", metadata={"k": "v"})
    assert (same.status_code, same.json(), same.headers["etag"]) == (200, entry, '"1"')
    assert len(await store.versions()) == 1
    second = await store.update(entry, "other")
    stale = await store.put(entry, "other")
    assert (stale.status_code, stale.json()["current"]) == (409, second)


async def test_a_deleted_entry_is_gone_but_its_path_is_free(store):
    entry = await store.write("a", "one")
    entry = await store.update(entry, "two")
    refused = await store.delete(entry, version=1)
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    assert refused.json()["current"] == entry
    assert (await store.delete(entry, version=2)).status_code == 204
    for gone in (
        await store.get(f"/memories/{entry['id']}"),
        await store.get("/memories/by-path/a"),
        await store.delete(entry),
        await store.put(entry, "three"),
    ):
        assert gone.status_code == 404
    await store.must_count([])
    assert (await store.write("a", "new"))["id"] != entry["id"]
    last = (await store.versions(entry_id=entry["id"]))[0]
    assert (last["action"], last["version"], last["size"], last["content_sha256"]) == (
        "deleted",
        3,
        0,
        "",
    )


# --- concurrency -----------------------------------------------------------------------------------------------------


async def test_of_32_writers_on_one_version_one_wins(store):
    entry = await store.write("a", "start")
    answers = await asyncio.gather(*(store.put(entry, f"writer {n}") for n in range(32)))
    won = [answer.json() for answer in answers if answer.status_code == 200]
    lost = [answer for answer in answers if answer.status_code == 409]
    assert (len(won), len(lost)) == (1, 31)
    assert all(answer.json()["current"] == won[0] for answer in lost)
    assert (await store.get(f"/memories/{entry['id']}")).json() == won[0]
    await store.must_count([won[0]["content"]])


async def test_of_16_creators_of_one_path_one_wins(store):
    answers = await asyncio.gather(*(store.create("a", f"creator {n}") for n in range(16)))
    assert sorted(answer.status_code for answer in answers) == [201] + [409] * 15
    won = next(answer.json() for answer in answers if answer.status_code == 201)
    assert all(a.json()["current"] == won for a in answers if a.status_code == 409)
    await store.must_count([won["content"]])


async def test_entries_that_swap_their_paths_at_once_wait_for_nobody(store):
    a, b = await store.write("a", "one"), await store.write("b", "two")
    answers = await asyncio.gather(
        *(store.put(a, "one", path="b") for _ in range(4)),
        *(store.put(b, "two", path="a") for _ in range(4)),
    )
    assert {answer.status_code for answer in answers} == {409}
    await store.must_count(["one", "two"])
