"""A user's message, read: which sentences state something, which are orders to keep, which ask for remembering."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from holdfast.learning.model import Message
from holdfast.learning.rules import poison
from holdfast.learning.rules.families import SHAPES
from holdfast.learning.rules.families.correction import PUT_RIGHT, RETRACTION
from holdfast.learning.rules.families.explicit import RULES as EXPLICIT
from holdfast.learning.rules.family import ShapeRule, match_shape
from holdfast.learning.rules.joined import Part, parted
from holdfast.learning.rules.moods import is_fiction, is_private, is_request, mood_of
from holdfast.learning.rules.text import (
    MAX_SENTENCE_CHARS,
    Sentence,
    compile_rule,
    fold,
    group_span,
    sentences,
)
from holdfast.learning.rules.voice import has_subject, leans_on_earlier

MAX_CHARS = 20_000
"""Of a message longer than this only so much is read: the rest is a document."""
MIN_HEAD_WORDS = 3
"""What stands before a request in its sentence is read by itself if it has so many words."""

_RETRACTION: Any = compile_rule(RETRACTION)
_PUT_RIGHT: Any = compile_rule(PUT_RIGHT)
_CHECKS: Any = compile_rule(
    r"^(?:(?:is|was) (?:that|this|it) (?:right|correct|true|confirmed|official|still)|right|correct|true|(?:did|has|have|can|could) [^?]{1,30} confirm(?:ed)?\b|are (?:you|we) sure|(?-i:[A-Z][a-z]+), did you get that confirmed)[^?]*\?"
)
"""A question whether the sentence before is so."""
_EXPLICIT = tuple((rule.language, compile_rule(rule.pattern)) for rule in EXPLICIT)
_NOT_AN_ORDER: Any = compile_rule(
    r"\b(?:i|you|u|we|they|he|she|did|do|does|can't|cannot|don't|ik|ich|eu|yo|io) (?:still |even |just |really |also )?$"
)
_POLITE: Any = compile_rule(r"\b(?:can|could|would|will) you\b")
_THAT: Any = compile_rule(r"(?:\bthat|:|^|[,.]|fyi|self)\s*$")
_SAYS: Any = compile_rule(
    r"\b(?:is|are|was|were|am|has|have|had|do|does|did|will|can|can't|cannot|must|should|gets?|goes|likes?|loves?|hates?|needs?|wants?|prefers?|lives?|works?|starts?|ends?|closes?|opens?|costs?|takes?|[a-z]+n't|dont|doesnt|[a-z]{2,}ed)\b"
    r"|\b(?:i'm|im|i've|ive|i'd|i'll|we're|we've|it's|she's|he's|they're|that's)\b|\b(?:i|we|he|she|they|you) [a-z]+"
)
"""Words that a statement has, and a bare thing to remember ("my birthday") has not."""


@dataclass(frozen=True)
class Asked:
    """Something the user asked to remember."""

    language: str
    sentence: Sentence
    """The part that is to be remembered, with its offsets in the message."""
    start: int
    end: int


@dataclass(frozen=True)
class Reading:
    """What the rules make of one message, before any candidate is built."""

    message: Message
    text: str
    """The content, with pasted text blanked; offsets as in the content."""
    statements: tuple[Sentence, ...]
    standing: tuple[tuple[Sentence, ShapeRule], ...]
    beside: frozenset[str]
    """The moods of the sentences that state nothing."""
    asked: tuple[Asked, ...]
    takes_back: bool
    """Whether the message takes back what its author said before."""
    orders: tuple[tuple[int, int], ...]
    """Orders about memory in pasted text."""


def read(message: Message) -> Reading:
    """Sort the sentences of a user's message."""
    content = message.content[:MAX_CHARS]
    folded = fold(content)
    spans = poison.pasted_spans(folded)
    text = poison.blanked(content, spans)
    orders = tuple(
        (start + order.start, start + order.end)
        for start, end in spans
        for order in poison.find_orders(folded[start:end])
    )
    asked = tuple(_asked(text))
    if is_private(fold(text)):
        return Reading(message, text, (), (), frozenset({"private"}), (), False, orders)
    if is_fiction(fold(text)) and not asked:
        return Reading(message, text, (), (), frozenset({"fiction"}), (), False, orders)
    parts = [part for each in sentences(text) for part in parted(each)]
    rest = [
        replace(part, sentence=left)
        for part in parts
        if (left := _left_of(part.sentence, asked)) is not None
    ]
    takes_back = next((i for i, each in enumerate(rest) if _takes_back(each.sentence)), None)
    if takes_back is not None:  # what was said before it in the same message is taken back with it
        rest = rest[takes_back + 1 :]
    return Reading(message, text, *_sorted(rest), asked, takes_back is not None, orders)


def _takes_back(sentence: Sentence) -> bool:
    """Whether it takes back what was said; putting one value right does not."""
    found = _RETRACTION.search(sentence.folded)
    return bool(found) and not _PUT_RIGHT.search(sentence.folded)


