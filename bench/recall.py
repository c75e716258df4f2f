"""Quality of recall through the public API: `python -m bench.recall` (`make bench-recall`).

One memory per unit: the text as value, the speaker as source, the session as session_id, the date as valid_from; default
settings, hybrid, no LLM. Prints recall of gold units at 5, 10 and 50, of gold sessions at 5 and 10, MRR, nDCG@10, per
category, and the time of writes and searches. Exits with 1 when a floor is not held.
"""

import asyncio
import gzip
import json
import math
import os
import statistics
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from bench.harness import Bench, bench_service, console
from holdfast.kernel import logs

FLOORS = {
    "locomo-tune": {"R@5": 0.66, "R@10": 0.77, "R@50": 0.91},
    "longmemeval-tune": {"R@10": 0.79},
}
AT = (5, 10, 50)
DATA = Path(__file__).parents[2] / "shared" / "data" / "recall"
SETS = ("locomo-tune", "longmemeval-tune")


@dataclass(frozen=True)
class Space:
    """One memory: units that are stored, and questions asked of it alone."""

    name: str
    units: list[dict[str, Any]]
    questions: list[dict[str, Any]]


def folder() -> Path:
    """Where the files are: HOLDFAST_BENCH_DATA, or beside the checkout."""
    return Path(os.environ.get("HOLDFAST_BENCH_DATA", DATA))


def read(name: str) -> list[Space] | None:
    """The spaces of a set; None where its file is not there."""
    path = folder() / f"{name}.json.gz"
    if not path.is_file():
        return None
    with gzip.open(path) as file:
        return [Space(each["name"], each["units"], each["questions"]) for each in json.load(file)]


@dataclass
class Figures:
    """What a run measured, question by question."""

    values: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    by_category: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    search_s: list[float] = field(default_factory=list)
    add_s: list[float] = field(default_factory=list)

    def count(self, question: dict[str, Any], units: list[str], sessions: list[str]) -> None:
        """Add a question's answer: units and their sessions, best first."""
        gold, gold_sessions = set(question["gold"]), set(question["gold_sessions"])
        for at in AT:
            self.values[f"R@{at}"].append(len(gold & set(units[:at])) / len(gold))
        sessions = list(dict.fromkeys(sessions))
        for at in (5, 10):
            found = len(gold_sessions & set(sessions[:at])) / max(len(gold_sessions), 1)
            self.values[f"session R@{at}"].append(found)
        places = [place for place, unit in enumerate(units, 1) if unit in gold]
        self.values["MRR"].append(1 / places[0] if places else 0.0)
        gain = sum(1 / math.log2(place + 1) for place in places if place <= 10)
        ideal = sum(1 / math.log2(place + 1) for place in range(1, min(len(gold), 10) + 1))
        self.values["nDCG@10"].append(gain / ideal)
        self.by_category[question["category"]].append(self.values["R@10"][-1])

    def mean(self, name: str) -> float:
        """A figure over all questions."""
        return statistics.fmean(self.values[name])


async def measure(client: httpx.AsyncClient, name: str, spaces: list[Space]) -> Figures:
    """Store every space for a user of its own, one memory at a time, and ask its questions."""
    figures = Figures()
    total = sum(len(space.units) + len(space.questions) for space in spaces)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as progress:
        task = progress.add_task(name, total=total)
        for space in spaces:
            as_user = {"Holdfast-User": f"{name}-{space.name}"}
            units: dict[str, dict[str, Any]] = {}
            for number, unit in enumerate(space.units):
                body = {
                    "key": f"turn-{number}",
                    "value": unit["text"],
                    "source": unit["speaker"],
                    "session_id": f"{name}-{space.name}-{unit['session']}".replace(" ", "_"),
                    "valid_from": f"{unit['date']}Z",
                }
                started = time.perf_counter()
                reply = await client.post("/memories", json=body, headers=as_user)
                figures.add_s.append(time.perf_counter() - started)
                reply.raise_for_status()
                units[reply.json()["id"]] = unit
                progress.advance(task)
            for question in space.questions:
                progress.advance(task)
                if not question["gold"]:
                    continue
                body = {"q": question["q"], "limit": 50}
                if question["date"]:
                    body["now"] = f"{question['date']}Z"
                started = time.perf_counter()
                reply = await client.post("/memories/recall", json=body, headers=as_user)
                figures.search_s.append(time.perf_counter() - started)
                reply.raise_for_status()
                found = [units[row["id"]] for row in reply.json()["data"]]
                figures.count(
                    question, [unit["id"] for unit in found], [unit["session"] for unit in found]
                )
    return figures


def show(name: str, figures: Figures) -> None:
    """Print what was measured."""
    table = Table(title=name, title_justify="left")
    for column in figures.values:
        table.add_column(column, justify="right")
    table.add_row(*(f"{figures.mean(column):.3f}" for column in figures.values))
    console.print(table)
    console.print(
        "  R@10 by category: "
        + ", ".join(f"{c} {statistics.fmean(v):.3f}" for c, v in figures.by_category.items())
    )
    console.print(
        f"  {len(figures.add_s) / sum(figures.add_s):.0f} adds/s one at a time; search p50 "
        f"{1000 * statistics.median(figures.search_s):.1f} ms"
    )


def below_floor(name: str, figures: Figures) -> list[str]:
    """The floors that were not held."""
    return [
        f"{name} {figure}: {figures.mean(figure):.3f} < {floor}"
        for figure, floor in FLOORS[name].items()
        if figures.mean(figure) < floor
    ]


async def run(bench: Bench) -> bool:
    """Measure every set that is there; whether the floors held."""
    failed: list[str] = []
    for name in SETS:
        spaces = read(name)
        if spaces is None:
            console.print(
                f"{name}: there is no {name}.json.gz in {folder()}; "
                "set HOLDFAST_BENCH_DATA to the folder that has it"
            )
            continue
        figures = await measure(bench.http, name, spaces)
        show(name, figures)
        failed += below_floor(name, figures)
    for line in failed:
        console.print(f"[red]below the floor: {line}")
    return not failed


async def main() -> int:
    """As a command of its own."""
    async with bench_service() as bench:
        return 0 if await run(bench) else 1


if __name__ == "__main__":
    logs.configure("warning")
    sys.exit(asyncio.run(main()))
