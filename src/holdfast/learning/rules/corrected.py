"""A value that is put right: "No, it's Ana, not Anna." after "My name is Anna." fills the slot again, with the new value.

The sentence alone does not say which slot it is about. It is looked for in what the same person said shortly before: the latest
slot with the value that is taken back.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from holdfast.learning.model import Candidate, Message, Source, Speaker
from holdfast.learning.rules import build, voice
from holdfast.learning.rules.families.correction import PUT_RIGHT
from holdfast.learning.rules.reading import Reading, read
from holdfast.learning.rules.text import Sentence, compile_rule, fold, group_span

_CORRECTION: Any = compile_rule(PUT_RIGHT)
_BRANCHES = (("old", "new"), ("old2", "new2"), ("old3", "new3"))
_STATES: Any = compile_rule(
    r"\b(?:i|i'm|im|i've|we|we're|he|she|they|it|you|my|our|is|are|am|was|were|has|have|had|will|do|does|did|can|lives?|works?|likes?|prefers?|wants?|needs?|gets?|goes|takes?|starts?)\b"
)
_AROUND: Any = compile_rule(r"^(?:(?:on|in|at|from|for|the|an?) )+")


def corrections(
    reading: Reading, before: Sequence[Message], speaker: Speaker
) -> Iterator[tuple[Sentence, Candidate]]:
    """The statements of a message that put a value right, each with the slot as it is filled now."""
    for place, sentence in enumerate(reading.statements):
        match = _CORRECTION.search(sentence.folded)
        if match is None:
            continue
        old, new = next(
            (_said(sentence, match, old), _said(sentence, match, new))
            for old, new in _BRANCHES
            if group_span(match, old)
        )
        if _STATES.search(fold(new)):
            continue  # "I live in Braga now, not in Porto" says itself what it is about
        was = _filled_with(old, reading, place, before, speaker)
        if was is not None:
            yield sentence, _put_right(was, old, new, reading.message, sentence)


def _said(sentence: Sentence, match: Any, group: str) -> str:
    """The words of a group as they were written, without "on", "the" and the like."""
    start, end = group_span(match, group) or (0, 0)
    words = sentence.original[start:end].strip(" '\"")
    around = _AROUND.search(fold(words))
    return words[around.end() :] if around else words


def _filled_with(
    value: str, reading: Reading, place: int, before: Sequence[Message], speaker: Speaker
) -> Candidate | None:
    """The latest slot of the same person's that holds a value."""
    author = (reading.message.role, reading.message.name)
    said = [(reading.message, reading.statements[:place])]
    said += [
        (each, read(each).statements)
        for each in reversed(before)
        if (each.role, each.name) == author
    ]
    return next(
        (
            candidate
            for message, statements in said
            for sentence in reversed(statements)
            for _, candidate in build.slot_candidates(message, sentence, speaker)
            if _holds(candidate.value, value)
        ),
        None,
    )


def _holds(held: str, value: str) -> bool:
    around = _AROUND.search(fold(held))
    bare = held[around.end() :] if around else held
    return fold(bare).lower() == fold(value).lower()


def _put_right(
    was: Candidate, old: str, new: str, message: Message, sentence: Sentence
) -> Candidate:
    quote = message.content[sentence.start : sentence.end].strip()
    related = was.related
    return replace(
        was,
        attribute=_attribute(was, new),
        text=_with(was.text, *_with_articles(was.text, old, new)),
        value=_with(was.value, old, new),
        related=None if related is None else (related[0], _with(related[1], old, new)),
        rule="correction/of a slot",
        reason=f"the user put {old!r} right",
        sources=(Source(message.id, quote),),
        valid_from=message.created_at,
        dates=(),
        change="replaces",
        replaced_value=old,
    )


def _attribute(was: Candidate, new: str) -> str:
    """The slot's name; where it holds the value ("speaks:french"), that of the new one."""
    template = was.attribute.partition(":")[0] + ":{value}"
    in_name = was.attribute == build.attribute_of(template, was.value)
    return build.attribute_of(template, new) if in_name else was.attribute


def _with_articles(text: str, old: str, new: str) -> tuple[str, str]:
    """Both values behind "a" or "an", where the old one stands so."""
    behind = voice.with_article(old)
    return (behind, voice.with_article(new)) if behind in text else (old, new)


def _with(text: str, old: str, new: str) -> str:
    """A text with the last place of a value in it changed."""
    at = text.lower().rfind(old.lower())
    return text if at < 0 else text[:at] + new + text[at + len(old) :]
