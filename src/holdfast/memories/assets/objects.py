"""Where the bytes of assets are: a folder of this machine, or any object store that obstore speaks to.

An object appears whole or not at all: it is streamed to a temporary place and becomes visible when it is complete.
"""

import asyncio
import os
from collections.abc import AsyncIterable, AsyncIterator, Iterable
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, from_url

from holdfast.kernel.errors import BackendUnavailable

# What is in memory of one upload: a part that is being filled, and one that is being sent.
PART_BYTES = 5 * 1024 * 1024
PARTS_AT_ONCE = 2
CHUNK_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class StoredObject:
    """An object that is there, and since when."""

    path: str
    since: datetime


class ObjectStore:
    """The object store of one deployment: a folder's path, or a URL such as s3://bucket/prefix."""

    def __init__(self, where: str) -> None:
        self._folder: Path | None = None
        self._store: Any
        folder = where.removeprefix("file://")
        if "://" in folder:
            self._store = from_url(where)
        else:
            self._folder = Path(folder)
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)  # its files are every org's
            self._store = LocalStore(folder)

    async def check(self) -> None:
        """Raises BackendUnavailable unless the store answers."""
        with _reachable(), suppress(FileNotFoundError):
            await obstore.head_async(self._store, "is-it-there")

    async def put(self, path: str, chunks: AsyncIterable[bytes]) -> None:
        """Stream an object in, in constant memory; an upload whose chunks end in an error leaves nothing."""
        with _reachable():
            await obstore.put_async(
                self._store, path, chunks, chunk_size=PART_BYTES, max_concurrency=PARTS_AT_ONCE
            )
        if self._folder is not None:
            await asyncio.to_thread(_sync_to_disk, self._folder / path)

    async def get(self, path: str) -> AsyncIterator[bytes] | None:
        """The object's bytes in chunks; None where there is no such object."""
        with _reachable():
            try:
                found = await obstore.get_async(self._store, path)
            except FileNotFoundError:
                return None
        return _chunks(found)

    async def delete(self, paths: Iterable[str]) -> None:
        """Delete objects; one that does not exist is no error."""
        with _reachable():
            for path in paths:
                with suppress(FileNotFoundError):
                    await obstore.delete_async(self._store, path)

    async def list(self) -> AsyncIterator[StoredObject]:
        """Every object there is."""
        with _reachable():
            async for some in obstore.list(self._store, chunk_size=1000):
                for each in some:
                    yield StoredObject(each["path"], each["last_modified"])

    async def drop_unfinished(self, before: datetime) -> None:
        """Delete the parts that uploads interrupted before an instant left in the folder (a bucket has its own lifecycle rule)."""
        if self._folder is not None:
            await asyncio.to_thread(_drop_unfinished, self._folder, before)


async def _chunks(found: Any) -> AsyncIterator[bytes]:
    async for chunk in found.stream(min_chunk_size=CHUNK_BYTES):
        yield bytes(chunk)


@contextmanager
def _reachable() -> Any:
    try:
        yield
    except BaseError as error:
        raise BackendUnavailable("the object store of the assets cannot be reached") from error


def _sync_to_disk(path: Path) -> None:
    for each in (path, path.parent):
        descriptor = os.open(each, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _drop_unfinished(folder: Path, before: datetime) -> None:
    """The library stages an object beside its place, under the same name with # and a number."""
    for path in folder.rglob("*#*"):
        with suppress(FileNotFoundError):
            if datetime.fromtimestamp(path.stat().st_mtime, UTC) < before:
                path.unlink()
