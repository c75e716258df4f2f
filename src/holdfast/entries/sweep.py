"""What the worker clears away: entries that have expired, runs that were left idle."""

from collections.abc import Mapping
from functools import partial

from holdfast.entries import runs
from holdfast.entries.retention import PRUNE, Gone
from holdfast.entries.shelf import Shelf
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.jobs import Handler, Outcome
from holdfast.kernel.sql import load

queries = load(__file__)


async def prune(db: Database, caller: Caller, owner: str) -> Outcome:
    """The job: remove an owner's expired entries. Nobody sees them any more; now they take no room either."""
    async with db.begin(caller) as tx:
        shelf = await Shelf.take(tx, owner, [])
        expired = await tx.all(Gone, queries.expired_of_owner, owner=owner)
        await shelf.remove(expired, "expired")
        await shelf.leave()
    shelf.tally.report()
    return Outcome({"pruned": len(expired)})


def handlers(db: Database) -> Mapping[str, Handler]:
    """This face's kinds of job."""
    return {PRUNE: partial(prune, db), runs.END_IDLE: partial(runs.end_if_idle, db)}
