"""The values of entries and runs."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

ImportMode = Literal["upsert", "replace"]
EntryScope = Literal["agent", "user"]


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
    scope: EntryScope
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
class StoredEntry(Entry):
    """A stored entry, whether its key is new, and the keys that were evicted to make room."""

    created: bool = False
    evicted: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class NewEntry:
    """An entry of a batch."""

    key: str
    content: str
    category: str = "core"
    tags: list[str] = field(default_factory=list)
    scope: EntryScope = "agent"


@dataclass(frozen=True, slots=True)
class Actor:
    """Who made a change."""

    type: str
    id: str


@dataclass(frozen=True, slots=True)
class EntryRevision:
    """An entry after one change; `content` is None for a removal, or if it was redacted.

    `user_id` is the user that the change was made for.
    """

    id: str
    version_id: str
    key: str
    version: int
    action: str
    actor: Actor
    user_id: str | None
    created_at: datetime
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
    """The result of one item of a batch."""

    key: str | None
    status: Literal["stored", "invalid", "refused"]
    error: ItemError | None = None


@dataclass(frozen=True, slots=True)
class BatchResult:
    """How many items were stored, the result of each, and the keys that were evicted to make room."""

    stored: int
    skipped: int
    results: list[ItemResult]
    evicted: list[str]


@dataclass(frozen=True, slots=True)
class Hydration:
    """The entries that an agent sees when a run starts, newest first. `etag` changes with their texts or order."""

    data: list[Entry]
    budget_bytes: int
    used_bytes: int
    dropped_entries: int
    dropped_bytes: int
    etag: str


@dataclass(frozen=True, slots=True)
class Run:
    """One run of an agent; `hydration` is set if the run was started with `hydrate`."""

    run_id: str
    agent_id: str
    started_at: datetime
    ended_at: datetime | None
    type: Literal["run"] = "run"
    hydration: Hydration | None = None


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What an import changed."""

    upserted: int
    unchanged: int
    deleted: int
    expired: int
    evicted: list[str]
