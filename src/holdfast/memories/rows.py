"""Rows of memories inside an open transaction: read one, change one, record what a write left.

Every write of a row, here and in saving.py, ends in `record`, which adds the revisions and the passages. Rows are
deleted in deletion.py alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from holdfast.kernel import limits, metrics, revisions, sight
from holdfast.kernel.caller import Caller
from holdfast.kernel.clock import rfc3339
from holdfast.kernel.db import Tx
from holdfast.kernel.errors import Invalid, NotFound, PreconditionFailed
from holdfast.kernel.ids import is_id
from holdfast.kernel.sql import Query, load
from holdfast.memories import passages
from holdfast.memories.model import MAX_SOURCES, IfMatch, Memory, check_validity
from holdfast.memories.sight import must_change

queries = load(__file__)

# The fields that a revision keeps in its state. The value is its content; assets and nodes have histories of their own.
_KEPT = sorted(Memory.__dataclass_fields__.keys() - {"type", "value", "assets", "node_ids"})


@dataclass(frozen=True, slots=True)
class Written:
    """A row as a write left it, the action for its revision, and the caller that wrote it."""

    row: Memory
    action: str
    by: Caller


async def read_row(
    tx: Tx,
    speaking: Caller,
    memory_id: str,
    *,
    include_expired: bool = False,
    as_of: datetime | None = None,
) -> Memory:
    """One memory that the caller sees; NotFound where it is not there for them."""
    found = await tx.one(
        Memory,
        queries.read_memory if as_of is None else queries.read_memory_as_of,
        id=memory_id,
        include_expired=include_expired,
        as_of=as_of,
        **sight.params(speaking),
    )
    if found is None:
        raise NotFound(f"there is no memory {memory_id!r}")
    return found


async def change_row(
    tx: Tx,
    speaking: Caller,
    memory_id: str,
    query: Query,
    action: str,
    *,
    include_expired: bool = False,
    if_match: IfMatch = None,
    **params: Any,
) -> Memory:
    """Change one row that the caller sees, and write its revision and passages."""
    changed = await tx.one(
        Memory,
        query,
        id=memory_id,
        include_expired=include_expired,
        if_match=if_match,
        **params,
        **sight.params(speaking),
    )
    if changed is None:
        await read_row(tx, speaking, memory_id, include_expired=include_expired)
        raise PreconditionFailed("the memory changed since that ETag")
    await record(tx, [Written(changed, action, speaking)])
    return changed


async def record(tx: Tx, written: Sequence[Written]) -> None:
    """Do what follows every write of rows, in its transaction: check the whole rows, write revisions and passages."""
    for each in written:
        must_change(each.by, each.row.scope)
        check_whole(each.row)
        count(tx, each.action)
    await revisions.write(
        tx,
        "memory",
        [
            revisions.Change(
                object_id=each.row.id,
                version=each.row.version,
                action=each.action,
                label=each.row.key,
                state=_state(each.row),
                content=each.row.value,
                at=each.row.updated_at,  # strictly increases, so that as_of finds the versions in their order
                by=each.by,
            )
            for each in written
        ],
    )
    await passages.index(tx, [each.row for each in written])


def _state(row: Memory) -> dict[str, Any]:
    """A row as its revision keeps it, beside the value: what can be populated into a row again."""
    fields = {name: getattr(row, name) for name in _KEPT}
    kept = {name: value for name, value in fields.items() if value is not None}
    return plain(kept) | {"sources": [asdict(source) for source in row.sources]}


def count(tx: Tx, action: str) -> None:
    """Count a change of a memory once it is committed."""
    tx.on_commit(metrics.memories_written.labels(action).inc)


def check_whole(row: Memory) -> None:
    """Check what depends on the old row too, once it is written: the validity, the number of sources."""
    check_validity(row.valid_from, row.valid_to)
    limits.at_most(len(row.sources), MAX_SOURCES, what="sources")


def who(caller: Caller) -> dict[str, Any]:
    """The actor of a revision, as parameters of a query."""
    return {
        "actor_type": caller.actor.type,
        "actor_id": caller.actor.id,
        "user_id": caller.user_id,
        "request_id": caller.request_id,
    }


async def check_successor(
    tx: Tx, speaking: Caller, fields: Mapping[str, Any], *, of: str | None = None
) -> None:
    """Refuse a `superseded_by` that names no other memory the caller sees, or one that `of` has superseded itself."""
    successor = fields.get("superseded_by")
    if successor is None:
        return
    wrong = Invalid.field("superseded_by", "names no other memory that you see")
    if successor == of or not is_id(successor, "memory"):
        raise wrong
    try:
        await read_row(tx, speaking, successor, include_expired=True)
    except NotFound:
        raise wrong from None
    if of is not None and await tx.one(bool, queries.leads_to, first=successor, last=of):
        raise Invalid.field("superseded_by", "was superseded by this memory: neither would be left")


def plain(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields as JSON: times as text, each tag once."""
    given = {
        name: rfc3339(value) if isinstance(value, datetime) else value
        for name, value in fields.items()
    }
    if given.get("tags") is not None:
        given["tags"] = distinct(given["tags"])
    return given


def distinct(tags: Iterable[str]) -> list[str]:
    """Each tag once, in the order given."""
    return list(dict.fromkeys(tags))
