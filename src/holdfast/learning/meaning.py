"""Whether a statement replaces an earlier one where neither slot nor words decide: a sum of signs with weights.

The signs are closeness of the two statements in the embedder's vectors (of the user's own words, and of these together with the message
before them, since "I gave it up for good" only says what it is about as an answer), shared words, words of change, and time. The
weights are a logistic regression over all pairs of statements in the tuning spaces of data/memchat and in changes.json, rounded;
`python -m bench.fit_changes` fits them anew. docs/learning.md has the trade-off at several thresholds.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from holdfast.kernel.embed import PATIENCE_S, Embedder
from holdfast.kernel.embedding_models import EmbedderUnavailable, Said
from holdfast.learning.model import Candidate, KnownFact
from holdfast.learning.rules.families.correction import ADDS, CHANGED
from holdfast.learning.rules.families.explicit import RULES as EXPLICIT
from holdfast.learning.rules.lexicon import WEEKDAY
from holdfast.learning.rules.text import compile_rule, fold, group_span

Vector: TypeAlias = npt.NDArray[np.float32]

NONE: Mapping[str, Vector] = {}
"""No vectors: nothing is compared by meaning."""

SUPERSEDES = 0.09
"""From this probability on, the statement replaces the earlier one. Of all pairs 1 in 47 is one, so 0.09 is well above chance."""

UNSPOKEN = 0.4
"""The same for a statement without a word of change: two statements on one topic are usually both true."""
FEW = 8
"""Among fewer facts one is always the closest, however far it is: there it must be as close as `FAR`."""
FAR = 0.3
SAME = 0.75
"""From this closeness on, such a statement says the earlier one again, unless figures, days or a "not" differ."""
BESIDE = 0.5
"""The same for a statement of change that also says that it adds to something: "too" may refer to what the other side said."""

WEIGHTS: Mapping[str, float] = {
    "cosine of the message": 4.0,
    "cosine of the message in context": 2.6,
    "nearest": 1.2,
    "same sitting": -1.1,
    "log days apart": 0.2,
    "shared rare words beside": 0.5,
    "shared rare words around": 0.2,
    "share of words": 1.5,
    "word of change": 0.5,
    "change in plain words": 0.6,
    "both name an amount": 0.4,
    "both name a weekday": -0.1,
    "log words of the earlier": -0.9,
}
BASE = -5.1

_HALF_A_DAY_S = 43_200.0
_DAY_S = 86_400.0
_MOST_RARE = 3.0

_ASKED: Any = compile_rule(next(rule.pattern for rule in EXPLICIT if rule.language == "en"))
_CHANGED: Any = compile_rule(CHANGED)
_ADDS: Any = compile_rule(ADDS)
_AMOUNT: Any = compile_rule(
    r"[$€£]\s?\d|\b\d[\d.,]*\s?(?:euros?|eur|pounds?|quid|dollars?|usd|bucks|grand|kr|kronor|k|kg|kilos?|mg|pages|people|km|miles)\b|\b\d{1,3},\d{3}\b"
)
_WEEKDAY: Any = compile_rule(rf"\b{WEEKDAY}s?\b")


def without_request(words: str) -> str:
    """A quote without its "remember that", which would make all such quotes alike."""
    match = _ASKED.search(fold(words))
    span = group_span(match, "value") if match else None
    return words[span[0] : span[1]] if span else words


def in_context(candidate: Candidate) -> str:
    """The candidate's words behind the end of the message before them."""
    return f"{candidate.context} {without_request(candidate.sources[0].quote)}".strip()


def whole(candidate: Candidate) -> str:
    """The message that the candidate was said in; its quote where the message is not known."""
    return without_request(candidate.message or candidate.sources[0].quote)


def whole_in_context(candidate: Candidate) -> str:
    """The candidate's message behind the end of the message before it."""
    return f"{candidate.context} {whole(candidate)}".strip()


