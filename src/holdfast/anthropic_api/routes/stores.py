"""Anthropic's memory stores themselves."""

from holdfast.anthropic_api.model import (
    MAX_NAME_CHARS,
    Deleted,
    MemoryStore,
    StorePage,
    checked_name,
    page_cursor,
    page_token,
    store_of,
)
from holdfast.anthropic_api.routes.words import (
    Limit,
    Since,
    StoreCreate,
    StoreUpdate,
    Until,
    new_router,
)
from holdfast.edge.route import TheCaller, TheDatabase
from holdfast.kernel.errors import Archived
from holdfast.kernel.pages import DEFAULT_LIMIT, Cursor
from holdfast.stores import service
from holdfast.stores.service import Period

router = new_router()


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
