"""Files attached to memories: the bytes in the object store, a row with name, type, size and digest in Postgres.

The object is complete before its row is written, and its row is deleted before the object. A process that dies in between
leaves an object without a row, which is never served and which `sweep` deletes. There is never a row without its object.
"""

import re
from collections import defaultdict
from collections.abc import AsyncIterable, AsyncIterator
from dataclasses import asdict, dataclass
from datetime import timedelta
from hashlib import sha256

from holdfast.kernel import clock, idempotency, limits, revisions
from holdfast.kernel.caller import Caller, operator
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import BackendUnavailable, Invalid, NotFound, PayloadTooLarge
from holdfast.kernel.ids import is_id, new_id
from holdfast.kernel.pages import Cursor, Page, read_page
from holdfast.kernel.sql import load
from holdfast.memories.assets.objects import ObjectStore
from holdfast.memories.model import (
    ANYWHERE,
    Asset,
    Memory,
    Place,
)
from holdfast.memories.rows import change_row, read_row
from holdfast.memories.rows import queries as rows
from holdfast.memories.sight import enter

queries = load(__file__)

MAX_ASSET_BYTES = 25 * 1024 * 1024
MAX_ASSET_NAME_CHARS = 255
MAX_ASSETS = 100  # of one memory

# An upload whose row is about to be written is not an orphan yet.
ORPHAN_AFTER = timedelta(hours=1)
_CONTENT_TYPE = re.compile(
    r"[A-Za-z0-9!#$&^_.+-]{1,64}/[A-Za-z0-9!#$&^_.+-]{1,64}(?:; ?[\x21-\x7e]{1,120})?"
)


@dataclass(frozen=True, slots=True)
class Download:
    """An asset and its bytes."""

    asset: Asset
    chunks: AsyncIterator[bytes]


class _Measured:
    """A body on its way to the store: counted, capped and digested as it passes."""

    def __init__(self, chunks: AsyncIterable[bytes]) -> None:
        self._chunks = chunks
        self._digest = sha256()
        self.size = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._chunks:
            self.size += len(chunk)
            if self.size > MAX_ASSET_BYTES:
                raise PayloadTooLarge(MAX_ASSET_BYTES)
            self._digest.update(chunk)
            if chunk:
                yield chunk

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()


async def attach(
    db: Database,
    store: ObjectStore,
    caller: Caller,
    memory_id: str,
    chunks: AsyncIterable[bytes],
    *,
    name: str,
    content_type: str | None = None,
    expected_sha256: str | None = None,
    place: Place = ANYWHERE,
) -> Asset:
    """Stream a file into the store and attach it to a memory; refused where its SHA-256 is not the expected one."""
    _check_name(name)
    content_type = _checked_type(content_type)
    async with db.read(caller) as tx:
        speaking = await enter(tx, caller, place, to_write=False)
        present = await read_row(tx, speaking, memory_id)
    limits.at_most(len(present.assets) + 1, MAX_ASSETS, what="assets of one memory")

    asset_id, measured = new_id("asset"), _Measured(chunks)
    path = _path(caller, asset_id)
    await store.put(path, measured)
    try:
        if expected_sha256 not in (None, measured.sha256):
            raise Invalid.field("Content-Digest", "does not match the bytes")
        asset = Asset(
            id=asset_id,
            name=name,
            content_type=content_type,
            size=measured.size,
            sha256=measured.sha256,
            created_at=clock.now(),
        )
        async with db.begin(caller) as tx:
            await _write_row(tx, speaking, memory_id, asset)
    except BackendUnavailable:
        raise  # the row may be there all the same, and needs its file; one that nobody needs is swept
    except Exception:
        await store.delete([path])
        raise
    return asset


async def _write_row(tx: Tx, speaking: Caller, memory_id: str, asset: Asset) -> None:
    """Write the asset's row and a new version of its memory; NotFound where the memory was deleted during the upload."""
    await tx.run(queries.lock_memory, id=memory_id)
    count = await tx.one(int, queries.count_assets, memory_id=memory_id)
    limits.at_most((count or 0) + 1, MAX_ASSETS, what="assets of one memory")
    memory = await change_row(tx, speaking, memory_id, rows.touch_memory, "asset_added")
    await tx.run(queries.write_asset, memory_id=memory.id, **asdict(asset))
    await tx.revise(
        "asset",
        asset.id,
        version=1,
        action="created",
        parent_id=memory.id,
        label=asset.name,
        state={
            "name": asset.name,
            "content_type": asset.content_type,
            "size": asset.size,
            "sha256": asset.sha256,
        },
    )


