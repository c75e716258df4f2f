"""The versions of a store's entries over HTTP, and diffs."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from holdfast.edge.preconditions import (
    IfContentMatches,
    must_match_content,
    set_etag_of_content,
)
from holdfast.edge.route import ApiRoute, TheCaller, TheDatabase
from holdfast.edge.wire import StoreDiffFrom, StoreDiffTo
from holdfast.kernel.pages import Page
from holdfast.stores import changes, versions
from holdfast.stores.model import Action, EntryVersion, StoreDiff
from holdfast.stores.routes.words import PREFIX, TheCursor, ThePeriod

router = APIRouter(prefix=PREFIX, route_class=ApiRoute, tags=["stores"])


@router.get("/{store_id}/versions", operation_id="stores.list_versions")
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
    return page.showing(lambda row: row.shown)


@router.get("/{store_id}/versions/{version_id}", operation_id="stores.read_version")
async def get_version(
    store_id: str, version_id: str, response: Response, caller: TheCaller, db: TheDatabase
) -> EntryVersion:
    """One version, with its content unless it is redacted."""
    version = (await versions.read_version(db, caller, store_id, version_id)).shown
    set_etag_of_content(response, version)
    return version


@router.post("/{store_id}/versions/{version_id}/redact", operation_id="stores.redact_version")
async def redact_version(
    store_id: str,
    version_id: str,
    caller: TheCaller,
    db: TheDatabase,
    if_match: IfContentMatches = None,
) -> EntryVersion:
    """Take a version's content away for good; 409 while the entry stands at it, or if it is gone already."""
    if if_match is not None:
        # Only a redaction changes a version, and a second one is refused: nothing can come between.
        found = await versions.read_version(db, caller, store_id, version_id)
        must_match_content(if_match, found.shown)
    return (await versions.redact_version(db, caller, store_id, version_id)).shown


@router.get("/{store_id}/diff", operation_id="stores.diff")
async def get_diff(
    store_id: str,
    since: StoreDiffFrom,
    until: StoreDiffTo,
    caller: TheCaller,
    db: TheDatabase,
) -> StoreDiff:
    """What changed between two versions, or between two times, as unified diffs."""
    return await changes.diff(db, caller, store_id, since, until)
