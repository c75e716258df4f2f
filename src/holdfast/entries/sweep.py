"""Jobs of the worker: delete expired entries, end idle runs."""

from collections.abc import Mapping
from functools import partial

from holdfast.entries import runs
from holdfast.entries.quota import Quota
from holdfast.entries.retention import PRUNE, Gone
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.jobs import Handler, Outcome
from holdfast.kernel.sql import load

queries = load(__file__)


async def prune(db: Database, caller: Caller, quota: str) -> Outcome:
    """The job: delete the expired entries of a quota, which no read shows any more."""
    async with db.begin(caller) as tx:
        locked = await Quota.lock(tx, quota, [])
        expired = await tx.all(Gone, queries.expired_of_quota, quota=quota)
        await locked.remove(expired, "expired")
        await locked.save()
    locked.tally.report()
    return Outcome({"pruned": len(expired)})


def handlers(db: Database) -> Mapping[str, Handler]:
    """This face's kinds of job."""
    return {PRUNE: partial(prune, db), runs.END_IDLE: partial(runs.end_if_idle, db)}
