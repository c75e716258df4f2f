"""What reaches the agent, and what bounds it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from holdfast.blocks.model import DEFAULT_LINES, BlockScope, BlockType, RecalledLine
from holdfast.entries.model import Entry
from holdfast.kernel.clock import Instant
from holdfast.memories.model import Trust

ArchivalMode = Literal["tool_only", "auto", "off"]
RecallMode = Literal["auto", "off"]
RecallKind = Literal["memory", "node_item", "store_entry", "summary"]
Part = Literal["user_memory", "system_reminders", "recalled", "entries", "messages"]
Why = Literal["max_tokens", "budget_bytes", "window", "unresolved"]

MAX_MESSAGE_ID_CHARS = 128
# Of a conversation, the newest this many are looked at.
MESSAGE_WINDOW = 1_000
MAX_TOKENS = 10_000_000
RECALL_KINDS: tuple[RecallKind, ...] = ("memory", "node_item", "store_entry", "summary")
DEFAULT_RECALLED, MAX_RECALLED = 8, 100
# Below this score most of what recall finds for a message that has nothing to do with it.
MIN_RECALL_SCORE = 0.3


@dataclass(frozen=True, slots=True)
class MemoryPolicy:
    """How memory reaches the agent. Core depends on its two flags alone, archival on the mode."""

    archival_mode: ArchivalMode = "tool_only"
    archival_limit: int = DEFAULT_LINES
    archival_min_score: float | None = None
    include_user_core: bool = True
    include_agent_core: bool = True


@dataclass(frozen=True, slots=True)
class RecallPolicy:
    """Which memory the message itself recalls; `min_trust` leaves out memories that are trusted less."""

    mode: RecallMode = "auto"
    kinds: tuple[RecallKind, ...] = RECALL_KINDS
    limit: int = DEFAULT_RECALLED
    min_score: float = MIN_RECALL_SCORE
    min_trust: Trust | None = None


@dataclass(frozen=True, slots=True)
class ConversationName:
    """Which conversation to read: by its key, or by variables for the template of its resource."""

    resource_id: str
    key: str | None = None
    variables: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of one session: the reminders and recalled texts that it was given are stored under these names."""

    session_id: str
    message_id: str


@dataclass(frozen=True, slots=True)
class UserMemory:
    """The core blocks as the model reads them; `etag` and text stay until the memory changes."""

    content: str
    etag: str
    tokens: int


@dataclass(frozen=True, slots=True)
class ReminderSource:
    """The memory a reminder came from: a line of an archive, as it stood then."""

    block_type: BlockType
    scope: BlockScope
    agent_id: str | None
    line_number: int
    updated_at: Instant
    kind: Literal["block_line"] = "block_line"


@dataclass(frozen=True, slots=True)
class Reminder:
    """Something the model should have in mind for this turn, without the user seeing it said."""

    content: str
    source: ReminderSource
    score: float

    @classmethod
    def of(cls, line: RecalledLine) -> "Reminder":
        """A recalled line as a reminder."""
        source = ReminderSource(
            line.block_type, line.scope, line.agent_id, line.line_number, line.updated_at
        )
        return cls(line.content, source, line.score or 0.0)

    @property
    def name(self) -> str:
        """What it is called where it is left out."""
        return (
            f"{self.source.agent_id or 'user'}/{self.source.block_type}:{self.source.line_number}"
        )


@dataclass(frozen=True, slots=True)
class RecalledText:
    """What recall found for the message: the best passage of one object, since when it holds, and where it comes from."""

    id: str
    kind: RecallKind
    text: str
    score: float
    when: Instant
    source: str


@dataclass(frozen=True, slots=True)
class ContextMessage:
    """A message of the conversation."""

    id: str
    role: str
    content: str
    tokens: int
    created_at: Instant | None = None
    name: str | None = None
    tool_calls: list[Any] | None = None
    tool_call_id: str | None = None
    metadata: dict[str, Any] | None = None
    type: str = "message"


@dataclass(frozen=True, slots=True)
class Tokens:
    """What each part costs, and all of them."""

    user_memory: int
    system_reminders: int
    recalled: int
    entries: int
    messages: int
    total: int


@dataclass(frozen=True, slots=True)
class Dropped:
    """What was left out of a part, and why: `max_tokens` (this call's), `budget_bytes` (hydration's), `window` (the
    conversation is longer than a context looks back) or `unresolved` (a resource the agent refers to, whose key this call
    does not tell: nobody knows how many messages it has). `ids` names each where it is known."""

    part: Part
    reason: Why
    count: int
    tokens: int | None
    ids: list[str]


@dataclass(frozen=True, slots=True)
class Context:
    """What to put in a prompt."""

    user_memory: UserMemory
    system_reminders: list[Reminder]
    recalled: list[RecalledText]
    entries: list[Entry]
    messages: list[ContextMessage]
    tokens: Tokens
    dropped: list[Dropped] = field(default_factory=list)
    type: Literal["context"] = "context"