def _sorted(
    rest: Sequence[Part],
) -> tuple[tuple[Sentence, ...], tuple[tuple[Sentence, ShapeRule], ...], frozenset[str]]:
    statements: list[Sentence] = []
    standing: list[tuple[Sentence, ShapeRule]] = []
    beside: set[str] = set()
    asking = False
    for part in rest:
        each = part.sentence
        mood = "pasted" if len(each.folded) > MAX_SENTENCE_CHARS else mood_of(each)
        if mood is None and part.mood == "question":
            mood = part.mood
        if mood == "unsure" and _PUT_RIGHT.search(each.folded):
            mood = None  # "I meant Bern, not Berlin"
        order = next((rule for rule in SHAPES if rule.standing and match_shape(rule, each)), None)
        if mood == "question" and statements and _CHECKS.search(each.folded):
            statements.pop()  # "It starts on the 7th. Is that confirmed?"
            beside.add("unsure")
        elif mood is not None:
            beside.add(mood)
        elif order is not None:
            standing.append((each, order))
        elif (
            part.mood == "request" or is_request(each) or (asking and not has_subject(each.folded))
        ):
            beside.add("request")  # what follows a request without a subject is a part of it
            asking = True
        else:
            statements.append(each)
            asking = False
    return tuple(statements), tuple(standing), frozenset(beside)


def _asked(text: str) -> list[Asked]:
    """What the user asks to remember, line by line."""
    found: list[Asked] = []
    offset = 0
    for line in text.split("\n"):
        found += _asked_in(line, offset)
        offset += len(line) + 1
    return found


def _asked_in(line: str, offset: int) -> Iterator[Asked]:
    """The requests in a line: each reaches to the end of its sentence and over those that lean on it, behind a colon over all that state something."""
    folded = fold(line)
    for language, pattern in _EXPLICIT:
        match = pattern.search(folded)
        if match is None or _NOT_AN_ORDER.search(folded[: match.start()]):
            continue
        start, end = group_span(match, "value") or group_span(match, "value2") or match.span()
        start -= _pronoun_before(folded, start)
        is_list = folded[:start].rstrip().endswith(":")
        first, *more = _parts(line, start, end, pattern)
        if first.is_question and not _POLITE.search(folded[: match.end()][match.start() :]):
            continue
        if language == "en" and not _states(first, folded[:start]):
            continue
        first = _without_mark(first)
        parts = [first, *(each for each in more if is_list and _states_something(each))]
        # A pattern may begin with the mark that ends the sentence before.
        starts = match.start() + (folded[match.start()] in ".!?")
        for number, part in enumerate(parts):
            begin = part.start if number else starts
            moved = replace(part, start=offset + part.start, end=offset + part.end)
            yield Asked(language, moved, offset + begin, offset + part.end)
        after = parts[-1].end if end == match.end() else match.end()
        yield from _asked_in(line[after:], offset + after)
        return


def _states(sentence: Sentence, before: str) -> bool:
    """Whether it says something: a request with "that" or a colon may ask for anything, "remember my birthday" does not."""
    return bool(_THAT.search(before) and not sentence.is_question) or bool(
        _SAYS.search(sentence.folded)
    )


def _without_mark(sentence: Sentence) -> Sentence:
    """Without the question mark of "can you remember that …?"."""
    length = len(sentence.folded.rstrip("? "))
    if not sentence.is_question:
        return sentence
    return replace(
        sentence,
        end=sentence.start + length,
        original=sentence.original[:length],
        folded=sentence.folded[:length],
    )


def _parts(line: str, start: int, end: int, request: Any) -> list[Sentence]:
    """What a request covers, cut where a sentence does not lean on the one before it; offsets in the line."""
    folded = fold(line)
    spans: list[tuple[int, int]] = []
    for each in sentences(line[start:end]):
        begin, stop = start + each.start, start + each.end
        own = each.is_question or request.search(each.folded)
        if spans and leans_on_earlier(each.folded) and not own:
            begin = spans.pop()[0]
        spans.append((begin, stop))
    return [
        Sentence(begin, stop, line[begin:stop], folded[begin:stop])
        for begin, stop in spans or [(start, end)]
    ]


def _states_something(sentence: Sentence) -> bool:
    return mood_of(sentence) is None and not is_request(sentence) and has_subject(sentence.folded)


def _pronoun_before(folded: str, start: int) -> int:
    """How many characters of a pronoun that closed the English pattern belong to the value: "note I park" → "I park"."""
    head = folded[:start]
    last = head.rstrip().rsplit(" ", 1)[-1].lower()
    return len(head) - len(head.rstrip()) + len(last) if last in _PRONOUNS else 0


_PRONOUNS = frozenset({"i", "i'm", "i've", "my", "we", "our", "we're"})


def _left_of(sentence: Sentence, asked: Sequence[Asked]) -> Sentence | None:
    """A sentence without the request in it: whole where there is none, else what stands before it ("I'm Ana, and remember that …")."""
    begins = [
        each.start for each in asked if sentence.start < each.end and each.start < sentence.end
    ]
    if not begins:
        return sentence
    length = max(0, min(begins) - sentence.start)
    head = replace(
        sentence,
        end=sentence.start + length,
        original=sentence.original[:length],
        folded=sentence.folded[:length],
    )
    return head if len(head.words) >= MIN_HEAD_WORDS else None
