"""What an entry is, and how big it may be."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal

from holdfast.kernel import limits
from holdfast.kernel.caller import Actor
from holdfast.kernel.clock import Instant
from holdfast.kernel.errors import Invalid
from holdfast.kernel.sight import Audience

CORE, DAILY, CONVERSATION, WORKSPACE = "core", "daily", "conversation", "workspace"

Scope = Literal["agent", "user"]

MAX_KEY_BYTES = 255
MAX_CONTENT_BYTES = 16_384
MAX_CATEGORY_BYTES = 64
MAX_TAGS = 32
MAX_TAG_BYTES = 64
# Per agent (its runs' entries included), per user with an agent, and per workspace.
MAX_ENTRIES = 1_000
MAX_BATCH_BYTES = 262_144

DAILY_LASTS = timedelta(hours=72)
RUN_IDLES_AT_MOST = timedelta(hours=24)

DEFAULT_BUDGET_BYTES = 262_144
DEFAULT_LIMIT = 100
DEFAULT_SEARCH_LIMIT = 20


@dataclass(frozen=True, slots=True)
class Entry:
    """One fact under its key. `agent_id` is who stored it last: of a workspace's entry, any of its agents.

    `user_id` is the user that an entry with scope `user` belongs to; any other entry has none.
    """

    id: str
    agent_id: str
    workspace_id: str
    run_id: str | None
    user_id: str | None
    scope: Scope
    key: str
    category: str
    content: str
    tags: list[str]
    size: int
    version: int
    expires_at: Instant | None
    created_at: Instant
    updated_at: Instant
    type: Literal["memory_entry"] = "memory_entry"

    def lives_at(self, now: datetime) -> bool:
        """Whether it has not expired."""
        return self.expires_at is None or self.expires_at > now

    @property
    def audience(self) -> Audience:
        """Who sees it; its key is unique there."""
        if self.run_id is not None:
            return Audience(run_id=self.run_id)
        if self.category == WORKSPACE:
            return Audience(workspace_id=self.workspace_id)
        return Audience(agent_id=self.agent_id, user_id=self.user_id)


@dataclass(frozen=True, slots=True)
class StoredEntry(Entry):
    """An entry as it was just stored: whether its key is new, and the keys that were evicted for it."""

    created: bool = False
    evicted: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class NewEntry:
    """What is to be stored under a key."""

    key: str
    content: str
    category: str = CORE
    tags: list[str] = field(default_factory=list)
    scope: Scope = "agent"

    @property
    def size(self) -> int:
        """The entry's cost: the bytes of key, content, category and tags."""
        texts = (self.key, self.content, self.category, *self.tags)
        return sum(len(text.encode(errors="surrogatepass")) for text in texts)

    def check(self) -> None:
        """Refuse what is empty, too large, or no text that can be kept."""
        _check_text(self.key, MAX_KEY_BYTES, field="key")
        _check_text(self.content, MAX_CONTENT_BYTES, field="content")
        _check_text(self.category, MAX_CATEGORY_BYTES, field="category")
        limits.at_most(len(self.tags), MAX_TAGS, what="tags")
        for index, tag in enumerate(self.tags):
            _check_text(tag, MAX_TAG_BYTES, field=f"tags.{index}")


def _check_text(text: str, limit: int, *, field: str) -> None:
    if not text:
        raise Invalid.field(field, "may not be empty")
    limits.storable(text, field=field)
    limits.at_most_bytes(text, limit, what=field)


@dataclass(frozen=True, slots=True)
class Filter:
    """Which entries to list; what is None is not asked about."""

    category: str | None = None
    tags: list[str] = field(default_factory=list)
    query: str | None = None
    updated_after: datetime | None = None
    updated_before: datetime | None = None
    run_id: str | None = None


@dataclass(frozen=True, slots=True)
class EntryRevision:
    """An entry as it stood after one change; of a removal, or once redacted, there is no content.

    `user_id` is the user that the change was made for.
    """

    id: str
    version_id: str
    key: str
    version: int
    action: str
    actor: Actor
    user_id: str | None
    created_at: Instant
    request_id: str | None
    category: str | None
    content: str | None
    tags: list[str] | None
    type: Literal["memory_entry_revision"] = "memory_entry_revision"


@dataclass(frozen=True, slots=True)
class ItemError:
    """Why an item of a batch was not stored."""

    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class ItemResult:
    """Whether one item of a batch was stored."""

    key: str | None
    status: Literal["stored", "invalid", "refused"]
    error: ItemError | None = None


@dataclass(frozen=True, slots=True)
class EntryBatchResult:
    """How many items of a batch were stored, each one's result, and the keys that were evicted for them."""

    stored: int
    skipped: int
    results: list[ItemResult]
    evicted: list[str]


@dataclass(frozen=True, slots=True)
class Hydration:
    """What an agent sees when a run starts, newest first. `etag` stays while the texts and their order do."""

    data: list[Entry]
    budget_bytes: int
    used_bytes: int
    dropped_entries: int
    dropped_bytes: int
    etag: str


@dataclass(frozen=True, slots=True)
class Run:
    """One run of an agent; `conversation` entries live as long as it does."""

    run_id: str
    agent_id: str
    started_at: Instant
    ended_at: Instant | None
    type: Literal["run"] = "run"


@dataclass(frozen=True, slots=True)
class HydratedRun(Run):
    """A run that has just started, with what its agent sees."""

    hydration: Hydration | None = None


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What an import changed."""

    upserted: int
    unchanged: int
    deleted: int
    expired: int
    evicted: list[str]


def state_of(entry: Entry) -> dict[str, Any]:
    """An entry without its content, as a revision keeps it."""
    return {
        "category": entry.category,
        "tags": entry.tags,
        "size": entry.size,
        "agent_id": entry.agent_id,
        "created_at": entry.created_at.isoformat(),
        "updated_at": entry.updated_at.isoformat(),
    }
