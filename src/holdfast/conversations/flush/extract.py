"""The extractive summary: the sentences that say most, in their order, within a number of tokens.

The newest flushed messages get at least half of the room, and the earlier summary what is left. A summary of summaries is thus
shared out by age: each flush halves what earlier ones had. Sentences are weighed by what people look for later: names, numbers,
dates, decisions. What tools returned, repetitions and questions are left out, or come last.
"""

import re
from collections import Counter as Tally
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from holdfast.conversations.model import Draft
from holdfast.kernel.tokens import Tokenizer

HEADING = "Summary of the conversation so far:\n"
# A statement that takes more than this share of the room is cut, so that others fit too; a short one never is.
MAX_LINE_SHARE, SHORT_LINE_TOKENS = 4, 32

_SENTENCE = re.compile(r"(?:[^.!?\n。！？]|(?<=\d)\.(?=\d)|\.(?=\w))+[.!?。！？]*")
_WORD = re.compile(r"\w{3,}")
_NAME = re.compile(r"(?<=[\w,;:'\"(] )[A-ZÀ-ÖØ-Þ][\w'-]+")
_NUMBER = re.compile(r"\d")
_DATE = re.compile(
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday"
    r"|wednesday|thursday|friday|saturday|sunday|today|tomorrow|yesterday|tonight|noon|midnight|week|month|year"
    r"|deadline|o'clock)s?\b|\d{1,4}[-/.:]\d{1,2}",
    re.IGNORECASE,
)
_DECISION = re.compile(
    r"\b(?:decid\w+|agree\w*|chose|chosen|choose|picked|settled|will|won't|must|shall|need\w*|promis\w+|plan\w*|prefer\w*"
    r"|always|never|remember|important|called|named?|is|are|was|were|has|have|lives?|works?|moved|bought|allergic"
    r"|because|instead|approved|rejected|cancel\w+|scheduled|due)\b",
    re.IGNORECASE,
)
_ROLE = re.compile(r"^(?:user|assistant|system|tool): ")


@dataclass(frozen=True, slots=True)
class _Statement:
    """One line of a summary."""

    text: str

    @property
    def bare(self) -> str:
        """What it says, without who said it."""
        return _ROLE.sub("", self.text)

    @property
    def identity(self) -> str:
        """The same for statements that repeat each other."""
        return " ".join(re.findall(r"\w+", self.bare.lower()))

    def weight(self, words: Tally[str]) -> float:
        """How much it says: names, numbers, dates and decisions first, then words that are repeated."""
        bare = self.bare
        found = _words(bare)
        weight = 3.0 * min(3, len(_NAME.findall(bare)))
        weight += 3.0 * bool(_NUMBER.search(bare)) + 3.0 * bool(_DATE.search(bare))
        weight += 2.0 * bool(_DECISION.search(bare))
        weight += min(2.0, sum(words[word] - 1 for word in found) / (len(found) + 3))
        if self.text.startswith("user: "):
            weight += 1.0
        if bare.rstrip().endswith(("?", "？")):
            weight -= 6.0
        return weight - (2.0 if len(found) < 2 else 0.0)


def extract(messages: Sequence[Draft], earlier: str | None, tokenizer: Tokenizer, room: int) -> str:
    """A summary of the messages (oldest first) and of the earlier summary, within `room` tokens."""
    new = _unique(
        _Statement(f"{message.role}: {sentence}")
        for message in messages
        if message.role != "tool"
        for sentence in _sentences(message.content)
    )
    said_again = {statement.identity for statement in new}
    old = _unique(_Statement(line) for line in _lines(earlier or ""))
    old = [statement for statement in old if statement.identity not in said_again]
    if not new and not old:
        return ""
    room -= tokenizer.count(HEADING)
    most = max(SHORT_LINE_TOKENS, room // MAX_LINE_SHARE)
    words = Tally(word for statement in (*old, *new) for word in _words(statement.bare))
    old_kept, used = _choose(old, words, tokenizer, room // 2 if new else room, most)
    new_kept, used_by_new = _choose(new, words, tokenizer, room - used, most)
    if len(new_kept) == len(new):  # the new ones may have left room
        old_kept, used = _choose(old, words, tokenizer, room - used_by_new, most)
    chosen = [*old_kept, *new_kept]
    if not chosen:
        return tokenizer.first((new or old)[0].text, max(1, room))
    return HEADING + "\n".join(f"- {line}" for line in chosen)


def bare(summary: str) -> str:
    """A summary without its heading."""
    return summary.removeprefix(HEADING)


def _choose(
    statements: Sequence[_Statement],
    words: Tally[str],
    tokenizer: Tokenizer,
    room: int,
    most: int,
) -> tuple[list[str], int]:
    """The weightiest statements that fit, in their order, and the tokens they take; of equals the newer one."""
    ranked = sorted(
        range(len(statements)), key=lambda at: (statements[at].weight(words), at), reverse=True
    )
    chosen: dict[int, str] = {}
    used = 0
    for at in ranked:
        line = statements[at].text
        cost = tokenizer.count(f"- {line}\n") + 1
        if cost > most:
            line = tokenizer.first(line, max(1, most - 4)).rstrip() + "…"
            cost = tokenizer.count(f"- {line}\n") + 1
        if used + cost <= room:
            chosen[at] = line
            used += cost
    return [chosen[at] for at in sorted(chosen)], used


def _unique(statements: Iterable[_Statement]) -> list[_Statement]:
    """Statements without those that say again what a later one says."""
    found: dict[str, _Statement] = {}
    for statement in statements:
        found.pop(statement.identity, None)
        found[statement.identity] = statement
    return list(found.values())


def _lines(summary: str) -> list[str]:
    found = (line.strip().removeprefix("- ").strip() for line in bare(summary).splitlines())
    return [line for line in found if _WORD.search(line)]


def _sentences(text: str) -> list[str]:
    found = (match.strip().removeprefix("- ").strip() for match in _SENTENCE.findall(text))
    return [sentence for sentence in found if _WORD.search(sentence) and not _is_payload(sentence)]


def _is_payload(sentence: str) -> bool:
    """Whether it is data rather than language: JSON, tables, code."""
    symbols = sum(not (character.isalnum() or character.isspace()) for character in sentence)
    return sentence[0] in "{[<|" or symbols * 3 > len(sentence)


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]
