"""Activity: who changed what."""

from fastapi import APIRouter, Response

from holdfast.console.visit import PageRoute, TheVisit
from holdfast.operations.revisions import ChangeRow, Wanted, list_rows

router = APIRouter(route_class=PageRoute, include_in_schema=False)

KINDS = (
    "block", "entry", "conversation", "memory", "node", "store", "store_entry", "proposal",
    "org", "user", "key", "workspace", "agent", "project", "memory_resource",
)  # fmt: skip


@router.get("/activity", response_model=None)
async def activity(visit: TheVisit) -> Response:
    """Changes of what the user sees, newest first."""
    query, cursor = visit.query, visit.cursor()
    wanted = Wanted(
        kind=query.choice("kind", KINDS),
        object_id=query.text("object_id"),
        actor=query.text("actor"),
        user_id=query.name("user_id"),
        job_id=query.text("job_id"),
        since=query.instant("since"),
    )
    page = await list_rows(visit.db, visit.caller, cursor, wanted)
    return visit.page(
        "upkeep/activity.html",
        changes=[(each, _address(each)) for each in page.data],
        pages=visit.pager(page, cursor),
        kinds=KINDS,
        is_filtered=wanted != Wanted(),
    )


def _address(change: ChangeRow) -> str | None:
    """The page of what was changed."""
    match change.kind:
        case "memory":
            return f"/memories/{change.object_id}"
        case "node":
            return f"/nodes/{change.object_id}"
        case "store":
            return f"/stores/{change.object_id}"
        case "store_entry":
            return f"/stores/{change.parent_id}/entries/{change.object_id}"
        case _:
            return None
