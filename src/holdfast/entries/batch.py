"""Many entries at once: upserts in one transaction, each with its own result."""

from collections.abc import Sequence
from typing import Any

from holdfast.entries import passages, runs
from holdfast.entries.model import (
    MAX_BATCH_BYTES,
    BatchResult,
    ItemError,
    ItemResult,
    NewEntry,
    Places,
)
from holdfast.entries.shelf import Shelf
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import CapacityFull, HoldfastError, Invalid, PayloadTooLarge
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
) -> BatchResult:
    """Store items (each with its key, where it has one) in their order; what is wrong with one concerns it alone.

    PayloadTooLarge where they cost too much together.
    """
    cost = sum(item.size for _, item in items if isinstance(item, NewEntry))
    if cost > MAX_BATCH_BYTES:
        raise PayloadTooLarge(MAX_BATCH_BYTES)
    where = Places(agent_id, caller.workspace_id, run_id)
    checked = [(key, _checked(where, item)) for key, item in items]
    results: list[ItemResult] = []
    evicted: list[str] = []
    await passages.prefetch_embeddings(
        db, [item for _, item in checked if isinstance(item, NewEntry)]
    )
    async with db.begin(caller.speaking_as(agent_id)) as tx:
        await enter_agent(tx, caller, agent_id, to_write=True)
        await runs.write_under(tx, agent_id, run_id)
        shelves = await _take_shelves(tx, where, [i for _, i in checked if isinstance(i, NewEntry)])
        for key, item in checked:
            if isinstance(item, HoldfastError):
                results.append(_not_stored(key, "invalid", item))
                continue
            try:
                stored = await shelves[where.of(item.category).owner].put(where, item)
            except CapacityFull as refusal:
                results.append(_not_stored(key, "refused", refusal))
                continue
            results.append(ItemResult(key, "stored"))
            evicted += stored.evicted
        for shelf in shelves.values():
            await shelf.leave()
    for shelf in shelves.values():
        shelf.tally.report()
    count = sum(result.status == "stored" for result in results)
    return BatchResult(count, len(results) - count, results, evicted)


def _checked(where: Places, item: Item) -> NewEntry | HoldfastError:
    if isinstance(item, HoldfastError):
        return item
    try:
        item.check()
        where.of(item.category)
    except HoldfastError as error:
        return error
    return item


async def _take_shelves(tx: Tx, where: Places, items: Sequence[NewEntry]) -> dict[str, Shelf]:
    """The shelves these items go on, locked in the order that everybody keeps."""
    keys: dict[str, list[str]] = {owner: [] for owner in where.owners}
    for item in items:
        keys[where.of(item.category).owner].append(item.key)
    return {
        owner: await Shelf.take(
            tx,
            owner,
            list(dict.fromkeys(of_owner)),
            run_id=where.run_id if owner == where.agent.owner else None,
        )
        for owner, of_owner in keys.items()
        if of_owner
    }


def _not_stored(key: str | None, status: Any, error: HoldfastError) -> ItemResult:
    return ItemResult(key, status, ItemError(error.code, error.detail))
