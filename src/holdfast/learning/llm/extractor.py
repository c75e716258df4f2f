"""The extractor behind `HOLDFAST_LLM`: one call per batch of messages, through the ledger and its daily cap."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from holdfast.kernel.caller import Caller
from holdfast.kernel.ledger import MeteredLlm
from holdfast.kernel.llm import LlmError
from holdfast.learning import rules
from holdfast.learning.extractor import Extracted, ExtractionFailed, ExtractorName
from holdfast.learning.llm.answer import Malformed, as_extraction, parse, schema
from holdfast.learning.model import CONTEXT_MESSAGES, Extraction, Message, Speaker
from holdfast.learning.secrets import mask_secrets

PROMPT = (Path(__file__).parent / "prompt.md").read_text()
CALL_KIND = "extract"
"""How the ledger names these calls."""

MAX_ANSWER_TOKENS = 3_000
MAX_USER_CHARS = 6_000
"""Of a user's message the model reads so much; the rest is a document."""
MAX_OTHER_CHARS = 1_000
"""Of an earlier message, and of what the assistant or a tool said."""
CONTEXT_SHARE = 0.4
"""How long the earlier messages of a prompt may be, as a share of the new ones: ten settles of 40 messages then take at most 1.5 times
the tokens of one settle of the whole."""
MIN_CONTEXT_CHARS = 1_000
"""What they may always take: a single new message needs them most."""


@dataclass(frozen=True, slots=True)
class LlmExtractor:
    """A language model that reads messages. Orders about memory in documents are found by the rules, and quarantined, as ever."""

    llm: MeteredLlm
    name: ExtractorName = "llm"

    async def extract(
        self,
        caller: Caller,
        messages: Sequence[Message],
        *,
        context: Sequence[Message] = (),
        speaker: Speaker,
    ) -> Extracted:
        """Candidates by the model; ExtractionFailed where it does not answer, or not in the shape asked for."""
        read = [_cut(each) for each in messages]
        if not any(each.role == "user" for each in read):
            return Extracted(_quarantined(messages, speaker))
        by_id = {f"m{number}": each for number, each in enumerate(read, 1)}
        prompt = _prompt(by_id, [_cut(each, as_context=True) for each in context], speaker)
        try:
            completion = await self.llm.complete(
                caller, CALL_KIND, PROMPT, prompt, max_tokens=MAX_ANSWER_TOKENS, schema=schema()
            )
        except LlmError as error:
            took = 0 if error.usage is None else error.usage.tokens
            raise ExtractionFailed(error.detail, took) from None
        try:
            found = as_extraction(parse(completion.text), by_id)
        except Malformed as error:
            raise ExtractionFailed(
                f"the model's answer cannot be used: {error}", completion.tokens
            ) from None
        orders = _quarantined(messages, speaker).candidates
        both = Extraction((*found.candidates, *orders), found.retracted)
        return Extracted(both, completion.tokens)


def _cut(message: Message, *, as_context: bool = False) -> Message:
    most = MAX_USER_CHARS if message.role == "user" and not as_context else MAX_OTHER_CHARS
    return replace(message, content=mask_secrets(message.content)[:most])


def _prompt(by_id: dict[str, Message], context: Sequence[Message], speaker: Speaker) -> str:
    new = [_shown(name, each) for name, each in by_id.items()]
    room = max(MIN_CONTEXT_CHARS, CONTEXT_SHARE * sum(map(len, new)))
    earlier = [
        _shown(f"c{number}", each) for number, each in enumerate(context[-CONTEXT_MESSAGES:], 1)
    ]
    while earlier and sum(map(len, earlier)) > room:
        del earlier[0]
    return "\n".join((f"Begin each text with: {speaker.label}", *earlier, *new))


def _shown(name: str, message: Message) -> str:
    return json.dumps(_line(name, message), ensure_ascii=False)


def _line(name: str, message: Message) -> dict[str, str]:
    shown = {
        "id": name,
        "role": message.role,
        "at": message.created_at.isoformat(timespec="minutes"),
    }
    if message.name:
        shown["name"] = message.name
    return shown | {"text": message.content}


def _quarantined(messages: Sequence[Message], speaker: Speaker) -> Extraction:
    found = rules.extract(messages, speaker=speaker)
    return Extraction(tuple(each for each in found.candidates if each.quarantined))
