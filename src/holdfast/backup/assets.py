"""The files of assets in a backup.

They are copied twice: what is there before the database is copied, and what came meanwhile. So whatever has a row at the end of the
database's copy has its bytes in the backup, also if it is deleted while the backup is made.
"""

import asyncio
import tarfile
import tempfile
from collections.abc import AsyncIterator

from holdfast.backup.archive import ASSETS
from holdfast.memories.assets.objects import ObjectStore

CHUNK_BYTES = 256 * 1024
IN_MEMORY_BYTES = 4 * 1024 * 1024


async def add_assets(archive: tarfile.TarFile, store: ObjectStore, known: set[str]) -> None:
    """Add the objects that are not `known` yet, and make them known."""
    async for each in store.list():
        if each.path in known:
            continue
        chunks = await store.get(each.path)
        if chunks is None:
            continue  # deleted meanwhile
        with tempfile.SpooledTemporaryFile(IN_MEMORY_BYTES) as file:
            async for chunk in chunks:
                file.write(chunk)
            info = tarfile.TarInfo(f"{ASSETS}/{each.path}")
            info.size, info.mode = file.tell(), 0o600
            file.seek(0)
            await asyncio.to_thread(archive.addfile, info, file)
        known.add(each.path)


async def restore_assets(archive: tarfile.TarFile, store: ObjectStore) -> int:
    """Put the objects of a backup into the store; how many."""
    count = 0
    for member in archive.getmembers():
        if member.isfile() and member.name.startswith(f"{ASSETS}/"):
            await store.put(member.name.removeprefix(f"{ASSETS}/"), _chunks(archive, member))
            count += 1
    return count


async def _chunks(archive: tarfile.TarFile, member: tarfile.TarInfo) -> AsyncIterator[bytes]:
    file = archive.extractfile(member)
    while file is not None and (chunk := await asyncio.to_thread(file.read, CHUNK_BYTES)):
        yield chunk
