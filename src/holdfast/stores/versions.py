"""The versions of a store's entries, kept as revisions: list, read, redact, restore."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from holdfast.kernel import idempotency, metrics, revisions
from holdfast.kernel.caller import ActorType, Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import Conflict, Invalid, NotFound
from holdfast.kernel.ids import ids_between, is_id
from holdfast.kernel.pages import Cursor, Page, read_page
from holdfast.kernel.sql import load
from holdfast.stores.entries import Expected, entry_in_sight, insert, update, why_not_created
from holdfast.stores.model import Action, Store, StoreEntry, Text, VersionRow
from holdfast.stores.records import after, record, write_conflict
from holdfast.stores.service import (
    ALWAYS,
    Period,
    in_sight,
    must_be_there,
    must_be_writable,
    queries,
    read_managed,
)

version_queries = load(__file__, "versions.sql")


@dataclass(frozen=True, slots=True)
class Filters:
    """Which versions of a store are wanted; None asks for nothing."""

    entry_id: str | None = None
    path: str | None = None
    action: Action | None = None
    period: Period = ALWAYS
    actor_types: tuple[ActorType, ...] | None = None
    actor_id: str | None = None
    session_id: str | None = None


async def list_versions(
    db: Database,
    caller: Caller,
    store_id: str,
    cursor: Cursor,
    filters: Filters,
    *,
    with_content: bool = False,
) -> Page[VersionRow]:
    """Versions, newest first."""
    where = in_sight(caller, store_id)
    since_id, until_id = ids_between("memver", filters.period.since, filters.period.until)
    async with db.read(caller) as tx:
        await tx.plan_for_these_values()
        store = await tx.send(Store, queries.read_store, where)
        page = await read_page(
            tx,
            VersionRow,
            version_queries.list_versions,
            cursor,
            store_id=store_id,
            entry_id=filters.entry_id,
            path=filters.path,
            action=filters.action,
            actor_types=None if filters.actor_types is None else list(filters.actor_types),
            actor_id=filters.actor_id,
            session_id=filters.session_id,
            since_id=since_id,
            until_id=until_id,
            with_content=with_content,
        )
        must_be_there(await store.fetchone())
    return page


async def read_version(db: Database, caller: Caller, store_id: str, version_id: str) -> VersionRow:
    """One version, with its content unless it is redacted."""
    where = _version_in_sight(caller, store_id, version_id)
    return _must_exist(await db.one(caller, VersionRow, version_queries.read_version, **where))


async def redact_version(
    db: Database, caller: Caller, store_id: str, version_id: str
) -> VersionRow:
    """Erase a version's content from everywhere it is kept; size, hash and path stay.

    Older and newer versions of the entry with the very same content (a rename makes one) go with it. The live entry
    is not history: while it stands at this version, it has to be updated or deleted first.
    """
    where = _version_in_sight(caller, store_id, version_id)
    async with db.begin(caller) as tx:
        # A restore that has read this content either comes first, or finds it gone.
        await tx.run(queries.one_at_a_time, store_id=store_id)
        version = _must_exist(await tx.one(VersionRow, version_queries.read_version, **where))
        await read_managed(tx, caller, where, "redacting a version")
        of_entry = {"entry_id": version.entry_id, "version": version.version}
        if await tx.one(bool, version_queries.hold_version, **of_entry):
            raise Conflict(
                "this is the entry's current version: update or delete the entry first",
                current=version.shown,
            )
        copies = await tx.all(
            str,
            version_queries.list_copies,
            entry_id=version.entry_id,
            version_id=version_id,
            sha256=version.content_sha256,
        )
        for each in (version_id, *copies):
            await revisions.redact(tx, caller, each)
            tx.on_commit(metrics.store_redactions.inc)
        await idempotency.forget_mentions(tx, [version.entry_id])
        return _must_exist(await tx.one(VersionRow, version_queries.read_version, **where))


async def restore_entry(
    db: Database,
    caller: Caller,
    store_id: str,
    entry_id: str,
    *,
    version_id: str,
    expected: Expected,
) -> StoreEntry:
    """Make an old version's content and metadata the newest; a deleted entry comes back under its id."""
    where = entry_in_sight(caller, store_id, entry_id)
    if not is_id(version_id, "memver"):
        raise NotFound("this entry has no such version")
    async with db.begin(caller) as tx:
        await tx.run(queries.one_at_a_time, store_id=store_id)
        store = await tx.send(Store, queries.read_store, where)
        last = await tx.one(VersionRow, version_queries.read_last_version, **where)
        must_be_writable(must_be_there(await store.fetchone()), where)
        source = await tx.one(
            VersionRow, version_queries.read_version, **where, version_id=version_id
        )
        if last is None or source is None or source.entry_id != entry_id:
            raise NotFound("this entry has no such version")
        if source.redacted_at is not None:
            raise Conflict("this version is redacted: there is nothing left to restore")
        if source.content is None:
            raise Invalid.field("version_id", "is a deletion: there is nothing in it to restore")
        text = Text(source.content, source.size, source.content_sha256)
        if last.action == "deleted":
            return await _revive(tx, where, last, text, source.metadata, expected)
        return await update(tx, where, text, None, source.metadata, expected)


async def _revive(
    tx: Tx,
    where: dict[str, Any],
    last: VersionRow,
    text: Text,
    metadata: dict[str, str],
    expected: Expected,
) -> StoreEntry:
    """Bring a deleted entry back where it was; `last` is its deletion."""
    if expected.if_match is not None and last.version not in expected.if_match:
        raise write_conflict("if_match", "the entry changed since that ETag")
    if expected.version not in (None, last.version):
        raise write_conflict("version", f"the entry is deleted, at version {last.version}")
    entry = await insert(
        tx,
        where,
        last.entry_id,
        last.entry_path,
        text,
        metadata,
        version=last.version + 1,
        created_at=await tx.one(datetime, version_queries.read_birth, **where),
        updated_at=after(tx, last.created_at),
    )
    if entry is None:
        raise await why_not_created(tx, where, last.entry_path)
    await record(tx, entry, "created")
    return entry


def _version_in_sight(caller: Caller, store_id: str, version_id: str) -> dict[str, Any]:
    if not is_id(version_id, "memver"):
        raise NotFound("there is no such version in this store")
    return {**in_sight(caller, store_id), "version_id": version_id}


def _must_exist(version: VersionRow | None) -> VersionRow:
    if version is None:
        raise NotFound("there is no such version in this store")
    return version
