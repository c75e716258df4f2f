"""Computes rankings from the files of `bench.recall_features` and a model's vectors, without a service.

`python -m bench.replay FOLDER [WEIGHT=VALUE …]` measures the installed model. Numpy alone is imported here, so that a model can be
measured where it is trained. The order is that of `kernel/recall/fusion.py` without recency, importance and pinned, which are equal
for all units, and without the test whether there is an answer at all.
"""

import gzip
import json
import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

HALF_BM25 = 18.0
PER_ARM = 150
MAX_TOKEN_ROWS = 48
MAX_IDENTIFIED = 10
FAINT_SIMILARITY = 0.1
WEIGHTS = {
    "lexical": 0.5, "semantic": 0.5, "close_reading": 0.5, "session": 0.22, "temporal": 0.25, "actor": 0.08,
    "spoken_by_user": 0.16, "neighbour": 0.0, "question": 0.0,
}  # fmt: skip
"""The defaults of the service; the last two are not in it."""


class Encoded(Protocol):
    """Unit vectors of texts, and of their tokens."""

    vectors: Any
    tokens: Any


class Model(Protocol):
    """Gives vectors of texts and of their tokens."""

    def encode(self, texts: Sequence[str], before: Sequence[str] = ()) -> Encoded:
        """One row for each text, read after what was said before it."""


@dataclass(frozen=True)
class Space:
    """One memory: its features, and what a model says of them (questions × passages)."""

    raw: Mapping[str, Any]
    similarity: Floats
    close: Floats

    @property
    def questions(self) -> list[dict[str, Any]]:
        """Those that have an answer."""
        return [each for each in self.raw["questions"] if each["gold"]]


def load(path: Path) -> list[dict[str, Any]]:
    """The spaces of a features file."""
    spaces: list[dict[str, Any]] = json.loads(gzip.decompress(path.read_bytes()))
    return spaces


def compare(model: Model, raw: Mapping[str, Any]) -> Space:
    """Embed the passages and questions of a space, and compare them."""
    passages = model.encode(
        [each["text"] for each in raw["passages"]], [each["before"] for each in raw["passages"]]
    )
    asked = model.encode([each["query"] for each in raw["questions"]])
    stored = [_bits(each[:], MAX_TOKEN_ROWS) for each in passages.tokens]
    close = np.array([_closeness(_bits(each, len(each)), stored) for each in asked.tokens])
    similarity = (asked.vectors @ passages.vectors.T).astype(np.float64)
    return Space(raw, similarity.clip(0.0), close)


