"""Anthropic's memory stores over HTTP, under /anthropic/v1."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request, Response

from holdfast.anthropic_api.errors import (
    PATH_CONFLICT,
    PRECONDITION_LOST,
    AnthropicRoute,
    refusal,
    told_as,
)
from holdfast.anthropic_api.model import (
    MAX_FULL_PAGE,
    MAX_NAME_CHARS,
    Deleted,
    Memory,
    MemoryPage,
    MemoryStore,
    MemoryVersion,
    Operation,
    StorePage,
    VersionPage,
    View,
    action_of,
    checked_name,
    entry_path,
    entry_prefix,
    memory_of,
    page_cursor,
    page_token,
    prefix_of,
    store_of,
    version_of,
)
from holdfast.edge.problems import request_id_of
from holdfast.edge.route import TheCaller, TheDatabase
from holdfast.edge.wire import Body
from holdfast.kernel.caller import ActorType, Caller
from holdfast.kernel.clock import Instant
from holdfast.kernel.db import Database
from holdfast.kernel.errors import Archived, Conflict, NotFound
from holdfast.kernel.pages import DEFAULT_LIMIT, MAX_LIMIT, Cursor
from holdfast.stores import entries, listing, service, versions
from holdfast.stores.entries import Expected
from holdfast.stores.model import EntryPrefix, StoreEntry
from holdfast.stores.service import Period


def echo_request_id(request: Request, response: Response) -> None:
    """Their clients show this header in errors and logs."""
    response.headers["request-id"] = request_id_of(request)


router = APIRouter(
    prefix="/memory_stores",
    route_class=AnthropicRoute,
    include_in_schema=False,  # not ours to describe: docs/anthropic.md says what is the same and what is not
    dependencies=[Depends(echo_request_id)],
)


class StoreCreate(Body):
    """A new store."""

    name: str
    description: str | None = None
    metadata: dict[str, str] | None = None


class StoreUpdate(Body):
    """Changes of a store; null or absent stays, a null in the metadata removes its key."""

    name: str | None = None
    description: str | None = None
    metadata: dict[str, str | None] | None = None


class MemoryCreate(Body):
    """A new memory."""

    path: str
    content: str | None = None


class Precondition(Body):
    """What the content has to be."""

    type: Literal["content_sha256"]
    content_sha256: str


class MemoryUpdate(Body):
    """Changes of a memory; null or absent stays."""

    content: str | None = None
    path: str | None = None
    precondition: Precondition | None = None


Limit = Annotated[int, Query(ge=1, le=MAX_LIMIT)]
Since = Annotated[Instant | None, Query(alias="created_at[gte]")]
Until = Annotated[Instant | None, Query(alias="created_at[lte]")]
Depth = Annotated[int, Query(ge=0, le=1024)]


# --- stores ----------------------------------------------------------------------------------------------------------


@router.post("")
async def create_store(body: StoreCreate, caller: TheCaller, db: TheDatabase) -> MemoryStore:
    """Make a store."""
    store = await service.create_store(
        db,
        caller,
        checked_name(body.name),
        description=body.description or "",
        metadata=body.metadata,
        max_name_chars=MAX_NAME_CHARS,
    )
    return store_of(store)


@router.get("")
async def list_stores(
    caller: TheCaller,
    db: TheDatabase,
    include_archived: bool = False,
    since: Since = None,
    until: Until = None,
    limit: Limit = DEFAULT_LIMIT,
    page: str | None = None,
) -> StorePage:
    """The stores, newest first."""
    found = await service.list_stores(
        db,
        caller,
        Cursor(limit=limit, after_id=page_cursor(page)),
        include_archived=include_archived,
        period=Period(since, until),
    )
    return StorePage(
        [store_of(store) for store in found.data],
        page_token(found.last_id if found.has_more else None),
    )


@router.get("/{store_id}")
async def retrieve_store(store_id: str, caller: TheCaller, db: TheDatabase) -> MemoryStore:
    """One store."""
    return store_of(await service.read_store(db, caller, store_id))


@router.post("/{store_id}")
async def update_store(
    store_id: str, body: StoreUpdate, caller: TheCaller, db: TheDatabase
) -> MemoryStore:
    """Change a store."""
    store = await service.change_store(
        db,
        caller,
        store_id,
        name=None if body.name is None else checked_name(body.name),
        description=body.description,
        metadata=body.metadata,
        max_name_chars=MAX_NAME_CHARS,
    )
    return store_of(store)


@router.delete("/{store_id}")
async def delete_store(store_id: str, caller: TheCaller, db: TheDatabase) -> Deleted:
    """Delete a store with all that is in it."""
    await service.delete_store(db, caller, store_id)
    return Deleted(store_id, "memory_store_deleted")


@router.post("/{store_id}/archive")
async def archive_store(store_id: str, caller: TheCaller, db: TheDatabase) -> MemoryStore:
    """Close a store to writing; a store that is closed already is answered as it is."""
    try:
        return store_of(await service.archive_store(db, caller, store_id))
    except Archived:
        return store_of(await service.read_store(db, caller, store_id))


# --- memories --------------------------------------------------------------------------------------------------------


@router.post("/{store_id}/memories")
async def create_memory(
    store_id: str, body: MemoryCreate, caller: TheCaller, db: TheDatabase, view: View = "basic"
) -> Memory:
    """Write a memory at a free path, which may not lie above or below another's."""
    try:
        entry = await entries.create_entry(
            db,
            caller,
            store_id,
            entry_path(body.path),
            body.content or "",
            may_be_blank=True,
            as_tree=True,
        )
    except Conflict as lost:
        raise told_as(PATH_CONFLICT, lost) from None
    return await _shown(db, caller, entry, view)


