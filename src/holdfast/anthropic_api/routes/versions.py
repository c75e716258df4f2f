"""The versions of a store's memories, in Anthropic's words."""

from holdfast.anthropic_api.model import (
    MemoryVersion,
    Operation,
    VersionPage,
    View,
    action_of,
    page_cursor,
    page_token,
    version_of,
)
from holdfast.anthropic_api.routes.words import Limit, Since, Until, bounded, new_router
from holdfast.edge.route import TheCaller, TheDatabase
from holdfast.kernel.caller import ActorType
from holdfast.kernel.errors import Conflict
from holdfast.kernel.pages import DEFAULT_LIMIT, Cursor
from holdfast.stores import versions
from holdfast.stores.service import Period

router = new_router()


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
    cursor = Cursor(limit=bounded(limit, view), after_id=page_cursor(page))
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
