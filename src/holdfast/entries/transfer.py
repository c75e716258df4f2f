"""An agent's own entries as a zip of markdown pages, and back.

Export then import changes nothing. An import is taken whole or not at all: whatever is odd about one file (a path that
leads elsewhere, a link, a bomb, two files for one key, another agent's page) refuses the archive.
"""

import asyncio
import stat
import zipfile
import zlib
from collections.abc import Iterator
from datetime import datetime
from io import BytesIO
from typing import Literal
from urllib.parse import quote, unquote

from holdfast.entries import markdown, retention
from holdfast.entries.markdown import Page
from holdfast.entries.model import (
    CONVERSATION,
    MAX_ENTRIES,
    WORKSPACE,
    Entry,
    ImportResult,
    Places,
)
from holdfast.entries.shelf import Shelf
from holdfast.kernel import limits
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import HoldfastError, Invalid
from holdfast.kernel.places import enter_agent
from holdfast.kernel.sql import load

queries = load(__file__)

Mode = Literal["upsert", "replace"]

# A full agent's export fits, whatever it holds: a thousand pages of 16 KiB that do not compress.
MAX_ZIP_BYTES = 32 * 1024 * 1024
# The largest content, and front matter in which every byte of key, category and tags is escaped.
MAX_PAGE_BYTES = 48 * 1024
_CENTRAL_RECORD = b"PK\x01\x02"
_ENCRYPTED = 0x1


async def export_entries(db: Database, caller: Caller, agent_id: str) -> bytes:
    """The zip of an agent's own entries: `<category>/<percent-encoded key>.md`."""
    async with db.read(caller) as tx:
        await enter_agent(tx, caller, agent_id, to_write=False)
        owner = Places(agent_id, caller.workspace_id).agent.owner
        entries = await tx.all(Entry, queries.export, owner=owner)
    return await asyncio.to_thread(pack, entries)


async def import_entries(
    db: Database, caller: Caller, agent_id: str, archive: bytes, *, mode: Mode = "upsert"
) -> ImportResult:
    """Store every page of a zip; with `replace`, forget what the zip lacks. All of it or nothing."""
    pages = await asyncio.to_thread(unpack, archive, agent_id)
    where = Places(agent_id, caller.workspace_id)
    async with db.begin(caller.speaking_as(agent_id)) as tx:
        await enter_agent(tx, caller, agent_id, to_write=True)
        shelf = await Shelf.take(tx, where.agent.owner, None)
        lacking = await _forget_the_rest(shelf, pages) if mode == "replace" else 0
        result = await _store_pages(tx, shelf, where, pages, deleted=lacking)
        await shelf.leave()
    shelf.tally.report()
    return result


async def _forget_the_rest(shelf: Shelf, pages: list[Page]) -> int:
    kept = {page.entry.key for page in pages}
    rest = [entry for entry in shelf.every() if entry.key not in kept]
    await shelf.remove(rest, "forgotten")
    return len(rest)


async def _store_pages(
    tx: Tx, shelf: Shelf, where: Places, pages: list[Page], *, deleted: int
) -> ImportResult:
    """Store what differs. What is not there comes back with its times, unless its time is over."""
    upserted = unchanged = expired = 0
    evicted: list[str] = []
    await shelf.look_back(where.agent, [page.entry.key for page in pages])
    for page in sorted(pages, key=lambda page: page.updated_at or tx.now):
        new, current = page.entry, shelf.held(where.agent, page.entry.key)
        updated_at = None if current else _not_after(page.updated_at, tx.now)
        ends = retention.expires_at(new.category, updated_at or tx.now)
        if current and (current.content, current.category, current.tags) == (
            new.content,
            new.category,
            new.tags,
        ):
            unchanged += 1
        elif ends is not None and ends <= tx.now:
            expired += 1
        else:
            created_at = _not_after(page.created_at, updated_at or tx.now)
            stored = await shelf.put(
                where, new, action="imported", created_at=created_at, updated_at=updated_at
            )
            upserted += 1
            evicted += stored.evicted
    return ImportResult(upserted, unchanged, deleted, expired, evicted)


def _not_after(at: datetime | None, latest: datetime) -> datetime:
    """A time from a page, which may not lie in the future: it would never grow cold."""
    return latest if at is None else min(at, latest)


