"""Background work, and which face does which kind of job."""

from collections.abc import Mapping

from holdfast.entries import sweep as entries
from holdfast.kernel.db import Database
from holdfast.kernel.jobs import Handler, Worker


def handlers(db: Database) -> Mapping[str, Handler]:
    """Every kind of job and the function that does it."""
    return {**entries.handlers(db)}


async def run_worker(database_url: str, *, concurrency: int = 4) -> None:
    """Do jobs until cancelled."""
    db = Database(database_url, min_size=1, max_size=concurrency + 1)
    await db.open()
    try:
        await Worker(database_url, db, handlers(db)).run(concurrency=concurrency)
    finally:
        await db.close()
