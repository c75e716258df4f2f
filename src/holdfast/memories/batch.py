"""Save many memories in one transaction, with a result for each; one that is refused does not affect the others."""

from collections.abc import Sequence
from typing import Any

from holdfast.kernel import limits
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import HoldfastError, Invalid
from holdfast.memories import passages
from holdfast.memories.model import (
    MAX_BATCH,
    MemoryBatch,
    MemoryBatchResult,
    NewMemory,
    SavedMemory,
)
from holdfast.memories.saving import Save, check_new, check_scope, prepare_save, save_rows


async def save_batch(
    db: Database, caller: Caller, items: Sequence[NewMemory | HoldfastError]
) -> MemoryBatch:
    """Save what can be saved, in the order given; an item that came as an error is only reported."""
    if not items:
        raise Invalid.field("memories", "name at least one")
    limits.at_most(len(items), MAX_BATCH, what="memories")
    refused: dict[int, HoldfastError] = {}
    saves: dict[int, Save] = {}
    news = [item for item in items if isinstance(item, NewMemory)]
    await passages.prefetch_embeddings(db, caller, news)
    async with db.begin(caller) as tx:
        known: dict[Any, Caller] = {}
        for index, item in enumerate(items):
            try:
                saves[index] = await _prepare(tx, caller, item, known)
            except HoldfastError as error:
                refused[index] = error
        saved = await _save_in_rounds(tx, saves)
    return MemoryBatch(
        stored=len(saved),
        skipped=len(refused),
        results=[
            _stored(index, saved[index])
            if index in saved
            else _refused(index, item, refused[index])
            for index, item in enumerate(items)
        ],
    )


async def _prepare(
    tx: Tx, caller: Caller, item: NewMemory | HoldfastError, known: dict[Any, Caller]
) -> Save:
    """As for a single save; a place that was entered for one item is not entered again."""
    if isinstance(item, HoldfastError):
        raise item
    check_new(item)
    speaking = known.get(item.place)
    if speaking is not None and item.fields.get("superseded_by") is None:
        save = Save(speaking, item)
        check_scope(save)
        return save
    save = await prepare_save(tx, caller, item)
    known[item.place] = save.by
    return save


async def _save_in_rounds(tx: Tx, saves: dict[int, Save]) -> dict[int, SavedMemory]:
    """One statement saves each slot once: the second save of a slot goes into a second round, and so on."""
    rounds: list[dict[int, Save]] = []
    seen: dict[tuple[str, str, str], int] = {}
    for index, save in saves.items():
        turn = seen.get(save.slot, 0)
        seen[save.slot] = turn + 1
        if turn == len(rounds):
            rounds.append({})
        rounds[turn][index] = save
    saved: dict[int, SavedMemory] = {}
    for each in rounds:
        saved.update(zip(each, await save_rows(tx, list(each.values())), strict=True))
    return saved


def _stored(index: int, saved: SavedMemory) -> MemoryBatchResult:
    return MemoryBatchResult(
        index=index,
        key=saved.key,
        status="stored",
        created=saved.created,
        id=saved.id,
        version=saved.version,
    )


def _refused(
    index: int, item: NewMemory | HoldfastError, error: HoldfastError
) -> MemoryBatchResult:
    facts: dict[str, Any] = dict(error.facts)
    if isinstance(error, Invalid) and error.errors:
        facts["errors"] = [{"field": e.field, "message": e.message} for e in error.errors]
    return MemoryBatchResult(
        index=index,
        key=item.fields.get("key") if isinstance(item, NewMemory) else None,
        status="invalid" if error.status == 422 else "refused",
        error={"code": error.code, "detail": error.detail, **facts},
    )
