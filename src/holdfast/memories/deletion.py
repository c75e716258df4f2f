"""Deleting memories, which takes a browser session with a fresh step-up, and erases them.

Deleted are the row, its passages and assets, the node items derived from it, the contents of all its revisions, and the
answers kept for idempotency keys that mention it. A tombstone stays: a revision with who deleted it and when.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from holdfast.kernel import given, idempotency, limits, revisions, sight
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import Invalid, PreconditionFailed
from holdfast.kernel.recall import passages
from holdfast.kernel.sql import load
from holdfast.memories.assets.objects import ObjectStore
from holdfast.memories.assets.service import drop_objects
from holdfast.memories.graph import nodes
from holdfast.memories.model import ANYWHERE, MAX_BATCH, Deletion, Filter, IfMatch, Place, Scope
from holdfast.memories.rows import count, read_row
from holdfast.memories.sight import enter, must_change

queries = load(__file__, "deletion.sql")


@dataclass(frozen=True, slots=True)
class _Found:
    id: str
    scope: Scope


@dataclass(frozen=True, slots=True)
class _Deleted:
    id: str
    version: int


async def delete_memory(
    db: Database,
    store: ObjectStore,
    caller: Caller,
    memory_id: str,
    *,
    place: Place = ANYWHERE,
    include_expired: bool = False,
    if_match: IfMatch = None,
) -> None:
    """Erase one memory."""
    caller.must_have_stepped_up()
    async with db.begin(caller) as tx:
        speaking = await enter(tx, caller, place, to_write=False)
        await read_row(tx, speaking, memory_id, include_expired=include_expired)
        found = await _named(tx, speaking, [memory_id], if_match)
        if not found:
            raise PreconditionFailed("the memory changed since that ETag")
        assets = await erase_rows(tx, found)
    await drop_objects(store, caller, assets)


async def delete_memories(
    db: Database,
    store: ObjectStore,
    caller: Caller,
    *,
    ids: Sequence[str] | None,
    which: Filter | None,
    dry_run: bool = False,
) -> Deletion:
    """Erase those named, or all that a filter finds, as far as the caller sees them."""
    caller.must_have_stepped_up()
    if (not ids) == (which is None or which.names_nothing):
        raise Invalid(
            "name the memories: ids, or a filter with at least one field"
            " (include_expired and include_superseded only widen a filter)"
        )
    limits.at_most(len(ids or ()), MAX_BATCH, what="ids")
    assets: list[str] = []
    async with db.begin(caller) as tx:
        if which is None or ids:
            found = await _named(tx, caller, ids or ())
        else:
            speaking = await enter(tx, caller, which.place, to_write=False)
            found = await _filtered(tx, speaking, which)
        if found and not dry_run:
            assets = await erase_rows(tx, found)
    await drop_objects(store, caller, assets)
    return Deletion(len(found), found, dry_run)


async def _named(
    tx: Tx, speaking: Caller, ids: Sequence[str], if_match: IfMatch = None
) -> list[str]:
    found = await tx.all(
        _Found, queries.find_named, ids=list(ids), if_match=if_match, **sight.params(speaking)
    )
    return _ids_to_delete(speaking, found)


async def _filtered(tx: Tx, speaking: Caller, which: Filter) -> list[str]:
    found = await tx.all(
        _Found, queries.find_filtered, at=tx.now, **asdict(which), **sight.params(speaking)
    )
    return _ids_to_delete(speaking, found)


def _ids_to_delete(speaking: Caller, found: Sequence[_Found]) -> list[str]:
    for scope in {each.scope for each in found}:
        must_change(speaking, scope)
    return [each.id for each in found]


async def erase_rows(tx: Tx, ids: list[str]) -> list[str]:
    """Erase memories and everything derived from them; the ids of their assets, to be dropped from the store after the commit."""
    assets = await tx.all(str, queries.assets_of_memories, ids=ids)
    items = await nodes.drop_items_of(tx, ids)
    deleted = await tx.all(_Deleted, queries.delete_memories, ids=ids)
    await passages.drop(tx, "memory", ids)
    await passages.drop(tx, "node_item", items)
    await revisions.erase(tx, "memory", ids, with_parts=True)  # parts: assets, derived node items
    await tx.run(queries.forget_proposals, ids=ids)
    await given.erase(tx, ids)
    tombstones = [
        revisions.Change(object_id=each.id, version=each.version, action="deleted")
        for each in deleted
    ]
    await revisions.write(tx, "memory", tombstones)
    for _ in tombstones:
        count(tx, "deleted")
    await idempotency.forget_mentions(tx, [*ids, *items, *assets])
    return assets
