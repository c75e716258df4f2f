"""Many entries at once: upserts in one transaction, each with its own result."""

from collections.abc import Sequence
from typing import Any

from holdfast.entries import passages, runs
from holdfast.entries.model import (
    MAX_BATCH_BYTES,
    EntryBatchResult,
    ItemError,
    ItemResult,
    NewEntry,
)
from holdfast.entries.quota import Quota
from holdfast.entries.reach import Reach, must_change
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import (
    CapacityFull,
    HoldfastError,
    Invalid,
    LimitExceeded,
    PayloadTooLarge,
)
from holdfast.kernel.places import enter_agent

Item = NewEntry | Invalid
"""What is to be stored, or why it cannot be read."""


async def store_batch(
    db: Database,
    caller: Caller,
    agent_id: str,
    items: Sequence[tuple[str | None, Item]],
    *,
    run_id: str | None = None,
) -> EntryBatchResult:
    """Store items (each with its key, where it has one) in their order; what is wrong with one concerns it alone.

    PayloadTooLarge where they cost too much together; ScopeDenied where one of them is not the caller's to write.
    """
    cost = sum(item.size for _, item in items if isinstance(item, NewEntry))
    if cost > MAX_BATCH_BYTES:
        raise PayloadTooLarge(MAX_BATCH_BYTES)
    speaking = caller.speaking_as(agent_id)
    reach = Reach.of(caller, agent_id, run_id)
    checked = [(key, _checked(caller, reach, item)) for key, item in items]
    valid = [item for _, item in checked if isinstance(item, NewEntry)]
    results: list[ItemResult] = []
    evicted: list[str] = []
    await passages.prefetch_embeddings(db, valid)
    async with db.begin(speaking) as tx:
        await enter_agent(tx, caller, agent_id, to_write=True)
        await runs.write_under(tx, caller, agent_id, run_id)
        quotas = await _lock_quotas(tx, reach, valid)
        for key, item in checked:
            if isinstance(item, HoldfastError):
                results.append(_not_stored(key, "invalid", item))
                continue
            try:
                stored = await quotas[_quota_of(reach, item)].put(reach, item)
            except CapacityFull as refusal:
                results.append(_not_stored(key, "refused", refusal))
                continue
            results.append(ItemResult(key, "stored"))
            evicted += stored.evicted
        for quota in quotas.values():
            await quota.save()
    for quota in quotas.values():
        quota.tally.report()
    count = sum(result.status == "stored" for result in results)
    return EntryBatchResult(count, len(results) - count, results, evicted)


def _checked(caller: Caller, reach: Reach, item: Item) -> NewEntry | HoldfastError:
    """The item, or what is wrong with it; ScopeDenied where it is not the caller's to write."""
    if isinstance(item, HoldfastError):
        return item
    try:
        item.check()
        audience = reach.for_new(item.category, item.scope)
    except (Invalid, LimitExceeded) as error:
        return error
    must_change(caller, audience)
    return item


def _quota_of(reach: Reach, item: NewEntry) -> str:
    return reach.quota_of(reach.for_new(item.category, item.scope))


async def _lock_quotas(tx: Tx, reach: Reach, items: Sequence[NewEntry]) -> dict[str, Quota]:
    """The quotas that these items count in, locked in the order of `Reach.quotas`, which every writer keeps."""
    keys: dict[str, list[str]] = {quota: [] for quota in reach.quotas}
    for item in items:
        keys[_quota_of(reach, item)].append(item.key)
    audiences = reach.nearest_first()
    return {
        name: await Quota.lock(
            tx,
            name,
            list(dict.fromkeys(of_quota)),
            [each for each in audiences if reach.quota_of(each) == name],
        )
        for name, of_quota in keys.items()
        if of_quota
    }


def _not_stored(key: str | None, status: Any, error: HoldfastError) -> ItemResult:
    return ItemResult(key, status, ItemError(error.code, error.detail))
