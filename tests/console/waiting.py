"""Waiting for jobs."""

import asyncio

WAIT_S = 60


async def over(api, job_id):
    """A job, once it is over."""
    async with asyncio.timeout(WAIT_S):
        while True:
            job = (await api.get(f"/jobs/{job_id}")).json()
            if job["status"] not in ("queued", "running"):
                return job
            await asyncio.sleep(0.05)
