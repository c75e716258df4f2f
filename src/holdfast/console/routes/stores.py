"""Stores as trees of files: their entries by folder, and the store itself."""

from fastapi import APIRouter, Response

from holdfast.console.visit import PageRoute, TheVisit, Visit
from holdfast.kernel.errors import ScopeDenied
from holdfast.kernel.revisions import MAX_VERSION
from holdfast.kernel.sight import must_manage
from holdfast.stores import listing, service, versions
from holdfast.stores.model import PathPage, Store, Visibility

router = APIRouter(route_class=PageRoute, prefix="/stores", include_in_schema=False)

VISIBILITIES: tuple[Visibility, ...] = ("org", "private")
FILES_SHOWN = 100


@router.get("", response_model=None)
async def stores(visit: TheVisit) -> Response:
    """The stores that the user sees, newest first."""
    cursor = visit.cursor()
    page = await service.list_stores(
        visit.db,
        visit.caller,
        cursor,
        include_archived=visit.query.flag("archived"),
        name=visit.query.text("q"),
    )
    return visit.page(
        "stores/list.html",
        stores=page.data,
        pages=visit.pager(page, cursor),
        visibilities=VISIBILITIES,
    )


@router.post("", response_model=None)
async def create_store(visit: TheVisit) -> Response:
    """Make a store."""
    form = visit.form
    store = await service.create_store(
        visit.db,
        visit.caller,
        form.must("name"),
        description=form.text("description") or "",
        visibility=form.choice("visibility", VISIBILITIES) or "org",
        read_only=form.flag("read_only"),
    )
    return visit.go(f"/stores/{store.id}", "created")


@router.get("/{store_id}", response_model=None)
async def store(visit: TheVisit, store_id: str) -> Response:
    """One store: the entries and folders at a path."""
    found = await service.read_store(visit.db, visit.caller, store_id)
    prefix = visit.query.text("path") or ""
    page = await _folder(visit, store_id, prefix)
    return visit.page(
        "stores/store.html",
        store=found,
        prefix=prefix,
        crumbs=_crumbs(prefix),
        items=page.data,
        more=page.next_path,
        may_manage=_may_manage(visit, found),
        visibilities=VISIBILITIES,
    )


@router.post("/{store_id}", response_model=None)
async def change_store(visit: TheVisit, store_id: str) -> Response:
    """Change the store itself at the version that the form was made from."""
    form = visit.form
    version = form.number("version", 1, MAX_VERSION)
    await service.change_store(
        visit.db,
        visit.caller,
        store_id,
        name=form.must("name"),
        description=form.text("description") or "",
        visibility=form.choice("visibility", VISIBILITIES),
        read_only=form.flag("read_only"),
        if_match=None if version is None else [version],
    )
    return visit.go(f"/stores/{store_id}", "saved")


@router.get("/{store_id}/versions", response_model=None)
async def store_versions(visit: TheVisit, store_id: str) -> Response:
    """What was written in a store, newest first."""
    found = await service.read_store(visit.db, visit.caller, store_id)
    cursor = visit.cursor()
    page = await versions.list_versions(
        visit.db, visit.caller, store_id, cursor, versions.Filters()
    )
    return visit.page(
        "stores/versions.html",
        store=found,
        versions=[row.shown for row in page.data],
        pages=visit.pager(page, cursor),
    )


@router.post("/{store_id}/archive", response_model=None)
async def archive_store(visit: TheVisit, store_id: str) -> Response:
    """Close a store to writing, for good."""
    await service.archive_store(visit.db, visit.caller, store_id)
    return visit.go(f"/stores/{store_id}", "archived")


@router.post("/{store_id}/delete", response_model=None)
async def delete_store(visit: TheVisit, store_id: str) -> Response:
    """Delete a store with its entries and all their versions."""
    await service.delete_store(visit.db, visit.caller, store_id)
    return visit.go("/stores", "deleted")


async def _folder(visit: Visit, store_id: str, prefix: str) -> PathPage:
    return await listing.list_entries(
        visit.db,
        visit.caller,
        store_id,
        limit=FILES_SHOWN,
        path_prefix=prefix or None,
        depth=1,
        after_path=visit.query.text("after"),
    )


def _crumbs(prefix: str) -> list[tuple[str, str]]:
    """The folders above a path, each with its own path."""
    found, path = [], ""
    for name in prefix.strip("/").split("/") if prefix.strip("/") else []:
        path += f"{name}/"
        found.append((name, path))
    return found


def _may_manage(visit: Visit, store: Store) -> bool:
    try:
        must_manage(visit.caller, made_by=store.created_by, what="changing a store")
    except ScopeDenied:
        return False
    return True
