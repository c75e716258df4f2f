"""The values of stores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypedDict

from holdfast_client.memories.model import Explanation, Matched, Miss, Mode

Action = Literal["created", "updated", "deleted"]
ImportMode = Literal["upsert", "replace"]
Visibility = Literal["org", "private"]


@dataclass(frozen=True, slots=True)
class Store:
    """A memory store, with the number and the size of what is in it; `created_by` is the user that made it."""

    id: str
    name: str
    description: str
    status: Literal["active", "archived"]
    visibility: Visibility
    read_only: bool
    created_by: str | None
    entry_count: int
    total_size: int
    metadata: dict[str, str]
    version: int
    created_at: datetime
    updated_at: datetime
    archived_at: datetime | None = None
    type: Literal["memory_store"] = "memory_store"


@dataclass(frozen=True, slots=True)
class StoreEntry:
    """A text at a path; `content` is left out in lists."""

    id: str
    store_id: str
    path: str
    size: int
    content_sha256: str
    version: int
    metadata: dict[str, str]
    created_at: datetime
    updated_at: datetime
    content: str | None = None
    type: Literal["memory"] = "memory"


@dataclass(frozen=True, slots=True)
class EntryPrefix:
    """In a list: all entries below a path, which ends with a slash."""

    path: str
    type: Literal["memory_prefix"] = "memory_prefix"


@dataclass(frozen=True, slots=True)
class PathPage:
    """One page of a store by path."""

    data: list[StoreEntry | EntryPrefix]
    has_more: bool
    next_path: str | None

    def onward(self, asked: Mapping[str, Any]) -> dict[str, Any] | None:
        """The arguments that request the next page; None at the end."""
        return {**asked, "after_path": self.next_path} if self.has_more else None


@dataclass(frozen=True, slots=True)
class Actor:
    """Who made a change."""

    type: str
    id: str


@dataclass(frozen=True, slots=True)
class EntryVersion:
    """An entry after one change; `content` is set when one version is read, unless it was redacted."""

    id: str
    store_id: str
    entry_id: str
    entry_path: str
    version: int
    size: int
    content_sha256: str
    action: Action
    redacted: bool
    actor: Actor
    user_id: str | None
    created_at: datetime
    redacted_at: datetime | None = None
    content: str | None = None
    type: Literal["memory_version"] = "memory_version"


@dataclass(frozen=True, slots=True)
class FileDiff:
    """The change of one path between two times or versions; `old_path` if it was renamed."""

    path: str
    action: Action
    diff: str
    redacted: bool = False
    old_path: str | None = None


@dataclass(frozen=True, slots=True)
class StoreDiff:
    """The changes between two times or versions, by path."""

    files: list[FileDiff]


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did, path by path."""

    created: int
    updated: int
    unchanged: int
    deleted: int


@dataclass(frozen=True, slots=True)
class RecalledStoreEntry:
    """A recalled entry of a store: its best passage, the entry itself, and how it was found."""

    id: str
    text: str
    object: StoreEntry
    score: float
    matched: Matched
    explain: Explanation | None = None
    kind: Literal["store_entry"] = "store_entry"


@dataclass(frozen=True, slots=True)
class RecalledStoreEntries:
    """Recalled entries, best first; `misses` explains the ids of `ids` that are not in `data`."""

    data: list[RecalledStoreEntry]
    tokens: int
    misses: list[Miss]


class StoreRecallOptions(TypedDict, total=False):
    """The options of a recall in a store."""

    limit: int
    mode: Mode
    min_score: float
    max_tokens: int
    explain: bool
    ids: Sequence[str]
    now: datetime
