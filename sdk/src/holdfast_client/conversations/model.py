"""The values of conversations and of memory resources."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from holdfast_client.values import read

Role = Literal["user", "assistant", "system", "tool"]
Strategy = Literal["simple_fifo", "lru", "token_aware_lru", "hybrid_summary"]

_STAMPS = ("revision", "created_at", "updated_at")


@dataclass(frozen=True, slots=True)
class MemoryResource:
    """The configuration of a kind of conversation. To change it, put a changed copy of `config`."""

    id: str
    config: dict[str, Any]
    revision: int
    created_at: datetime
    updated_at: datetime

    @classmethod
    def from_json(cls, value: Any) -> "MemoryResource":
        """Separate the fields of `config` from those that the server adds beside them."""
        stamps = read(_Stamps, value)
        config = {name: each for name, each in value.items() if name not in _STAMPS}
        return cls(stamps.id, config, stamps.revision, stamps.created_at, stamps.updated_at)


@dataclass(frozen=True, slots=True)
class _Stamps:
    id: str
    revision: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault of a resource: the field, and in YAML the line."""

    field: str
    message: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Validation:
    """The faults that were found; without faults, the resources as they were read."""

    valid: bool
    errors: list[Problem]
    resources: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Message:
    """A stored message; `flushed_at` is set if it was flushed."""

    id: str
    role: Role
    content: str
    tokens: int
    created_at: datetime
    type: str = "message"
    name: str | None = None
    tool_calls: list[Any] | None = None
    tool_call_id: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    flushed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Messages:
    """Part of a message list, oldest first."""

    messages: list[Message]
    total_count: int
    has_more: bool

    @property
    def data(self) -> list[Message]:
        """The messages, under the name that `iterate` uses."""
        return self.messages

    def onward(self, asked: Mapping[str, Any]) -> dict[str, Any] | None:
        """The arguments that request the next part; None at the end, and for a `tail`."""
        if not self.has_more or asked.get("tail") is not None:
            return None
        return {**asked, "offset": asked.get("offset", 0) + len(self.messages)}


@dataclass(frozen=True, slots=True)
class FoundText:
    """A summary or a flushed message that a search found."""

    kind: Literal["summary", "flushed"]
    id: str
    text: str
    object: dict[str, Any]
    score: float


@dataclass(frozen=True, slots=True)
class FlushResult:
    """What a flush did, or on a dry run would do; `scheduled` if a job has to call a language model first."""

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
    """A message that was not stored, and why."""

    index: int
    id: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class AppendResult:
    """What an append or a write did; the counts are those after the flush, if one ran."""

    appended: int
    duplicates: int
    not_persisted: int
    not_persisted_reasons: list[NotPersisted]
    total_count: int
    token_count: int
    flush: FlushResult | None


@dataclass(frozen=True, slots=True)
class Cleared:
    """How many messages were removed, and the id of their backup."""

    messages_cleared: int
    backup_id: str | None


@dataclass(frozen=True, slots=True)
class Restored:
    """How many messages were restored, and the counts afterwards."""

    restored: int
    total_count: int
    token_count: int


@dataclass(frozen=True, slots=True)
class Popped:
    """The removed message, and how many are left."""

    message: Message | None
    total_count: int


@dataclass(frozen=True, slots=True)
class Share:
    """One share of the token budget."""

    share: float
    limit: int
    used: int


@dataclass(frozen=True, slots=True)
class TokenizerUsed:
    """The tokenizer in use; `fallback` if it is not the model's own."""

    encoding: str
    fallback: bool


@dataclass(frozen=True, slots=True)
class LastFlush:
    """The last flush."""

    at: datetime
    strategy: Strategy
    removed: int
    summary_generated: bool
    message_count: int
    token_count: int


@dataclass(frozen=True, slots=True)
class LastError:
    """The last error; cleared when a flush succeeds."""

    at: datetime
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Stats:
    """The counts and limits of an instance; `ttl_remaining` in seconds."""

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
    """Whether an instance can be written to and is persisted."""

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
    agent_id: str | None  # or an agent; both None where the resource is shared
    message_count: int
    token_count: int
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None
    type: Literal["conversation"] = "conversation"
