"""One entry of a store: its text, its versions, what changed between two, restoring and redacting."""

from fastapi import APIRouter, Response

from holdfast.console.drawing.diffs import side_by_side
from holdfast.console.visit import PageRoute, TheVisit, Visit
from holdfast.kernel.errors import Conflict, NotFound
from holdfast.kernel.pages import Cursor
from holdfast.kernel.revisions import MAX_VERSION
from holdfast.stores import entries, service, versions
from holdfast.stores.entries import Expected
from holdfast.stores.model import EntryVersion, StoreEntry

router = APIRouter(route_class=PageRoute, prefix="/stores/{store_id}", include_in_schema=False)


@router.post("/entries", response_model=None)
async def create_entry(visit: TheVisit, store_id: str) -> Response:
    """Write a text at a new path."""
    form = visit.form
    entry = await entries.create_entry(
        visit.db, visit.caller, store_id, form.must("path"), form.raw("content")
    )
    return _to(visit, store_id, entry.id, "created")


@router.get("/entries/{entry_id}", response_model=None)
async def entry(visit: TheVisit, store_id: str, entry_id: str) -> Response:
    """One entry, with its versions; also of one that was deleted."""
    store = await service.read_store(visit.db, visit.caller, store_id)
    try:
        found = await entries.read_entry(visit.db, visit.caller, store_id, entry_id)
    except NotFound:
        found = None
    cursor = visit.cursor()
    page = await versions.list_versions(
        visit.db, visit.caller, store_id, cursor, versions.Filters(entry_id=entry_id)
    )
    if found is None and not page.data:
        raise NotFound("there is no such entry in this store")
    return visit.page(
        "stores/entry.html",
        store=store,
        entry=found,
        entry_id=entry_id,
        versions=[row.shown for row in page.data],
        pages=visit.pager(page, cursor),
        present=found.version if found else page.data[0].version,
    )


@router.post("/entries/{entry_id}", response_model=None)
async def update_entry(visit: TheVisit, store_id: str, entry_id: str) -> Response:
    """Write it at the version that the form was made from; else show both texts to merge by hand."""
    form = visit.form
    content, expected = (
        form.raw("content"),
        Expected(version=form.number("version", 1, MAX_VERSION)),
    )
    try:
        await entries.update_entry(
            visit.db,
            visit.caller,
            store_id,
            entry_id,
            content=content,
            path=form.text("path"),
            expected=expected,
        )
    except Conflict as conflict:
        current = conflict.current
        if not isinstance(current, StoreEntry) or current.id != entry_id:
            raise
        return visit.page(
            "stores/conflict.html",
            status=409,
            store_id=store_id,
            current=current,
            mine=content,
            path_wanted=form.text("path"),
            rows=side_by_side(current.content or "", content),
        )
    return _to(visit, store_id, entry_id, "saved")


@router.post("/entries/{entry_id}/delete", response_model=None)
async def delete_entry(visit: TheVisit, store_id: str, entry_id: str) -> Response:
    """Take it away; its versions stay."""
    expected = Expected(version=visit.form.number("version", 1, MAX_VERSION))
    await entries.delete_entry(visit.db, visit.caller, store_id, entry_id, expected=expected)
    return visit.go(f"/stores/{store_id}", "deleted")


@router.post("/entries/{entry_id}/restore", response_model=None)
async def restore_entry(visit: TheVisit, store_id: str, entry_id: str) -> Response:
    """Make an old version the newest."""
    await versions.restore_entry(
        visit.db,
        visit.caller,
        store_id,
        entry_id,
        version_id=visit.form.must("version_id"),
        expected=Expected(version=visit.form.number("version", 1, MAX_VERSION)),
    )
    return _to(visit, store_id, entry_id, "restored")


@router.get("/versions/{version_id}", response_model=None)
async def version(visit: TheVisit, store_id: str, version_id: str) -> Response:
    """One version beside the one before it, or beside any other of the entry."""
    shown = (await versions.read_version(visit.db, visit.caller, store_id, version_id)).shown
    before = await _before(visit, store_id, shown)
    old = "" if before is None or before.content is None else before.content
    return visit.page(
        "stores/version.html",
        store=await service.read_store(visit.db, visit.caller, store_id),
        shown=shown,
        before=before,
        rows=side_by_side(old, shown.content or ""),
    )


@router.get("/compare", response_model=None)
async def compare(visit: TheVisit, store_id: str) -> Response:
    """To the page of a version beside another: what the form with two lists leads to."""
    version_id, other = visit.query.must("version"), visit.query.must("with")
    await versions.read_version(visit.db, visit.caller, store_id, version_id)
    return visit.go(f"/stores/{store_id}/versions/{version_id}", **{"with": other})


@router.post("/versions/{version_id}/redact", response_model=None)
async def redact_version(visit: TheVisit, store_id: str, version_id: str) -> Response:
    """Take a version's content away for good."""
    await versions.redact_version(visit.db, visit.caller, store_id, version_id)
    return visit.go(f"/stores/{store_id}/versions/{version_id}", "redacted")


async def _before(visit: Visit, store_id: str, shown: EntryVersion) -> EntryVersion | None:
    """The version to compare with: the one that is asked for, else the one before."""
    other = visit.query.text("with")
    if other is not None:
        return (await versions.read_version(visit.db, visit.caller, store_id, other)).shown
    filters = versions.Filters(entry_id=shown.entry_id)
    older = Cursor(1, after_id=shown.id)
    page = await versions.list_versions(
        visit.db, visit.caller, store_id, older, filters, with_content=True
    )
    return page.data[0].shown if page.data else None


def _to(visit: Visit, store_id: str, entry_id: str, notice: str) -> Response:
    return visit.go(f"/stores/{store_id}/entries/{entry_id}", notice)
