"""Background work, and which face does which kind of job."""

import asyncio
from collections.abc import Mapping

import structlog

from holdfast.everywhere.documents import READERS
from holdfast.kernel.db import Database
from holdfast.kernel.embed import Embedders
from holdfast.kernel.errors import BackendUnavailable
from holdfast.kernel.jobs import Handler, Worker
from holdfast.kernel.recall import models
from holdfast.memories import assets
from holdfast.memories.objects import ObjectStore

log = structlog.get_logger("holdfast.worker")

SWEEP_EVERY_S = 3600.0


def handlers(db: Database) -> Mapping[str, Handler]:
    """Every kind of job and the function that does it."""
    return {
        "embed": models.embed_later(db, READERS),
        "index": models.index_later(db, READERS),
    }


async def run_worker(
    database_url: str,
    asset_store: str,
    *,
    concurrency: int = 4,
    embedders: Embedders | None = None,
) -> None:
    """Do jobs until cancelled, and tidy up at the start and from time to time."""
    db = Database(database_url, min_size=1, max_size=concurrency + 1, embedders=embedders)
    await db.open()
    tidying = asyncio.create_task(_tidy(db, ObjectStore(asset_store)))
    try:
        await models.start(db)
        await Worker(database_url, db, handlers(db)).run(concurrency=concurrency)
    finally:
        tidying.cancel()
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
