"""The memories of a store, in Anthropic's words."""

from holdfast.anthropic_api.errors import PATH_CONFLICT, PRECONDITION_LOST, with_error_type
from holdfast.anthropic_api.model import (
    Deleted,
    Memory,
    MemoryPage,
    View,
    entry_path,
    entry_prefix,
    memory_of,
    page_cursor,
    page_token,
    prefix_of,
)
from holdfast.anthropic_api.routes.words import (
    Depth,
    Limit,
    MemoryCreate,
    MemoryUpdate,
    bounded,
    new_router,
)
from holdfast.edge.route import TheCaller, TheDatabase
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.errors import Conflict, NotFound
from holdfast.kernel.pages import DEFAULT_LIMIT
from holdfast.stores import entries, listing
from holdfast.stores.entries import Expected
from holdfast.stores.model import EntryPrefix, StoreEntry

router = new_router()


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
        raise with_error_type(PATH_CONFLICT, lost) from None
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
        limit=bounded(limit, view),
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
        raise with_error_type(PRECONDITION_LOST, lost) from None
    return Deleted(memory_id, "memory_deleted")


async def _shown(db: Database, caller: Caller, entry: StoreEntry, view: View) -> Memory:
    head = (await entries.version_ids(db, caller, [entry])).get(entry.id)
    if head is None:
        raise NotFound("the store was deleted meanwhile")
    return memory_of(entry, head, view)


def _unless_lost(
    lost: Conflict, memory_id: str, content: str | None, path: str | None
) -> StoreEntry:
    """The memory, where it already is what was asked for: a retry after a lost answer is no conflict."""
    entry = lost.current
    if not isinstance(entry, StoreEntry) or entry.id != memory_id:
        raise with_error_type(PATH_CONFLICT, lost) from None
    if content in (None, entry.content) and path in (None, entry.path):
        return entry
    raise with_error_type(PRECONDITION_LOST, lost) from None
