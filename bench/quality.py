"""The data sets and measures of recall quality, the same for the service and for its peers.

Imports only the standard library, because the peers run in their own process and virtual environment.
"""

import gzip
import json
import math
import os
import statistics
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

AT = (5, 10, 50)
SESSIONS_AT = (5, 10)
DEEPEST = max(AT)
"""How many results every question is asked for."""

SETS = ("locomo-tune", "longmemeval-tune", "memchat")
DATA = Path(__file__).parents[2] / "shared" / "data" / "recall"
MEMCHAT = Path(__file__).parents[1] / "data" / "memchat" / "spaces"
# Questions that are unrelated to every conversation: the right answer is empty.
FOREIGN = Path(__file__).with_name("foreign.txt").read_text().splitlines()
MIN_SCORE = 0.3


@dataclass(frozen=True)
class Space:
    """One user's memory: the units to store, and the questions about them."""

    name: str
    units: list[dict[str, Any]]
    questions: list[dict[str, Any]]

    @cached_property
    def sessions(self) -> dict[str, str]:
        """The session of each unit, by the unit's id."""
        return {unit["id"]: unit["session"] for unit in self.units}


def folder() -> Path:
    """The folder of the data files: HOLDFAST_BENCH_DATA, or beside the checkout."""
    return Path(os.environ.get("HOLDFAST_BENCH_DATA", DATA))


def file_of(name: str) -> Path:
    """The file or folder of a data set; it may be missing."""
    if name == "memchat":
        return MEMCHAT if MEMCHAT.is_dir() else folder().parent / "memchat" / "spaces"
    return folder() / f"{name}.json.gz"


def read(path: Path) -> list[Space]:
    """The spaces of a set, with the questions that have an answer."""
    if path.is_dir():
        return [_read_chat(file) for file in sorted(path.glob("*.json"))[::2]]
    with gzip.open(path) as file:
        return [
            Space(each["name"], each["units"], [q for q in each["questions"] if q["gold"]])
            for each in json.load(file)
        ]


def _read_chat(path: Path) -> Space:
    """A space of memchat: every turn is a unit. Every second space is used; the others are for other measurements."""
    chat = json.loads(path.read_text())
    units = [
        {
            "id": f"{session['id']}:{number}",
            "text": turn["text"],
            "speaker": turn["speaker"],
            "session": session["id"],
            "date": session["date"],
        }
        for session in chat["sessions"]
        for number, turn in enumerate(session["turns"], 1)
    ]
    questions = [
        {
            "q": each["q"],
            "category": each["cat"],
            "gold": each["evidence"],
            "gold_sessions": sorted({turn.split(":")[0] for turn in each["evidence"]}),
            "date": None,
        }
        for each in chat["questions"]
        if each["evidence"]
    ]
    return Space(chat["name"], units, questions)


def foreign_to(place: int, of: int) -> list[str]:
    """The unrelated questions for the space at this index: all of them, or a share if there are many spaces."""
    return FOREIGN[place % of :: of]


def steps(spaces: list[Space]) -> int:
    """The number of steps: units to store and questions to ask."""
    return sum(len(space.units) + len(space.questions) for space in spaces)


@dataclass
class Figures:
    """The figures of a run, question by question."""

    values: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    by_category: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    by_score: dict[float, list[bool]] = field(default_factory=lambda: defaultdict(list))
    of_ten: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    foreign: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    search_s: list[float] = field(default_factory=list)
    add_s: list[float] = field(default_factory=list)

    def count(self, space: Space, question: dict[str, Any], found: list[str]) -> None:
        """Add the answer to a question: ids of units, best first. A session is ranked as its best unit."""
        gold, gold_sessions = set(question["gold"]), set(question["gold_sessions"])
        for at in AT:
            self.values[f"R@{at}"].append(len(gold & set(found[:at])) / len(gold))
        sessions = list(dict.fromkeys(space.sessions[unit] for unit in found))
        for at in SESSIONS_AT:
            hits = len(gold_sessions & set(sessions[:at]))
            self.values[f"session R@{at}"].append(hits / max(len(gold_sessions), 1))
        places = [place for place, unit in enumerate(found, 1) if unit in gold]
        self.values["MRR"].append(1 / places[0] if places else 0.0)
        gain = sum(1 / math.log2(place + 1) for place in places if place <= 10)
        ideal = sum(1 / math.log2(place + 1) for place in range(1, min(len(gold), 10) + 1))
        self.values["nDCG@10"].append(gain / ideal)
        self.by_category[question["category"]].append(self.values["R@10"][-1])

    def count_ten(self, question: dict[str, Any], found: list[str]) -> None:
        """Add the recall of an answer of which ten were asked for, by category: fewer candidates are read for it."""
        gold = set(question["gold"])
        self.of_ten[question["category"]].append(len(gold & set(found)) / len(gold))

    def count_scores(self, question: dict[str, Any], scored: list[tuple[str, float]]) -> None:
        """Add whether each result was a right one, by the tenth of its score."""
        for unit, score in scored:
            self.by_score[min(int(score * 10), 9) / 10].append(unit in question["gold"])

    def count_sure(self, question: dict[str, Any], scored: list[tuple[str, float]]) -> None:
        """Add the recall at 10 with `min_score`."""
        gold = set(question["gold"])
        sure = {unit for unit, score in scored[:10] if score >= MIN_SCORE}
        self.values[f"R@10, {MIN_SCORE}+"].append(len(gold & sure) / len(gold))

    def count_foreign(self, scores: list[float]) -> None:
        """Add whether an unrelated question got an answer, by default and with `min_score`."""
        self.foreign["by default"].append(bool(scores))
        self.foreign[f"with min_score {MIN_SCORE}"].append(
            any(score >= MIN_SCORE for score in scores)
        )

    def mean(self, name: str) -> float:
        """The mean of a figure over all questions."""
        return statistics.fmean(self.values[name])

    @property
    def adds_per_s(self) -> float:
        """Units stored per second, one at a time."""
        return len(self.add_s) / sum(self.add_s)

    @property
    def search_p50_ms(self) -> float:
        """The median time of a search."""
        return 1000 * statistics.median(self.search_s)
