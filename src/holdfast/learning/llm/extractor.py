"""The extractor behind `HOLDFAST_LLM`: one call per batch of messages, through the ledger and its daily cap."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.kernel.caller import Caller
from holdfast.kernel.ledger import MeteredLlm
from holdfast.kernel.llm import LlmError
from holdfast.learning import rules
from holdfast.learning.extractor import Extracted, ExtractionFailed, ExtractorName
from holdfast.learning.llm.answer import Malformed, as_extraction, parse, schema
from holdfast.learning.llm.prompt import INSTRUCTIONS, make_prompt
from holdfast.learning.model import Extraction, KnownFact, Message, Speaker

CALL_KIND = "extract"
"""How the ledger names these calls."""

MAX_ANSWER_TOKENS = 3_000


@dataclass(frozen=True, slots=True)
class LlmExtractor:
    """A language model that reads messages. Orders about memory in documents are found by the rules, and quarantined, as ever."""

    llm: MeteredLlm
    name: ExtractorName = "llm"
    reads_held: bool = True

    async def extract(
        self,
        caller: Caller,
        messages: Sequence[Message],
        *,
        context: Sequence[Message] = (),
        held: Sequence[KnownFact] = (),
        speaker: Speaker,
    ) -> Extracted:
        """Candidates by the model; ExtractionFailed where it does not answer, or not in the shape asked for."""
        if not any(each.role == "user" for each in messages):
            return Extracted(_quarantined(messages, speaker))
        prompt = await asyncio.to_thread(make_prompt, messages, context, held, speaker)
        try:
            completion = await self.llm.complete(
                caller,
                CALL_KIND,
                INSTRUCTIONS,
                prompt.text,
                max_tokens=MAX_ANSWER_TOKENS,
                schema=schema(),
            )
        except LlmError as error:
            took = 0 if error.usage is None else error.usage.tokens
            raise ExtractionFailed(error.detail, took) from None
        try:
            found = as_extraction(parse(completion.text), prompt.messages, prompt.held)
        except Malformed as error:
            raise ExtractionFailed(
                f"the model's answer cannot be used: {error}", completion.tokens
            ) from None
        orders = _quarantined(messages, speaker).candidates
        both = Extraction((*found.candidates, *orders), found.retracted)
        return Extracted(both, completion.tokens)


def _quarantined(messages: Sequence[Message], speaker: Speaker) -> Extraction:
    found = rules.extract(messages, speaker=speaker)
    return Extraction(tuple(each for each in found.candidates if each.quarantined))
