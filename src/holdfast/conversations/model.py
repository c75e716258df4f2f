"""What a conversation is made of, and the numbers that bound it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from holdfast.kernel.clock import Instant
from holdfast.kernel.sight import Audience

Role = Literal["user", "assistant", "system", "tool"]
Strategy = Literal["simple_fifo", "lru", "token_aware_lru", "hybrid_summary"]

MAX_CONTENT_BYTES = 64 * 1024
MAX_MESSAGES_PER_APPEND = 100
MAX_MESSAGES_PER_WRITE = 1_000
MAX_READ = 1_000
MAX_ID_CHARS = 128
NEAR_LIMIT = 0.85
LOCK_WAIT_S = 5.0

SHORT_TERM, LONG_TERM, SYSTEM = "short_term", "long_term", "system"
COMPACTION = "compaction"


@dataclass(frozen=True, slots=True)
class Instance:
    """Names one message list: a key of a resource, and its owner. A user owns it, or an agent; with neither, the org shares it.

    `within` is the workspace it must be in; None where the org does not separate workspaces.
    """

    resource_id: str
    key: str
    user_id: str | None = None
    agent_id: str | None = None
    within: str | None = None

    @property
    def audience(self) -> str:
        """The owner as one text: `user:ana`, `agent:bot` or `org`."""
        return Audience(user_id=self.user_id, agent_id=self.agent_id).text

    @classmethod
    def of(cls, resource_id: str, audience: str, key: str) -> "Instance":
        """The instance with this owner, written as `audience` writes it."""
        kind, _, name = audience.partition(":")
        user_id, agent_id = name if kind == "user" else None, name if kind == "agent" else None
        return cls(resource_id, key, user_id, agent_id)

    def is_within(self, workspace_id: str) -> bool:
        """Whether an instance that was made in this workspace is the one that is meant."""
        return self.within in (None, workspace_id)


@dataclass(frozen=True, slots=True)
class Draft:
    """A message that is about to be kept: redacted, counted, without its place in the list yet."""

    id: str
    role: Role
    content: str
    tokens: int
    share: str  # which part of the budget it counts to
    created_at: datetime
    type: str = "message"
    name: str | None = None
    tool_calls: list[Any] | None = None
    tool_call_id: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message as a log stores it: the draft, its place in the list, and when it was last accessed."""

    seq: int
    draft: Draft
    accessed_at: datetime


@dataclass(frozen=True, slots=True)
class MessageHead:
    """What a flush needs to know about a message: everything but its text."""

    seq: int
    role: str
    tokens: int
    share: str
    accessed_at: datetime
    calls: tuple[str, ...] = ()  # ids of the tool calls it makes
    answers: str | None = None  # the tool call it is the result of
    type: str = "message"

    @property
    def is_summary(self) -> bool:
        """Whether a flush wrote it."""
        return self.share == LONG_TERM

    @property
    def is_compaction(self) -> bool:
        """Whether it is a provider's compaction item, which stands for the messages before it."""
        return self.type == COMPACTION


@dataclass(frozen=True, slots=True)
class LastFlush:
    """The flush before now."""

    at: Instant
    strategy: Strategy
    removed: int
    summary_generated: bool
    message_count: int
    token_count: int


@dataclass(frozen=True, slots=True)
class LastError:
    """What went wrong last, until a flush succeeds."""

    at: Instant
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Totals:
    """An instance without its messages: running totals, never counted anew."""

    conversation_id: str
    version: int
    message_count: int
    token_count: int
    roles: dict[str, int]
    shares: dict[str, int]
    workspace_id: str  # where it was made
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None = None
    pending_job: str | None = None
    last_flush: LastFlush | None = None
    last_error: LastError | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """Which part of a message list to read: from an offset on, or the newest."""

    offset: int
    limit: int
    tail: bool = False


@dataclass(frozen=True, slots=True)
class Window:
    """Part of a message list, oldest first."""

    messages: list[StoredMessage]
    total_count: int
    has_more: bool
    conversation_id: str | None


@dataclass(frozen=True, slots=True)
class Appended:
    """What an append did."""

    appended: int
    duplicates: int
    totals: Totals
    dropped: int = 0  # by a buffer, to keep within its limits


