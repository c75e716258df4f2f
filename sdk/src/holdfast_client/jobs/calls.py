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
    """Jobs, newest first: the org's for whoever looks after it, else the user's own."""
    page: Query = {"limit": limit, "after_id": after_id, "before_id": before_id}
    return get(scope, "/jobs", page_of(Job), {**page, "status": status})


def read_job(scope: Scope, job_id: str) -> Call[Job]:
    """One job: where it stands, how often it was tried, what it said."""
    return get(scope, at("jobs", job_id), one(Job))


def cancel_job(scope: Scope, job_id: str) -> Call[Job]:
    """Take back a job that has not begun; Conflict, with the job as `current`, when it has."""
    return post(scope, at("jobs", job_id, "cancel"), one(Job), conflict_as=Job)


def retry_job(scope: Scope, job_id: str) -> Call[Job]:
    """Ask again for a job that failed or was cancelled."""
    return post(scope, at("jobs", job_id, "retry"), one(Job), conflict_as=Job)


def list_llm_calls(
    scope: Scope,
    *,
    status: CallStatus | None = None,
    job_id: str | None = None,
    limit: int = 20,
    after_id: str | None = None,
    before_id: str | None = None,
) -> Call[Page[LlmCall]]:
    """Calls of language models, newest first: the org's for whoever looks after it, else those made for the user."""
    page: Query = {"limit": limit, "after_id": after_id, "before_id": before_id}
    return get(scope, "/llm-calls", page_of(LlmCall), {**page, "status": status, "job_id": job_id})
