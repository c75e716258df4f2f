"""What expires, and what is evicted at the cap.

A `daily` entry ends 72 hours after it was last stored; a `conversation` entry when its run ends. Every read leaves
them out from that instant on. Their rows are deleted by the next write that needs their key or their room, and by a job
within a day. At the cap the coldest entry that is not core goes first, a core one only for another core one when nothing
else remains.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from holdfast.entries.model import DAILY, DAILY_LASTS, RUN_IDLES_AT_MOST
from holdfast.kernel import jobs
from holdfast.kernel.db import Tx
from holdfast.kernel.sql import load

queries = load(__file__)

PRUNE = "entries.prune"


@dataclass(frozen=True, slots=True)
class Gone:
    """An entry that was removed, or is about to be: what a revision says of it."""

    id: str
    audience: str
    key: str
    version: int
    cause: str


def expires_at(category: str, updated_at: datetime) -> datetime | None:
    """When an entry of a category, stored at this instant, is gone; None for one that stays."""
    return updated_at + DAILY_LASTS if category == DAILY else None


async def make_room(
    tx: Tx, quota: str, *, agent_id: str | None, needed: int, evict_core: bool
) -> list[Gone]:
    """Remove expired entries and those of idle runs of `agent_id`; if that is not enough, the coldest. The quota is locked."""
    return await tx.all(
        Gone,
        queries.make_room,
        quota=quota,
        agent_id=agent_id,
        needed=needed,
        evict_core=evict_core,
        idle_since=tx.now - RUN_IDLES_AT_MOST,
    )


async def prune_later(tx: Tx, quota: str, day: date) -> None:
    """Have a job remove what expires on a day once the day is over: one job per quota and day."""
    await jobs.enqueue(
        tx,
        PRUNE,
        quota,
        once=f"{quota} {day.isoformat()}",
        not_before=datetime.combine(day + timedelta(days=1), time(0), UTC),
    )
