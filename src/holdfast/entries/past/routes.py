"""The past of entries over HTTP: history, diff, restore."""

from fastapi import APIRouter, Response
from pydantic import Field

from holdfast.edge.preconditions import IfMatch
from holdfast.edge.route import ApiRoute, TheCaller, TheDatabase
from holdfast.edge.wire import Body, DiffFrom, DiffTo, VersionCursor
from holdfast.entries import history
from holdfast.entries.model import EntryRevision, Scope, StoredEntry
from holdfast.entries.routes import Category, RunId, TheKey, TheScope, answer_stored
from holdfast.kernel.diffs import TextDiff
from holdfast.kernel.pages import Page
from holdfast.kernel.revisions import MAX_VERSION

router = APIRouter(route_class=ApiRoute, tags=["entries"], prefix="/agents/{agent_id}")


class EntryRestoreBody(Body):
    """Which version to bring back."""

    version: int = Field(ge=1, le=MAX_VERSION)
    scope: Scope | None = Field(None, description="as the query parameter")


@router.get("/history/{key:rest}", operation_id="entries.history")
async def get_history(
    agent_id: str,
    key: TheKey,
    cursor: VersionCursor,
    caller: TheCaller,
    db: TheDatabase,
    run_id: RunId = None,
    category: Category = None,
    scope: TheScope = None,
) -> Page[EntryRevision]:
    """Revisions under a key, newest first; also of what was forgotten, evicted or has expired."""
    return await history.history(
        db, caller, agent_id, key, run_id=run_id, category=category, scope=scope, cursor=cursor
    )


@router.post(
    "/restore/{key:rest}", operation_id="entries.restore", responses={201: {"model": StoredEntry}}
)
async def restore_entry(
    agent_id: str,
    key: TheKey,
    body: EntryRestoreBody,
    if_match: IfMatch,
    response: Response,
    caller: TheCaller,
    db: TheDatabase,
    run_id: RunId = None,
    category: Category = None,
    scope: TheScope = None,
) -> StoredEntry:
    """Store again what stood under a key at a version (201 if the key was gone)."""
    stored = await history.restore(
        db,
        caller,
        agent_id,
        key,
        body.version,
        run_id=run_id,
        category=category,
        scope=body.scope or scope,
        if_match=if_match,
    )
    return answer_stored(response, stored)


@router.get("/diff/{key:rest}", operation_id="entries.diff")
async def get_diff(
    agent_id: str,
    key: TheKey,
    since: DiffFrom,
    until: DiffTo,
    caller: TheCaller,
    db: TheDatabase,
    run_id: RunId = None,
    category: Category = None,
    scope: TheScope = None,
) -> TextDiff:
    """What changed under a key between two versions or times, in either order, as a unified diff."""
    return await history.diff(
        db, caller, agent_id, key, since, until, run_id=run_id, category=category, scope=scope
    )
