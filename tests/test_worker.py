"""The worker beside the API: it is started again when it fails."""

import asyncio

from holdfast import worker
from holdfast.deployment import Config


async def test_a_worker_that_fails_is_started_again_until_it_is_stopped(monkeypatch):
    starts, finished = [], []

    async def run_worker(config, *, concurrency):
        starts.append(concurrency)
        if len(starts) == 1:
            raise RuntimeError("a failure that nobody foresaw")
        try:
            await asyncio.Event().wait()
        finally:
            finished.append(True)

    monkeypatch.setattr(worker, "run_worker", run_worker)
    monkeypatch.setattr(worker, "RESTART_AFTER_S", 0.01)
    stop, ready = asyncio.Event(), []
    task = asyncio.create_task(
        worker.keep_working(lambda: ready.append(True), stop, Config("postgresql://"))
    )
    while len(starts) < 2:
        await asyncio.sleep(0.01)
    assert (ready, finished, task.done()) == ([True], [], False)
    stop.set()
    await task
    assert (len(starts), finished) == (2, [True])
