"""Stores themselves over HTTP."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from holdfast.edge.preconditions import IfMatch
from holdfast.edge.route import ApiRoute, TheCaller, TheDatabase
from holdfast.kernel.pages import Page
from holdfast.stores import service
from holdfast.stores.model import Store
from holdfast.stores.routes.words import (
    PREFIX,
    StoreChange,
    StoreCreate,
    TheCursor,
    ThePeriod,
    tagged,
)

router = APIRouter(prefix=PREFIX, route_class=ApiRoute, tags=["stores"])


@router.post("", operation_id="stores.create", status_code=201)
async def create_store(
    body: StoreCreate, response: Response, caller: TheCaller, db: TheDatabase
) -> Store:
    """Make a store; names need not be unique."""
    store = await service.create_store(
        db,
        caller,
        body.name,
        description=body.description,
        metadata=body.metadata,
        visibility=body.visibility,
        read_only=body.read_only,
    )
    return tagged(response, store)


@router.get("", operation_id="stores.list_stores")
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


@router.get("/{store_id}", operation_id="stores.open")
async def get_store(store_id: str, response: Response, caller: TheCaller, db: TheDatabase) -> Store:
    """One store, with the number and size of its entries."""
    return tagged(response, await service.read_store(db, caller, store_id))


@router.patch("/{store_id}", operation_id="stores.change")
async def patch_store(
    store_id: str,
    body: StoreChange,
    if_match: IfMatch,
    response: Response,
    caller: TheCaller,
    db: TheDatabase,
) -> Store:
    """Change a store itself: service keys, an owner, or the user that made it."""
    store = await service.change_store(
        db,
        caller,
        store_id,
        name=body.name,
        description=body.description,
        metadata=body.metadata,
        visibility=body.visibility,
        read_only=body.read_only,
        if_match=if_match,
    )
    return tagged(response, store)


@router.delete("/{store_id}", operation_id="stores.delete_store", status_code=204)
async def delete_store(
    store_id: str, if_match: IfMatch, caller: TheCaller, db: TheDatabase
) -> None:
    """Delete a store with its entries and all their versions."""
    await service.delete_store(db, caller, store_id, if_match=if_match)


@router.post("/{store_id}/archive", operation_id="stores.archive")
async def archive_store(
    store_id: str, if_match: IfMatch, response: Response, caller: TheCaller, db: TheDatabase
) -> Store:
    """Close a store to writing, for good; 409 `archived` if it is already."""
    store = await service.archive_store(db, caller, store_id, if_match=if_match)
    return tagged(response, store)
