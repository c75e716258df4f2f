"""Jobs: background work of the service, its results, and the language model calls that it made."""

import asyncio
import time

from holdfast_client.face import AsyncFace, Face, awaited, sync
from holdfast_client.jobs import calls
from holdfast_client.jobs.model import Job
from holdfast_client.learning import calls as learning

# Seconds between two reads of a job that is not finished.
LOOK_EVERY_S = 0.2


class Jobs(Face):
    """List, wait for, cancel, retry and revert jobs."""

    list = sync(calls.list_jobs)
    read = sync(calls.read_job)
    cancel = sync(calls.cancel_job)
    retry = sync(calls.retry_job)
    revert = sync(learning.revert_job)
    llm_calls = sync(calls.list_llm_calls)

    def wait(self, job_id: str, *, timeout_s: float = 60.0) -> Job:
        """Wait until the job is finished and return it; TimeoutError if that takes too long."""
        until = time.monotonic() + timeout_s
        while not (job := self.read(job_id)).is_over:
            if time.monotonic() > until:
                raise TimeoutError(f"{job_id} is still {job.status} after {timeout_s} s")
            time.sleep(LOOK_EVERY_S)
        return job


class AsyncJobs(AsyncFace):
    """List, wait for, cancel, retry and revert jobs."""

    list = awaited(calls.list_jobs)
    read = awaited(calls.read_job)
    cancel = awaited(calls.cancel_job)
    retry = awaited(calls.retry_job)
    revert = awaited(learning.revert_job)
    llm_calls = awaited(calls.list_llm_calls)

    async def wait(self, job_id: str, *, timeout_s: float = 60.0) -> Job:
        """Wait until the job is finished and return it; TimeoutError if that takes too long."""
        until = time.monotonic() + timeout_s
        while not (job := await self.read(job_id)).is_over:
            if time.monotonic() > until:
                raise TimeoutError(f"{job_id} is still {job.status} after {timeout_s} s")
            await asyncio.sleep(LOOK_EVERY_S)
        return job
