"""What a sentence says in full: apostrophes that were left out, subjects that two clauses share, corrections.

Patterns of slots and of plain statements are written for careful English ("I've got two kids", "I'm vegan and I'm allergic to nuts").
Here a sentence is brought into that form before they read it. Quotes in sources still cite the words of the message.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from holdfast.learning.rules.lexicon import KIN, NAME, PEOPLE, PETS
from holdfast.learning.rules.text import Sentence, compile_rule, fold, group_span
from holdfast.learning.rules.voice import shares_subject


@dataclass(frozen=True)
class Edit:
    """A piece of a sentence to be replaced; an insertion where `start` is `end`."""

    start: int
    end: int
    new: str


_BULLET: Any = compile_rule(r"^(?:[-*+•]|\d{1,2}[.)]) +")
_CONTRACTED: tuple[tuple[Any, str], ...] = tuple(
    (compile_rule(pattern), word)
    for pattern, word in (
        (r"\b(im)\b", "I'm"),
        (r"\b(ive)\b", "I've"),
        (r"\b(id) (?:like|love|prefer|rather|hate)\b", "I'd"),
        (r"\b(ill) (?:be|have|take|get|go|use|start|move|turn|need|stay)\b", "I'll"),
        (rf"\b(?:my|our) (?:\w+ )?(?:{KIN}|{PEOPLE}|{PETS})(s) (?:full |last )?name\b", "'s"),
        (r"\bmy name(s) (?:[A-Z]|is\b)", "'s"),
    )
)
"""Words without their apostrophe; the group is replaced."""

_CORRECTED: Any = compile_rule(
    r"\b(?:is|are|'s)(?P<cut>(?:n't|nt| not| no longer) (?:called |named )?[^,;.!?]{1,40}?(?:,? but(?: rather| now)?|[,;] (?:but |now )?(?:it's|it is|its|they're|he's|she's)(?: now| called| actually)?)) [a-z0-9]"
)
""" "is not Anna but Ana", "isn't green, it's blue": what is cut leaves "is Ana"."""
_QUOTED: Any = compile_rule(r"\"[^\"]*\b(?:i|i'm|im|my|we)\b[^\"]*\"")
"""Somebody's words, a title: not the user's statement."""

_BE = (
    r"(?:allergic to|vegan|vegetarian|diabetic|coeliac|celiac|lactose intolerant|married|engaged|single|divorced|retired|pregnant|from [A-Z]|based in|living (?:in|with)|originally from"
    r"|working (?:as|at|for|in|on)|studying|learning|an? [a-z]+ by|\d{1,2} years old)"
)
_DO = (
    r"(?:live|work (?:as|at|for|in|from)|love|like|hate|dislike|prefer|enjoy|can't stand|cant stand|don't (?:eat|drink|like|smoke)|dont (?:eat|drink|like|smoke)|never (?:eat|drink)"
    r"|have (?:an?|two|three|no)|speak|study|own an?|drive an?|play)"
)
_JOINT: Any = compile_rule(
    rf"(?P<mark>,? and|,? but|,)(?: also| now| currently)? (?:(?P<be>{_BE})|(?P<do>{_DO}))\b"
)
_SUBJECT: Any = compile_rule(
    rf"\b(?:i'm|im|i am|i've|ive|i|we're|we|he's|he|she's|she|they|you|it's|it|who|that|which|my (?:\w+ )?(?:{KIN}|{PEOPLE}|{PETS})|{NAME} (?:is|was|has|\w+s))\b"
)
_IS_I: Any = compile_rule(r"^(?:i'm|im|i am|i've|ive|i)$")
_IS_BE: Any = compile_rule(r"^(?:i'm|im|i am)$")
_GOVERNS: Any = compile_rule(
    r"\b(?:will|would|can|could|should|might|must|did|didn't|don't|dont|let|if|when|not)\b|'ll\b|'d\b|\b(?:want|like|love|hate|hope|plan|going|trying|decided|need|have|used|able|moving) to\b"
)
""" "I want to move and live there": the second verb hangs on the first one, and is no statement."""
_OWN: Any = compile_rule(
    r"(?:[,;:]|,? and|,? but|,? so| -)\s+(?P<own>(?:also |now )?(?:i|i'm|im|i've|ive|my|our|we|we're|we've)\b)"
)


def understood(sentence: Sentence) -> Sentence:
    """The sentence in careful English: for rules to match, not to be quoted."""
    return _edited(sentence, [*_repairs(sentence.folded), *_subjects(sentence.folded)])


def clauses(sentence: Sentence) -> list[Sentence]:
    """The parts of a sentence that have the user as a subject of their own, or share it, each in careful English; their offsets are those of the message."""
    folded = sentence.folded
    cuts = {
        span[0]
        for match in _OWN.finditer(folded)
        if (span := group_span(match, "own")) and not shares_subject(folded[: span[0]])
    }
    joints = {edit.start: edit.new for edit in _subjects(folded)}
    found: list[Sentence] = []
    bounds = sorted({0, *cuts, *joints})
    for start, end in zip(bounds, [*bounds[1:], len(folded)], strict=True):
        part = folded[start:end].rstrip(" ,;:-")
        for joint in (" and", " but", " so"):
            part = part.removesuffix(joint).rstrip(" ,;:-") if end < len(folded) else part
        if not part.strip():
            continue
        skipped = len(part) - len(part.lstrip())
        start, stop = start + skipped, start + len(part)
        raw = Sentence(
            sentence.start + start,
            sentence.start + stop,
            sentence.original[start:stop],
            folded[start:stop],
        )
        subject = (
            [Edit(0, 0, joints[start - skipped].lstrip() + " ")]
            if start - skipped in joints
            else []
        )
        found.append(_edited(raw, [*subject, *_repairs(raw.folded)]))
    return found


def _repairs(folded: str) -> Iterator[Edit]:
    bullet = _BULLET.search(folded)
    if bullet:
        yield Edit(0, bullet.end(), "")
    for pattern, word in _CONTRACTED:
        for match in pattern.finditer(folded):
            yield Edit(match.start(1), match.end(1), word)
    for match in _CORRECTED.finditer(folded):
        start, end = group_span(match, "cut") or match.span()
        yield Edit(start, end, "")
    for match in _QUOTED.finditer(folded):
        yield Edit(match.start(), match.end(), "_" * (match.end() - match.start()))


def _subjects(folded: str) -> Iterator[Edit]:
    """ "I'm vegan and allergic to nuts" → "I'm vegan and I'm allergic to nuts"."""
    for match in _JOINT.finditer(folded):
        subject = None
        for each in _SUBJECT.finditer(folded[: match.start()]):
            subject = each
        if subject is None or not _IS_I.search(subject.group()):
            continue
        between = folded[subject.end() : match.start()]
        is_be = group_span(match, "be") is not None
        if _GOVERNS.search(between) or (is_be and not _IS_BE.search(subject.group())):
            continue
        if match.group("mark") == "," and not is_be:
            continue
        at = match.start() + len(match.group("mark"))
        yield Edit(at, at, " I'm" if is_be else " I")


def _edited(sentence: Sentence, edits: list[Edit]) -> Sentence:
    if not edits:
        return sentence
    pieces, at = [], 0
    for edit in sorted(edits, key=lambda each: (each.start, each.end)):
        if edit.start >= at:
            pieces += [sentence.original[at : edit.start], edit.new]
            at = edit.end
    original = "".join([*pieces, sentence.original[at:]])
    return replace(sentence, original=original, folded=fold(original))
