"""A folder and a store kept the same: each case, and random edits on both sides."""

import json
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast_client import Client
from holdfast_client.sync import MAX_BYTES, NOTE, sync_folder
from tests import forked


class Pair:
    """A folder and a store."""

    def __init__(self, client: Client, folder: Path) -> None:
        self.stores, self.folder = client.stores, folder
        self.store_id = client.stores.create("synced").id

    def sync(self):
        return sync_folder(self.stores, self.store_id, self.folder)

    def local(self) -> dict[str, str]:
        files = [file for file in self.folder.rglob("*") if file.is_file() and file.name != NOTE]
        return {
            file.relative_to(self.folder).as_posix(): file.read_text(errors="replace")
            for file in files
        }

    def remote(self) -> dict[str, str]:
        rows = self.stores.list(self.store_id, limit=100).data
        return {row.path: self.stores.get(self.store_id, row.path).content for row in rows}

    def write(self, path: str, text: str) -> None:
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text)


@pytest.fixture
def pair(both, tmp_path) -> Pair:
    return Pair(both.sync, tmp_path)


def test_each_case(pair) -> None:
    pair.write("a.md", "from here")
    pair.write("deep/er/b.md", "deep")
    pair.write(".hidden", "x")
    pair.write("blank.md", "  ")
    (pair.folder / "binary.md").write_bytes(b"\xff\xfe")
    pair.stores.put(pair.store_id, "c.md", "from there")
    first = pair.sync()
    assert (first.uploaded, first.downloaded) == (["a.md", "deep/er/b.md"], ["c.md"])
    assert set(first.skipped) == {"blank.md", "binary.md"}
    assert not pair.sync().changed

    pair.write("a.md", "changed here")
    pair.stores.put(pair.store_id, "c.md", "changed there")
    (pair.folder / "deep/er/b.md").unlink()
    second = pair.sync()
    assert (second.uploaded, second.downloaded, second.deleted_in_store) == (
        ["a.md"],
        ["c.md"],
        ["deep/er/b.md"],
    )
    pair.stores.delete(pair.store_id, "c.md")
    assert pair.sync().deleted_in_folder == ["c.md"]

    pair.write("a.md", "mine")
    pair.stores.put(pair.store_id, "a.md", "theirs")
    third = pair.sync()
    assert third.conflicts == ["a.md"]
    [beside] = [path for path in pair.local() if "conflict" in path]
    assert pair.remote() == {"a.md": "theirs", beside: "mine"}
    assert pair.remote() == {
        path: text for path, text in pair.local().items() if path in (beside, "a.md")
    }
    assert not pair.sync().changed

    (pair.folder / "a.md").unlink()  # deleted here, changed there: it stays
    pair.stores.put(pair.store_id, "a.md", "newer")
    assert pair.sync().downloaded == ["a.md"]
    pair.write(beside, "changed")  # changed here, deleted there: it stays
    pair.stores.delete(pair.store_id, beside)
    assert pair.sync().uploaded == [beside]
    pair.write("same.md", "the same")
    pair.stores.put(pair.store_id, "same.md", "the same")
    fourth = pair.sync()
    assert (fourth.changed, fourth.conflicts) == (False, [])

    (pair.folder / NOTE).write_text(json.dumps({"store_id": "memstore_other", "entries": {}}))
    with pytest.raises(ValueError, match="another"):
        pair.sync()


def test_an_entry_that_was_made_anew_is_a_change(pair) -> None:
    """It counts its versions from 1 again."""
    pair.write("a.md", "first")
    pair.sync()
    pair.stores.delete(pair.store_id, "a.md")
    pair.stores.put(pair.store_id, "a.md", "made anew there")
    assert pair.sync().downloaded == ["a.md"]
    assert pair.local() == pair.remote() == {"a.md": "made anew there"}


@pytest.mark.parametrize(
    "note", ["{cut", "[]", "{}", '{"store_id": "x", "entries": []}', '{"store_id": "x", "entries": {"a": 7}}']
)  # fmt: skip
def test_a_note_that_cannot_be_read_is_named_and_nothing_is_changed(pair, note) -> None:
    pair.write("a.md", "here")
    pair.stores.put(pair.store_id, "b.md", "there")
    (pair.folder / NOTE).write_text(note)
    with pytest.raises(ValueError, match=rf"{NOTE} cannot be read: remove it"):
        pair.sync()
    assert (pair.local(), pair.remote()) == ({"a.md": "here"}, {"b.md": "there"})


def test_without_the_note_both_texts_are_kept_where_they_differ(pair) -> None:
    pair.write("a.md", "same")
    pair.write("b.md", "mine")
    pair.sync()
    (pair.folder / NOTE).unlink()
    pair.stores.put(pair.store_id, "b.md", "theirs")
    report = pair.sync()
    assert (report.conflicts, report.deleted_in_store, report.deleted_in_folder) == (
        ["b.md"],
        [],
        [],
    )
    assert sorted(pair.local().values()) == sorted(pair.remote().values()) == ["mine", "same", "theirs"]  # fmt: skip


