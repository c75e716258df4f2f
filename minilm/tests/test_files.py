import os
import shutil
from pathlib import Path

import pytest

from holdfast_minilm import Judge, MiniLM, ModelUnavailable, embedder, files, judge


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(files.MODEL_DIR, tmp_path / "model"))


def test_what_was_built_is_whole(copy: Path) -> None:
    files.verify(folder=copy)


@pytest.mark.parametrize("name", files.FILES)
def test_one_changed_byte_is_noticed(copy: Path, name: str) -> None:
    content = bytearray((copy / name).read_bytes())
    content[len(content) // 2] ^= 1
    (copy / name).write_bytes(content)
    with pytest.raises(ModelUnavailable, match=f"{name} of the model is damaged: run `python -m"):
        files.verify(folder=copy)


@pytest.mark.parametrize("name", files.FILES)
def test_a_missing_file_is_noticed(copy: Path, name: str) -> None:
    (copy / name).unlink()
    with pytest.raises(ModelUnavailable, match="cannot be read"):
        files.verify(folder=copy)


@pytest.mark.parametrize("stamp", [None, "", "[]", "{}", '{"recipe": 1}'])
def test_without_a_stamp_nothing_is_built(copy: Path, stamp: str | None) -> None:
    (copy / files.STAMP).unlink()
    if stamp is not None:
        (copy / files.STAMP).write_text(stamp)
    with pytest.raises(ModelUnavailable, match="not built"):
        files.verify(folder=copy)


def test_a_damaged_model_is_not_loaded(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (copy / files.GRAPH).write_bytes(b"not a graph")
    monkeypatch.setattr(embedder, "verify", lambda names: files.verify(names, copy))
    with pytest.raises(ModelUnavailable):
        MiniLM()


def test_a_damaged_judge_is_not_loaded_and_the_embedder_is(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (copy / files.JUDGE).write_bytes(b"not a graph")
    for module in (embedder, judge):
        monkeypatch.setattr(module, "verify", lambda names: files.verify(names, copy))
    with pytest.raises(ModelUnavailable, match=r"judge\.onnx"):
        Judge()
    MiniLM()


def test_a_write_that_fails_leaves_the_old_file_and_no_litter(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stamp = files.read_stamp(copy)
    assert stamp is not None
    before = sorted(path.name for path in copy.iterdir())

    def full_disk(_: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="no space left"):
        files.write_model({files.GRAPH: b"new"}, stamp, copy)
    assert sorted(path.name for path in copy.iterdir()) == before
    files.verify(folder=copy)
