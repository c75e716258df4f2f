"""Who changed what, over HTTP."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from holdfast.edge.route import ApiRoute, TheCaller, TheDatabase
from holdfast.edge.wire import page_cursor
from holdfast.kernel.clock import Instant
from holdfast.kernel.ids import ClientId
from holdfast.kernel.pages import Cursor, Page
from holdfast.operations import revisions
from holdfast.operations.revisions import RecordedChange, Wanted

router = APIRouter(route_class=ApiRoute, tags=["activity"])


@router.get("/revisions", operation_id="activity.revisions")
async def list_revisions(
    cursor: Annotated[Cursor, Depends(page_cursor)],
    caller: TheCaller,
    db: TheDatabase,
    kind: Annotated[str | None, Query(description="block, entry, memory, node, store, …")] = None,
    object_id: Annotated[str | None, Query(description="of this object alone")] = None,
    actor: Annotated[str | None, Query(description="made by this key, user or job")] = None,
    user_id: Annotated[ClientId | None, Query(description="made for this user")] = None,
    job_id: Annotated[str | None, Query(description="made by this job")] = None,
    since: Annotated[Instant | None, Query(description="at this instant or later")] = None,
) -> Page[RecordedChange]:
    """Who changed what, newest first: actor, user acted for, action and version, of everything that the caller sees."""
    wanted = Wanted(
        kind=kind, object_id=object_id, actor=actor, user_id=user_id, job_id=job_id, since=since
    )
    return await revisions.list_changes(db, caller, cursor, wanted)
