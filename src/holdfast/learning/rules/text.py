"""A message as the rules read it: characters folded to ASCII one for one, cut into sentences that know their offsets.

Every offset is valid in the original text too, so that a rule matches on the folded form and quotes the original one.
"""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import re2

MAX_SENTENCE_CHARS = 600
"""Longer ones are pasted text, not something said in a conversation: no rule but the explicit ones reads them."""

_QUOTES = {
    "‘": "'",
    "’": "'",
    "‚": "'",
    "ʼ": "'",
    "´": "'",
    "`": "`",
    "“": '"',
    "”": '"',
    "„": '"',
    "«": '"',
    "»": '"',
}
_DASHES = {"–": "-", "—": "-", "‑": "-", "−": "-"}
_OTHER = {
    "ß": "s",
    "ø": "o",
    "Ø": "O",
    "ł": "l",
    "Ł": "L",
    "đ": "d",
    "Đ": "D",
    "æ": "a",
    "Æ": "A",
    "œ": "o",
    "ı": "i",
}
_SPACES = dict.fromkeys("\u00a0\u2007\u2009\u202f\t\r\f\v", " ")
_FOLDED = {**_QUOTES, **_DASHES, **_OTHER, **_SPACES, "…": "."}


@lru_cache(maxsize=4096)
def _fold_character(character: str) -> str:
    if character in _FOLDED:
        return _FOLDED[character]
    base = unicodedata.normalize("NFKD", character)[0]
    return base if base.isascii() and base.isalnum() else character


def fold(text: str) -> str:
    """The text with accents and typographic characters replaced, of the same length."""
    if text.isascii():
        return text
    return "".join(char if char.isascii() else _fold_character(char) for char in text)


def literal(text: str) -> str:
    """A pattern that matches just this text."""
    return str(re2.escape(text))


def compile_rule(pattern: str, *, ignore_case: bool = True) -> Any:
    """A pattern of RE2 (linear in the length of the text, whatever it says), case-insensitive unless told otherwise."""
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not ignore_case
    return re2.compile(pattern, options)


def group_span(match: Any, name: str) -> tuple[int, int] | None:
    """Where a named group matched; None where the pattern has none of that name, or it took no part."""
    number = match.re.groupindex.get(name)
    return match.span(number) if number is not None and match.start(number) >= 0 else None


_ENDS = compile_rule(r"[.!?]+[\"')\]]*(?:\s|$)|\n+")
_ABBREVIATED = compile_rule(
    r"(?:\b(?:mr|mrs|ms|dr|sr|sra|prof|st|no|vs|etc|e\.g|i\.e|approx|min|max|jr|a\.m|p\.m|[A-Z])|\d)\.$"
)
_LETTERS = compile_rule(r"[A-Za-z]")
_WORDS = compile_rule(r"[A-Za-z][A-Za-z']*|\d[\d.,:/]*\d|\d")


@dataclass(frozen=True)
class Sentence:
    """Where a sentence stands in its message, as written and folded."""

    start: int
    end: int
    original: str
    """As the user wrote it."""
    folded: str

    @cached_property
    def lower(self) -> str:
        """Folded, in lower case."""
        return self.folded.lower()

    @cached_property
    def words(self) -> list[str]:
        """Words and numbers, in lower case."""
        return [str(word).lower() for word in _WORDS.findall(self.folded)]

    @property
    def is_question(self) -> bool:
        """Whether it ends with a question mark."""
        return self.folded.rstrip("\"') ").endswith("?")


def sentences(text: str) -> list[Sentence]:
    """The sentences of a message, in order; line breaks end one too."""
    folded = fold(text)
    return [
        Sentence(start, end, text[start:end], folded[start:end]) for start, end in _spans(folded)
    ]


def _spans(folded: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _ENDS.finditer(folded):
        if _is_abbreviation(folded, start, match):
            continue
        yield from _trimmed(folded, start, match.end())
        start = match.end()
    yield from _trimmed(folded, start, len(folded))


def _is_abbreviation(folded: str, start: int, match: Any) -> bool:
    """Whether a full stop belongs to a word: "Dr. Etchegaray", but not "the 9th. It", nor the end of a line."""
    if match.group().strip() != "." or "\n" in match.group():
        return False
    tail = folded[max(start, match.start() - 8) : match.start() + 1]
    if not _ABBREVIATED.search(tail):
        return False
    rest = folded[match.end() : match.end() + 1]
    return not (tail[-2:-1].isdigit() or rest == "")


def _trimmed(folded: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end and folded[start].isspace():
        start += 1
    while end > start and folded[end - 1].isspace():
        end -= 1
    if end > start:
        yield start, end
