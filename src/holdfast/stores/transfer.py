"""A whole store out as a zip, and a zip in: all of it or nothing."""

import asyncio
import tempfile
from dataclasses import dataclass
from datetime import datetime
from typing import IO

import psycopg
from psycopg.types.json import Jsonb

from holdfast.kernel import metrics
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.ids import new_id
from holdfast.kernel.recall.model import Document
from holdfast.kernel.sql import Query, load
from holdfast.kernel.zips import refused
from holdfast.stores import archive, passages
from holdfast.stores.archive import Packed, Unpacked
from holdfast.stores.model import Imported, ImportMode, Store
from holdfast.stores.records import after, record_change, record_deletion, write_conflict
from holdfast.stores.service import IfMatch, in_sight, must_be_there, must_be_writable, queries

zip_queries = load(__file__, "transfer.sql")

# Not beside the others: Postgres plans those in a test, and there is no plan of a FETCH.
next_exported = Query("next_exported", "FETCH 200 FROM exported")

# A zip up to this size is put together in memory, a larger one in a temporary file.
IN_MEMORY_BYTES = 8 * 1024 * 1024

# So many files are found by meaning as soon as they are imported; the vectors of more follow.
FEW_FILES = 32


@dataclass(frozen=True, slots=True)
class Exported:
    """A finished zip; whoever reads it closes it."""

    store: Store
    file: IO[bytes]
    size: int


async def export_store(db: Database, caller: Caller, store_id: str) -> Exported:
    """The store as it is at one moment, whatever is written meanwhile."""
    where = in_sight(caller, store_id)
    file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY_BYTES)  # noqa: SIM115  (the reader closes it)
    try:
        async with db.begin(caller) as tx:
            store = must_be_there(await tx.one(Store, queries.read_store, **where))
            packer = archive.Packer(file, store)
            await tx.run(zip_queries.open_export, store_id=store_id)
            while entries := await tx.all(Packed, next_exported):
                await asyncio.to_thread(packer.add, entries)
            await asyncio.to_thread(packer.finish, tx.now)
    except BaseException:
        file.close()
        raise
    size = file.tell()
    file.seek(0)
    return Exported(store, file, size)


@dataclass(frozen=True, slots=True)
class _Held:
    """An entry that an import may touch."""

    id: str
    path: str
    size: int
    content_sha256: str
    metadata: dict[str, str]
    version: int
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class _Plan:
    """What an import will do: files at free paths, files over entries, entries without a file."""

    created: list[Unpacked]
    updated: list[tuple[_Held, Unpacked]]
    deleted: list[_Held]
    unchanged: int

    @property
    def more_entries(self) -> int:
        return len(self.created) - len(self.deleted)

    @property
    def more_bytes(self) -> int:
        return (
            sum(file.text.size for file in self.created)
            + sum(file.text.size - held.size for held, file in self.updated)
            - sum(held.size for held in self.deleted)
        )


async def import_store(
    db: Database,
    caller: Caller,
    store_id: str,
    body: bytes,
    *,
    mode: ImportMode,
    if_match: IfMatch = None,
) -> Imported:
    """Write every file of a zip to its path; with `replace`, entries that are not in it go."""
    where = in_sight(caller, store_id)
    files = await asyncio.to_thread(archive.unpack, body)
    if len(files) <= FEW_FILES:
        await passages.prefetch_all(db, [(file.path, file.text.content) for file in files])
    try:
        async with db.begin(caller) as tx:
            await tx.run(queries.one_at_a_time, store_id=store_id)
            must_be_writable(must_be_there(await tx.one(Store, queries.read_store, **where)), where)
            held = await tx.all(
                _Held,
                zip_queries.hold_entries,
                store_id=store_id,
                paths=None if mode == "replace" else [file.path for file in files],
            )
            plan = _plan(files, held, mode)
            await _carry_out(tx, store_id, plan)
            counted = await tx.one(
                str,
                zip_queries.count_imported,
                **where,
                more_entries=plan.more_entries,
                more_bytes=plan.more_bytes,
                if_match=if_match,
            )
            if counted is None:
                store = must_be_there(await tx.one(Store, queries.read_store, **where))
                must_be_writable(store, where)
                raise write_conflict("if_match", "the store changed since that ETag")
            tx.on_commit(metrics.store_imports.labels(mode).inc)
    except psycopg.errors.UniqueViolation:
        raise write_conflict(
            "path",
            "somebody wrote to a path of the zip while it was imported; nothing was imported: try again",
        ) from None
    return Imported(
        created=len(plan.created),
        updated=len(plan.updated),
        unchanged=plan.unchanged,
        deleted=len(plan.deleted),
    )


def _plan(files: list[Unpacked], held: list[_Held], mode: ImportMode) -> _Plan:
    by_path = {each.path: each for each in held}
    created = [file for file in files if file.path not in by_path]
    both = [(by_path[file.path], file) for file in files if file.path in by_path]
    updated = [(there, file) for there, file in both if not _is_already(there, file)]
    # The Anthropic surface lets blank entries in, and an export has them: importing it again changes nothing.
    for file in (*created, *(file for _, file in updated)):
        if not file.text.content.strip():
            raise refused(f"{file.path!r} is blank")
    named = {file.path for file in files}
    deleted = [each for each in held if each.path not in named] if mode == "replace" else []
    return _Plan(created, updated, deleted, unchanged=len(both) - len(updated))


def _is_already(held: _Held, file: Unpacked) -> bool:
    return file.text.sha256 == held.content_sha256 and file.metadata in (None, held.metadata)


async def _carry_out(tx: Tx, store_id: str, plan: _Plan) -> None:
    """Every change with its revision, none waited for: they travel together."""
    if plan.deleted:
        gone = [held.id for held in plan.deleted]
        await tx.run(zip_queries.import_deletions, ids=gone)
        await passages.drop(tx, gone)
    for held in plan.deleted:
        at = after(tx, held.updated_at)
        await record_deletion(tx, store_id, held.id, held.path, held.version, at)
    changed = [await _change(tx, store_id, held, file) for held, file in plan.updated]
    created = [await _create(tx, store_id, file) for file in plan.created]
    await passages.put(tx, [*changed, *created], only_prefetched=True)


async def _create(tx: Tx, store_id: str, file: Unpacked) -> Document:
    entry_id, metadata = new_id("mem"), file.metadata or {}
    await tx.run(
        zip_queries.import_entry,
        store_id=store_id,
        id=entry_id,
        path=file.path,
        content=file.text.content,
        size=file.text.size,
        sha256=file.text.sha256,
        metadata=Jsonb(metadata),
    )
    return await record_change(
        tx, store_id, entry_id, file.path, file.text, metadata,
        version=1, action="created", at=tx.now,
    )  # fmt: skip


async def _change(tx: Tx, store_id: str, held: _Held, file: Unpacked) -> Document:
    metadata = held.metadata if file.metadata is None else file.metadata
    at = after(tx, held.updated_at)
    await tx.run(
        zip_queries.import_change,
        id=held.id,
        content=file.text.content,
        size=file.text.size,
        sha256=file.text.sha256,
        metadata=Jsonb(metadata),
        updated_at=at,
    )
    return await record_change(
        tx, store_id, held.id, held.path, file.text, metadata,
        version=held.version + 1, action="updated", at=at,
    )  # fmt: skip
