"""What the worker deletes from time to time: expired instances with their histories, and flushed messages that are past their
retention."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from holdfast.conversations import history
from holdfast.conversations.backends import Backends
from holdfast.conversations.logs import local
from holdfast.conversations.logs.postgres_rows import InstanceListRow
from holdfast.conversations.model import Change
from holdfast.kernel import clock, metrics
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.sql import load

queries = load(__file__, "sweep.sql")

# How much one transaction clears away.
BATCH = 100

Step = Callable[[Tx], Awaitable[int]]


@dataclass(frozen=True, slots=True)
class Swept:
    """How much a sweep cleared away."""

    instances: int = 0
    contents: int = 0

    def __bool__(self) -> bool:
        return bool(self.instances or self.contents)


async def sweep(backends: Backends) -> Swept:
    """Clear away what is past its time, in every org. Any number may sweep at once."""
    swept = Swept(local.forget_expired())
    for org_id in await backends.db.prove(
        str, queries.orgs_to_sweep, "", flushed_before=_flushed_before(backends)
    ):
        here = await sweep_org(backends, org_id)
        swept = Swept(swept.instances + here.instances, swept.contents + here.contents)
    metrics.conversations_expired.inc(swept.instances)
    return swept


async def sweep_org(backends: Backends, org_id: str) -> Swept:
    """Clear away what is past its time in one org, in small transactions."""
    db, flushed_before = backends.db, _flushed_before(backends)
    caller = Caller(org_id, "job", "conversation_sweep", workspace_id="default")
    instances = await _until_done(db, caller, _end_instances)
    await _until_done(db, caller, _drop_histories)
    if flushed_before is None:
        return Swept(instances)
    return Swept(instances, await _until_done(db, caller, _forgetting(flushed_before)))


def _flushed_before(backends: Backends) -> datetime | None:
    kept_for = backends.flushed_kept_for
    return None if kept_for is None else clock.now() - kept_for


async def _until_done(db: Database, caller: Caller, step: Step) -> int:
    """Batch after batch, until one is not full."""
    done = 0
    while True:
        async with db.begin(caller) as tx:
            now = await step(tx)
        done += now
        if now < BATCH:
            return done


async def _end_instances(tx: Tx) -> int:
    """Messages that live for so long are not to live on in the history: the revision says how many there were."""
    rows = await tx.all(InstanceListRow, queries.expired_conversations, limit=BATCH)
    await tx.run(queries.delete_expired, ids=[row.id for row in rows])
    for row in rows:
        await history.record(tx, row.instance, Change("expired", row.one_later.totals))
    return len(rows)


async def _drop_histories(tx: Tx) -> int:
    return await tx.one(int, queries.drop_expired_histories, limit=BATCH) or 0


def _forgetting(flushed_before: datetime) -> Step:
    async def forget(tx: Tx) -> int:
        return (
            await tx.one(int, queries.drop_old_flushed, limit=BATCH, flushed_before=flushed_before)
            or 0
        )

    return forget
