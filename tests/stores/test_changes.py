"""Diffs of a store, from outside and as text."""

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.kernel import diffs
from holdfast.stores.changes import Side, unified

BEFORE_ALL, AFTER_ALL = "2020-01-01T00:00:00Z", "2100-01-01T00:00:00Z"


async def diff(store, since, until):
    answer = await store.get("/diff", **{"from": since, "to": until})
    assert answer.status_code == 200, answer.text
    return answer.json()["files"]


async def test_two_versions_of_an_entry_differ_by_a_unified_diff(store):
    entry = await store.write("a", "one\ntwo\n")
    await store.write("noise", "changed in between")
    entry = await store.update(entry, "one\n2\n")
    new, old = await store.versions(entry_id=entry["id"])
    assert await diff(store, old["id"], new["id"]) == [
        {
            "path": "a",
            "action": "updated",
            "diff": "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n",
            "redacted": False,
        }
    ]
    back = await diff(store, new["id"], old["id"])
    assert "-2\n+two\n" in back[0]["diff"]
    assert await diff(store, new["id"], new["id"]) == []


async def test_versions_of_two_entries_stand_for_their_moments_in_either_order(store):
    await store.write("a", "one\n")
    await store.write("b", "two\n")
    newer, older = await store.versions()
    [file] = await diff(store, older["id"], newer["id"])
    assert (file["path"], file["action"]) == ("b", "created")
    [file] = await diff(store, newer["id"], older["id"])
    assert (file["path"], file["action"]) == ("b", "deleted")


async def test_a_deletion_and_a_rename_are_told(store):
    entry = await store.write("a", "one\n")
    await store.update(entry, "one\n", path="b")
    await store.delete(entry)
    deleted, renamed, first = await store.versions()
    [file] = await diff(store, first["id"], renamed["id"])
    assert (file["path"], file["old_path"], file["action"]) == ("b", "a", "updated")
    [file] = await diff(store, renamed["id"], deleted["id"])
    assert (file["path"], file["action"]) == ("b", "deleted")
    assert file["diff"] == "--- a/b\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n"


async def test_two_times_tell_what_changed_in_the_whole_store(store):
    kept = await store.write("kept", "same\n")
    changed = await store.write("changed", "old\n")
    gone = await store.write("gone", "bye\n")
    replaced = await store.write("replaced", "first\n")
    start = replaced["created_at"]
    await store.update(changed, "new\n")
    await store.delete(gone)
    await store.delete(replaced)
    await store.write("replaced", "second\n")
    there_and_back = await store.update(kept, "other\n")
    await store.update(there_and_back, "same\n")
    await store.delete(await store.write("brief", "came and went\n"))
    end = (await store.write("made", "hello"))["created_at"]

    files = {file["path"]: file for file in await diff(store, start, end)}
    assert {path: file["action"] for path, file in files.items()} == {
        "changed": "updated",
        "gone": "deleted",
        "made": "created",
        "replaced": "updated",
    }
    assert "-first\n+second\n" in files["replaced"]["diff"]
    assert files["made"]["diff"] == (
        "--- /dev/null\n+++ b/made\n@@ -0,0 +1 @@\n+hello\n\\ No newline at end of file\n"
    )
    back = {file["path"]: file for file in await diff(store, end, start)}
    assert {path: file["action"] for path, file in back.items()} == {
        "changed": "updated",
        "gone": "created",
        "made": "deleted",
        "replaced": "updated",
    }
    assert "-second\n+first\n" in back["replaced"]["diff"]
    everything = await diff(store, BEFORE_ALL, AFTER_ALL)
    assert {file["path"] for file in everything} == {"kept", "changed", "replaced", "made"}
    assert {file["action"] for file in everything} == {"created"}
    assert await diff(store, end, AFTER_ALL) == []
    assert await diff(store, BEFORE_ALL, BEFORE_ALL) == []


async def test_versions_of_two_entries_stand_for_their_moments(store):
    await store.write("a", "one\n")
    await store.write("b", "two\n")
    await store.write("c", "three\n")
    third, second, first = await store.versions()
    assert [file["path"] for file in await diff(store, first["id"], third["id"])] == ["b", "c"]
    assert [file["path"] for file in await diff(store, second["id"], third["id"])] == ["c"]


async def test_what_is_redacted_is_not_in_a_diff(store):
    entry = await store.write("a", "secret\n")
    await store.update(entry, "clean\n")
    new, old = await store.versions()
    await store.redact(old["id"])
    assert await diff(store, old["id"], new["id"]) == [
        {"path": "a", "action": "updated", "diff": "", "redacted": True}
    ]


@pytest.mark.parametrize(
    ("since", "until", "status"),
    [
        ("memver_" + "0" * 32, "memver_" + "1" * 32, 404),
        ("memver_" + "0" * 32, AFTER_ALL, 404),
        ("yesterday", AFTER_ALL, 400),
        ("2020-01-01T00:00:00", AFTER_ALL, 400),
    ],
)
async def test_what_is_neither_a_version_nor_a_time_is_refused(store, since, until, status):
    answer = await store.get("/diff", **{"from": since, "to": until})
    assert answer.status_code == status
    assert (await store.get("/diff")).status_code == 400


@settings(max_examples=25, deadline=None)
@given(
    old=st.text("ab\n", max_size=30).filter(bool),
    new=st.text("ab\n\r\u2028", max_size=30).filter(bool),
)
def test_patch_makes_the_new_of_the_old(tmp_path_factory, old, new):
    folder = tmp_path_factory.mktemp("patch")
    (folder / "f").write_bytes(old.encode())
    text = unified(Side("f", old), Side("f", new))
    if text:
        subprocess.run(
            ["patch", "-p1", "--binary", "-s"], cwd=folder, input=text.encode(), check=True
        )
    assert (folder / "f").read_bytes() == new.encode()


def test_a_diff_too_long_to_search_is_a_whole_replacement(monkeypatch):
    monkeypatch.setattr(diffs, "MAX_LINES_COMPARED", 1)
    text = unified(Side("f", "a\nb\n"), Side("f", "b\na\n"))
    assert text == "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-a\n-b\n+b\n+a\n"
