"""What no extractor and no model may see: the resource's patterns, the org's, and secrets are masked before a message is read."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.conversations.model import Draft, StoredMessage
from holdfast.conversations.privacy import Redactor
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.patterns import compile_pattern
from holdfast.kernel.sql import load
from holdfast.learning.model import Message
from holdfast.learning.secrets import mask_secrets

queries = load(__file__)

MASK = "[REDACTED]"


@dataclass(frozen=True, slots=True)
class OrgSettings:
    """What an org decided about learning."""

    review_extractions: bool
    redact_patterns: list[str]


async def org_redactor(db: Database, caller: Caller) -> Redactor:
    """The org's own patterns, compiled."""
    found = await db.one(caller, OrgSettings, queries.read_settings)
    patterns = [] if found is None else found.redact_patterns
    return Redactor(tuple(compile_pattern(each) for each in patterns), MASK)


async def masked(drafts: Sequence[Draft], *redactors: Redactor) -> list[Message]:
    """Messages as extractors may read them."""
    return await asyncio.to_thread(lambda: [_masked(each, redactors) for each in drafts])


async def masked_texts(texts: Sequence[str], *redactors: Redactor) -> list[str]:
    """Texts that memory holds, as models may read them."""
    return await asyncio.to_thread(
        lambda: [mask_secrets(_redacted(each, redactors)) for each in texts]
    )


def _masked(draft: Draft, redactors: Sequence[Redactor]) -> Message:
    content = mask_secrets(_redacted(draft.content, redactors))
    name = None if draft.name is None else _redacted(draft.name, redactors)
    return Message(draft.id, draft.role, content, draft.created_at, name)


def _redacted(text: str, redactors: Sequence[Redactor]) -> str:
    for redactor in redactors:
        text = redactor.text(text)
    return text


def drafts_of(messages: Sequence[StoredMessage]) -> list[Draft]:
    """The messages of a log without their places."""
    return [each.draft for each in messages]
