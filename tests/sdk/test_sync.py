"""A folder and a store kept the same: each case, and random edits on both sides."""

import json
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast_client import Client
from holdfast_client.sync import NOTE, sync_folder
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
