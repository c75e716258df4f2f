"""The entries of a store over HTTP."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from holdfast.edge.preconditions import IfMatch
from holdfast.edge.route import ApiRoute, TheCaller, TheDatabase
from holdfast.kernel.clock import Instant
from holdfast.kernel.pages import DEFAULT_LIMIT, MAX_LIMIT
from holdfast.kernel.revisions import MAX_VERSION
from holdfast.stores import entries, listing, versions
from holdfast.stores.entries import Expected
from holdfast.stores.model import PathPage, StoreEntry
from holdfast.stores.routes.words import (
    NO_CONTROLS,
    PREFIX,
    EntryCreate,
    EntryRestore,
    EntryUpdate,
    tagged,
)

MAX_DEPTH = 1024
AsOf = Annotated[Instant | None, Query(description="as it was at this time")]


router = APIRouter(prefix=PREFIX, route_class=ApiRoute, tags=["stores"])


@router.post("/{store_id}/memories", operation_id="stores.create_entry", status_code=201)
async def create_entry(
    store_id: str, body: EntryCreate, response: Response, caller: TheCaller, db: TheDatabase
) -> StoreEntry:
    """Write a text at a free path; 409 if the path is taken."""
    entry = await entries.create_entry(
        db, caller, store_id, body.path, body.content, metadata=body.metadata
    )
    return tagged(response, entry)


@router.get("/{store_id}/memories", operation_id="stores.list")
async def list_entries(
    store_id: str,
    caller: TheCaller,
    db: TheDatabase,
    path_prefix: Annotated[
        str | None,
        Query(json_schema_extra=NO_CONTROLS, description="whole segments: `notes` or `notes/`"),
    ] = None,
    depth: Annotated[
        int, Query(ge=0, le=MAX_DEPTH, description="roll up what lies deeper; 0: nothing")
    ] = 0,
    after_path: Annotated[str | None, Query(description="the page after this path")] = None,
    limit: Annotated[int, Query(ge=1, le=MAX_LIMIT)] = DEFAULT_LIMIT,
    as_of: AsOf = None,
) -> PathPage:
    """The entries by path, without their contents."""
    return await listing.list_entries(
        db,
        caller,
        store_id,
        limit=limit,
        path_prefix=path_prefix,
        depth=depth,
        after_path=after_path,
        as_of=as_of,
    )


@router.get("/{store_id}/memories/by-path/{path:path}", operation_id="stores.get")
async def get_entry_at(
    store_id: str,
    path: str,
    response: Response,
    caller: TheCaller,
    db: TheDatabase,
    as_of: AsOf = None,
) -> StoreEntry:
    """The entry at a path."""
    entry = await entries.read_entry_at(db, caller, store_id, path, as_of=as_of)
    return tagged(response, entry)


@router.get("/{store_id}/memories/{entry_id}", operation_id="stores.read_entry")
async def get_entry(
    store_id: str,
    entry_id: str,
    response: Response,
    caller: TheCaller,
    db: TheDatabase,
    as_of: AsOf = None,
) -> StoreEntry:
    """One entry."""
    return tagged(response, await entries.read_entry(db, caller, store_id, entry_id, as_of=as_of))


@router.put("/{store_id}/memories/{entry_id}", operation_id="stores.update_entry")
async def put_entry(
    store_id: str,
    entry_id: str,
    body: EntryUpdate,
    if_match: IfMatch,
    response: Response,
    caller: TheCaller,
    db: TheDatabase,
) -> StoreEntry:
    """Replace an entry's content; 409 with `current` unless `version` is the current one."""
    entry = await entries.update_entry(
        db,
        caller,
        store_id,
        entry_id,
        content=body.content,
        path=body.path,
        metadata=body.metadata,
        expected=Expected(version=body.version, if_match=if_match),
    )
    return tagged(response, entry)


@router.delete(
    "/{store_id}/memories/{entry_id}", operation_id="stores.delete_entry", status_code=204
)
async def delete_entry(
    store_id: str,
    entry_id: str,
    if_match: IfMatch,
    caller: TheCaller,
    db: TheDatabase,
    version: Annotated[
        int | None, Query(ge=1, le=MAX_VERSION, description="only if it is still at this version")
    ] = None,
) -> None:
    """Delete an entry; its versions stay."""
    expected = Expected(version=version, if_match=if_match)
    await entries.delete_entry(db, caller, store_id, entry_id, expected=expected)


@router.post("/{store_id}/memories/{entry_id}/restore", operation_id="stores.restore_entry")
async def restore_entry(
    store_id: str,
    entry_id: str,
    body: EntryRestore,
    if_match: IfMatch,
    response: Response,
    caller: TheCaller,
    db: TheDatabase,
) -> StoreEntry:
    """Make an old version's content and metadata the newest; brings a deleted entry back."""
    entry = await versions.restore_entry(
        db,
        caller,
        store_id,
        entry_id,
        version_id=body.version_id,
        expected=Expected(version=body.version, if_match=if_match),
    )
    return tagged(response, entry)
