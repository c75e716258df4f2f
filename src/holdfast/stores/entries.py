"""The entries of a store: read, create, update, rename, delete."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import HoldfastError, NotFound
from holdfast.kernel.ids import ids_between, is_id, new_id
from holdfast.kernel.sql import load
from holdfast.stores import passages, paths
from holdfast.stores.model import (
    Store,
    StoreEntry,
    Text,
    check_metadata,
    measured,
)
from holdfast.stores.records import record, record_deletion, write_conflict
from holdfast.stores.service import (
    IfMatch,
    in_sight,
    must_be_there,
    must_be_writable,
    must_not_be_read_only,
    queries,
)

then_queries = load(__file__, "as_of.sql")


@dataclass(frozen=True, slots=True)
class Expected:
    """What an entry has to be for a write to go ahead; None asks for nothing."""

    version: int | None = None
    if_match: IfMatch = None
    sha256: str | None = None

    def check(self, entry: StoreEntry) -> None:
        """Refuse, with the entry as it is now, where it is something else."""
        if self.if_match is not None and entry.version not in self.if_match:
            raise write_conflict("if_match", "the entry changed since that ETag", entry)
        if self.version not in (None, entry.version):
            raise write_conflict("version", f"the entry is at version {entry.version}", entry)
        if self.sha256 not in (None, entry.content_sha256):
            raise write_conflict("content", "the entry's content is another", entry)


ANYTHING = Expected()


# --- reading ---------------------------------------------------------------------------------------------------------


async def read_entry(
    db: Database, caller: Caller, store_id: str, entry_id: str, *, as_of: datetime | None = None
) -> StoreEntry:
    """One entry with its content, now or at a time (without the content if that version was redacted)."""
    where = entry_in_sight(caller, store_id, entry_id)
    query = queries.read_entry if as_of is None else then_queries.read_entry
    return _must_exist(await db.one(caller, StoreEntry, query, **where, until_id=until(as_of)))


async def read_entry_at(
    db: Database, caller: Caller, store_id: str, path: str, *, as_of: datetime | None = None
) -> StoreEntry:
    """The entry at a path, now or at a time."""
    where = in_sight(caller, store_id)
    if not paths.is_path(path):
        raise NotFound("no entry can lie at this path")
    query = queries.read_entry_at_path if as_of is None else then_queries.read_entry_at_path
    found = await db.one(caller, StoreEntry, query, **where, path=path, until_id=until(as_of))
    return _must_exist(found)


def until(as_of: datetime | None) -> str | None:
    """An id that comes after every version made up to a time."""
    return ids_between("memver", None, as_of)[1]


# --- writing ---------------------------------------------------------------------------------------------------------


async def create_entry(
    db: Database,
    caller: Caller,
    store_id: str,
    path: str,
    content: str,
    *,
    metadata: dict[str, str] | None = None,
    may_be_blank: bool = False,
    as_tree: bool = False,
) -> StoreEntry:
    """A new entry at a free path. `as_tree`: not above or below another entry's path either."""
    where = in_sight(caller, store_id)
    paths.check_path(path)
    check_metadata(metadata or {})
    text = measured(content, may_be_blank=may_be_blank)
    await passages.prefetch_embeddings(db, path, content)
    try:
        async with db.begin(caller) as tx:
            if as_tree:
                await _must_fit_tree(tx, where, path)
            entry = await insert(tx, where, new_id("mem"), path, text, metadata or {})
            if entry is None:
                raise await why_not_created(tx, where, path)
            await record(tx, entry, "created")
    except psycopg.errors.ForeignKeyViolation:
        raise NotFound("the store was deleted meanwhile") from None
    return entry


async def update_entry(
    db: Database,
    caller: Caller,
    store_id: str,
    entry_id: str,
    *,
    content: str | None = None,
    path: str | None = None,
    metadata: dict[str, str] | None = None,
    expected: Expected = ANYTHING,
    may_be_blank: bool = False,
    as_tree: bool = False,
) -> StoreEntry:
    """Replace what is given (another `path` renames; the id stays) if the entry is as expected.

    Where nothing would change, nothing does: no version is recorded.
    """
    where = entry_in_sight(caller, store_id, entry_id)
    if path is not None:
        paths.check_path(path)
    check_metadata(metadata or {})
    text = None if content is None else measured(content, may_be_blank=may_be_blank)
    if content is not None:
        await passages.prefetch_embeddings(db, path, content)
    try:
        async with db.begin(caller) as tx:
            if path is not None:
                await tx.run(queries.one_at_a_time, store_id=store_id)
                if as_tree:
                    await _must_fit_tree(tx, where, path, except_id=entry_id)
            return await update(tx, where, text, path, metadata, expected)
    except psycopg.errors.UniqueViolation:
        # Not inside the transaction that it has ended.
        raise await _path_taken(db, caller, where, path or "") from None