def _bits(tokens: Any, most: int) -> npt.NDArray[np.uint64]:
    if len(tokens) > most:
        tokens = np.add.reduceat(tokens, np.arange(most) * len(tokens) // most, axis=0)
    packed = np.packbits(np.asarray(tokens) > 0, axis=1)
    return np.ascontiguousarray(packed).view(np.uint64).ravel()


def _closeness(asked: npt.NDArray[np.uint64], stored: Sequence[npt.NDArray[np.uint64]]) -> Floats:
    starts = np.cumsum([0, *(max(len(each), 1) for each in stored[:-1])])
    joined = np.concatenate([each if len(each) else np.zeros(1, np.uint64) for each in stored])
    apart = np.bitwise_count(asked[:, None] ^ joined)
    close: Floats = 1.0 - np.minimum.reduceat(apart, starts, axis=1).mean(axis=0) / 32.0
    return close


class Ranker:
    """What does not change from question to question of a space."""

    def __init__(self, space: Space) -> None:
        self.space = space
        passages, units = space.raw["passages"], space.raw["units"]
        self.unit_of = np.array([each["unit"] for each in passages])
        self.first = np.searchsorted(self.unit_of, np.arange(len(units)))
        sessions = {name: at for at, name in enumerate(dict.fromkeys(u["session"] for u in units))}
        self.session = np.array([sessions[unit["session"]] for unit in units])[self.unit_of]
        self.speakers = [unit["speaker"].lower() for unit in units]
        self.by_user = np.array([each in ("user", "human") for each in self.speakers])[self.unit_of]
        self.asks = np.array([each["text"].rstrip().endswith("?") for each in passages])

    def order(self, number: int, weights: Mapping[str, float]) -> list[int]:
        """Units by their best passage, best first."""
        question = self.space.raw["questions"][number]
        lexical, identified = self._lexical(question)
        similarity, close = self.space.similarity[number], self.space.close[number]
        chosen = _best(similarity, PER_ARM) | (_best(lexical, PER_ARM) & (lexical > 0))
        words = lexical / (lexical + HALF_BM25)
        score = weights["lexical"] * words + weights["semantic"] * similarity
        score = score + weights["close_reading"] * close
        for each in (words, close):
            score = score + weights["session"] * self._best_of_session(np.where(chosen, each, 0.0))
        score = score + weights["spoken_by_user"] * self.by_user
        score = score + weights["question"] * self.asks
        if question["fits"]:
            score = score + weights["temporal"] * np.array(question["fits"])[self.unit_of]
        names = set(question["names"])
        if names:
            named = np.array([not names.isdisjoint(each.split()) for each in self.speakers])
            score = score + weights["actor"] * named[self.unit_of]
        if weights["neighbour"]:
            score = score + weights["neighbour"] * self._better_neighbour(score)
        if 0 < len(set(self.unit_of[identified])) <= MAX_IDENTIFIED:
            score = score + 100.0 * identified
        shown = chosen & ((lexical > 0) | (similarity >= FAINT_SIMILARITY))
        score = np.where(shown, score, -np.inf)
        best = np.argsort(-score, kind="stable")[: int(shown.sum())]
        return list(dict.fromkeys(self.unit_of[best].tolist()))

    def _lexical(self, question: Mapping[str, Any]) -> tuple[Floats, npt.NDArray[np.bool_]]:
        scores = np.zeros(len(self.unit_of))
        identified = np.zeros(len(self.unit_of), dtype=bool)
        for unit, number, score, has in question["lexical"]:
            place = self.first[unit] + number
            scores[place], identified[place] = score, bool(has)
        return scores, identified

    def _best_of_session(self, values: Floats) -> Floats:
        best = np.zeros(self.session.max() + 1)
        np.maximum.at(best, self.session, values)
        return best[self.session]

    def _better_neighbour(self, score: Floats) -> Floats:
        """The score of the better of the passages before and after, in the same session; 0 for none."""
        same = self.session[1:] == self.session[:-1]
        after = np.append(np.where(same, score[1:], 0.0), 0.0)
        earlier = np.insert(np.where(same, score[:-1], 0.0), 0, 0.0)
        return np.maximum(after, earlier)


def _best(values: Floats, most: int) -> npt.NDArray[np.bool_]:
    kept = np.zeros(len(values), dtype=bool)
    kept[np.argsort(-values, kind="stable")[:most]] = True
    return kept


def shares(
    spaces: Sequence[Space], weights: Mapping[str, float], at: int
) -> Iterator[tuple[str, float]]:
    """For each question with an answer: its category, and the share of its evidence in the first so many."""
    for space in spaces:
        ranker = Ranker(space)
        ids = [unit["id"] for unit in space.raw["units"]]
        for number, question in enumerate(space.raw["questions"]):
            if question["gold"]:
                found = {ids[unit] for unit in ranker.order(number, weights)[:at]}
                gold = set(question["gold"])
                yield question["category"], len(gold & found) / len(gold)


def figures(spaces: Sequence[Space], weights: Mapping[str, float]) -> dict[str, float]:
    """R@5 and R@10, and R@10 by category."""
    tens = list(shares(spaces, weights, 10))
    found = {
        "R@5": statistics.fmean(share for _, share in shares(spaces, weights, 5)),
        "R@10": statistics.fmean(share for _, share in tens),
    }
    for category in sorted({each for each, _ in tens}):
        found[category] = statistics.fmean(share for each, share in tens if each == category)
    return {name: round(value, 4) for name, value in found.items()}


def main(folder: Path, changed: Sequence[str]) -> None:
    """Measure the installed model on every features file of a folder."""
    from holdfast_minilm import MiniLM

    weights = WEIGHTS | {name: float(value) for name, _, value in (x.partition("=") for x in changed)}  # fmt: skip
    model = MiniLM()
    for path in sorted(folder.glob("*.json.gz")):
        spaces = [compare(model, raw) for raw in load(path)]
        print(path.name.removesuffix(".json.gz"), figures(spaces, weights), flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]), sys.argv[2:])
