"""Stores themselves: make, read, list, change, archive, delete."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from holdfast.kernel import idempotency, sight
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import Archived, Invalid, NotFound, PreconditionFailed, ScopeDenied
from holdfast.kernel.ids import is_id, new_id
from holdfast.kernel.pages import Cursor, Page, read_page
from holdfast.kernel.sql import load
from holdfast.stores import passages
from holdfast.stores.model import (
    MAX_NAME_CHARS,
    Store,
    Visibility,
    check_metadata,
    described,
    named,
)

queries = load(__file__)

IfMatch = list[int] | None


@dataclass(frozen=True, slots=True)
class Period:
    """From `since` to `until`, both included; None stays open."""

    since: datetime | None = None
    until: datetime | None = None


ALWAYS = Period()


async def create_store(
    db: Database,
    caller: Caller,
    name: str,
    *,
    description: str = "",
    metadata: dict[str, str] | None = None,
    visibility: Visibility = "org",
    read_only: bool = False,
    max_name_chars: int = MAX_NAME_CHARS,
) -> Store:
    """A new, empty store in the active workspace. Names need not be unique.

    A `private` one belongs to the user acted for; refused (MEM-001) where there is none.
    """
    if visibility == "private":
        caller.must_be_user()
    name = named(name, max_chars=max_name_chars)
    description = described(description)
    check_metadata(metadata or {})
    async with db.begin(caller) as tx:
        store = await tx.one(
            Store,
            queries.create_store,
            id=new_id("memstore"),
            workspace_id=caller.workspace_id,
            name=name,
            name_folded=name.casefold(),
            description=description,
            metadata=Jsonb(metadata or {}),
            visibility=visibility,
            read_only=read_only,
            created_by=caller.user_id,
        )
        if store is None:
            raise RuntimeError("the store was not returned")
        await _revise(tx, store, "created")
    return store


async def read_store(db: Database, caller: Caller, store_id: str) -> Store:
    """One store, with its counts as they are now."""
    return must_be_there(
        await db.one(caller, Store, queries.read_store, **in_sight(caller, store_id))
    )


async def list_stores(
    db: Database,
    caller: Caller,
    cursor: Cursor,
    *,
    include_archived: bool = False,
    name: str | None = None,
    period: Period = ALWAYS,
) -> Page[Store]:
    """Stores, newest first; `name` is the beginning of a name, in any case."""
    async with db.read(caller) as tx:
        await tx.plan_for_these_values()
        return await read_page(
            tx,
            Store,
            queries.list_stores,
            cursor,
            **sight.params(caller),
            include_archived=include_archived,
            name=None if name is None else name.casefold(),
            since=period.since,
            until=period.until,
        )


async def change_store(
    db: Database,
    caller: Caller,
    store_id: str,
    *,
    name: str | None = None,
    description: str | None = None,
    metadata: dict[str, str | None] | None = None,
    visibility: Visibility | None = None,
    read_only: bool | None = None,
    if_match: IfMatch = None,
    max_name_chars: int = MAX_NAME_CHARS,
) -> Store:
    """Change what is given. A key of `metadata` that is None goes, keys that are not named stay.

    Where nothing would change, nothing does: neither version nor updated_at moves.
    """
    where = in_sight(caller, store_id)
    if name is not None:
        name = named(name, max_chars=max_name_chars)
    check_metadata(metadata or {})
    async with db.begin(caller) as tx:
        present = await read_managed(tx, caller, where, "changing a store")
        if visibility == "private" and present.created_by is None:
            raise Invalid.field(
                "visibility", "an agent made this store for no user: it stays `org`"
            )
        store = await tx.one(
            Store,
            queries.change_store,
            **where,
            visibility=visibility,
            read_only=read_only,
            name=name,
            name_folded=None if name is None else name.casefold(),
            description=None if description is None else described(description),
            metadata=None if metadata is None else Jsonb(metadata),
            if_match=if_match,
        )
        if store is None:
            return await _as_it_is(tx, where, if_match)
        check_metadata(store.metadata)
        await _revise(tx, store, "updated")
    return store


async def archive_store(
    db: Database, caller: Caller, store_id: str, *, if_match: IfMatch = None
) -> Store:
    """Close a store to writing, for good; it stays readable."""
    where = in_sight(caller, store_id)
    async with db.begin(caller) as tx:
        await read_managed(tx, caller, where, "archiving a store")
        store = await tx.one(Store, queries.archive_store, **where, if_match=if_match)
        if store is None:
            raise await _why_not(tx, where)
        await _revise(tx, store, "archived")
    return store


async def delete_store(
    db: Database, caller: Caller, store_id: str, *, if_match: IfMatch = None
) -> None:
    """Delete a store with its entries and all their versions. One revision stays: that it was deleted."""
    where = in_sight(caller, store_id)
    async with db.begin(caller) as tx:
        await tx.run(queries.one_at_a_time, store_id=store_id)
        await read_managed(tx, caller, where, "deleting a store")
        await tx.run(queries.delete_entries, store_id=store_id)
        await passages.drop_store(tx, store_id)
        version = await tx.one(int, queries.delete_store, store_id=store_id, if_match=if_match)
        if version is None:
            raise await _why_not(tx, where)
        await tx.run(queries.delete_versions, store_id=store_id)
        await tx.run(queries.delete_store_history, store_id=store_id)
        await idempotency.forget_mentions(tx, [store_id])
        await tx.revise("store", store_id, version=version + 1, action="deleted")


# --- what the rest of the face shares --------------------------------------------------------------------------------


def in_sight(caller: Caller, store_id: str) -> dict[str, Any]:
    """The parameters by which a statement finds a store that the caller sees; NotFound for a malformed id.

    `writes_read_only`: user and agent keys, and browsers of those who are no owners, only read a `read_only` store.
    """
    if not is_id(store_id, "memstore"):
        raise NotFound("there is no such store")
    kind = caller.credential
    writes = kind in ("service", "operator", "job") or (kind == "session" and caller.owner)
    return {"store_id": store_id, "writes_read_only": writes, **sight.params(caller)}


async def read_managed(tx: Tx, caller: Caller, where: dict[str, Any], doing: str) -> Store:
    """A store that the caller sees and may change itself; MEM-001 where it may only see it."""
    store = must_be_there(await tx.one(Store, queries.read_store, **where))
    sight.must_manage(caller, made_by=store.created_by, what=doing)
    return store


def must_be_there(store: Store | None) -> Store:
    """The store that was looked for."""
    if store is None:
        raise NotFound("there is no such store")
    return store


def must_be_writable(store: Store, where: dict[str, Any]) -> None:
    """Refuse to write entries into a store that is read-only for the caller (MEM-001), or archived."""
    must_not_be_read_only(store, where)
    must_be_open(store)


def must_not_be_read_only(store: Store, where: dict[str, Any]) -> None:
    """Refuse (MEM-001) a caller that only reads a read-only store; see `in_sight`."""
    if store.read_only and not where["writes_read_only"]:
        raise ScopeDenied("this store is read-only for user and agent keys")


def must_be_open(store: Store) -> None:
    """Refuse to change an archived store."""
    if store.status == "archived":
        raise Archived("this store is archived: it can be read, not written")


async def _why_not(tx: Tx, where: dict[str, Any]) -> Exception:
    """Why a change of a store found nothing to change."""
    store = must_be_there(await tx.one(Store, queries.read_store, **where))
    must_be_open(store)
    return PreconditionFailed("the store changed since that ETag")


async def _as_it_is(tx: Tx, where: dict[str, Any], if_match: IfMatch) -> Store:
    """The store, which already is what was asked for."""
    store = must_be_there(await tx.one(Store, queries.read_store, **where))
    must_be_open(store)
    if if_match is not None and store.version not in if_match:
        raise PreconditionFailed("the store changed since that ETag")
    return store


async def _revise(tx: Tx, store: Store, action: str) -> None:
    state: dict[str, Any] = {
        "name": store.name,
        "description": store.description,
        "metadata": store.metadata,
        "status": store.status,
        "visibility": store.visibility,
        "read_only": store.read_only,
        "created_by": store.created_by,
    }
    await tx.revise("store", store.id, version=store.version, action=action, state=state)
