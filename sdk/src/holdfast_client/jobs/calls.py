"""The operations on jobs."""

from holdfast_client.calls import Call, Query, at, get, one, page_of, post
from holdfast_client.jobs.model import CallStatus, Job, JobStatus, LlmCall
from holdfast_client.scope import Scope
from holdfast_client.values import Page


def list_jobs(
    scope: Scope,
    *,
    status: JobStatus | None = None,
    limit: int = 20,
    after_id: str | None = None,
    before_id: str | None = None,
) -> Call[Page[Job]]:
    """Jobs of the user that the client acts for, newest first."""
    page: Query = {"limit": limit, "after_id": after_id, "before_id": before_id}
    return get(scope, "/jobs", page_of(Job), {**page, "status": status})


def read_job(scope: Scope, job_id: str) -> Call[Job]:
    """One job: status, attempts, error and result."""
    return get(scope, at("jobs", job_id), one(Job))


def cancel_job(scope: Scope, job_id: str, *, if_match: int | None = None) -> Call[Job]:
    """Cancel a job that has not begun; otherwise Conflict, with the job as `current`."""
    return post(scope, at("jobs", job_id, "cancel"), one(Job), if_match=if_match, conflict_as=Job)


def retry_job(scope: Scope, job_id: str, *, if_match: int | None = None) -> Call[Job]:
    """Run a failed or cancelled job again."""
    return post(scope, at("jobs", job_id, "retry"), one(Job), if_match=if_match, conflict_as=Job)


def list_llm_calls(
    scope: Scope,
    *,
    status: CallStatus | None = None,
    job_id: str | None = None,
    limit: int = 20,
    after_id: str | None = None,
    before_id: str | None = None,
) -> Call[Page[LlmCall]]:
    """Language model calls, newest first: all of the org for administrators, else those made for the user."""
    page: Query = {"limit": limit, "after_id": after_id, "before_id": before_id}
    return get(scope, "/llm-calls", page_of(LlmCall), {**page, "status": status, "job_id": job_id})
