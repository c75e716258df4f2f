"""The plug for extractors: what every one of them is asked, and what it answers.

A job and `POST /memories/extract` call `Extractor.extract` outside of any transaction, with messages that privacy rules and the
scan for secrets have already changed. An extractor that asks for it is shown what memory holds about the messages, and may name
facts of it; it decides nothing about them: settling looks up, compares and writes.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from holdfast.kernel.caller import Caller
from holdfast.learning import rules
from holdfast.learning.judge import Judge
from holdfast.learning.model import Extraction, KnownFact, Message, Speaker
from holdfast.learning.rules.lasting import NO_CHANCES

ExtractorName = Literal["rules", "llm"]


@dataclass(frozen=True, slots=True)
class Extracted:
    """What an extractor made of some messages, and the tokens of a model that it took."""

    extraction: Extraction
    tokens: int = 0


class ExtractionFailed(Exception):
    """No answer, or none of use: nothing is written. `detail` says why, without a word of the messages.

    `tokens` is what the attempt took all the same.
    """

    def __init__(self, detail: str, tokens: int = 0) -> None:
        super().__init__(detail)
        self.detail = detail
        self.tokens = tokens


class Extractor(Protocol):
    """Reads messages and gives candidates for memory."""

    @property
    def name(self) -> ExtractorName:
        """How jobs and proposals name it."""
        ...

    @property
    def reads_held(self) -> bool:
        """Whether it is to be shown what memory holds about the messages."""
        ...

    async def extract(
        self,
        caller: Caller,
        messages: Sequence[Message],
        *,
        context: Sequence[Message] = (),
        held: Sequence[KnownFact] = (),
        speaker: Speaker,
    ) -> Extracted:
        """Candidates of `messages`; `context` is read for understanding only. ExtractionFailed where there is no answer.

        `held` is what memory holds about the messages, the likeliest to matter first, for an extractor that reads it. A
        candidate may name facts of it by their ids (`replaces`, `restates`). `caller` is who the call is made for: a job's caller names the job in the ledger.
        """
        ...


@dataclass(frozen=True, slots=True)
class RulesExtractor:
    """The built-in reader of English statements, in a thread: it is pure computation.

    With the judge of holdfast-minilm it also weighs how likely a message is worth keeping.
    """

    judge: Judge | None = None
    name: ExtractorName = "rules"
    reads_held: bool = False

    async def extract(
        self,
        caller: Caller,  # noqa: ARG002  (the protocol's signature: rules call nobody)
        messages: Sequence[Message],
        *,
        context: Sequence[Message] = (),
        held: Sequence[KnownFact] = (),  # noqa: ARG002  (rules read messages alone)
        speaker: Speaker,
    ) -> Extracted:
        """Candidates by patterns, by cues, and by what the judge makes of each message."""
        return Extracted(await asyncio.to_thread(self._read, messages, context, speaker))

    def _read(
        self, messages: Sequence[Message], context: Sequence[Message], speaker: Speaker
    ) -> Extraction:
        chances = NO_CHANCES
        if self.judge is not None:
            chances = self.judge.worths(rules.to_weigh(messages, context))
        return rules.extract(messages, context=context, speaker=speaker, chances=chances)
