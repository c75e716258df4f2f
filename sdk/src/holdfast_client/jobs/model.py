"""The values of jobs."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

JobStatus = Literal["queued", "running", "succeeded", "failed", "cancelled"]


@dataclass(frozen=True, slots=True)
class Job:
    """A job: its kind, subject, status and result."""

    id: str
    kind: str
    subject: str
    status: JobStatus
    attempts: int
    error: str | None
    tokens: int
    result: dict[str, Any] | None
    extractor: str | None  # of a job that learns: rules or llm, once it is done
    version: int
    created_at: datetime
    updated_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    not_before: datetime | None
    type: Literal["job"] = "job"

    @property
    def is_over(self) -> bool:
        """Whether the job is finished: it will not run again by itself."""
        return self.status in ("succeeded", "failed", "cancelled")


CallStatus = Literal["running", "succeeded", "failed"]


@dataclass(frozen=True, slots=True)
class LlmCall:
    """One call of a language model: its purpose, tokens and outcome."""

    id: str
    kind: str
    job_id: str | None
    model: str
    status: CallStatus
    input_tokens: int
    output_tokens: int
    error: str | None
    started_at: datetime
    finished_at: datetime | None
    type: Literal["llm_call"] = "llm_call"
