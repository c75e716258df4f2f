"""The report beside a delta: what it was made from and what it gives, for whoever checks it."""

import importlib.metadata
import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from train.data import Space, digest
from train.evaluate import Figures
from train.recipe import Recipe

PACKAGES = ("torch", "numpy", "safetensors", "tokenizers")


def describe(
    *,
    delta: Path,
    recipe: Recipe,
    data: Mapping[str, Sequence[Path]],
    train: Sequence[Space],
    held: Sequence[Space],
    losses: Sequence[float],
    figures: Mapping[str, Figures],
    device: str,
    seconds: float,
) -> dict[str, Any]:
    """The report as it is written."""
    return {
        "delta": delta.name,
        "sha256": digest([delta]),
        "recipe": asdict(recipe),
        "data": {
            name: {
                "files": len(files),
                "sha256_of_sha256s": digest(files),
                "spaces": sum(space.source == name for space in train),
                "questions": sum(len(each.questions) for each in train if each.source == name),
            }
            for name, files in data.items()
        },
        "held_out": [space.name for space in held],
        "loss": {"first_50": mean(losses[:50]), "last_50": mean(losses[-50:])},
        "figures": dict(figures),
        "versions": versions(),
        "device": device,
        "seconds": round(seconds),
    }


def write(report: Mapping[str, Any], path: Path) -> None:
    """Put the report beside its delta."""
    path.write_text(json.dumps(report, indent=1, sort_keys=False) + "\n", encoding="utf-8")


def versions() -> dict[str, str | None]:
    """Of Python and the packages that decide the numbers; None for one that is not installed."""
    found: dict[str, str | None] = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = None
    return found


def mean(values: Sequence[float]) -> float | None:
    """Rounded for the report; None of none."""
    return round(sum(values) / len(values), 4) if values else None
