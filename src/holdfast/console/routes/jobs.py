"""Jobs: what is done in the background, how it went, retry and cancel."""

from fastapi import APIRouter, Response

from holdfast.console.visit import PageRoute, TheVisit
from holdfast.kernel import jobs, ledger
from holdfast.kernel.jobs import JobStatus
from holdfast.kernel.pages import Cursor
from holdfast.learning import proposals
from holdfast.learning.revert import revert_job

router = APIRouter(route_class=PageRoute, prefix="/jobs", include_in_schema=False)

STATUSES: tuple[JobStatus, ...] = ("queued", "running", "succeeded", "failed", "cancelled")


@router.get("", response_model=None)
async def list_jobs(visit: TheVisit) -> Response:
    """The user's jobs, newest first."""
    cursor = visit.cursor()
    status = visit.query.choice("status", STATUSES)
    page = await jobs.list_jobs(visit.db, visit.caller, cursor, status=status)
    return visit.page(
        "upkeep/jobs.html", jobs=page.data, pages=visit.pager(page, cursor), statuses=STATUSES
    )


@router.get("/{job_id}", response_model=None)
async def job(visit: TheVisit, job_id: str) -> Response:
    """One job; its page renews itself while the job waits or runs."""
    found = await jobs.read_job(visit.db, visit.caller, job_id)
    calls = await ledger.list_calls(visit.db, visit.caller, Cursor(20), job_id=job_id)
    learned = await proposals.list_proposals(visit.db, visit.caller, Cursor(20), job_id=job_id)
    return visit.page("upkeep/job.html", job=found, calls=calls.data, learned=learned)


@router.post("/{job_id}/revert", response_model=None)
async def revert(visit: TheVisit, job_id: str) -> Response:
    """Undo what the job wrote where nobody has changed it since; the page lists what was kept, and why."""
    undone = await revert_job(visit.db, visit.caller, job_id)
    return visit.page("upkeep/reverted.html", undone=undone)


@router.post("/{job_id}/cancel", response_model=None)
async def cancel(visit: TheVisit, job_id: str) -> Response:
    """Cancel a job that has not begun."""
    await jobs.cancel_job(visit.db, visit.caller, job_id)
    return visit.go(f"/jobs/{job_id}", "cancelled")


@router.post("/{job_id}/retry", response_model=None)
async def retry(visit: TheVisit, job_id: str) -> Response:
    """Run a job again that failed or was cancelled."""
    await jobs.retry_job(visit.db, visit.caller, job_id)
    return visit.go(f"/jobs/{job_id}", "retried")
