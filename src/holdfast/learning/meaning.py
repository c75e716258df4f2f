"""Whether a statement replaces an earlier one, by meaning: a sum of signs with weights, fitted on data/memchat.

Only a statement with a word of change ("now", "moved", "instead") is asked about: two statements on one topic are usually both
true, so closeness alone would end several true facts for each one that did change. The vectors are those of the user's own words. The
weights are a logistic regression over all pairs of statements without a slot in the 30 tuning spaces, rounded; docs/learning.md has the
trade-off at several thresholds.
"""

import asyncio
import math
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from holdfast.kernel.embed import PATIENCE_S, Embedder, EmbedderUnavailable, Said
from holdfast.learning.model import Candidate, KnownFact
from holdfast.learning.rules.families.explicit import RULES as EXPLICIT
from holdfast.learning.rules.text import compile_rule, fold, group_span

Vector: TypeAlias = npt.NDArray[np.float32]

NONE: Mapping[str, Vector] = {}
"""No vectors: nothing is compared by meaning."""

SUPERSEDES = 0.10
"""From this probability on, the statement replaces the earlier one. Of all pairs with a word of change 1 in 60 is one, so 0.10 is
well above chance."""

MIN_COSINE = 0.3
"""Below it two statements have nothing to do with each other, whatever the other signs say."""

COSINE = 5.4
NEAREST = 0.4
"""No other known fact is closer."""
SAME_SITTING = -1.8
"""Both were said within half a day: people rarely change what they have just said without taking it back in words."""
PER_LOG_DAY = 0.18
"""The longer ago the earlier one was said, the likelier it has changed: per natural logarithm of days, plus one."""
PER_SHARED_STEM = 0.3
MOST_SHARED_STEMS = 3
BASE = -5.7

_HALF_A_DAY_S = 43_200.0
_DAY_S = 86_400.0


_ASKED: Any = compile_rule(next(rule.pattern for rule in EXPLICIT if rule.language == "en"))


def without_request(words: str) -> str:
    """A quote without its "remember that", which would make all such quotes alike."""
    match = _ASKED.search(fold(words))
    span = group_span(match, "value") if match else None
    return words[span[0] : span[1]] if span else words


def probability(
    candidate: Candidate, fact: KnownFact, *, cosine: float, is_nearest: bool, shared: int
) -> float:
    """How likely a candidate with a word of change replaces a known fact; `shared` is the number of stems that both have."""
    if cosine < MIN_COSINE:
        return 0.0
    total = (
        BASE
        + COSINE * cosine
        + NEAREST * is_nearest
        + PER_SHARED_STEM * min(shared, MOST_SHARED_STEMS)
        + _of_time(candidate, fact)
    )
    return 1 / (1 + math.exp(-total))


def _of_time(candidate: Candidate, fact: KnownFact) -> float:
    if fact.said_at is None:
        return 0.0
    apart_s = (candidate.valid_from - fact.said_at).total_seconds()
    near = SAME_SITTING if apart_s < _HALF_A_DAY_S else 0.0
    return near + PER_LOG_DAY * math.log1p(max(apart_s, 0.0) / _DAY_S)


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
    rows = await asyncio.to_thread(lambda: [_parsed(each.vector) for each in made])
    return dict(zip(texts, rows, strict=True))


def _parsed(vector: str) -> Vector:
    return np.fromstring(vector.strip("[]"), dtype=np.float32, sep=",")
