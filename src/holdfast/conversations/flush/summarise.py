"""The summary of what a flush removes: by a language model, or extracted from the messages; one message, kept first."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from holdfast.conversations.backends import Backends
from holdfast.conversations.counting import OVERHEAD, Counter
from holdfast.conversations.flush.extract import HEADING, bare, extract
from holdfast.conversations.flush.plan import Plan, summary_room
from holdfast.conversations.logs.protocol import MessageLog
from holdfast.conversations.model import LONG_TERM, Draft, Instance, StoredMessage
from holdfast.conversations.resources.config import Resource
from holdfast.kernel import clock
from holdfast.kernel.caller import Caller
from holdfast.kernel.ids import new_id
from holdfast.kernel.llm import LlmError
from holdfast.kernel.tokens import Tokenizer

PROMPT = Path(__file__).with_name("summary_prompt.md").read_text()
JOB = "conversation_flush"

# A model is not given more than this of what it is to summarise; the rest is kept, but not read.
MAX_PROMPT_CHARS = 200_000


@dataclass(frozen=True, slots=True)
class ToSummarise:
    """The messages that a plan summarises, and the earlier summary that is folded in."""

    messages: list[StoredMessage]
    earlier: str | None

    @property
    def drafts(self) -> list[Draft]:
        """The messages without their places."""
        return [stored.draft for stored in self.messages]


def room_of(resource: Resource) -> int:
    """How many tokens a summary of this resource may take."""
    return summary_room(resource.budget, resource.strategy.summary_tokens)


async def by_model(
    backends: Backends,
    log: MessageLog,
    caller: Caller,
    resource: Resource,
    instance: Instance,
    plan: Plan,
) -> tuple[Draft | None, int]:
    """A summary by the language model, and the tokens it took; by extraction where the resource allows it and the model fails."""
    if backends.llm is None:
        return await extractive(backends, log, caller, resource, instance, plan), 0
    found = await _read(log, caller, instance, plan)
    if not found.messages:
        return None, 0
    counter, room = backends.counter(resource), _room_for_text(backends, resource)
    try:
        completion = await backends.llm.complete(
            caller,
            JOB,
            PROMPT,
            prompt_for(found.drafts, found.earlier),
            max_tokens=max(1, room),
        )
    except LlmError:
        if resource.strategy.fallback != "extractive":
            raise
        return await extractive(backends, log, caller, resource, instance, plan), 0
    # What a model says is text from outside: the privacy policy covers it too.
    text = resource.redactor.text(completion.text)
    text = await asyncio.to_thread(within, text, counter.local, room)
    draft = _message(text, counter, len(found.messages), backends.llm.name)
    return draft, completion.tokens


async def extractive(
    backends: Backends,
    log: MessageLog,
    caller: Caller,
    resource: Resource,
    instance: Instance,
    plan: Plan,
) -> Draft | None:
    """A summary made of the messages' own sentences; None where the plan summarises nothing."""
    if not plan.summarised:
        return None
    found = await _read(log, caller, instance, plan)
    counter, room = backends.counter(resource), _room_for_text(backends, resource)
    text = await asyncio.to_thread(
        extract, found.drafts, found.earlier, counter.local, max(1, room)
    )
    return _message(text, counter, len(found.messages), "extractive")


def prompt_for(messages: Sequence[Draft], earlier: str | None) -> str:
    """What the model is shown: the earlier summary, then the messages."""
    parts = []
    if earlier:
        parts.append(f"Earlier summary, to be folded in:\n{bare(earlier)}\n")
    parts.append("Messages:")
    parts += [f"{message.role}: {message.content}" for message in messages]
    return "\n".join(parts)[:MAX_PROMPT_CHARS]


def within(text: str, tokenizer: Tokenizer, room: int) -> str:
    """A model's summary under our heading, cut where it is longer than it may be."""
    return tokenizer.first(f"{HEADING}{text}", max(1, room))


async def _read(log: MessageLog, caller: Caller, instance: Instance, plan: Plan) -> ToSummarise:
    found = await log.fetch(caller, instance, plan.removed)
    earlier = [stored.draft.content for stored in found if stored.draft.share == LONG_TERM]
    summarised = set(plan.summarised)
    messages = [stored for stored in found if stored.seq in summarised]
    return ToSummarise(messages, "\n".join(earlier) or None)


def _room_for_text(backends: Backends, resource: Resource) -> int:
    return room_of(resource) - backends.counter(resource).role("system") - OVERHEAD


def _message(text: str, counter: Counter, summarised: int, by: str) -> Draft | None:
    if not text:
        return None
    return Draft(
        id=new_id("msg"),
        role="system",
        content=text,
        tokens=counter.local.count(text) + counter.role("system") + OVERHEAD,
        share=LONG_TERM,
        created_at=clock.now(),
        metadata={"summary": {"by": by, "messages": summarised}},
    )