async def delete_entry(
    db: Database, caller: Caller, store_id: str, entry_id: str, *, expected: Expected = ANYTHING
) -> None:
    """Take an entry away if it is as expected; its versions stay, and one more says that it went."""
    where = entry_in_sight(caller, store_id, entry_id)
    async with db.begin(caller) as tx:
        gone = await tx.one(_Gone, queries.delete_entry, **where, **_as_params(expected))
        if gone is None:
            entry = _must_exist(await tx.one(StoreEntry, queries.read_entry, **where))
            store = must_be_there(await tx.one(Store, queries.read_store, **where))
            must_not_be_read_only(store, where)
            expected.check(entry)
            raise write_conflict("version", "the entry changed meanwhile", entry)
        await record_deletion(tx, store_id, gone.id, gone.path, gone.version, gone.deleted_at)
        await passages.drop(tx, [gone.id])


async def version_ids(
    db: Database, caller: Caller, entries: Sequence[StoreEntry]
) -> dict[str, str]:
    """The id of the version that each of these entries was read at, by the entry's id."""
    rows = await db.all(
        caller,
        dict,
        queries.list_version_ids,
        entry_ids=[entry.id for entry in entries],
        versions=[entry.version for entry in entries],
    )
    return {row["entry_id"]: row["version_id"] for row in rows}


# --- what each write does, inside its transaction --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Gone:
    id: str
    path: str
    version: int
    deleted_at: datetime


async def insert(
    tx: Tx,
    where: dict[str, Any],
    entry_id: str,
    path: str,
    text: Text,
    metadata: dict[str, str],
    *,
    version: int = 1,
    created_at: datetime | None = None,
    updated_at: datetime | None = None,
) -> StoreEntry | None:
    """A new row, counted; None where the path is taken or the store is closed to the caller."""
    return await tx.one(
        StoreEntry,
        queries.create_entry,
        **where,
        id=entry_id,
        path=path,
        content=text.content,
        size=text.size,
        sha256=text.sha256,
        metadata=Jsonb(metadata),
        version=version,
        created_at=created_at or tx.now,
        updated_at=updated_at or tx.now,
    )


async def update(
    tx: Tx,
    where: dict[str, Any],
    text: Text | None,
    path: str | None,
    metadata: dict[str, str] | None,
    expected: Expected,
) -> StoreEntry:
    """The row with what is given, counted and recorded; as it is where that is what was asked for."""
    entry = await tx.one(
        StoreEntry,
        queries.update_entry,
        **where,
        **_as_params(expected),
        path=path,
        content=text and text.content,
        size=text and text.size,
        sha256=text and text.sha256,
        metadata=None if metadata is None else Jsonb(metadata),
    )
    if entry is not None:
        await record(tx, entry, "updated")
        return entry
    entry = _must_exist(await tx.one(StoreEntry, queries.read_entry, **where))
    must_be_writable(must_be_there(await tx.one(Store, queries.read_store, **where)), where)
    expected.check(entry)
    if _is_already(entry, text, path, metadata):
        return entry
    raise write_conflict("version", "the entry changed meanwhile", entry)


# --- why not ---------------------------------------------------------------------------------------------------------


async def why_not_created(tx: Tx, where: dict[str, Any], path: str) -> HoldfastError:
    """Why `insert` gave no row."""
    must_be_writable(must_be_there(await tx.one(Store, queries.read_store, **where)), where)
    holder = await tx.one(StoreEntry, queries.read_entry_at_path, **where, path=path)
    return write_conflict("path", "another entry lies at this path", holder)


async def _path_taken(
    db: Database, caller: Caller, where: dict[str, Any], path: str
) -> HoldfastError:
    holder = await db.one(caller, StoreEntry, queries.read_entry_at_path, **where, path=path)
    return write_conflict("path", "another entry lies at this path", holder)


async def _must_fit_tree(tx: Tx, where: dict[str, Any], path: str, *, except_id: str = "") -> None:
    """Refuse a path at, above or below another entry's; nobody else's tree grows meanwhile."""
    await tx.run(queries.one_at_a_time, store_id=where["store_id"])
    must_be_writable(must_be_there(await tx.one(Store, queries.read_store, **where)), where)
    below_start, below_end = paths.below(path)
    holder = await tx.one(
        StoreEntry,
        queries.read_tree_conflict,
        **where,
        except_id=except_id,
        at_or_above=[*paths.ancestors(path), path],
        below_start=below_start,
        below_end=below_end,
    )
    if holder is not None:
        raise write_conflict("path", "another entry lies at, above or below this path", holder)


def _is_already(
    entry: StoreEntry, text: Text | None, path: str | None, metadata: dict[str, str] | None
) -> bool:
    return (
        (text is None or text.content == entry.content)
        and path in (None, entry.path)
        and metadata in (None, entry.metadata)
    )


def _as_params(expected: Expected) -> dict[str, Any]:
    return {
        "version": expected.version,
        "if_match": expected.if_match,
        "expected_sha256": expected.sha256,
    }


def entry_in_sight(caller: Caller, store_id: str, entry_id: str) -> dict[str, Any]:
    """The parameters by which a statement finds an entry of a store that the caller sees."""
    if not is_id(entry_id, "mem"):
        raise NotFound("there is no such entry in this store")
    return {**in_sight(caller, store_id), "entry_id": entry_id}


def _must_exist(entry: StoreEntry | None) -> StoreEntry:
    if entry is None:
        raise NotFound("there is no such entry in this store")
    return entry