@dataclass(frozen=True, slots=True)
class Lease:
    """A lock that ends by itself. Its token is greater than that of every holder before."""

    token: int
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Removal:
    """What a flush takes out, and the summary it puts in their place."""

    seqs: tuple[int, ...]
    summary: Draft | None
    flush: LastFlush

    @property
    def state(self) -> dict[str, Any]:
        """What the revision of the flush says beside the counts."""
        return {"strategy": self.flush.strategy, "removed": len(self.seqs)}


@dataclass(frozen=True, slots=True)
class Change:
    """One change of an instance: what it did, and the totals after it."""

    action: str
    after: Totals
    state: dict[str, Any] = field(default_factory=dict)  # what else history says of it
    removed: Sequence[StoredMessage] = ()
    added: Sequence[Draft] = ()

    @property
    def adds_summary(self) -> bool:
        """Whether a summary is among what it added."""
        return any(draft.share == LONG_TERM for draft in self.added)


# --- on the wire -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Message:
    """A message as it is read; `flushed_at` where a flush took it out."""

    id: str
    role: Role
    content: str
    tokens: int
    created_at: Instant
    type: str = "message"
    name: str | None = None
    tool_calls: list[Any] | None = None
    tool_call_id: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    flushed_at: Instant | None = None


@dataclass(frozen=True, slots=True)
class Messages:
    """Part of a message list, oldest first."""

    messages: list[Message]
    total_count: int
    has_more: bool


@dataclass(frozen=True, slots=True)
class Resolved:
    """The key that variables make."""

    key: str


@dataclass(frozen=True, slots=True)
class Restored:
    """How many messages were restored, and the counts afterwards."""

    restored: int
    total_count: int
    token_count: int


@dataclass(frozen=True, slots=True)
class InstanceDeleted:
    """Whether there was an instance to delete."""

    deleted: bool


@dataclass(frozen=True, slots=True)
class Popped:
    """The message that was taken off, and how many are left."""

    message: Message | None
    total_count: int


@dataclass(frozen=True, slots=True)
class Cleared:
    """How many messages were taken out, and the copy of them."""

    messages_cleared: int
    backup_id: str | None


@dataclass(frozen=True, slots=True)
class FlushResult:
    """What a flush did, or would do on a dry run."""

    flushed: bool
    summary_generated: bool
    message_count: int
    token_count: int
    removed: int
    actual_strategy: Strategy
    would_flush: bool | None = None
    status: Literal["done", "scheduled"] = "done"
    job_id: str | None = None


@dataclass(frozen=True, slots=True)
class NotPersisted:
    """A message that was not kept, and why."""

    index: int
    id: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class AppendResult:
    """The answer to an append or a write; the counts are those after the flush, where one ran."""

    appended: int
    duplicates: int
    not_persisted: int
    not_persisted_reasons: list[NotPersisted]
    total_count: int
    token_count: int
    flush: FlushResult | None


@dataclass(frozen=True, slots=True)
class Share:
    """One part of the budget."""

    share: float
    limit: int
    used: int


@dataclass(frozen=True, slots=True)
class TokenizerUsed:
    """What counts the tokens; `fallback` when it is not the model's own."""

    encoding: str
    fallback: bool


@dataclass(frozen=True, slots=True)
class Stats:
    """How full an instance is."""

    message_count: int
    token_count: int
    token_limit: int | None
    token_utilization: float
    tokens_until_flush: int | None
    role_distribution: dict[str, int]
    allocation: dict[str, Share]
    tokenizer: TokenizerUsed
    last_flush: LastFlush | None
    last_error: LastError | None
    ttl_remaining: int | None


@dataclass(frozen=True, slots=True)
class Health:
    """Whether an instance can be written to, and will last."""

    healthy: bool
    durable: bool
    near_limit: bool
    last_flush: LastFlush | None
    pending_flush: bool


@dataclass(frozen=True, slots=True)
class InstanceRow:
    """One instance in a list."""

    id: str
    key: str
    user_id: str | None  # the owner: a user,
    agent_id: str | None  # or an agent; both null where the resource is shared
    message_count: int
    token_count: int
    created_at: Instant
    updated_at: Instant
    expires_at: Instant | None
    type: Literal["conversation"] = "conversation"