def test_what_can_no_longer_be_a_text_is_left_alone_on_both_sides(pair) -> None:
    for name in ("large.md", "blank.md", "binary.md", "linked.md"):
        pair.write(name, name)
    pair.sync()
    pair.write("large.md", "x" * (MAX_BYTES + 1))
    pair.write("blank.md", " ")
    (pair.folder / "binary.md").write_bytes(b"\xff")
    (pair.folder / "linked.md").unlink()
    (pair.folder / "linked.md").symlink_to(pair.folder / "binary.md")
    pair.stores.put(pair.store_id, "large.md", "changed there")
    report = pair.sync()
    assert not report.changed
    assert {name: why.split(",")[0] for name, why in report.skipped.items()} == {
        "large.md": "empty",
        "blank.md": "empty",
        "binary.md": "no text in UTF-8",
        "linked.md": "no plain file",
    }
    assert len(pair.remote()) == 4
    pair.write("large.md", "short again")
    assert pair.sync().conflicts == ["large.md"]


def test_a_link_does_not_lead_a_text_out_of_the_folder(pair, tmp_path_factory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "mine.md").write_text("mine")
    (pair.folder / "sub").symlink_to(elsewhere)
    pair.stores.put(pair.store_id, "sub/theirs.md", "theirs")
    pair.stores.put(pair.store_id, "sub/mine.md", "theirs")
    report = pair.sync()
    assert set(report.skipped) == {"sub/theirs.md", "sub/mine.md"}
    assert [file.name for file in elsewhere.iterdir()] == ["mine.md"]
    assert (elsewhere / "mine.md").read_text() == "mine"
    assert set(pair.remote()) == {"sub/theirs.md", "sub/mine.md"}


def test_a_file_where_the_store_has_a_folder_is_left_alone(pair) -> None:
    pair.write("a", "a file")
    pair.stores.put(pair.store_id, "a/b.md", "below it")
    report = pair.sync()
    assert list(report.skipped) == ["a/b.md"]
    assert pair.local() == {"a": "a file"}


def test_whoever_is_faster_is_not_overwritten(pair, monkeypatch) -> None:
    pair.write("up.md", "one")
    pair.stores.put(pair.store_id, "down.md", "one")
    pair.sync()
    pair.write("up.md", "two, here")
    pair.stores.put(pair.store_id, "down.md", "two, there")
    update, read = type(pair.stores).update_entry, type(pair.stores).read_entry

    def updated(stores, store_id, entry_id, text, **options):
        monkeypatch.undo()
        pair.stores.put(pair.store_id, "up.md", "two, there")
        return update(stores, store_id, entry_id, text, **options)

    def was_read(stores, *args, **options):
        pair.write("down.md", "two, here")
        return read(stores, *args, **options)

    monkeypatch.setattr(type(pair.stores), "update_entry", updated)
    monkeypatch.setattr(type(pair.stores), "read_entry", was_read)
    report = pair.sync()
    assert "in the folder meanwhile" in report.skipped["down.md"]
    assert "in the store meanwhile" in report.skipped["up.md"]
    assert not report.changed
    again = pair.sync()
    assert sorted(again.conflicts) == ["down.md", "up.md"]
    assert pair.remote() == pair.local()
    assert sorted(pair.local().values()) == ["two, here"] * 2 + ["two, there"] * 2


PATHS = st.sampled_from(["a.md", "b.md", "sub/c.md"])
EDITS = st.lists(
    st.tuples(
        st.sampled_from(["here", "there"]), PATHS, st.one_of(st.none(), st.sampled_from("xyz"))
    ),
    max_size=5,
)


@settings(
    max_examples=8,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(rounds=st.lists(EDITS, min_size=1, max_size=4))
def test_random_edits_on_both_sides_lose_nothing(service, rounds) -> None:
    with tempfile.TemporaryDirectory() as folder, Client(service.url, service.api_key) as client:
        pair = Pair(client, Path(folder))
        for number, edits in enumerate(rounds):
            before = pair.local()
            for at, (side, path, text) in enumerate(edits):
                content = None if text is None else f"{text} {side} {number}.{at}"
                if side == "here":
                    _edit_folder(pair, path, content)
                else:
                    _edit_store(pair, path, content)
            wanted = {
                text
                for side in (pair.local(), pair.remote())
                for path, text in side.items()
                if before.get(path) != text
            }
            pair.sync()
            local, remote = pair.local(), pair.remote()
            assert local == remote
            assert wanted <= set(
                local.values()
            )  # every text that was written since the last sync is there
            assert not pair.sync().changed


def _edit_folder(pair: Pair, path: str, content: str | None) -> None:
    if content is None:
        (pair.folder / path).unlink(missing_ok=True)
    else:
        pair.write(path, content)


def _edit_store(pair: Pair, path: str, content: str | None) -> None:
    if content is not None:
        pair.stores.put(pair.store_id, path, content)
    elif path in pair.remote():
        pair.stores.delete(pair.store_id, path)


def test_the_command(org, tmp_path) -> None:
    (tmp_path / "a.md").write_text("hello")
    env = {**os.environ, "HOLDFAST_URL": org.url, "HOLDFAST_API_KEY": org.key}
    command = [
        "-m",
        "holdfast",
        "sync",
        str(tmp_path),
        "--store",
        "notes",
        "--json",
    ]
    for uploaded in (["a.md"], []):
        done = forked.run(command, env=env)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["uploaded"] == uploaded
    wrong = [*command[:3], str(tmp_path / "none"), *command[4:]]
    refused = forked.run(wrong, env=env)
    assert refused.returncode != 0
    assert "not a folder" in refused.stderr
