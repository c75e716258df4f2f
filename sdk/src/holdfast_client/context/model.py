"""The values of a context, and its conversion to the format of a provider."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from holdfast_client.context import providers

ArchivalMode = Literal["tool_only", "auto", "off"]


@dataclass(frozen=True, slots=True)
class MemoryPolicy:
    """Which memory the context includes: core blocks by the two flags, archival lines by the mode."""

    archival_mode: ArchivalMode = "tool_only"
    archival_limit: int = 10
    archival_min_score: float | None = None
    include_user_core: bool = True
    include_agent_core: bool = True


@dataclass(frozen=True, slots=True)
class RecallPolicy:
    """What the message recalls: of which kinds (None: memories, node items, store entries and summaries), how many, and from
    which score and trust on."""

    mode: Literal["auto", "off"] = "auto"
    kinds: Sequence[str] | None = None
    limit: int = 8
    min_score: float = 0.3
    min_trust: str | None = None


@dataclass(frozen=True, slots=True)
class ConversationName:
    """The conversation to read: its key, or variables for the key template of its resource."""

    resource_id: str
    key: str | None = None
    variables: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class UserMemory:
    """The core blocks as one text for the prompt; the same bytes until a block changes."""

    content: str
    etag: str
    tokens: int


@dataclass(frozen=True, slots=True)
class ReminderSource:
    """The archival line that a reminder was made from, as it was then."""

    block_type: str
    scope: str
    agent_id: str | None
    line_number: int
    updated_at: datetime
    kind: str = "block_line"


@dataclass(frozen=True, slots=True)
class Reminder:
    """An archival line for this turn."""

    content: str
    source: ReminderSource
    score: float


@dataclass(frozen=True, slots=True)
class RecalledText:
    """What recall found for the message: the best passage of one object, since when it holds, and where it comes from."""

    id: str
    kind: str
    text: str
    score: float
    when: datetime
    source: str


@dataclass(frozen=True, slots=True)
class ContextEntry:
    """One of the agent's entries."""

    id: str
    agent_id: str
    workspace_id: str
    run_id: str | None
    user_id: str | None
    scope: Literal["agent", "user"]
    key: str
    category: str
    content: str
    tags: list[str]
    size: int
    version: int
    expires_at: datetime | None
    created_at: datetime
    updated_at: datetime
    type: Literal["memory_entry"] = "memory_entry"


@dataclass(frozen=True, slots=True)
class ContextMessage:
    """A message of the conversation."""

    id: str
    role: str
    content: str
    tokens: int
    created_at: datetime | None = None
    name: str | None = None
    tool_calls: list[Any] | None = None
    tool_call_id: str | None = None
    metadata: dict[str, Any] | None = None
    type: str = "message"


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of each part, and the total."""

    user_memory: int
    system_reminders: int
    recalled: int
    entries: int
    messages: int
    total: int


@dataclass(frozen=True, slots=True)
class Dropped:
    """What was left out of a part, and why."""

    part: str
    reason: str
    count: int
    tokens: int | None
    ids: list[str]


@dataclass(frozen=True, slots=True)
class Context:
    """User memory, reminders, recalled texts, entries and messages for a prompt."""

    user_memory: UserMemory
    system_reminders: list[Reminder]
    recalled: list[RecalledText]
    entries: list[ContextEntry]
    messages: list[ContextMessage]
    tokens: Tokens
    dropped: list[Dropped] = field(default_factory=list)
    type: Literal["context"] = "context"

    def to_openai(self, message: str | None = None) -> list[dict[str, Any]]:
        """Messages for OpenAI's chat API: memory, which changes least, then the conversation.

        Reminders and recalled texts are put at the start of the last user message, which is `message` unless the conversation ends with it.
        """
        return providers.openai(self, message)

    def to_anthropic(self, message: str | None = None) -> dict[str, Any]:
        """`system` and `messages` for Anthropic's API: `client.messages.create(model=…, **context.to_anthropic(said))`.

        User memory and the messages before the last are marked for prompt caching.
        """
        return providers.anthropic(self, message)
