"""Stores over HTTP."""

from collections.abc import Iterator
from typing import Annotated, Any, TypeVar
from urllib.parse import quote

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import Field

from holdfast.edge.json_body import read_body
from holdfast.edge.preconditions import IfMatch, set_etag
from holdfast.edge.recall import RecallBody
from holdfast.edge.route import ApiRoute, StreamingApiRoute, TheCaller, TheDatabase
from holdfast.edge.wire import Body, page_cursor
from holdfast.kernel.clock import Instant
from holdfast.kernel.pages import DEFAULT_LIMIT, MAX_LIMIT, Cursor, Page
from holdfast.stores import changes, entries, listing, recall, service, transfer, versions
from holdfast.stores.archive import MAX_ZIP_BYTES
from holdfast.stores.entries import Expected
from holdfast.stores.model import (
    Action,
    EntryVersion,
    Imported,
    ImportMode,
    PathPage,
    Store,
    StoreDiff,
    StoreEntry,
)
from holdfast.stores.service import Period

router = APIRouter(prefix="/memory_stores", route_class=ApiRoute, tags=["stores"])
import_router = APIRouter(prefix="/memory_stores", route_class=StreamingApiRoute, tags=["stores"])

TheCursor = Annotated[Cursor, Depends(page_cursor)]
MAX_VERSION = 2**31 - 1
MAX_DEPTH = 1024
CHUNK_BYTES = 64 * 1024

Thing = TypeVar("Thing", Store, StoreEntry)
VersionNumber = Annotated[int, Field(ge=1, le=MAX_VERSION, examples=[1])]


class StoreCreate(Body):
    """A new store."""

    name: str = Field(examples=["Team handbook"])
    description: str = Field("", examples=["How we work"])
    metadata: dict[str, str] = Field(default_factory=dict, examples=[{"team": "support"}])


class StoreChange(Body):
    """What to change about a store; what is left out stays, a null in the metadata removes its key."""

    name: str | None = Field(None, examples=["Handbook"])
    description: str | None = Field(None, examples=["How we work"])
    metadata: dict[str, str | None] | None = Field(None, examples=[{"team": None}])


class EntryCreate(Body):
    """A text and where it lies."""

    path: str = Field(examples=["notes/tea.md"])
    content: str = Field(examples=["Ana drinks green tea.\n"])
    metadata: dict[str, str] = Field(default_factory=dict, examples=[{"source": "chat"}])


class EntryUpdate(Body):
    """What an entry becomes, and the version it was read at."""

    content: str = Field(examples=["Ana drinks black tea.\n"])
    version: VersionNumber
    metadata: dict[str, str] | None = Field(None, examples=[{"source": "chat"}])
    path: str | None = Field(None, examples=["notes/drinks.md"])


class EntryRestore(Body):
    """The version to bring back, and the version that the entry was read at."""

    version_id: str = Field(examples=["memver_0190f5a8c0de7a3bb1c2d3e4f5061728"])
    version: VersionNumber


def created_between(
    gte: Annotated[Instant | None, Query(alias="created_at[gte]")] = None,
    lte: Annotated[Instant | None, Query(alias="created_at[lte]")] = None,
) -> Period:
    """The filter by time of a list."""
    return Period(gte, lte)


ThePeriod = Annotated[Period, Depends(created_between)]


# --- stores ----------------------------------------------------------------------------------------------------------


@router.post("", status_code=201)
async def create_store(
    body: StoreCreate, response: Response, caller: TheCaller, db: TheDatabase
) -> Store:
    """Make a store; names need not be unique."""
    store = await service.create_store(
        db, caller, body.name, description=body.description, metadata=body.metadata
    )
    return _tagged(response, store)


