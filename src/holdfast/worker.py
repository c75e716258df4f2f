"""Background work, and which face does which kind of job."""

from collections.abc import Mapping

from holdfast.entries import sweep as entries
from holdfast.everywhere.documents import READERS
from holdfast.kernel.db import Database
from holdfast.kernel.embed import Embedders
from holdfast.kernel.jobs import Handler, Worker
from holdfast.kernel.recall import models


def handlers(db: Database) -> Mapping[str, Handler]:
    """Every kind of job and the function that does it."""
    return {
        **entries.handlers(db),
        "embed": models.embed_later(db, READERS),
    }


async def run_worker(
    database_url: str, *, concurrency: int = 4, embedders: Embedders | None = None
) -> None:
    """Do jobs until cancelled."""
    db = Database(database_url, min_size=1, max_size=concurrency + 1, embedders=embedders)
    await db.open()
    try:
        await models.start(db)
        await Worker(database_url, db, handlers(db)).run(concurrency=concurrency)
    finally:
        await db.close()
