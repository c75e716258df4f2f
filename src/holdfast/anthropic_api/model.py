"""Stores, memories and versions in Anthropic's words."""

from base64 import b64decode, urlsafe_b64encode
from dataclasses import dataclass
from typing import Literal
from unicodedata import category

from holdfast.kernel import limits
from holdfast.kernel.clock import Instant
from holdfast.kernel.errors import Invalid, Malformed
from holdfast.stores.model import Action, EntryPrefix, Store, StoreEntry, VersionRow
from holdfast.stores.paths import MAX_PATH_BYTES

MAX_NAME_CHARS = 255
MAX_SEGMENTS = 20
MAX_FULL_PAGE = 20

View = Literal["basic", "full"]
Operation = Literal["created", "modified", "deleted"]

# Control, format, line separator, paragraph separator.
_REFUSED_CATEGORIES = frozenset({"Cc", "Cf", "Zl", "Zp"})
_ACTIONS: dict[Operation, Action] = {
    "created": "created",
    "modified": "updated",
    "deleted": "deleted",
}
_OPERATIONS = {action: operation for operation, action in _ACTIONS.items()}


@dataclass(frozen=True, slots=True)
class MemoryStore:
    """A store."""

    id: str
    name: str
    description: str
    metadata: dict[str, str]
    created_at: Instant
    updated_at: Instant
    archived_at: Instant | None
    type: Literal["memory_store"] = "memory_store"


@dataclass(frozen=True, slots=True)
class Memory:
    """An entry; `content` is null in the basic view."""

    id: str
    memory_store_id: str
    memory_version_id: str
    path: str
    content: str | None
    content_sha256: str
    content_size_bytes: int
    created_at: Instant
    updated_at: Instant
    type: Literal["memory"] = "memory"


@dataclass(frozen=True, slots=True)
class MemoryPrefix:
    """A folder that stands for what lies below it."""

    path: str
    type: Literal["memory_prefix"] = "memory_prefix"


@dataclass(frozen=True, slots=True)
class MemoryVersion:
    """A version; redaction shows nothing of it but that it was, a deletion nothing but the path."""

    id: str
    memory_id: str
    memory_store_id: str
    operation: Operation
    path: str | None
    content: str | None
    content_sha256: str | None
    content_size_bytes: int | None
    created_at: Instant
    created_by: dict[str, str] | None
    redacted_at: Instant | None
    redacted_by: dict[str, str] | None
    type: Literal["memory_version"] = "memory_version"


@dataclass(frozen=True, slots=True)
class Deleted:
    """What was deleted."""

    id: str
    type: Literal["memory_store_deleted", "memory_deleted"]


@dataclass(frozen=True, slots=True)
class StorePage:
    """A page of stores; `next_page` asks for the next."""

    data: list[MemoryStore]
    next_page: str | None


@dataclass(frozen=True, slots=True)
class MemoryPage:
    """A page of memories and folders."""

    data: list[Memory | MemoryPrefix]
    next_page: str | None


@dataclass(frozen=True, slots=True)
class VersionPage:
    """A page of versions."""

    data: list[MemoryVersion]
    next_page: str | None


# --- ours into theirs ------------------------------------------------------------------------------------------------


def store_of(store: Store) -> MemoryStore:
    """A store in their words."""
    return MemoryStore(
        id=store.id,
        name=store.name,
        description=store.description,
        metadata=store.metadata,
        created_at=store.created_at,
        updated_at=store.updated_at,
        archived_at=store.archived_at,
    )


def memory_of(entry: StoreEntry, version_id: str, view: View) -> Memory:
    """An entry in their words."""
    return Memory(
        id=entry.id,
        memory_store_id=entry.store_id,
        memory_version_id=version_id,
        path=f"/{entry.path}",
        content=entry.content if view == "full" else None,
        content_sha256=entry.content_sha256,
        content_size_bytes=entry.size,
        created_at=entry.created_at,
        updated_at=entry.updated_at,
    )


def prefix_of(prefix: EntryPrefix) -> MemoryPrefix:
    """A folder in their words."""
    return MemoryPrefix(f"/{prefix.path}")


def version_of(row: VersionRow, view: View) -> MemoryVersion:
    """A version in their words."""
    redacted, deleted = row.redacted_at is not None, row.action == "deleted"
    by = row.redacted_by
    return MemoryVersion(
        id=row.id,
        memory_id=row.entry_id,
        memory_store_id=row.store_id,
        operation=_OPERATIONS[row.action],
        path=None if redacted else f"/{row.entry_path}",
        content=row.content if view == "full" else None,
        content_sha256=None if redacted or deleted else row.content_sha256,
        content_size_bytes=None if redacted or deleted else row.size,
        created_at=row.created_at,
        created_by=_actor(row.actor_type, row.actor_id),
        redacted_at=row.redacted_at,
        redacted_by=None if by is None else _actor(by["type"], by["id"]),
    )


def _actor(kind: str, name: str) -> dict[str, str]:
    """Who did it: a key, a user, or something that works on its own (an agent, a job)."""
    match kind:
        case "api_key":
            return {"type": "api_actor", "api_key_id": name}
        case "user":
            return {"type": "user_actor", "user_id": name}
        case _:
            return {"type": "service_account_actor", "service_account_id": name}


# --- theirs into ours ------------------------------------------------------------------------------------------------


def action_of(operation: Operation | None) -> Action | None:
    """What we call an operation."""
    return None if operation is None else _ACTIONS[operation]


def entry_path(path: str) -> str:
    """The path of an entry: theirs without its leading slash. What only they refuse is refused here."""
    if not path.startswith("/"):
        raise Invalid.field("path", "starts with /")
    limits.at_most_bytes(path, MAX_PATH_BYTES, what="the path")
    if path.count("/") > MAX_SEGMENTS:
        raise Invalid.field("path", f"has at most {MAX_SEGMENTS} segments")
    if any(category(char) in _REFUSED_CATEGORIES for char in path):
        raise Invalid.field("path", "may not contain control, format or separator characters")
    return path[1:]


def entry_prefix(prefix: str | None) -> str | None:
    """The prefix of a listing: theirs starts and ends with a slash."""
    if prefix is None or prefix == "/":
        return None
    if not (prefix.startswith("/") and prefix.endswith("/")):
        raise Malformed.field("path_prefix", "starts and ends with /")
    return prefix[1:]


def checked_name(name: str) -> str:
    """A store's name, without control characters."""
    if any(category(char) == "Cc" for char in name):
        raise Invalid.field("name", "may not contain control characters")
    return name


def page_token(cursor: str | None) -> str | None:
    """Where the next page starts, as an opaque word."""
    return None if cursor is None else urlsafe_b64encode(cursor.encode()).decode()


def page_cursor(token: str | None) -> str | None:
    """What `page_token` was made of."""
    if token is None:
        return None
    try:
        cursor = b64decode(token.encode(), altchars=b"-_", validate=True).decode()
    except ValueError:
        raise Malformed.field("page", "is not a next_page of ours") from None
    limits.storable(cursor, field="page")
    return cursor
