"""Background work, and which face does which kind of job."""

from collections.abc import Mapping

from holdfast.app import AppConfig, open_backends
from holdfast.conversations import flushing
from holdfast.conversations.backends import Backends
from holdfast.kernel.db import Database
from holdfast.kernel.jobs import Handler, Worker


def handlers(backends: Backends) -> Mapping[str, Handler]:
    """Every kind of job and the function that does it."""
    return {flushing.JOB: flushing.handler(backends)}


async def run_worker(config: AppConfig, *, concurrency: int = 4) -> None:
    """Do jobs until cancelled."""
    db = Database(config.database_url, min_size=1, max_size=concurrency + 1)
    backends = open_backends(config, db)
    await db.open()
    try:
        await Worker(config.database_url, db, handlers(backends)).run(concurrency=concurrency)
    finally:
        await backends.close()
        await db.close()
