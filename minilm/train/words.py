"""Words of queries and turns: names that are taken out, and BM25 to find hard negatives by."""

import math
import re
from collections import Counter
from collections.abc import Sequence

from train.data import Space, Turn

_WORD = re.compile(r"\w+")
_WORD_AND_POSSESSIVE = re.compile(r"(?<!\w)(\w+)(?:['’]s)?(?!\w)")
K1, B = 1.2, 0.9
TOO_FREQUENT = 0.1
"""A word in more than this share of the turns is ignored if the query has rarer ones."""


def without_names(query: str, space: Space) -> str:
    """The query without the speakers' names, as the service embeds it.

    It stays whole if fewer than two words would be left.
    """
    names = {word for turn in space.turns for word in _words(turn.speaker)}
    rest = " ".join(
        _WORD_AND_POSSESSIVE.sub(
            lambda found: " " if found[1].lower() in names else found[0], query
        ).split()
    )
    return rest if len(_WORD.findall(rest)) > 1 else query


def before(turns: Sequence[Turn], place: int, most_chars: int = 400) -> str:
    """The end of the turn before this one in its session, after its speaker's name; "" for none."""
    if place == 0 or turns[place - 1].session != turns[place].session:
        return ""
    earlier = turns[place - 1]
    return f"{earlier.speaker}: {earlier.text[-most_chars:]}"


class Bm25:
    """BM25 over the turns of a space, each read together with the end of the turn before it."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        texts = [
            [*_words(turn.text), *_words(before(turns, place, 200))]
            for place, turn in enumerate(turns)
        ]
        self._counts = [Counter(words) for words in texts]
        self._lengths = [len(words) for words in texts]
        self._mean = max(sum(self._lengths) / max(len(texts), 1), 1)
        self._holders: dict[str, list[int]] = {}
        for place, counts in enumerate(self._counts):
            for word in counts:
                self._holders.setdefault(word, []).append(place)

    def scores(self, query: str) -> dict[int, float]:
        """The score of each turn that has a word of the query, by its place."""
        known = {word: self._holders[word] for word in set(_words(query)) if word in self._holders}
        often = max(TOO_FREQUENT * len(self._counts), 10)
        rare = {word: holders for word, holders in known.items() if len(holders) <= often}
        found: dict[int, float] = {}
        for word, holders in sorted((rare or known).items()):
            # As the service has it: rarity as if there were a thousand turns at least.
            size = max(len(self._counts), 1000)
            idf = math.log(1 + (size - len(holders) + 0.5) / (len(holders) + 0.5))
            for place in holders:
                tf = self._counts[place][word]
                norm = K1 * (1 - B + B * self._lengths[place] / self._mean)
                found[place] = found.get(place, 0.0) + idf * tf * (K1 + 1) / (tf + norm)
        return found

    def best(self, query: str, most: int) -> list[int]:
        """The places of the best turns, best first; equal ones in their order."""
        scores = self.scores(query)
        return sorted(scores, key=lambda place: (-scores[place], place))[:most]


def _words(text: str) -> list[str]:
    return [_stem(word) for word in _WORD.findall(text.lower())]


def _stem(word: str) -> str:
    """A word without its commonest English endings: enough to find what looks alike."""
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) >= len(ending) + 3:
            return word[: -len(ending)]
    return word
