"""The operations on stores."""

from collections.abc import Mapping
from datetime import datetime
from typing import Unpack

from holdfast_client.calls import (
    Call,
    Query,
    ask,
    at,
    delete,
    get,
    one,
    page_of,
    patch,
    post,
    put,
    raw,
)
from holdfast_client.scope import Scope
from holdfast_client.stores.model import (
    Action,
    EntryVersion,
    Imported,
    ImportMode,
    PathPage,
    RecalledStoreEntries,
    Store,
    StoreDiff,
    StoreEntry,
    StoreRecallOptions,
    Visibility,
)
from holdfast_client.values import UNSET, Page, Unset, given

ROOT = "memory_stores"
ZIP_TIMEOUT_S = 300.0


# --- stores ----------------------------------------------------------------------------------------------------------


def create_store(
    scope: Scope,
    name: str,
    *,
    description: str = "",
    metadata: Mapping[str, str] | None = None,
    visibility: Visibility = "org",
    read_only: bool = False,
) -> Call[Store]:
    """Make a store; names need not be unique. A `private` one is there for the user that makes it alone.

    `read_only`: user and agent keys only read its entries.
    """
    body = given(
        name=name,
        description=description,
        metadata=dict(metadata or {}),
        visibility=visibility,
        read_only=read_only,
    )
    return post(scope, at(ROOT), one(Store), body)


def list_stores(
    scope: Scope,
    *,
    include_archived: bool = False,
    name: str | None = None,
    created_since: datetime | None = None,
    created_until: datetime | None = None,
    limit: int = 20,
    after_id: str | None = None,
    before_id: str | None = None,
) -> Call[Page[Store]]:
    """Stores, newest first; `name` filters by the start of the name, ignoring case."""
    query: Query = {
        "include_archived": include_archived,
        "name": name,
        "created_at[gte]": created_since,
        "created_at[lte]": created_until,
        "limit": limit,
        "after_id": after_id,
        "before_id": before_id,
    }
    return get(scope, at(ROOT), page_of(Store), query)


def read_store(scope: Scope, store_id: str) -> Call[Store]:
    """One store, with its present counts."""
    return get(scope, at(ROOT, store_id), one(Store))


def change_store(
    scope: Scope,
    store_id: str,
    *,
    name: str | Unset = UNSET,
    description: str | Unset = UNSET,
    metadata: Mapping[str, str | None] | Unset = UNSET,
    visibility: Visibility | Unset = UNSET,
    read_only: bool | Unset = UNSET,
    if_match: int | None = None,
) -> Call[Store]:
    """Change what is given; a None in the metadata removes its key. ScopeDenied for a user that did not make it."""
    body = given(
        name=name,
        description=description,
        metadata=metadata,
        visibility=visibility,
        read_only=read_only,
    )
    return patch(scope, at(ROOT, store_id), one(Store), body, if_match=if_match)


def delete_store(scope: Scope, store_id: str, *, if_match: int | None = None) -> Call[None]:
    """Delete a store with its entries and all their versions."""
    return delete(scope, at(ROOT, store_id), repeatable=True, if_match=if_match)


def archive_store(scope: Scope, store_id: str, *, if_match: int | None = None) -> Call[Store]:
    """Make a store read-only permanently; raises Archived if it is already."""
    return post(scope, at(ROOT, store_id, "archive"), one(Store), if_match=if_match)


# --- entries ---------------------------------------------------------------------------------------------------------


def create_entry(
    scope: Scope,
    store_id: str,
    path: str,
    content: str,
    *,
    metadata: Mapping[str, str] | None = None,
) -> Call[StoreEntry]:
    """Write a text at a free path; Conflict if the path is taken, with its entry as `current`."""
    body = given(path=path, content=content, metadata=dict(metadata or {}))
    where = at(ROOT, store_id, "memories")
    return post(scope, where, one(StoreEntry), body, conflict_as=StoreEntry)


def list_entries(
    scope: Scope,
    store_id: str,
    *,
    path_prefix: str | None = None,
    depth: int = 0,
    limit: int = 20,
    after_path: str | None = None,
    as_of: datetime | None = None,
) -> Call[PathPage]:
    """Entries by path, without their contents; with `depth`, what lies deeper is rolled up into folders.

    With `as_of`, as they were at that time.
    """
    query: Query = {
        "path_prefix": path_prefix,
        "depth": depth,
        "limit": limit,
        "after_path": after_path,
        "as_of": as_of,
    }
    return get(scope, at(ROOT, store_id, "memories"), one(PathPage), query)