@router.get("/{store_id}/memories")
async def list_memories(
    store_id: str,
    caller: TheCaller,
    db: TheDatabase,
    path_prefix: str | None = None,
    depth: Depth = 0,
    limit: Limit = DEFAULT_LIMIT,
    page: str | None = None,
    view: View = "basic",
) -> MemoryPage:
    """Memories by path; with `depth`, folders for what lies deeper."""
    found = await listing.list_entries(
        db,
        caller,
        store_id,
        limit=_bounded(limit, view),
        path_prefix=entry_prefix(path_prefix),
        depth=depth,
        after_path=page_cursor(page),
        with_content=view == "full",
    )
    listed = [item for item in found.data if isinstance(item, StoreEntry)]
    heads = await entries.version_ids(db, caller, listed)
    return MemoryPage(
        [
            prefix_of(item)
            if isinstance(item, EntryPrefix)
            else memory_of(item, heads[item.id], view)
            for item in found.data
        ],
        page_token(found.next_path),
    )


@router.get("/{store_id}/memories/{memory_id}")
async def retrieve_memory(
    store_id: str, memory_id: str, caller: TheCaller, db: TheDatabase, view: View = "full"
) -> Memory:
    """One memory."""
    return await _shown(db, caller, await entries.read_entry(db, caller, store_id, memory_id), view)


@router.post("/{store_id}/memories/{memory_id}")
async def update_memory(
    store_id: str,
    memory_id: str,
    body: MemoryUpdate,
    caller: TheCaller,
    db: TheDatabase,
    view: View = "basic",
) -> Memory:
    """Change a memory's content or path. Where it already is what is asked for, a lost precondition is no loss."""
    path = None if body.path is None else entry_path(body.path)
    expected = Expected(sha256=body.precondition.content_sha256 if body.precondition else None)
    try:
        entry = await entries.update_entry(
            db,
            caller,
            store_id,
            memory_id,
            content=body.content,
            path=path,
            expected=expected,
            may_be_blank=True,
            as_tree=True,
        )
    except Conflict as lost:
        entry = _unless_lost(lost, memory_id, body.content, path)
    return await _shown(db, caller, entry, view)


