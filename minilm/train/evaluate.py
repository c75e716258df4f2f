"""How well a model finds evidence in spaces it was not trained on: needs no torch.

Anything with the `encode` of `holdfast_minilm.MiniLM` can be measured.
"""

import statistics
from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from holdfast_minilm.embedder import Encoded, as_bits
from train.data import Space
from train.words import Bm25, before, without_names

Floats = npt.NDArray[np.float64]
Figures = dict[str, dict[str, float]]

MAX_TOKEN_ROWS = 48
"""How many tokens of a passage the service stores."""
HALF_BM25 = 18.0
AT = (5, 10)


class Model(Protocol):
    """Gives vectors of texts and of their tokens."""

    def encode(self, texts: Sequence[str], before: Sequence[str] = ()) -> Encoded:
        """One row for each text, read after what was said before it."""


def measure(model: Model, spaces: Sequence[Space]) -> Figures:
    """R@5 and R@10 of the evidence, for all questions and by category.

    `vector` ranks by the cosine alone, `tokens` by close reading alone, on bits; `fused` by
    both and BM25, half each, as the service does before its other parts.
    """
    found: dict[str, dict[str, list[float]]] = {}
    for space in spaces:
        questions = [each for each in space.questions if each.category != "fact"]
        if not questions:
            continue
        scores = _scores(model, space, [each.text for each in questions])
        places = {turn.id: place for place, turn in enumerate(space.turns)}
        for row, question in enumerate(questions):
            gold = {places[turn] for turn in question.evidence}
            for way, rows in scores.items():
                best = np.argsort(-rows[row], kind="stable")
                for at in AT:
                    share = len(gold & set(best[:at].tolist())) / len(gold)
                    for group in ("all", question.category, f"in {space.kind}"):
                        found.setdefault(group, {}).setdefault(f"{way} R@{at}", []).append(share)
    return {
        group: {name: round(statistics.fmean(each), 4) for name, each in sorted(figures.items())}
        for group, figures in sorted(found.items())
    }


def _scores(model: Model, space: Space, questions: Sequence[str]) -> dict[str, Floats]:
    turns = model.encode(
        [f"{turn.speaker}: {turn.text}" for turn in space.turns],
        [before(space.turns, place) for place in range(len(space.turns))],
    )
    asked = model.encode([without_names(each, space) for each in questions])
    vector = (asked.vectors @ turns.vectors.T).astype(np.float64)
    stored = [as_bits(each, MAX_TOKEN_ROWS) for each in turns.tokens]
    tokens = np.array([closeness(as_bits(each, len(each)), stored) for each in asked.tokens])
    words = Bm25(space.turns)
    lexical = np.zeros(vector.shape)
    for row, question in enumerate(questions):
        for place, score in words.scores(question).items():
            lexical[row, place] = score / (score + HALF_BM25)
    return {"vector": vector, "tokens": tokens, "fused": (vector + tokens + lexical) / 2}


def closeness(query: npt.NDArray[np.uint8], stored: Sequence[npt.NDArray[np.uint8]]) -> Floats:
    """The mean, over the query's tokens, of how alike the most similar token of each passage is."""
    if not len(query):
        return np.zeros(len(stored))
    kept = [each if len(each) else np.zeros((1, query.shape[1]), np.uint8) for each in stored]
    starts = np.cumsum([0, *(len(each) for each in kept[:-1])])
    asked = np.ascontiguousarray(query).view(np.uint64)
    joined = np.ascontiguousarray(np.concatenate(kept)).view(np.uint64)
    apart = np.bitwise_count(asked ^ joined.T)
    least = np.minimum.reduceat(apart, starts, axis=1)
    close: Floats = 1.0 - least.mean(axis=0) / (4.0 * query.shape[1])
    return close