def compared_by(candidate: Candidate) -> tuple[str, ...]:
    """The words of a candidate that are compared by their vectors, from the quote alone to the message in its context."""
    return (
        candidate.sources[0].quote,
        in_context(candidate),
        whole(candidate),
        whole_in_context(candidate),
    )


@dataclass(frozen=True)
class Near:
    """How close an earlier statement is to a new one, in four readings of the new one."""

    quote: float
    in_context: float
    message: float
    message_in_context: float


@dataclass(frozen=True)
class Words:
    """The weight of the words that an earlier statement shares with a new one and with what stands around it."""

    share: float
    """Of the statements' words, weighted, of the shorter statement."""
    beside: float
    """Of the new one's message, in its other sentences, in units of the rarest word."""
    around: float
    """Of that message and the end of the one before it, likewise."""


def features(
    candidate: Candidate, fact: KnownFact, *, near: Near, rank: int, words: Words
) -> dict[str, float]:
    """The signs that one statement replaces another, by name; `rank` counts the known facts that are closer."""
    new, old = fold(candidate.sources[0].quote), fold(fact.said)
    apart_s = _seconds_apart(candidate, fact)
    return {
        "cosine of the message": near.message,
        "cosine of the message in context": near.message_in_context,
        "nearest": 1 / (1 + rank),
        "same sitting": float(apart_s < _HALF_A_DAY_S),
        "log days apart": math.log1p(max(apart_s, 0.0) / _DAY_S),
        "shared rare words beside": min(words.beside, _MOST_RARE),
        "shared rare words around": min(words.around, _MOST_RARE),
        "share of words": words.share,
        "word of change": float(candidate.change is not None),
        "change in plain words": float(bool(_CHANGED.search(new))),
        "both name an amount": float(bool(_AMOUNT.search(new)) and bool(_AMOUNT.search(old))),
        "both name a weekday": float(bool(_WEEKDAY.search(new)) and bool(_WEEKDAY.search(old))),
        "log words of the earlier": math.log1p(len(old.split())),
    }


def probability(found: Mapping[str, float]) -> float:
    """How likely a statement with these signs replaces the earlier one."""
    total = BASE + sum(WEIGHTS[name] * value for name, value in found.items())
    return 1 / (1 + math.exp(-total))


def is_far(found: Mapping[str, float], among: int) -> bool:
    """Whether a fact is too far from the statement to be replaced by it, alone and in its context, being one `among` so many."""
    closeness = max(found["cosine of the message"], found["cosine of the message in context"])
    return among < FEW and closeness < FAR


def threshold(candidate: Candidate) -> float:
    """The probability from which on the candidate replaces what it is compared with."""
    if candidate.change is None:
        return UNSPOKEN
    return BESIDE if adds_to(candidate) else SUPERSEDES


def adds_to(candidate: Candidate) -> bool:
    """Whether a statement says that it comes on top of what was said ("also", "too", "another")."""
    return bool(_ADDS.search(fold(candidate.sources[0].quote))) if candidate.sources else False


def _seconds_apart(candidate: Candidate, fact: KnownFact) -> float:
    """How long after the fact the candidate was said; a day where nobody knows."""
    if fact.said_at is None:
        return _DAY_S
    return (candidate.valid_from - fact.said_at).total_seconds()


def cosine(one: Vector, other: Vector) -> float:
    """The cosine of two vectors of unit length."""
    return float(one @ other)


async def embed_words(embedder: Embedder | None, words: Iterable[str]) -> Mapping[str, Vector]:
    """The vectors of these words, for `compare`; none where the embedder is missing or does not answer."""
    texts = list(dict.fromkeys(each for each in words if each))
    if embedder is None or not texts:
        return NONE
    try:
        made = await embedder.embed(
            [Said(without_request(each)) for each in texts], patience_s=PATIENCE_S
        )
    except EmbedderUnavailable:
        return NONE
    return {text: each.vector.numbers for text, each in zip(texts, made, strict=True)}