@router.delete("/{store_id}/memories/{memory_id}")
async def delete_memory(
    store_id: str,
    memory_id: str,
    caller: TheCaller,
    db: TheDatabase,
    expected_content_sha256: str | None = None,
) -> Deleted:
    """Delete a memory; its versions stay."""
    expected = Expected(sha256=expected_content_sha256)
    try:
        await entries.delete_entry(db, caller, store_id, memory_id, expected=expected)
    except Conflict as lost:
        raise told_as(PRECONDITION_LOST, lost) from None
    return Deleted(memory_id, "memory_deleted")


# --- versions --------------------------------------------------------------------------------------------------------


@router.get("/{store_id}/memory_versions")
async def list_versions(
    store_id: str,
    caller: TheCaller,
    db: TheDatabase,
    memory_id: str | None = None,
    operation: Operation | None = None,
    session_id: str | None = None,
    api_key_id: str | None = None,
    service_account_id: str | None = None,
    since: Since = None,
    until: Until = None,
    limit: Limit = DEFAULT_LIMIT,
    page: str | None = None,
    view: View = "basic",
) -> VersionPage:
    """The versions of a store's memories, newest first."""
    actor_types: tuple[ActorType, ...] | None = None
    if api_key_id is not None:
        actor_types = ("api_key",)
    elif service_account_id is not None:
        actor_types = ("agent", "job", "operator")
    filters = versions.Filters(
        entry_id=memory_id,
        action=action_of(operation),
        period=Period(since, until),
        actor_types=actor_types,
        actor_id=api_key_id or service_account_id,
        session_id=session_id,
    )
    cursor = Cursor(limit=_bounded(limit, view), after_id=page_cursor(page))
    found = await versions.list_versions(
        db, caller, store_id, cursor, filters, with_content=view == "full"
    )
    return VersionPage(
        [version_of(row, view) for row in found.data],
        page_token(found.last_id if found.has_more else None),
    )


@router.get("/{store_id}/memory_versions/{version_id}")
async def retrieve_version(
    store_id: str, version_id: str, caller: TheCaller, db: TheDatabase, view: View = "full"
) -> MemoryVersion:
    """One version."""
    return version_of(await versions.read_version(db, caller, store_id, version_id), view)


@router.post("/{store_id}/memory_versions/{version_id}/redact")
async def redact_version(
    store_id: str, version_id: str, caller: TheCaller, db: TheDatabase
) -> MemoryVersion:
    """Take a version's content away for good; again, and the answer is the same."""
    try:
        row = await versions.redact_version(db, caller, store_id, version_id)
    except Conflict:
        row = await versions.read_version(db, caller, store_id, version_id)
        if row.redacted_at is None:
            raise
    return version_of(row, "full")


# --- what is not here ------------------------------------------------------------------------------------------------

elsewhere = APIRouter()


async def refuse_elsewhere(request: Request) -> Response:
    """Anything else that their API has and this does not, refused so that their clients can read it."""
    return refusal(NotFound("there is nothing at this path with this method"), request)


# No methods named: every one that there is.
elsewhere.add_route("/{path:path}", refuse_elsewhere, methods=[], include_in_schema=False)


# --- what they share -------------------------------------------------------------------------------------------------


async def _shown(db: Database, caller: Caller, entry: StoreEntry, view: View) -> Memory:
    head = (await entries.version_ids(db, caller, [entry])).get(entry.id)
    if head is None:
        raise NotFound("the store was deleted meanwhile")
    return memory_of(entry, head, view)


def _bounded(limit: int, view: View) -> int:
    return min(limit, MAX_FULL_PAGE) if view == "full" else limit


def _unless_lost(
    lost: Conflict, memory_id: str, content: str | None, path: str | None
) -> StoreEntry:
    """The memory, where it already is what was asked for: a retry after a lost answer is no conflict."""
    entry = lost.current
    if not isinstance(entry, StoreEntry) or entry.id != memory_id:
        raise told_as(PATH_CONFLICT, lost) from None
    if content in (None, entry.content) and path in (None, entry.path):
        return entry
    raise told_as(PRECONDITION_LOST, lost) from None
