"""Words of statements for comparing them: stems, numbers, days, a "not", and how much of one another holds."""

import math
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any

import snowballstemmer

from holdfast.learning.rules.lexicon import GENERIC_STEMS, STOP_WORDS, word_list
from holdfast.learning.rules.text import compile_rule, fold

_STEMMER: Any = snowballstemmer.stemmer("english")
_TOKENS: Any = compile_rule(r"[A-Za-z][A-Za-z']*|\d+(?:[.,:]\d+)*")
_ISO_DATE: Any = compile_rule(r" \(\d{4}(?:-W?\d\d){0,2}\)")
_NEGATIVE: Any = compile_rule(
    r"\b(?:not|no|never|n't|dont|doesnt|dislikes?|hates?|stopped|quit|without|no longer)\b|n't\b"
)
_MONTH: Any = compile_rule(
    r"\b(january|february|march|april|june|july|august|september|october|november|december|(?-i:May))\b"
)
_WEEKDAY: Any = compile_rule(r"\b((?:mon|tues|wednes|thurs|fri|satur|sun)day)s?\b")
_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        word_list("zero one two three four five six seven eight nine ten eleven twelve")
    )
}


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A word without its endings."""
    return str(_STEMMER.stemWord(word.lower().removesuffix("'s")))


def stems(text: str) -> frozenset[str]:
    """The stems of a text's words and its numbers, without the words that say nothing by themselves."""
    words = (str(word).lower() for word in _TOKENS.findall(fold(_ISO_DATE.sub("", text))))
    return frozenset(
        _NUMBERS.get(word) or stem(word)
        for word in words
        if word not in STOP_WORDS and (len(word) > 1 or word.isdigit())
    )


def figures(words: Iterable[str]) -> frozenset[str]:
    """The numbers among them."""
    return frozenset(word for word in words if word[0].isdigit())


def topic(words: frozenset[str]) -> frozenset[str]:
    """Those that say what a statement is about, without numbers and words of time or money."""
    return frozenset(word for word in words if word not in GENERIC_STEMS and not word[0].isdigit())


def weights_of(sets: Sequence[frozenset[str]]) -> dict[str, float]:
    """How much each word tells: less, the more of the known facts have it."""
    counts: dict[str, int] = {}
    for each in sets:
        for word in each:
            counts[word] = counts.get(word, 0) + 1
    return {word: math.log(1 + len(sets) / count) for word, count in counts.items()}


def shared_weight(
    words: frozenset[str], others: frozenset[str], weights: dict[str, float]
) -> float:
    """The weight of the common words over that of the lighter side; figures and words of time or money do not count."""
    words, others = topic(words), topic(others)
    rare = math.log(1 + len(weights)) if weights else 1.0
    common = sum(weights.get(word, rare) for word in words & others)
    lighter = min(_total(words, weights, rare), _total(others, weights, rare))
    return common / lighter if lighter else 0.0


def _total(words: frozenset[str], weights: dict[str, float], rare: float) -> float:
    return sum(weights.get(word, rare) for word in words)


def on_other_days(said: str, earlier: str) -> bool:
    """Whether both name months, or both weekdays, and none is the same."""
    for pattern in (_MONTH, _WEEKDAY):
        new, old = (
            {str(each).lower() for each in pattern.findall(fold(text))} for text in (said, earlier)
        )
        if new and old and not new & old:
            return True
    return False


def negates(text: str) -> bool:
    """Whether a statement says that something is not so."""
    return bool(_NEGATIVE.search(fold(text)))


def names_another_value(said: str, earlier: str) -> bool:
    """Whether two statements are the same but for a word in its place: "always answer in English", "always answer in German"."""
    words, others = (
        [stem(each) for each in _TOKENS.findall(fold(text))] for text in (said, earlier)
    )
    edits = SequenceMatcher(None, words, others, autojunk=False).get_opcodes()
    alike = sum(end - start for edit, start, end, _, _ in edits if edit == "equal")
    swapped = any(
        set(words[start:end]) - STOP_WORDS and set(others[first:last]) - STOP_WORDS
        for edit, start, end, first, last in edits
        if edit == "replace"
    )
    return swapped and 2 * alike >= max(len(words), len(others))
