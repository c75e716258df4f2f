"""Reading messages: what memory holds about them is looked up, an extractor reads them, what it found is embedded and judged.

All of it asks models or may, so it belongs before any transaction; what comes of it is decided and written in one (`run`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from holdfast.conversations.privacy import Redactor
from holdfast.kernel import metrics
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.errors import BackendUnavailable
from holdfast.learning import run as learning_run
from holdfast.learning.extractor import Extracted, ExtractionFailed, Extractor
from holdfast.learning.judge import NO_VERDICTS, Verdicts
from holdfast.learning.meaning import NONE, Vector
from holdfast.learning.model import Message, Speaker
from holdfast.learning.proposal import Proposal
from holdfast.learning.shown import Shown, as_known, look_up


@dataclass(frozen=True, slots=True)
class Readable:
    """Messages as an extractor may read them, those before them, and what masked both: it masks what is held as well."""

    messages: list[Message]
    context: list[Message] = field(default_factory=list)
    redactors: tuple[Redactor, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """What an extractor made of messages, what it was shown of memory, and what models say to compare its candidates by."""

    found: Extracted
    shown: Shown = field(default_factory=dict)
    vectors: Mapping[str, Vector] = field(default_factory=lambda: NONE)
    verdicts: Verdicts = field(default_factory=lambda: NO_VERDICTS)


async def read(db: Database, extractor: Extractor, caller: Caller, given: Readable) -> Reading:
    """Have an extractor read messages; a model that fails is a backend that is unavailable."""
    shown: Shown = {}
    if extractor.reads_held and _is_said_by_user(given.messages):
        shown = await look_up(db, caller, given.messages, given.context)
    held = await as_known(shown, *given.redactors)
    try:
        found = await extractor.extract(
            caller, given.messages, context=given.context, held=held, speaker=Speaker()
        )
    except ExtractionFailed as failure:
        raise BackendUnavailable(failure.detail) from failure
    metrics.learning_tokens.labels(extractor.name).inc(found.tokens)
    vectors, verdicts = await learning_run.meant(db, caller, found.extraction)
    return Reading(found, shown, vectors, verdicts)


async def learn(run: learning_run.Run, reading: Reading) -> list[Proposal]:
    """Decide over what was read and write the result, inside the transaction of a run."""
    run.vectors, run.verdicts, run.shown = reading.vectors, reading.verdicts, reading.shown
    return await learning_run.learn(run, reading.found.extraction)


def _is_said_by_user(messages: Sequence[Message]) -> bool:
    return any(each.role == "user" for each in messages)
