"""Whether a statement replaces an earlier one, or says it again, by the small model that holdfast-minilm has for it.

The model reads both statements at once, the new one with what was said right before it. It was trained on what people say over
time (data/memchat). Words and vectors find what two statements are about; it also tells "I drive a Golf" and "sold the car" from
"I drive a Golf" and "my sister has a Golf too". It takes 2 ms for a pair, so only the closest facts are judged.
"""

import asyncio
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import structlog

from holdfast.learning import meaning
from holdfast.learning.model import Candidate, KnownFact, Said
from holdfast.learning.rules.lasting import NO_CHANCES, Chances

MOST = 16
"""How many earlier statements, the closest, are judged for each new one."""

REPLACES = 0.4
"""From this probability on, the statement replaces the earlier one."""
REPLACES_OPENING = 0.9
"""The same for a statement that opens a conversation: "I sing in a choir", said by itself, is seldom news of "I play in a band"."""
REPLACES_CHANGED = 0.15
"""The same for a statement with a word of change ("now", "moved")."""
REPLACES_BESIDE = 0.8
"""The same where it also says that it adds to something ("too", "another")."""
REPLACES_SLOT = 0.9
"""The same for an earlier statement with a slot that is not named. Without a word of change it is left: "my car is broken" does not
end "my car is a Golf"."""
REPLACES_TOO = 0.6
"""The same for further earlier statements beside the likeliest."""
CERTAIN = 0.9
"""From this probability on, what two statements name does not keep them apart."""
NEVER = 2.0
"""No probability is as high."""
REPEATS = 0.5
"""From this probability on, it says the earlier one again."""
REPEATS_SLOT = 0.9
"""The same for an earlier statement with a slot."""
SEEN_CHARS = 60
"""So much of the end of an earlier statement shows that it is what was said right before."""

log = structlog.get_logger("holdfast.learning")


# Pairs and verdicts are declared here too: importing those of holdfast-minilm would load onnxruntime wherever learning is.
class Pair(NamedTuple):
    """A statement, what was said right before it, and an earlier statement."""

    now: str
    before: str
    earlier: str


class Verdict(NamedTuple):
    """How likely the statement replaces the earlier one, and how likely it says the same."""

    replaces: float
    repeats: float


Verdicts = Mapping[Pair, Verdict]

NO_VERDICTS: Verdicts = {}
UNJUDGED = Verdict(0.0, 0.0)
"""Stands for the verdict on a pair that was not judged."""


class Judge:
    """The model, loaded when it is first asked; one for a process."""

    def __init__(self, *, is_used: bool = True) -> None:
        """Where it is not used, it says nothing."""
        self._lock = threading.Lock()
        self._model: Any = None
        self._is_missing = not is_used

    async def verdicts(self, pairs: Iterable[Pair]) -> Verdicts:
        """One for each pair; none where the model is not installed."""
        asked = list(dict.fromkeys(pairs))
        return await asyncio.to_thread(self.judge, asked) if asked else NO_VERDICTS

    def judge(self, pairs: Sequence[Pair]) -> Verdicts:
        """The same, here and now."""
        with self._lock:
            model = self._opened()
            if model is None:
                return NO_VERDICTS
            found = model.compare(pairs)
        return {pair: Verdict(*each) for pair, each in zip(pairs, found, strict=True)}

    def worths(self, said: Sequence[Said]) -> Chances:
        """How likely each is worth keeping, here and now; none where the model is not installed."""
        with self._lock:
            model = self._opened()
            if model is None:
                return NO_CHANCES
            found = model.worth(said)
        return dict(zip(said, found, strict=True))

    def _opened(self) -> Any:
        if self._model is None and not self._is_missing:
            self._open()
        return self._model

    def _open(self) -> None:
        try:
            from holdfast_minilm import Judge as Model
            from holdfast_minilm import ModelUnavailable
        except ImportError:
            self._is_missing = True
            return
        try:
            self._model = Model()
        except ModelUnavailable as error:
            self._is_missing = True
            log.warning("learning goes on without its judge", reason=str(error))


def pair_of(candidate: Candidate, earlier: str) -> Pair:
    """How a candidate and the words of an earlier statement are judged; what was said before is left out where it is that statement."""
    words = meaning.without_request(earlier)
    before = candidate.context
    return Pair(meaning.whole(candidate), "" if words[-SEEN_CHARS:] in before else before, words)


def pairs_of(
    candidate: Candidate, said: Iterable[str], vectors: Mapping[str, meaning.Vector]
) -> list[Pair]:
    """Those that are judged: with the closest of what was said, as far as it has a vector."""
    readings = (meaning.whole(candidate), meaning.whole_in_context(candidate))
    own = [vectors[each] for each in readings if each in vectors]
    if candidate.attribute or not own:
        return []
    closeness = {
        each: max(meaning.cosine(one, vectors[each]) for one in own)
        for each in said
        if each in vectors
    }
    closest = sorted(closeness, key=lambda each: -closeness[each])[:MOST]
    return [pair_of(candidate, each) for each in closest]


def least_to_replace(candidate: Candidate, fact: KnownFact, *, is_named: bool) -> float:
    """The probability from which on a candidate replaces a fact; `is_named`: it names the fact's slot."""
    if fact.attribute and not is_named:
        return REPLACES_SLOT if candidate.change is not None else NEVER
    if candidate.change is None:
        return REPLACES if candidate.context else REPLACES_OPENING
    return REPLACES_BESIDE if meaning.adds_to(candidate) else REPLACES_CHANGED


def is_certain(verdict: Verdict) -> bool:
    """Whether a statement replaces another whatever the two name."""
    return verdict.replaces >= CERTAIN


def least_to_repeat(fact: KnownFact) -> float:
    """The probability from which on a statement without a slot says a fact again."""
    return REPEATS_SLOT if fact.attribute else REPEATS