# --- the zip ---------------------------------------------------------------------------------------------------------


def pack(entries: list[Entry]) -> bytes:
    """The zip of entries; the same entries give the same bytes."""
    archive = BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        for entry in entries:
            at = max(entry.updated_at.timetuple()[:6], (1980, 1, 1, 0, 0, 0))
            info = zipfile.ZipInfo(path_of(entry.category, entry.key), at)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (stat.S_IFREG | 0o644) << 16
            out.writestr(info, markdown.write(entry).encode())
    return archive.getvalue()


def path_of(category: str, key: str) -> str:
    """Where an entry's page is in the zip. A category of dots alone would lead out of it."""
    folder = quote(category, safe="")
    if not folder.strip("."):
        folder = folder.replace(".", "%2E")
    return f"{folder}/{quote(key, safe='')}.md"


def unpack(archive: bytes, agent_id: str) -> list[Page]:
    """The pages of a zip, all of them of one agent and none twice."""
    if archive.count(_CENTRAL_RECORD) > 10 * MAX_ENTRIES:
        raise Invalid("the zip lists far more files than an agent has entries")
    try:
        with zipfile.ZipFile(BytesIO(archive)) as opened:
            pages = [_read_page(opened, info, agent_id) for info in _files(opened)]
    except HoldfastError:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OSError):
        raise Invalid("the body is not a zip that can be read") from None
    keys = [page.entry.key for page in pages]
    if len(set(keys)) < len(keys):
        raise Invalid("two files of the zip hold the same key")
    return pages


def _files(opened: zipfile.ZipFile) -> Iterator[zipfile.ZipInfo]:
    """The files to read, each looked at before anything is unpacked."""
    listed = [info for info in opened.infolist() if not _is_plain_folder(info)]
    limits.at_most(len(listed), MAX_ENTRIES, what="files")
    names = {info.filename for info in listed}
    if len(names) < len(listed):
        raise Invalid("the zip has two files of the same name")
    for info in listed:
        kind = stat.S_IFMT(info.external_attr >> 16)
        if kind not in (0, stat.S_IFREG):
            raise _refused(info, "is not a regular file")
        if info.flag_bits & _ENCRYPTED:
            raise _refused(info, "is encrypted")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise _refused(info, "is compressed in a way that is not read here")
        yield info


def _is_plain_folder(info: zipfile.ZipInfo) -> bool:
    return info.is_dir() and info.file_size == 0 and info.filename.count("/") == 1


def _read_page(opened: zipfile.ZipFile, info: zipfile.ZipInfo, agent_id: str) -> Page:
    folder, name = _path_in(info)
    with opened.open(info) as file:
        raw = file.read(MAX_PAGE_BYTES + 1)  # whatever the zip says of its size
    if len(raw) > MAX_PAGE_BYTES:
        raise _refused(info, f"has more than {MAX_PAGE_BYTES:,} bytes")
    try:
        page = markdown.read(raw.decode())
        page.entry.check()
    except UnicodeDecodeError:
        raise _refused(info, "is not UTF-8") from None
    except HoldfastError as error:
        raise _refused(info, error.detail) from None
    if page.agent_id != agent_id:
        raise _refused(info, "belongs to another agent")
    if page.entry.category in (CONVERSATION, WORKSPACE):
        raise _refused(info, f"is a {page.entry.category} entry, which is not the agent's own")
    if (folder, name) != (page.entry.category, page.entry.key):
        raise _refused(info, "is not at the path of its category and key")
    return page


def _path_in(info: zipfile.ZipInfo) -> tuple[str, str]:
    """The category and key that a file's path spells."""
    parts = info.orig_filename.split("/")
    if len(parts) != 2 or "\\" in info.orig_filename or "\x00" in info.orig_filename:
        raise _refused(info, "is not at <category>/<percent-encoded key>.md")
    folder, file = parts
    if folder in ("", ".", "..") or not file.endswith(".md"):
        raise _refused(info, "is not at <category>/<percent-encoded key>.md")
    return unquote(folder), unquote(file.removesuffix(".md"))


def _refused(info: zipfile.ZipInfo, why: str) -> Invalid:
    return Invalid.field(info.filename[:300], why)
