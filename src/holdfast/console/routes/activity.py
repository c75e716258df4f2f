"""Activity: who changed what."""

from urllib.parse import quote, urlencode

from fastapi import APIRouter, Response

from holdfast.console.visit import PageRoute, TheVisit
from holdfast.operations.revisions import ChangeRow, Wanted, list_rows

router = APIRouter(route_class=PageRoute, include_in_schema=False)

KINDS = (
    "block", "entry", "conversation", "memory", "node", "store", "store_entry", "proposal",
    "org", "user", "key", "workspace", "agent", "project", "memory_resource",
)  # fmt: skip
# Kinds whose page is found by their id.
PAGES = {
    "memory": "memories",
    "node": "nodes",
    "store": "stores",
    "agent": "agents",
    "project": "projects",
    "user": "people",
}


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
        case "memory" | "node" | "store" | "agent" | "project" | "user":
            return f"/{PAGES[change.kind]}/{quote(change.object_id)}"
        case "block" if change.label:
            return _block(*change.label.rsplit("/", 1))
        case "entry" if change.parent_id and change.label:
            return _entry(change.parent_id, change.label)
        case "store_entry":
            return f"/stores/{change.parent_id}/entries/{change.object_id}"
        case "memory_resource":
            return f"/conversations/{quote(change.object_id)}"
        case "conversation" if change.parent_id and change.label:
            return f"/conversations/{quote(change.parent_id)}/messages?{urlencode({'key': change.label})}"
        case "org" | "workspace":
            return "/settings"
        case "key":
            return "/keys"
        case "proposal":
            return "/proposals?status=all"
        case _:
            return None


def _block(owner: str, block_type: str) -> str:
    """The page of a block; its label names the agent, or says `user` where it is for all agents."""
    agent = "" if owner == "user" else f"?{urlencode({'agent_id': owner})}"
    return f"/blocks/{quote(block_type)}{agent}"


def _entry(audience: str, key: str) -> str | None:
    """The page of an entry; None where it is not an agent's, but a workspace's or a run's."""
    names = dict(name.split(":", 1) for name in audience.split("+"))
    if "agent" not in names or not names.keys() <= {"agent", "user"}:
        return None
    scope = "user" if "user" in names else "agent"
    return f"/entries/{quote(names['agent'])}/entry?{urlencode({'key': key, 'scope': scope})}"
