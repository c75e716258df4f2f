"""The prompt of one call: what memory holds, earlier messages, and the new ones, each as a JSON line with an id.

Instructions stand in `prompt.md`. What is held and what was said before take a share of the tokens of the new messages at most.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from holdfast.kernel import tokens
from holdfast.learning.model import CONTEXT_MESSAGES, KnownFact, Message, Speaker
from holdfast.learning.secrets import mask_secrets
from holdfast.learning.sessions import SETTLE_AFTER_MESSAGES

INSTRUCTIONS = (Path(__file__).parent / "prompt.md").read_text()

MAX_USER_CHARS = 6_000
"""Of a user's message the model reads so much; the rest is a document."""
MAX_OTHER_CHARS = 1_000
"""Of an earlier message, and of what the assistant or a tool said."""
CONTEXT_SHARE = 0.28
HELD_SHARE = 0.22
"""How many tokens the earlier messages and the held facts of a prompt may take, as shares of those of the new messages: ten settles of
40 messages then take at most 1.5 times the tokens of one settle of the whole, also where that is shown nothing."""
MIN_CONTEXT_TOKENS = 500
MIN_HELD_TOKENS = 1_000
"""What they may always take where fewer messages than those 40 are new: a single one needs them most."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is sent besides its instructions, and what the ids in it stand for."""

    text: str
    messages: Mapping[str, Message]
    held: Mapping[str, KnownFact]


def make_prompt(
    messages: Sequence[Message],
    context: Sequence[Message],
    held: Sequence[KnownFact],
    speaker: Speaker,
) -> Prompt:
    """The lines of a prompt: held facts as k1, k2 …, earlier messages as c1 …, new ones as m1 ….

    Of the held facts the first that fit are shown, of the earlier messages the last.
    """
    read = {f"m{number}": _cut(each) for number, each in enumerate(messages, 1)}
    new = [_shown_message(name, each) for name, each in read.items()]
    least = 1 if len(messages) < SETTLE_AFTER_MESSAGES else 0
    taken = sum(map(_tokens, new))
    earlier = [_cut(each, as_context=True) for each in context[-CONTEXT_MESSAGES:]]
    before = [_shown_message(f"c{number}", each) for number, each in enumerate(earlier, 1)]
    room = max(CONTEXT_SHARE * taken, least * MIN_CONTEXT_TOKENS)
    while before and sum(map(_tokens, before)) > room:
        del before[0]
    known = _fitting(held, max(HELD_SHARE * taken, least * MIN_HELD_TOKENS))
    facts = [_shown_fact(name, each) for name, each in known.items()]
    label = f"Begin each text with: {speaker.label}"
    return Prompt("\n".join((label, *facts, *before, *new)), read, known)


def _fitting(held: Iterable[KnownFact], room: float) -> dict[str, KnownFact]:
    """Held facts by the ids that the model is given, as many as there is room for; what is too long is passed over."""
    fitting: dict[str, KnownFact] = {}
    for each in held:
        name = f"k{len(fitting) + 1}"
        taken = _tokens(_shown_fact(name, each))
        if taken <= room:
            fitting[name] = each
            room -= taken
    return fitting


def _tokens(line: str) -> int:
    return tokens.count(f"{line}\n")


def _cut(message: Message, *, as_context: bool = False) -> Message:
    most = MAX_USER_CHARS if message.role == "user" and not as_context else MAX_OTHER_CHARS
    return replace(message, content=mask_secrets(message.content)[:most])


def _shown_message(name: str, message: Message) -> str:
    shown = {
        "id": name,
        "role": message.role,
        "at": message.created_at.isoformat(timespec="minutes"),
    }
    if message.name:
        shown["name"] = message.name
    return json.dumps(shown | {"text": message.content}, ensure_ascii=False)


def _shown_fact(name: str, fact: KnownFact) -> str:
    shown = {"id": name}
    if fact.said_at is not None:
        shown["said"] = fact.said_at.date().isoformat()
    return json.dumps(shown | {"text": mask_secrets(fact.text)}, ensure_ascii=False)
