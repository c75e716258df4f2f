"""Proposals: what learning would have memory become, reviewed one after the other."""

from fastapi import APIRouter, Response

from holdfast.console.drawing.diffs import side_by_side
from holdfast.console.visit import PageRoute, TheVisit, Visit, local_path
from holdfast.kernel.revisions import MAX_VERSION
from holdfast.learning import proposals
from holdfast.learning.proposal import OPEN, Action, ProposalTarget, Status

router = APIRouter(route_class=PageRoute, prefix="/proposals", include_in_schema=False)

STATUSES: tuple[Status, ...] = ("pending", "quarantined", "applied", "rejected", "reverted")
ACTIONS: tuple[Action, ...] = ("add", "update", "supersede", "merge", "retire", "none")
TARGETS: tuple[ProposalTarget, ...] = ("block", "memory", "entry", "node_item")
ALL = "all"


@router.get("", response_model=None)
async def list_proposals(visit: TheVisit) -> Response:
    """Those that wait for a decision, unless others are asked for."""
    query, cursor = visit.query, visit.cursor(20)
    status = None if query.raw("status") == ALL else query.choice("status", STATUSES) or "pending"
    page = await proposals.list_proposals(
        visit.db,
        visit.caller,
        cursor,
        status=status,
        action=query.choice("action", ACTIONS),
        job_id=query.text("job_id"),
        session_id=query.name("session_id"),
    )
    return visit.page(
        "upkeep/proposals.html",
        proposals=[(each, side_by_side(each.before or "", each.content)) for each in page.data],
        pages=visit.pager(page, cursor),
        statuses=(*STATUSES, ALL),
        chosen=status or ALL,
        actions=ACTIONS,
        targets=TARGETS,
        open=OPEN,
    )


@router.post("/{proposal_id}/accept", response_model=None)
async def accept(visit: TheVisit, proposal_id: str) -> Response:
    """Apply it."""
    await proposals.accept_proposals(visit.db, visit.caller, [proposal_id])
    return _back(visit, "accepted")


@router.post("/{proposal_id}/reject", response_model=None)
async def reject(visit: TheVisit, proposal_id: str) -> Response:
    """Decide against it."""
    await proposals.reject_proposal(visit.db, visit.caller, proposal_id)
    return _back(visit, "rejected")


@router.post("/{proposal_id}", response_model=None)
async def edit(visit: TheVisit, proposal_id: str) -> Response:
    """Change its text or its place, and accept it where that is asked for."""
    form = visit.form
    version = form.number("version", 1, MAX_VERSION)
    await proposals.edit_proposal(
        visit.db,
        visit.caller,
        proposal_id,
        content=form.raw("content"),
        target=form.choice("target", TARGETS),
        if_match=None if version is None else [version],
    )
    if form.flag("accept"):
        return await accept(visit, proposal_id)
    return _back(visit, "saved")


def _back(visit: Visit, notice: str) -> Response:
    """To the list as it was filtered."""
    where = local_path(visit.form.raw("back"))
    query = where.partition("?")[2] if where.startswith("/proposals?") else ""
    return visit.go(
        "/proposals" + (f"?{query}&notice={notice}" if query else ""), None if query else notice
    )
