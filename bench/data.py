"""The benchmark's files: conversations with questions and gold evidence, kept outside the project."""

import gzip
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DEFAULT = Path(__file__).parents[2] / "shared" / "data" / "recall"
SETS = ("locomo-tune", "longmemeval-tune")


@dataclass(frozen=True)
class Space:
    """One memory: units that are stored, and questions asked of it alone."""

    name: str
    units: list[dict[str, Any]]
    questions: list[dict[str, Any]]


def folder() -> Path:
    """Where the files are: HOLDFAST_BENCH_DATA, or beside the checkout."""
    given = os.environ.get("HOLDFAST_BENCH_DATA")
    return Path(given) if given else DEFAULT


def read(name: str) -> list[Space] | None:
    """The spaces of a set; None where its file is not there."""
    path = folder() / f"{name}.json.gz"
    if not path.is_file():
        return None
    with gzip.open(path) as file:
        return [Space(each["name"], each["units"], each["questions"]) for each in json.load(file)]
