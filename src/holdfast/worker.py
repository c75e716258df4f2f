"""Background work, and which face does which kind of job."""

import asyncio
from collections.abc import Mapping

import structlog

from holdfast.app import AppConfig, config_of, open_backends
from holdfast.conversations import flushing
from holdfast.conversations.backends import Backends
from holdfast.entries import sweep as entries
from holdfast.everywhere.documents import READERS
from holdfast.kernel.db import Database
from holdfast.kernel.embed import Embedders
from holdfast.kernel.errors import BackendUnavailable
from holdfast.kernel.jobs import Handler, Worker
from holdfast.kernel.recall import language, models
from holdfast.memories import assets
from holdfast.memories.objects import ObjectStore

__all__ = ["config_of", "handlers", "run_worker"]

log = structlog.get_logger("holdfast.worker")

SWEEP_EVERY_S = 3600.0


def handlers(backends: Backends) -> Mapping[str, Handler]:
    """Every kind of job and the function that does it."""
    db = backends.db
    return {
        **entries.handlers(db),
        "embed": models.embed_later(db, READERS),
        flushing.JOB: flushing.handler(backends),
        "index": models.index_later(db, READERS),
        language.JOB: language.handler(db, READERS),
    }


async def run_worker(config: AppConfig, *, concurrency: int = 4) -> None:
    """Do jobs until cancelled, and tidy up at the start and from time to time."""
    embedders = Embedders(config.embedder, config.embedder_api_key)
    db = Database(config.database_url, min_size=1, max_size=concurrency + 1, embedders=embedders)
    backends = open_backends(config, db)
    await db.open()
    tidying = asyncio.create_task(_tidy(db, ObjectStore(config.assets)))
    try:
        await models.start(db)
        await Worker(config.database_url, db, handlers(backends)).run(concurrency=concurrency)
    finally:
        tidying.cancel()
        await backends.close()
        await db.close()


async def _tidy(db: Database, store: ObjectStore) -> None:
    """Take away what crashes left in the object store; it belongs to no org, so it is no job of one."""
    while True:
        try:
            swept = await assets.sweep(db, store)
            if swept:
                log.info("swept", orphans=len(swept))
        except (BackendUnavailable, OSError) as error:
            log.warning("the assets cannot be swept now", error=type(error).__name__)
        await asyncio.sleep(SWEEP_EVERY_S)
