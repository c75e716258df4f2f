"""Candidates for parts of a sentence: plain clauses beside what fills a slot, and requests to remember several things at once."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from holdfast.learning.model import Candidate, Message, Speaker
from holdfast.learning.rules import build
from holdfast.learning.rules.families import SHAPES
from holdfast.learning.rules.family import ShapeRule, match_shape
from holdfast.learning.rules.reading import Asked
from holdfast.learning.rules.text import Sentence, compile_rule
from holdfast.learning.rules.wording import clauses, understood

MAX_LEAD_WORDS = 5
"""How many words may lead in to a plain statement without being part of it."""

_TO_YOU: Any = compile_rule(r"^(?:(?:so|and|but|oh) )?(?:you|your|you're|you've)\b")
_LEANS: Any = compile_rule(r"\b(?:it|that|there|then|they|them|this|those|these)\b")


def plain_candidates(
    message: Message, statements: Sequence[Sentence], partly: Collection[Sentence], speaker: Speaker
) -> Iterator[Candidate]:
    """Plain lasting statements of a message that is not worth keeping as a whole.

    Of sentences that slots cover `partly`, only the clauses that they leave. Among several people (messages with a name) a clause
    in the middle of a sentence is mostly talk, and not looked at.
    """
    for sentence in statements:
        if _TO_YOU.search(sentence.folded):
            continue
        parts = [sentence] if message.name else clauses(sentence)
        left = [each for each in parts if not _fills_slot(message, each, speaker)]
        if (
            sentence not in partly
            or len(parts) == 1
            or (left and _plain_rule(message, understood(sentence)))
        ):
            found = list(_plain_part(message, sentence, parts))
        else:
            found = [(rule, each) for each in left if (rule := _plain_rule(message, each))]
        for rule, part in found:
            yield build.whole_candidate(
                message, part.original, speaker, kind=rule.kind, target=rule.target, confidence=0.6, rule=f"plain/{rule.name}",
                reason=f"a plain lasting statement (rule {rule.name!r})", group=[part],
            )  # fmt: skip


def _plain_part(
    message: Message, sentence: Sentence, parts: Sequence[Sentence]
) -> Iterator[tuple[ShapeRule, Sentence]]:
    """The sentence, where it or one of its parts is plain; without the few words that lead in to that part ("Guess what, …")."""
    rule = _plain_rule(message, understood(sentence))
    if rule is not None:
        yield rule, sentence
        return
    for number, part in enumerate(parts):
        rule = _plain_rule(message, part)
        if rule is not None:
            leads_in = number == 1 and len(parts[0].words) <= MAX_LEAD_WORDS
            cut = part.start - sentence.start if leads_in else 0
            yield (
                rule,
                replace(
                    sentence,
                    start=sentence.start + cut,
                    original=sentence.original[cut:],
                    folded=sentence.folded[cut:],
                ),
            )
            return


def _fills_slot(message: Message, sentence: Sentence, speaker: Speaker) -> bool:
    return next(build.slot_candidates(message, sentence, speaker), None) is not None


def _plain_rule(message: Message, sentence: Sentence) -> ShapeRule | None:
    rules = (rule for rule in SHAPES if rule.plain and not (rule.alone and message.name))
    return next((rule for rule in rules if match_shape(rule, sentence)), None)


def asked_candidates(message: Message, asked: Asked, speaker: Speaker) -> Iterator[Candidate]:
    """What the user asked to remember: one candidate, or one for each clause where all of them stand by themselves."""
    parts = clauses(asked.sentence) if asked.language == "en" else []
    alone = [
        each for each in parts if _plain_rule(message, each) or _fills_slot(message, each, speaker)
    ]
    if (
        len(parts) < 2
        or len(alone) < len(parts)
        or any(_LEANS.search(each.folded) for each in parts[1:])
    ):
        yield build.asked_candidate(message, asked, speaker)
        return
    for number, part in enumerate(parts):
        start = part.start if number else asked.start
        yield build.asked_candidate(message, Asked("en", part, start, part.end), speaker)
