"""The built models on disk: three files, and a stamp that says what they are and what made them."""

import hashlib
import json
import os
import tempfile
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

MODEL_DIR = Path(__file__).parent / "model"
GRAPH, JUDGE, TOKENIZER, STAMP = "model.onnx", "judge.onnx", "tokenizer.json", "stamp.json"
FILES = (GRAPH, JUDGE, TOKENIZER)

_REMEDY = "run `python -m holdfast_minilm.builder`, or install holdfast-minilm again"


class ModelUnavailable(RuntimeError):
    """The model's files are missing or damaged; the message says how to get them back."""


@dataclass(frozen=True)
class Stamp:
    """What made the files (`recipe`), their hashes, and how close they came to full precision."""

    recipe: str
    sha256: Mapping[str, str]
    cosine_mean: float
    cosine_min: float
    judge_furthest: float


def verify(names: Collection[str] = FILES, folder: Path = MODEL_DIR) -> None:
    """Raise unless these files are there and exactly as they were built."""
    stamp = read_stamp(folder)
    if stamp is None:
        raise ModelUnavailable(f"the model is not built: {_REMEDY}")
    for name in names:
        try:
            with (folder / name).open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise ModelUnavailable(f"{name} of the model cannot be read: {_REMEDY}") from error
        if found != stamp.sha256[name]:
            raise ModelUnavailable(f"{name} of the model is damaged: {_REMEDY}")


def read_stamp(folder: Path = MODEL_DIR) -> Stamp | None:
    """The stamp, or None where nothing (or nothing readable) was built."""
    try:
        stamp = Stamp(**json.loads((folder / STAMP).read_text()))
    except (OSError, ValueError, TypeError):
        return None
    return stamp if set(FILES) <= set(stamp.sha256) else None


def write_model(files: Mapping[str, bytes], stamp: Stamp, folder: Path = MODEL_DIR) -> None:
    """Put the files in place, the stamp last: a build cut short is seen as damaged, never used."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        _replace(folder / name, content)
    _replace(folder / STAMP, (json.dumps(asdict(stamp), indent=2) + "\n").encode())


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _replace(path: Path, content: bytes) -> None:
    """Write beside `path`, then rename over it, so that no reader meets half a file."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
