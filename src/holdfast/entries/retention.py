"""What expires, and what is evicted at the cap.

A `daily` entry is gone 72 hours after it was last stored; a `conversation` entry when its run ends. Every read leaves
them out from that instant on. They are cleared away when they stand in a writer's way, and by a job a day later at the
latest. At the cap the coldest entry that is not core goes first, a core one only for another core one when nothing
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
    """An entry that was removed, or is about to be: enough of it to say so in the history."""

    id: str
    run_id: str | None
    key: str
    version: int
    cause: str


def expires_at(category: str, updated_at: datetime) -> datetime | None:
    """When an entry of a category, stored at this instant, is gone; None for one that stays."""
    return updated_at + DAILY_LASTS if category == DAILY else None


async def make_room(
    tx: Tx, owner: str, *, agent_id: str | None, needed: int, evict_core: bool
) -> list[Gone]:
    """Remove what is dead, and then, if that was too little, the coldest; the owner is locked."""
    return await tx.all(
        Gone,
        queries.make_room,
        owner=owner,
        agent_id=agent_id,
        needed=needed,
        evict_core=evict_core,
        idle_since=tx.now - RUN_IDLES_AT_MOST,
    )


async def prune_later(tx: Tx, owner: str, day: date) -> None:
    """See to it that what expires on a day is cleared away once it is over: one job per owner and day."""
    await jobs.enqueue(
        tx,
        PRUNE,
        owner,
        once=f"{owner} {day.isoformat()}",
        not_before=datetime.combine(day + timedelta(days=1), time(0), UTC),
    )
