"""Sentences that hold a statement beside a question or a request: "I can't eat dairy, what should I cook?".

A question states nothing, and a request is for this once; what stands beside it in the same sentence may state something. Here they
are cut apart, before each is read by itself.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from holdfast.learning.rules.text import Sentence, compile_rule, group_span

MIN_WORDS = 3
"""A statement beside a question has as many words; what has fewer is a greeting, a name or a part of the question."""
MIN_OWN_WORDS = 2
"""The same where it is about the user: "I'm vegan"."""

_ASKS = (
    r"(?:(?:what|how|why|when|where)(?:'s|s)?(?: \w+)? (?:is|are|do|does|did|should|can|could|shall|would|will|am|has|have|must|to)|what(?:'s|s)|how(?:'s| much| many| long| often| big| far)|what about|how about"
    r"|any (?:\w+ )?(?:tips?|ideas?|advice|suggestions?|recommendations?|thoughts)|got (?:any|some|an?)|(?:can|could|would|will) (?:you|u|i|we)|should (?:i|we)|shall (?:i|we)|do (?:you|u)"
    r"|does (?:it|that|this|anyone)|is (?:it|there|that|this)|are (?:there|those|these))"
)
"""How a question begins, with its mark or without."""
_ASKS_WITH_MARK = (
    r"(?:what|which|wich|where|how|who|whom|whose|why|when|is|are|was|were|does|do|did|will|would|can|could|should|shall|has|have|must|any(?:thing|one|body|where)?|got|know|worth|need|too (?:much|many|late|early)|good|normal|safe|possible|enough"
    r"|(?:[a-z]+ )?(?:tips|ideas|advice|suggestions|recommendations|thoughts|help)|remind me|in what|for what|to what|at what|from what|with what|on which|in which|by when)"
)
"""The same where it has one: short forms, as people type them ("any style guide?", "worth it?")."""
_REQUESTS = (
    r"(?:make me|give me|tell me|show me|find me|help(?: me)?|suggest|recommend|write|draft|explain|check|plan me|plan (?:a|an|my|our|the|three|two|five|for)|translate|rewrite|summari[sz]e|calculate|compare|list|sort|fix|shorten"
    r"|put (?:this|it|that|together)|turn (?:this|it)|cut (?:this|it)|name (?:a|an|some|two|three|five)|pick (?:a|an|one|me)|describe)"
)
_MARK = r"(?:\s*(?:[,;:]|-+| - )\s*(?:and |so |but |then |also |or )?|,? so )"
_POLITE = r"(?:please |pls |just |now |you )?"
_BEHIND: Any = compile_rule(rf"{_MARK}{_POLITE}(?P<tail>{_ASKS}|{_REQUESTS})\b")
_BEHIND_WITH_MARK: Any = compile_rule(
    rf"{_MARK}{_POLITE}(?P<tail>(?:{_ASKS}|{_ASKS_WITH_MARK}|{_REQUESTS})\b[^,;:?]*\?+[\s\"')]*$)"
)
"""Questions and requests behind a statement."""
_BEFORE: Any = compile_rule(
    r"(?:\s*(?:[,;:]|-+| - )\s*|,? (?:because|cause|cos|bc) )(?P<tail>(?:i|i'm|im|i am|i've|ive|my|we|we're|we've|our)\b)"
)
"""A statement of the user's behind a question or request."""
_IS_ASKED: Any = compile_rule(
    rf"^(?:(?:and|so|but|ok|hey|hi|please|pls|also|then)[, ]+)*(?:{_ASKS}|{_ASKS_WITH_MARK}|{_REQUESTS})\b"
)
_ASIDE: Any = compile_rule(r"^(?:(?:would|can|could) you believe|do you (?:know|see)|you know)\b")
"""What looks like a question and is none."""
_OWN: Any = compile_rule(r"\b(?:i|i'm|im|i've|ive|my|we|we're|we've|our)\b")
_IS_REQUESTED: Any = compile_rule(
    rf"^(?:(?:and|so|but|ok|hey|hi|please|pls|also|then)[, ]+)*{_REQUESTS}\b"
)
_HANGS: Any = compile_rule(
    r"^(?:(?:and|but|so|ok|oh|hey|also)[, ]+)*(?:if|when(?:ever)? (?:you|i|we|it|they|he|she|the|a)|while|after|before|once|unless|until|although|though|in case|as soon as|every time|next time|for|to|from|without|about"
    r"|regarding|compared|between|of|say|suppose|imagine|assuming|let's|you|your|you're|speaking of|talking about|by the way|out of curiosity|the question is|my question is|i (?:ask|quote)|(?:quick|one|another|next|last|second|first|silly|stupid|dumb) (?:question|thing))\b"
)
"""Words before a comma that are a part of the question, or lead in to it: "If it rains, what do we do?"."""


@dataclass(frozen=True)
class Part:
    """A sentence, or a half of one, and the mood that its place gives it: a half may lack the mark or the opening by which it is known."""

    sentence: Sentence
    mood: Literal["question", "request"] | None = None


def parted(sentence: Sentence) -> Iterator[Part]:
    """The statement and the question or request of a sentence, each by itself; the sentence where it does not hold both."""
    folded = sentence.folded
    asked_first = bool(_IS_ASKED.search(folded))
    cut = _cut(sentence, asked_first=asked_first)
    if cut is None:
        yield Part(sentence)
        return
    end, start = cut
    last = len(folded.rstrip("\"')? ")) if asked_first else len(folded)
    halves = _piece(sentence, 0, end), _piece(sentence, start, last)
    asked = halves[0] if asked_first else halves[1]
    mood: Literal["question", "request"] = (
        "request" if _IS_REQUESTED.search(asked.folded) else "question"
    )
    yield from (Part(each, mood if each is asked else None) for each in halves)


def _cut(sentence: Sentence, *, asked_first: bool) -> tuple[int, int] | None:
    """Where the first half ends and the second one begins."""
    folded = sentence.folded
    if not asked_first and _HANGS.search(folded):
        return None
    behind = _BEHIND_WITH_MARK if sentence.is_question else _BEHIND
    for match in (_BEFORE if asked_first else behind).finditer(folded):
        start, _ = group_span(match, "tail") or match.span()
        head, tail = folded[: match.start()], folded[start:]
        if _ASIDE.search(tail):
            continue
        statement = tail if asked_first else head
        if len(statement.split()) >= (MIN_OWN_WORDS if _OWN.search(statement) else MIN_WORDS):
            return match.start(), start
    return None


def _piece(sentence: Sentence, start: int, end: int) -> Sentence:
    return Sentence(
        sentence.start + start,
        sentence.start + end,
        sentence.original[start:end],
        sentence.folded[start:end],
    )
