"""What changed in a store between two versions or two moments, as unified diffs."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter, ValidationError

from holdfast.kernel import diffs, limits
from holdfast.kernel.caller import Caller
from holdfast.kernel.clock import Instant
from holdfast.kernel.db import Database
from holdfast.kernel.errors import Malformed, NotFound
from holdfast.kernel.ids import ids_between, is_id
from holdfast.kernel.sql import load
from holdfast.stores.model import FileDiff, Store, StoreDiff, VersionRow
from holdfast.stores.service import in_sight, must_be_there, queries

version_queries = load(__file__, "versions.sql")

MAX_FILES = 1000

_instant: TypeAdapter[datetime] = TypeAdapter(Instant)


@dataclass(frozen=True, slots=True)
class Side:
    """A file at one of the two moments; None for `content` means that it was redacted since."""

    path: str
    content: str | None


@dataclass(frozen=True, slots=True)
class _Changed:
    entry_id: str
    old_path: str | None
    old_content: str | None
    new_path: str | None
    new_content: str | None


async def diff(db: Database, caller: Caller, store_id: str, since: str, until: str) -> StoreDiff:
    """What changed between two versions of an entry, or in the whole store between two moments.

    A version beside a time, or beside one of another entry, stands for the moment at which it was made. From a later one to
    an earlier one, the diff is of going back.
    """
    where = in_sight(caller, store_id)
    old = await _version(db, caller, where, since)
    new = await _version(db, caller, where, until)
    if old is not None and new is not None and old.entry_id == new.entry_id:
        return await _diff_of([(_side(old), _side(new))])
    bounds = _just_after(old, since, "from"), _just_after(new, until, "to")
    pairs = await _pairs(db, caller, where, min(bounds), max(bounds))
    return await _diff_of(pairs if bounds[0] <= bounds[1] else [(new, old) for old, new in pairs])


async def _version(
    db: Database, caller: Caller, where: dict[str, Any], point: str
) -> VersionRow | None:
    """The version that a point names; None for a time."""
    if not is_id(point, "memver"):
        return None
    query = version_queries.read_version
    found = await db.one(caller, VersionRow, query, **where, version_id=point)
    if found is None:
        raise NotFound("there is no such version in this store")
    return found


def _just_after(version: VersionRow | None, point: str, field: str) -> str:
    """The id that versions up to this point are below."""
    if version is not None:
        # Ids end in hex digits: none is between one and the same with a letter behind it.
        return f"{version.id}g"
    return ids_between("memver", None, _moment(point, field))[1] or ""


async def _pairs(
    db: Database, caller: Caller, where: dict[str, Any], since_id: str, until_id: str
) -> list[tuple[Side | None, Side | None]]:
    async with db.read(caller) as tx:
        store = await tx.send(Store, queries.read_store, where)
        changed = await tx.all(
            _Changed,
            version_queries.list_changed,
            store_id=where["store_id"],
            since_id=since_id,
            until_id=until_id,
            limit=MAX_FILES + 1,
        )
        must_be_there(await store.fetchone())
    limits.at_most(len(changed), MAX_FILES, what="files changed (ask for a shorter time)")
    return _by_path(changed)


def _by_path(changed: list[_Changed]) -> list[tuple[Side | None, Side | None]]:
    """Before and after of each entry; one that went and one that came at the same path are one file."""
    pairs = [
        (
            None if each.old_path is None else Side(each.old_path, each.old_content),
            None if each.new_path is None else Side(each.new_path, each.new_content),
        )
        for each in changed
    ]
    came = {new.path: new for old, new in pairs if old is None and new is not None}
    went = {old.path: old for old, new in pairs if new is None and old is not None}
    replaced = came.keys() & went.keys()
    kept = [
        (old, new)
        for old, new in pairs
        if not ((old is None or new is None) and {s.path for s in (old, new) if s} & replaced)
    ]
    return [*kept, *((went[path], came[path]) for path in replaced)]


async def _diff_of(pairs: list[tuple[Side | None, Side | None]]) -> StoreDiff:
    files = await asyncio.to_thread(lambda: [f for pair in pairs for f in _file(*pair)])
    return StoreDiff(sorted(files, key=lambda file: file.path.encode()))


def _file(old: Side | None, new: Side | None) -> Iterator[FileDiff]:
    present = new or old
    if present is None or old == new:
        return
    renamed = old is not None and new is not None and old.path != new.path
    redacted = any(side is not None and side.content is None for side in (old, new))
    yield FileDiff(
        path=present.path,
        action="created" if old is None else "deleted" if new is None else "updated",
        diff="" if redacted else unified(old, new),
        redacted=redacted,
        old_path=old.path if old is not None and renamed else None,
    )


def unified(old: Side | None, new: Side | None) -> str:
    """A unified diff, in the form that patch reads."""
    return diffs.unified(
        None if old is None else old.content or "",
        None if new is None else new.content or "",
        f"a/{old.path}" if old else "/dev/null",
        f"b/{new.path}" if new else "/dev/null",
    )


def _side(version: VersionRow) -> Side | None:
    return None if version.action == "deleted" else Side(version.entry_path, version.content)


def _moment(text: str, field: str) -> datetime:
    try:
        return _instant.validate_python(text)
    except ValidationError:
        raise Malformed.field(
            field, "is a version (memver_…) or a time (2026-01-31T12:00:00Z)"
        ) from None
