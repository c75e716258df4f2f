"""What a language's parser does not keep whole, kept as literal words: identifiers, and scripts that write no spaces.

Postgres takes `ERR-4521` for a word and a negative number and `東京タワー` for one long word. So identifiers go into the
index whole as well, and runs of such scripts as single characters and pairs; a query is taken apart the same way.
"""

import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass

MAX_LITERAL_CHARS = 64
MAX_POSITION = 16_383  # of a word in a tsvector
MAX_POSITIONS = 255

# Han, kana, hangul, Thai, Lao, Khmer, Burmese, Tibetan: written without spaces, or with endings that no stemmer here knows.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff"
    "\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff]+"
)
# A word with something in it that words do not have: a digit, or punctuation between its parts.
_IDENTIFIER = re.compile(r"[^\W_](?:[\w.:/@#+\\-]*[^\W_])?")
_PART = re.compile(r"[^\W_]+")

# Marks that a decomposed letter carries (Latin, Greek and Cyrillic accents, Hebrew points, Arabic vowel signs). The vowels of
# Thai or Devanagari and the voicing of kana are marks too, and stay: without them it is another word. So does `й`.
_MARKS = re.compile(
    "[\u0300-\u0305\u0307-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a"
    "\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]|(?<![иИ])\u0306"
)
# Letters that Unicode does not decompose, as they are written without the stroke or ligature.
_LETTERS = str.maketrans(
    {"ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L",
     "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "TH", "ħ": "h", "Ħ": "H", "ı": "i", "ŧ": "t", "Ŧ": "T"}
)  # fmt: skip

# Numbers that are no names of anything: amounts, ordinals, times of day, dates.
_QUANTITY = re.compile(
    r"\d+[a-z]{1,3}|\d{1,4}|\d+[.,:]\d+[a-z]{0,2}|\d{4}-\d\d?(?:-\d\d?)?|\d{1,2}[/.-]\d{1,2}(?:[/.-]\d{2,4})?|\d{4}/\d{2,4}"
)
_NAMES_A_THING = re.compile(r"_|@|::|/.*\.|\..*/")


@dataclass(frozen=True, slots=True)
class Words:
    """A text taken apart: `plain` for the language's parser, `literal` as the text of a tsvector.

    `identifiers` are the literals that name one thing (`inv-1777`, `ana@example.com`), not amounts or dates.
    """

    plain: str
    literal: str
    identifiers: frozenset[str] = frozenset()


def of_text(text: str) -> Words:
    """A text to be found."""
    return _take_apart(text, pairs_only=False)


def plain(text: str) -> str:
    """What the language's parser is given of a text."""
    return _UNSPACED.sub(" ", _normal(text))


def of_query(text: str) -> Words:
    """A text to find others by: a single character is asked for only where it stands alone."""
    return _take_apart(text, pairs_only=True)


def spoken(text: str) -> set[str]:
    """The words of a text in lower case, as names are compared."""
    return set(_PART.findall(fold(text).lower()))


def without(text: str, names: set[str]) -> str:
    """The text with these words (and a possessive 's) taken out; whole where nothing else would be left."""
    if not names:
        return text

    def kept(found: re.Match[str]) -> str:
        return " " if fold(found[1]).lower() in names else found[0]

    rest = " ".join(re.sub(r"(?<!\w)(\w+)(?:['’]s)?(?!\w)", kept, text).split())
    return rest if len(_PART.findall(rest)) > 1 else text


def _take_apart(text: str, *, pairs_only: bool) -> Words:
    text = _normal(text)
    at: dict[str, list[int]] = defaultdict(list)
    for run in _UNSPACED.finditer(text):
        for gram, position in _grams(run.group(), run.start(), pairs_only=pairs_only):
            at[gram].append(position)
    spaced = _UNSPACED.sub(" ", text)
    identifiers: set[str] = set()
    for found in _IDENTIFIER.finditer(spaced):
        token = found.group().lower()
        literals = _literals(token)
        if literals and _is_identifier(token):
            identifiers.add(token)
        for literal in literals:
            at[literal].append(found.start())
    return Words(spaced, _tsvector(at), frozenset(identifiers))


def fold(text: str) -> str:
    """The text without accents, and in one form of each character: `Café` and `Cafe` are the same word."""
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFC", _MARKS.sub("", apart)).translate(_LETTERS)


def _normal(text: str) -> str:
    return fold(text).replace("\x00", " ")


def _is_identifier(token: str) -> bool:
    """Whether a literal names one thing: a code with digits in it, an address, a path, a name in a program."""
    if any(character.isdigit() for character in token):
        return _QUANTITY.fullmatch(token) is None
    return _NAMES_A_THING.search(token) is not None


def _grams(run: str, start: int, *, pairs_only: bool) -> list[tuple[str, int]]:
    pairs = [(run[i : i + 2], start + i) for i in range(len(run) - 1)]
    if pairs and pairs_only:
        return pairs
    return pairs + [(character, start + i) for i, character in enumerate(run)]


def _literals(token: str) -> list[str]:
    """An identifier whole, and its parts that hold a digit; nothing for a plain word or a hyphenated one."""
    if token.isalpha() or len(token) > MAX_LITERAL_CHARS:
        return []
    parts = _PART.findall(token)
    has_digit = any(character.isdigit() for character in token)
    if len(parts) == 1 and not has_digit:
        return []
    if not has_digit and not re.search(r"[_:/@#.\\+]", token):
        return []
    return [token, *(part for part in parts if part != token and any(c.isdigit() for c in part))]


def _tsvector(at: dict[str, list[int]]) -> str:
    return " ".join(
        f"'{_escaped(word)}':{','.join(str(min(p + 1, MAX_POSITION)) for p in places[:MAX_POSITIONS])}"
        for word, places in at.items()
    )


def _escaped(word: str) -> str:
    return word.replace("\\", "\\\\").replace("'", "''")
