"""What a store holds, and how big it may be."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated, Literal, TypeVar

from pydantic import Field

from holdfast.kernel import limits
from holdfast.kernel.caller import Actor, ActorType
from holdfast.kernel.clock import Instant
from holdfast.kernel.errors import Invalid

MAX_NAME_CHARS = 64
MAX_DESCRIPTION_CHARS = 1024
MAX_CONTENT_BYTES = 102_400
MAX_METADATA_PAIRS = 16
MAX_METADATA_KEY_CHARS = 64
MAX_METADATA_VALUE_CHARS = 512

Status = Literal["active", "archived"]
Visibility = Literal["org", "private"]
Action = Literal["created", "updated", "deleted"]
ImportMode = Literal["upsert", "replace"]

T = TypeVar("T")
# A field that is only there when it has a value.
Sparse = Annotated[T | None, Field(exclude_if=lambda value: value is None)]


@dataclass(frozen=True, slots=True)
class Store:
    """A memory store. Its version and updated_at are its own: they do not move with its entries.

    `created_by` is the user that made it, to whom a `private` store belongs.
    """

    id: str
    name: str
    description: str
    status: Status
    visibility: Visibility
    read_only: bool
    created_by: str | None
    entry_count: int
    total_size: int
    metadata: dict[str, str]
    version: int
    created_at: Instant
    updated_at: Instant
    archived_at: Sparse[Instant] = None
    type: Literal["memory_store"] = "memory_store"


@dataclass(frozen=True, slots=True)
class StoreEntry:
    """A text at a path; lists leave its content out."""

    id: str
    store_id: str
    path: str
    size: int
    content_sha256: str
    version: int
    metadata: dict[str, str]
    created_at: Instant
    updated_at: Instant
    content: Sparse[str] = None
    type: Literal["memory"] = "memory"


@dataclass(frozen=True, slots=True)
class EntryPrefix:
    """Stands in a list for all entries below a path, with a trailing slash."""

    path: str
    type: Literal["memory_prefix"] = "memory_prefix"


ListItem = StoreEntry | EntryPrefix


@dataclass(frozen=True, slots=True)
class PathPage:
    """One page of a store by path; `next_path` goes into `after_path` for the next one."""

    data: list[ListItem]
    has_more: bool
    next_path: str | None


@dataclass(frozen=True, slots=True)
class EntryVersion:
    """An entry as it was after one change; `user_id` is the user that the change was made for."""

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
    created_at: Instant
    redacted_at: Sparse[Instant] = None
    content: Sparse[str] = None
    type: Literal["memory_version"] = "memory_version"


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A version as the database has it, with fields that only some answers show."""

    id: str
    store_id: str
    entry_id: str
    entry_path: str
    version: int
    size: int
    content_sha256: str
    action: Action
    actor_type: ActorType
    actor_id: str
    user_id: str | None
    session_id: str | None
    created_at: Instant
    redacted_at: Instant | None
    redacted_by: dict[str, str] | None
    metadata: dict[str, str]
    content: str | None

    @property
    def shown(self) -> EntryVersion:
        """The version as clients see it."""
        return EntryVersion(
            id=self.id,
            store_id=self.store_id,
            entry_id=self.entry_id,
            entry_path=self.entry_path,
            version=self.version,
            size=self.size,
            content_sha256=self.content_sha256,
            action=self.action,
            redacted=self.redacted_at is not None,
            actor=Actor(self.actor_type, self.actor_id),
            user_id=self.user_id,
            created_at=self.created_at,
            redacted_at=self.redacted_at,
            content=self.content,
        )


@dataclass(frozen=True, slots=True)
class FileDiff:
    """What became of one path between two moments; `old_path` where it was renamed."""

    path: str
    action: Action
    diff: str
    redacted: bool = False
    old_path: Sparse[str] = None


@dataclass(frozen=True, slots=True)
class StoreDiff:
    """What changed between two moments, by path."""

    files: list[FileDiff]


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did to each path."""

    created: int
    updated: int
    unchanged: int
    deleted: int


@dataclass(frozen=True, slots=True)
class Text:
    """A content that fits, measured once."""

    content: str
    size: int
    sha256: str


def measured(content: str, *, may_be_blank: bool = False, what: str = "the content") -> Text:
    """The content with its size and hash; refused where it is blank or too large."""
    limits.storable(content, field="content")
    if not may_be_blank and not content.strip():
        raise Invalid.field("content", "may not be blank")
    size = limits.at_most_bytes(content, MAX_CONTENT_BYTES, what=what)
    return Text(content, size, sha256(content.encode()).hexdigest())


def named(name: str, *, max_chars: int = MAX_NAME_CHARS) -> str:
    """A store's name, trimmed; refused where nothing is left or too much."""
    name = name.strip()
    if not name:
        raise Invalid.field("name", "may not be blank")
    limits.at_most_chars(name, max_chars, what="the name")
    return name


def described(description: str) -> str:
    """A store's description, trimmed."""
    description = description.strip()
    limits.at_most_chars(description, MAX_DESCRIPTION_CHARS, what="the description")
    return description


def check_metadata(metadata: Mapping[str, str | None]) -> None:
    """Refuse metadata with too many pairs, or a key or value that is too long. None stands for a key to remove."""
    kept = sum(value is not None for value in metadata.values())
    limits.at_most(kept, MAX_METADATA_PAIRS, what="pairs of metadata")
    for key, value in metadata.items():
        if not key:
            raise Invalid.field("metadata", "a key has at least one character")
        limits.at_most_chars(key, MAX_METADATA_KEY_CHARS, what="a key of the metadata")
        limits.at_most_chars(
            value or "", MAX_METADATA_VALUE_CHARS, what=f"the value of {key!r} in the metadata"
        )