async def list_assets(
    db: Database, caller: Caller, memory_id: str, cursor: Cursor, *, place: Place = ANYWHERE
) -> Page[Asset]:
    """The assets of a memory, newest first."""
    async with db.read(caller) as tx:
        await _see(tx, caller, memory_id, place)
        return await read_page(tx, Asset, queries.list_assets, cursor, memory_id=memory_id)


async def download(
    db: Database,
    store: ObjectStore,
    caller: Caller,
    memory_id: str,
    asset_id: str,
    *,
    place: Place = ANYWHERE,
) -> Download:
    """An asset of a memory that the caller sees, with its bytes."""
    async with db.read(caller) as tx:
        await _see(tx, caller, memory_id, place)
        asset = await tx.one(Asset, queries.read_asset, memory_id=memory_id, id=asset_id)
    chunks = None if asset is None else await store.get(_path(caller, asset_id))
    if asset is None or chunks is None:
        raise NotFound(f"there is no asset {asset_id!r}")
    return Download(asset, chunks)


async def delete_asset(
    db: Database,
    store: ObjectStore,
    caller: Caller,
    memory_id: str,
    asset_id: str,
    *,
    place: Place = ANYWHERE,
) -> None:
    """Erase an asset (browser session with a fresh step-up)."""
    caller.must_have_stepped_up()
    async with db.begin(caller) as tx:
        speaking = await enter(tx, caller, place, to_write=False)
        await read_row(tx, speaking, memory_id)
        if await tx.one(str, queries.delete_asset, memory_id=memory_id, id=asset_id) is None:
            raise NotFound(f"there is no asset {asset_id!r}")
        await change_row(tx, speaking, memory_id, rows.touch_memory, "asset_removed")
        await revisions.erase(tx, "asset", [asset_id])
        await tx.revise(
            "asset", asset_id, version=2, action="deleted", parent_id=memory_id, state=None
        )
        await idempotency.forget_mentions(tx, [asset_id])
    await drop_objects(store, caller, [asset_id])


async def drop_objects(store: ObjectStore, caller: Caller, asset_ids: list[str]) -> None:
    """Delete the objects of assets whose rows are deleted."""
    await store.delete([_path(caller, asset_id) for asset_id in asset_ids])


async def sweep(
    db: Database, store: ObjectStore, *, orphan_after: timedelta = ORPHAN_AFTER
) -> list[str]:
    """Delete objects without a row, and parts that interrupted uploads left; the paths of the former."""
    before = clock.now() - orphan_after
    await store.drop_unfinished(before)
    by_org: dict[str, list[str]] = defaultdict(list)
    async for each in store.list():
        org_id, _, asset_id = each.path.rpartition("/")
        if is_id(org_id, "org") and is_id(asset_id, "asset") and each.since <= before:
            by_org[org_id].append(asset_id)
    swept: list[str] = []
    for org_id, asset_ids in by_org.items():
        known = await db.all(operator(org_id), str, queries.known_assets, ids=asset_ids)
        swept += [f"{org_id}/{asset_id}" for asset_id in set(asset_ids) - set(known)]
    await store.delete(swept)
    return swept


async def _see(tx: Tx, caller: Caller, memory_id: str, place: Place) -> Memory:
    speaking = await enter(tx, caller, place, to_write=False)
    return await read_row(tx, speaking, memory_id)


def _path(caller: Caller, asset_id: str) -> str:
    return f"{caller.org_id}/{asset_id}"


def _check_name(name: str) -> None:
    if not name.strip() or not name.isprintable():
        raise Invalid.field("name", "1–255 printable characters")
    limits.at_most_chars(name, MAX_ASSET_NAME_CHARS, what="the name of an asset")


def _checked_type(content_type: str | None) -> str:
    """The media type to serve the asset with; application/octet-stream for anything that is not one."""
    given = (content_type or "").strip()
    return given if _CONTENT_TYPE.fullmatch(given) else "application/octet-stream"