@router.get("")
async def list_stores(
    cursor: TheCursor,
    period: ThePeriod,
    caller: TheCaller,
    db: TheDatabase,
    include_archived: bool = False,
    name: Annotated[str | None, Query(description="how the name begins, in any case")] = None,
) -> Page[Store]:
    """The stores, newest first."""
    return await service.list_stores(
        db, caller, cursor, include_archived=include_archived, name=name, period=period
    )


@router.get("/{store_id}")
async def get_store(store_id: str, response: Response, caller: TheCaller, db: TheDatabase) -> Store:
    """One store, with the number and size of its entries."""
    return _tagged(response, await service.read_store(db, caller, store_id))


@router.patch("/{store_id}")
async def patch_store(
    store_id: str,
    body: StoreChange,
    if_match: IfMatch,
    response: Response,
    caller: TheCaller,
    db: TheDatabase,
) -> Store:
    """Change a store's name, description or metadata."""
    store = await service.change_store(
        db,
        caller,
        store_id,
        name=body.name,
        description=body.description,
        metadata=body.metadata,
        if_match=if_match,
    )
    return _tagged(response, store)


@router.delete("/{store_id}", status_code=204)
async def delete_store(
    store_id: str, if_match: IfMatch, caller: TheCaller, db: TheDatabase
) -> None:
    """Delete a store with its entries and all their versions."""
    await service.delete_store(db, caller, store_id, if_match=if_match)


@router.post("/{store_id}/archive")
async def archive_store(
    store_id: str, if_match: IfMatch, response: Response, caller: TheCaller, db: TheDatabase
) -> Store:
    """Close a store to writing, for good; 409 `archived` if it is already."""
    store = await service.archive_store(db, caller, store_id, if_match=if_match)
    return _tagged(response, store)


# --- entries ---------------------------------------------------------------------------------------------------------


@router.post("/{store_id}/memories", status_code=201)
async def create_entry(
    store_id: str, body: EntryCreate, response: Response, caller: TheCaller, db: TheDatabase
) -> StoreEntry:
    """Write a text at a free path; 409 if the path is taken."""
    entry = await entries.create_entry(
        db, caller, store_id, body.path, body.content, metadata=body.metadata
    )
    return _tagged(response, entry)


@router.get("/{store_id}/memories")
async def list_entries(
    store_id: str,
    caller: TheCaller,
    db: TheDatabase,
    path_prefix: Annotated[
        str | None, Query(description="whole segments: `notes` or `notes/`")
    ] = None,
    depth: Annotated[
        int, Query(ge=0, le=MAX_DEPTH, description="roll up what lies deeper; 0: nothing")
    ] = 0,
    after_path: Annotated[str | None, Query(description="the page after this path")] = None,
    limit: Annotated[int, Query(ge=1, le=MAX_LIMIT)] = DEFAULT_LIMIT,
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
    )


@router.get("/{store_id}/memories/by-path/{path:path}")
async def get_entry_at(
    store_id: str, path: str, response: Response, caller: TheCaller, db: TheDatabase
) -> StoreEntry:
    """The entry at a path."""
    return _tagged(response, await entries.read_entry_at(db, caller, store_id, path))


@router.get("/{store_id}/memories/{entry_id}")
async def get_entry(
    store_id: str, entry_id: str, response: Response, caller: TheCaller, db: TheDatabase
) -> StoreEntry:
    """One entry."""
    return _tagged(response, await entries.read_entry(db, caller, store_id, entry_id))


@router.put("/{store_id}/memories/{entry_id}")
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
    return _tagged(response, entry)


@router.delete("/{store_id}/memories/{entry_id}", status_code=204)
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


@router.post("/{store_id}/memories/{entry_id}/restore")
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
    return _tagged(response, entry)


# --- versions --------------------------------------------------------------------------------------------------------


