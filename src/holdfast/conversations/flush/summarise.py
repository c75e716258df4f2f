"""Summaries: by a language model, or extracted from the messages themselves. Folds the earlier summary in."""

import re
from collections import Counter as Tally
from collections.abc import Sequence
from pathlib import Path

from holdfast.conversations.model import Draft
from holdfast.kernel.tokens import Tokenizer

PROMPT = Path(__file__).with_name("summary_prompt.md").read_text()

HEADING = "Summary of the conversation so far:\n"
_SENTENCE = re.compile(r"[^.!?\n。！？]+[.!?。！？]*")
_WORD = re.compile(r"\w{3,}")
# A model is not given more than this of what it shall summarise; the rest is kept, but not read.
MAX_PROMPT_CHARS = 200_000


def prompt_for(messages: Sequence[Draft], earlier: str | None) -> str:
    """What the model is shown: the earlier summary, then the messages."""
    parts = []
    if earlier:
        parts.append(f"Earlier summary, to be folded in:\n{_bare(earlier)}\n")
    parts.append("Messages:")
    parts += [f"{message.role}: {message.content}" for message in messages]
    return "\n".join(parts)[:MAX_PROMPT_CHARS]


def extract(messages: Sequence[Draft], earlier: str | None, tokenizer: Tokenizer, room: int) -> str:
    """The sentences that say most, in their order, within `room` tokens.

    A sentence weighs what its words weigh, and a word weighs what it is repeated; the earlier summary's come first.
    """
    sentences = [(f"{line}", True) for line in _sentences(_bare(earlier or ""))]
    for message in messages:
        sentences += [(f"{message.role}: {s}", False) for s in _sentences(message.content)]
    words = Tally(word for text, _ in sentences for word in _words(text))

    def weight(index: int) -> tuple[bool, float, int]:
        text, is_earlier = sentences[index]
        found = _words(text)
        return is_earlier, sum(words[w] for w in found) / (len(found) + 3), -index

    room -= tokenizer.count(HEADING)
    chosen: list[int] = []
    for index in sorted(range(len(sentences)), key=weight, reverse=True):
        cost = tokenizer.count(f"- {sentences[index][0]}\n") + 1
        if cost <= room:
            chosen.append(index)
            room -= cost
    if not chosen and sentences:
        return tokenizer.first(sentences[0][0], max(1, room))
    return HEADING + "\n".join(f"- {sentences[index][0]}" for index in sorted(chosen))


def within(text: str, tokenizer: Tokenizer, room: int) -> str:
    """A model's summary under our heading, cut where it is longer than it may be."""
    return tokenizer.first(f"{HEADING}{text}", max(1, room))


def _bare(summary: str) -> str:
    return summary.removeprefix(HEADING)


def _sentences(text: str) -> list[str]:
    found = (match.strip().removeprefix("- ").strip() for match in _SENTENCE.findall(text))
    return [sentence for sentence in found if _WORD.search(sentence)]


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]