def read_entry(
    scope: Scope, store_id: str, entry_id: str, *, as_of: datetime | None = None
) -> Call[StoreEntry]:
    """One entry with its content, now or as it was at a time."""
    path = at(ROOT, store_id, "memories", entry_id)
    return get(scope, path, one(StoreEntry), {"as_of": as_of})


def read_entry_at(
    scope: Scope, store_id: str, path: str, *, as_of: datetime | None = None
) -> Call[StoreEntry]:
    """The entry at a path, now or as it was at a time."""
    where = at(ROOT, store_id, "memories", "by-path", path)
    return get(scope, where, one(StoreEntry), {"as_of": as_of})


def update_entry(
    scope: Scope,
    store_id: str,
    entry_id: str,
    content: str,
    *,
    version: int,
    path: str | Unset = UNSET,
    metadata: Mapping[str, str] | Unset = UNSET,
    if_match: int | None = None,
) -> Call[StoreEntry]:
    """Replace an entry if `version` is current; another `path` renames it. Conflict has the present entry."""
    body = given(content=content, version=version, path=path, metadata=metadata)
    where = at(ROOT, store_id, "memories", entry_id)
    return put(scope, where, one(StoreEntry), body, if_match=if_match, conflict_as=StoreEntry)


def delete_entry(
    scope: Scope,
    store_id: str,
    entry_id: str,
    *,
    version: int | None = None,
    if_match: int | None = None,
) -> Call[None]:
    """Delete an entry; with `version`, only if that is current. Its versions stay."""
    where = at(ROOT, store_id, "memories", entry_id)
    return delete(
        scope, where, query={"version": version}, if_match=if_match, conflict_as=StoreEntry
    )


def restore_entry(
    scope: Scope, store_id: str, entry_id: str, *, version_id: str, version: int
) -> Call[StoreEntry]:
    """Write an old version's content and metadata again; a deleted entry is restored with its id."""
    body = given(version_id=version_id, version=version)
    where = at(ROOT, store_id, "memories", entry_id, "restore")
    return post(scope, where, one(StoreEntry), body, conflict_as=StoreEntry)


# --- versions --------------------------------------------------------------------------------------------------------


def list_versions(
    scope: Scope,
    store_id: str,
    *,
    entry_id: str | None = None,
    path: str | None = None,
    action: Action | None = None,
    created_since: datetime | None = None,
    created_until: datetime | None = None,
    limit: int = 20,
    after_id: str | None = None,
    before_id: str | None = None,
) -> Call[Page[EntryVersion]]:
    """Versions of a store's entries, newest first, without their contents."""
    query: Query = {
        "entry_id": entry_id,
        "path": path,
        "action": action,
        "created_at[gte]": created_since,
        "created_at[lte]": created_until,
        "limit": limit,
        "after_id": after_id,
        "before_id": before_id,
    }
    return get(scope, at(ROOT, store_id, "versions"), page_of(EntryVersion), query)


def read_version(scope: Scope, store_id: str, version_id: str) -> Call[EntryVersion]:
    """One version, with its content unless it is redacted."""
    return get(scope, at(ROOT, store_id, "versions", version_id), one(EntryVersion))


def redact_version(scope: Scope, store_id: str, version_id: str) -> Call[EntryVersion]:
    """Erase a version's content permanently; Conflict while it is the entry's current version."""
    where = at(ROOT, store_id, "versions", version_id, "redact")
    return post(scope, where, one(EntryVersion), conflict_as=EntryVersion)


def diff(
    scope: Scope, store_id: str, since: str | datetime, until: str | datetime
) -> Call[StoreDiff]:
    """What changed between two versions (their ids) or two times, as unified diffs."""
    return get(scope, at(ROOT, store_id, "diff"), one(StoreDiff), {"from": since, "to": until})


def recall_entries(
    scope: Scope, store_id: str, query: str, **options: Unpack[StoreRecallOptions]
) -> Call[RecalledStoreEntries]:
    """Find entries of a store by word and by meaning, best first."""
    body = given(query=query, **options)
    return ask(scope, at(ROOT, store_id, "recall"), one(RecalledStoreEntries), body)


# --- zip in and out --------------------------------------------------------------------------------------------------


def export_store(scope: Scope, store_id: str) -> Call[bytes]:
    """The store as a zip: files at their paths, and a manifest with their metadata."""
    return get(scope, at(ROOT, store_id, "export"), raw)


def import_store(
    scope: Scope, store_id: str, content: bytes, *, mode: ImportMode = "upsert"
) -> Call[Imported]:
    """Write every file of a zip to its path, or none; `replace` also deletes entries that are not in it."""
    return post(
        scope,
        at(ROOT, store_id, "import"),
        one(Imported),
        content=content,
        content_type="application/zip",
        query={"mode": mode},
        timeout_s=ZIP_TIMEOUT_S,
    )
