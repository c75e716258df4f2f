"""What an entry is, how big it may be, and where it lives."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal

from holdfast.kernel import limits
from holdfast.kernel.caller import Actor
from holdfast.kernel.clock import Instant
from holdfast.kernel.errors import Invalid

CORE, DAILY, CONVERSATION, WORKSPACE = "core", "daily", "conversation", "workspace"

MAX_KEY_BYTES = 255
MAX_CONTENT_BYTES = 16_384
MAX_CATEGORY_BYTES = 64
MAX_TAGS = 32
MAX_TAG_BYTES = 64
# Per agent, its runs' scratch included; and per workspace.
MAX_ENTRIES = 1_000
MAX_BATCH_BYTES = 262_144

DAILY_LASTS = timedelta(hours=72)
RUN_IDLES_AT_MOST = timedelta(hours=24)

DEFAULT_BUDGET_BYTES = 262_144
DEFAULT_LIMIT = 100
DEFAULT_SEARCH_LIMIT = 20


@dataclass(frozen=True, slots=True)
class Entry:
    """One fact under its key. `agent_id` is who stored it last: of a workspace's entry, any of its agents."""

    id: str
    agent_id: str
    workspace_id: str
    run_id: str | None
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


@dataclass(frozen=True, slots=True)
class StoredEntry(Entry):
    """An entry as it was just stored: whether its key is new, and whose place it took."""

    created: bool = False
    evicted: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class NewEntry:
    """What is to be stored under a key."""

    key: str
    content: str
    category: str = CORE
    tags: list[str] = field(default_factory=list)

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
class Place:
    """Where keys are unique: an agent, one of its runs, or a workspace. `owner` is whose thousand it counts in."""

    owner: str
    run_id: str | None = None

    @property
    def name(self) -> str:
        """The place as history names it. No id has a slash, so that no two places share a name."""
        return self.owner if self.run_id is None else f"runs/{self.run_id}"


@dataclass(frozen=True, slots=True)
class Places:
    """Where one agent looks, nearest first: the current run, itself, its workspace."""

    agent_id: str
    workspace_id: str
    run_id: str | None = None

    @property
    def agent(self) -> Place:
        return Place(f"agents/{self.agent_id}")

    @property
    def workspace(self) -> Place:
        return Place(f"workspaces/{self.workspace_id}")

    @property
    def owners(self) -> list[str]:
        """Both owners, in the order in which they are locked."""
        return [self.agent.owner, self.workspace.owner]

    def nearest_first(self, category: str | None = None) -> list[Place]:
        """Where to look for a key; where a category is named, only the place that holds such."""
        if category is not None:
            return [self.of(category)] if category != CONVERSATION or self.run_id else []
        run = [] if self.run_id is None else [Place(self.agent.owner, self.run_id)]
        return [*run, self.agent, self.workspace]

    def of(self, category: str) -> Place:
        """Where an entry of this category is kept; `conversation` needs a run."""
        if category == WORKSPACE:
            return self.workspace
        if category != CONVERSATION:
            return self.agent
        if self.run_id is None:
            raise Invalid.field("run_id", "a conversation entry needs the run it belongs to")
        return Place(self.agent.owner, self.run_id)

    def holding(self, entry: Entry) -> Place:
        """Where an entry that was found here is kept."""
        return (
            self.workspace if entry.category == WORKSPACE else Place(self.agent.owner, entry.run_id)
        )


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
    """An entry as it stood after one change; of a removal, or once redacted, there is no content."""

    id: str
    key: str
    version: int
    action: str
    actor: Actor
    created_at: Instant
    request_id: str | None
    category: str | None
    content: str | None
    tags: list[str] | None
    type: Literal["memory_entry_revision"] = "memory_entry_revision"


@dataclass(frozen=True, slots=True)
class History:
    """What became of a key, newest first."""

    data: list[EntryRevision]


@dataclass(frozen=True, slots=True)
class ItemError:
    """Why an item of a batch was not stored."""

    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class ItemResult:
    """What became of one item of a batch."""

    key: str | None
    status: Literal["stored", "invalid", "refused"]
    error: ItemError | None = None


@dataclass(frozen=True, slots=True)
class BatchResult:
    """What became of a batch: how many, one by one, and whose places they took."""

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