@router.get("/{store_id}/versions")
async def list_versions(
    store_id: str,
    cursor: TheCursor,
    period: ThePeriod,
    caller: TheCaller,
    db: TheDatabase,
    entry_id: str | None = None,
    path: Annotated[str | None, Query(description="the path it had then")] = None,
    action: Action | None = None,
) -> Page[EntryVersion]:
    """The versions of a store's entries, newest first, without their contents."""
    filters = versions.Filters(entry_id=entry_id, path=path, action=action, period=period)
    page = await versions.list_versions(db, caller, store_id, cursor, filters)
    return Page([row.shown for row in page.data], page.first_id, page.last_id, page.has_more)


@router.get("/{store_id}/versions/{version_id}")
async def get_version(
    store_id: str, version_id: str, caller: TheCaller, db: TheDatabase
) -> EntryVersion:
    """One version, with its content unless it is redacted."""
    return (await versions.read_version(db, caller, store_id, version_id)).shown


@router.post("/{store_id}/versions/{version_id}/redact")
async def redact_version(
    store_id: str, version_id: str, caller: TheCaller, db: TheDatabase
) -> EntryVersion:
    """Take a version's content away for good; 409 while the entry stands at it, or if it is gone already."""
    return (await versions.redact_version(db, caller, store_id, version_id)).shown


@router.get("/{store_id}/diff")
async def get_diff(
    store_id: str,
    since: Annotated[str, Query(alias="from", description="a version or a time")],
    until: Annotated[str, Query(alias="to", description="a version or a time")],
    caller: TheCaller,
    db: TheDatabase,
) -> StoreDiff:
    """What changed between two versions, or between two times, as unified diffs."""
    return await changes.diff(db, caller, store_id, since, until)


# --- zip in and out --------------------------------------------------------------------------------------------------

_ZIP: dict[str, Any] = {"schema": {"type": "string", "format": "binary"}}


@router.get(
    "/{store_id}/export",
    response_class=StreamingResponse,
    responses={200: {"content": {"application/zip": _ZIP}, "description": "The zip"}},
)
async def export_store(store_id: str, caller: TheCaller, db: TheDatabase) -> StreamingResponse:
    """The store as a zip: files at their paths, and a manifest with their metadata."""
    exported = await transfer.export_store(db, caller, store_id)

    def chunks() -> Iterator[bytes]:
        with exported.file as file:
            while chunk := file.read(CHUNK_BYTES):
                yield chunk

    name = quote(f"{exported.store.name}.zip", safe="")
    return StreamingResponse(
        chunks(),
        media_type="application/zip",
        headers={
            "Content-Length": str(exported.size),
            "Content-Disposition": f"attachment; filename*=UTF-8''{name}",
        },
    )


@import_router.post(
    "/{store_id}/import",
    openapi_extra={
        "requestBody": {"required": True, "content": {"application/zip": _ZIP}},
    },
)
async def import_store(
    store_id: str,
    request: Request,
    if_match: IfMatch,
    caller: TheCaller,
    db: TheDatabase,
    mode: ImportMode = "upsert",
) -> Imported:
    """Write every file of a zip to its path, or nothing of it; `replace` also deletes what is not in it."""
    body = await read_body(request, MAX_ZIP_BYTES)
    return await transfer.import_store(db, caller, store_id, body, mode=mode, if_match=if_match)


def _tagged(response: Response, thing: Thing) -> Thing:
    set_etag(response, thing.version)
    return thing


class StoreRecallBody(RecallBody):
    """What to recall in a store, and in which form."""

    query: str = Field(examples=["how do we handle refunds?"])
    limit: int = Field(10, ge=1, le=MAX_LIMIT)
    ids: list[str] = Field(
        default_factory=list, examples=[["mem_0199c0ffee0070008000000000000001"]]
    )


@router.post("/{store_id}/recall")
async def post_recall(
    store_id: str, body: StoreRecallBody, caller: TheCaller, db: TheDatabase
) -> recall.RecalledEntries:
    """The entries of the store that fit a query best, each by its best passage."""
    return await recall.recall(db, caller, store_id, body.as_ask(body.query, body.limit))
