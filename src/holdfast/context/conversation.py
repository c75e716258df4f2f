"""The conversation's part of a context: its messages, read through the face that keeps them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from holdfast.context.model import MESSAGE_WINDOW, ContextMessage, ConversationName
from holdfast.conversations import keys, service
from holdfast.conversations.backends import Backends
from holdfast.conversations.counting import OVERHEAD
from holdfast.conversations.instances import InstanceRequest
from holdfast.conversations.model import StoredMessage
from holdfast.conversations.resources.service import read_resource
from holdfast.kernel.caller import Caller
from holdfast.kernel.errors import Invalid, NotFound
from holdfast.kernel.tokens import Tokenizer


@dataclass(frozen=True, slots=True)
class Said:
    """The newest messages of a conversation, oldest first; how many there are in all; and which could not be read."""

    messages: list[ContextMessage] = field(default_factory=list)
    total_count: int = 0
    unresolved: list[str] = field(default_factory=list)


async def read_messages(
    backends: Backends, speaker: Caller, name: ConversationName, tokenizer: Tokenizer | None
) -> Said:
    """The messages of one conversation; one that does not exist is empty, its resource must exist. Without a tokenizer
    each costs what its resource counted."""
    result = await service.read(
        backends,
        speaker,
        InstanceRequest(name.resource_id, key=name.key, variables=name.variables),
        limit=MESSAGE_WINDOW,
        offset=0,
        tail=MESSAGE_WINDOW,
        include_flushed=False,
    )
    kept = [each for each, _ in result.messages]
    prices = [each.draft.tokens for each in kept]
    if tokenizer is not None:
        prices = await _count(tokenizer, kept)
    messages = [_message(each, tokens) for each, tokens in zip(kept, prices, strict=True)]
    return Said(messages, result.total_count)


async def _count(tokenizer: Tokenizer, kept: Sequence[StoredMessage]) -> list[int]:
    roles = {each.draft.role: tokenizer.count(each.draft.role) for each in kept}
    contents = await tokenizer.count_all([each.draft.content for each in kept])
    return [
        tokens + roles[each.draft.role] + OVERHEAD
        for each, tokens in zip(kept, contents, strict=True)
    ]


async def read_references(
    backends: Backends,
    speaker: Caller,
    references: Sequence[Mapping[str, Any]],
    variables: Mapping[str, Any],
    tokenizer: Tokenizer | None,
    implied: ConversationName | None = None,
) -> Said:
    """The conversations that an agent's directory entry refers to, one after the other, and the implied one unless it is
    among them. One whose key cannot be made of what this call says, or whose resource is gone, is named among the
    unresolved: an agent must not lose its prompt by it.
    """
    messages: list[ContextMessage] = []
    total, unresolved = 0, []
    for reference in references:
        try:
            name = await _resolve(backends, speaker, reference, variables)
            if name == implied:
                continue
            said = await read_messages(backends, speaker, name, tokenizer)
        except (Invalid, NotFound):
            unresolved.append(str(reference["id"]))
            continue
        messages += said.messages
        total += said.total_count
    if implied is not None:
        said = await read_messages(backends, speaker, implied, tokenizer)
        messages += said.messages
        total += said.total_count
    return Said(messages, total, unresolved)


async def _resolve(
    backends: Backends,
    speaker: Caller,
    reference: Mapping[str, Any],
    variables: Mapping[str, Any],
) -> ConversationName:
    """Which conversation a reference means here: by its own template, else by its resource's."""
    template = reference.get("key")
    if template is None:
        stored = await read_resource(backends, speaker, reference["id"])
        template = stored.resource.default_key_template
    if template is None:
        raise Invalid.field("key", "neither the reference nor its resource has a template")
    return ConversationName(reference["id"], key=keys.resolve(template, variables))


def _message(kept: StoredMessage, tokens: int) -> ContextMessage:
    draft = kept.draft
    return ContextMessage(
        id=draft.id,
        role=draft.role,
        content=draft.content,
        tokens=tokens,
        created_at=draft.created_at,
        name=draft.name,
        tool_calls=draft.tool_calls,
        tool_call_id=draft.tool_call_id,
        metadata=draft.metadata,
        type=draft.type,
    )
