"""Jobs over HTTP."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from holdfast.edge.preconditions import IfMatch, set_etag
from holdfast.edge.route import ApiRoute, TheCaller, TheDatabase
from holdfast.edge.wire import page_cursor
from holdfast.kernel import jobs
from holdfast.kernel.jobs import Job, JobStatus
from holdfast.kernel.pages import Cursor, Page

router = APIRouter(route_class=ApiRoute, tags=["jobs"])


@router.get("/jobs", operation_id="jobs.list")
async def list_jobs(
    cursor: Annotated[Cursor, Depends(page_cursor)],
    caller: TheCaller,
    db: TheDatabase,
    status: Annotated[JobStatus | None, Query()] = None,
) -> Page[Job]:
    """Jobs, newest first: those of the user acted for."""
    return await jobs.list_jobs(db, caller, cursor, status=status)


@router.get("/jobs/{job_id}", operation_id="jobs.read")
async def get_job(job_id: str, response: Response, caller: TheCaller, db: TheDatabase) -> Job:
    """One job: status, attempts, error and result."""
    job = await jobs.read_job(db, caller, job_id)
    set_etag(response, job.version)
    return job


@router.post("/jobs/{job_id}/cancel", operation_id="jobs.cancel")
async def cancel_job(
    job_id: str, if_match: IfMatch, response: Response, caller: TheCaller, db: TheDatabase
) -> Job:
    """Cancel a job that has not begun."""
    job = await jobs.cancel_job(db, caller, job_id, if_match=if_match)
    set_etag(response, job.version)
    return job


@router.post("/jobs/{job_id}/retry", operation_id="jobs.retry")
async def retry_job(
    job_id: str, if_match: IfMatch, response: Response, caller: TheCaller, db: TheDatabase
) -> Job:
    """Run a job again that failed or was cancelled."""
    job = await jobs.retry_job(db, caller, job_id, if_match=if_match)
    set_etag(response, job.version)
    return job
