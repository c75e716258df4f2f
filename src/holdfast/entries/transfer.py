"""An agent's own entries, or a user's with the agent, as a zip of markdown pages, and back.

Export then import changes nothing. An import is taken whole or not at all: whatever is odd about one file (a path that
leads elsewhere, a link, a bomb, two files for one key, another agent's page) refuses the archive.
"""

import asyncio
import zipfile
from datetime import datetime
from io import BytesIO
from typing import Literal
from urllib.parse import quote, unquote

from holdfast.entries import markdown, retention
from holdfast.entries.markdown import Page
from holdfast.entries.model import (
    CONVERSATION,
    CORE,
    MAX_ENTRIES,
    WORKSPACE,
    Entry,
    ImportResult,
    Scope,
)
from holdfast.entries.quota import Quota
from holdfast.entries.reach import Reach, must_change
from holdfast.kernel import limits
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.errors import HoldfastError, Invalid
from holdfast.kernel.places import enter_agent
from holdfast.kernel.sight import Audience
from holdfast.kernel.sql import load
from holdfast.kernel.zips import Bounds, file_info, read_zip, refused

queries = load(__file__)

Mode = Literal["upsert", "replace"]

# A full agent's export fits, whatever it holds: a thousand pages of 16 KiB that do not compress.
MAX_ZIP_BYTES = 32 * 1024 * 1024
# The largest content, and front matter in which every byte of key, category and tags is escaped.
MAX_PAGE_BYTES = 48 * 1024


async def export_entries(
    db: Database, caller: Caller, agent_id: str, *, scope: Scope = "agent"
) -> bytes:
    """The zip of an agent's own entries, or of the user's with it: `<category>/<percent-encoded key>.md`."""
    async with db.read(caller) as tx:
        await enter_agent(tx, caller, agent_id, to_write=False)
        reach = Reach.of(caller, agent_id)
        entries = await tx.all(Entry, queries.export, **reach.params, scope=scope)
    return await asyncio.to_thread(pack, entries)


async def import_entries(
    db: Database,
    caller: Caller,
    agent_id: str,
    archive: bytes,
    *,
    mode: Mode = "upsert",
    scope: Scope = "agent",
) -> ImportResult:
    """Store every page of a zip; with `replace`, forget what the zip lacks. All of it or nothing."""
    speaking = caller.speaking_as(agent_id)
    reach = Reach.of(caller, agent_id)
    audience = reach.for_new(CORE, scope)
    must_change(caller, audience)
    pages = await asyncio.to_thread(unpack, archive, audience)
    async with db.begin(speaking) as tx:
        await enter_agent(tx, caller, agent_id, to_write=True)
        quota = await Quota.lock(tx, audience.text, None, [audience])
        lacking = await _forget_the_rest(quota, audience, pages) if mode == "replace" else 0
        result = await _store_pages(quota, reach, audience, pages, deleted=lacking)
        await quota.save()
    quota.tally.report()
    return result


async def _forget_the_rest(quota: Quota, audience: Audience, pages: list[Page]) -> int:
    kept = {page.entry.key for page in pages}
    rest = [entry for entry in quota.every(audience) if entry.key not in kept]
    await quota.remove(rest, "forgotten")
    return len(rest)


async def _store_pages(
    quota: Quota, reach: Reach, audience: Audience, pages: list[Page], *, deleted: int
) -> ImportResult:
    """Store what differs. What is not there comes back with its times, unless it has expired by them."""
    upserted = unchanged = expired = 0
    evicted: list[str] = []
    now = quota.tx.now
    await quota.look_back(audience, [page.entry.key for page in pages])
    for page in sorted(pages, key=lambda page: page.updated_at or now):
        new, current = page.entry, quota.current(audience, page.entry.key)
        updated_at = None if current else _not_after(page.updated_at, now)
        ends = retention.expires_at(new.category, updated_at or now)
        if current and (current.content, current.category, current.tags) == (
            new.content,
            new.category,
            new.tags,
        ):
            unchanged += 1
        elif ends is not None and ends <= now:
            expired += 1
        else:
            created_at = _not_after(page.created_at, updated_at or now)
            stored = await quota.put(
                reach, new, action="imported", created_at=created_at, updated_at=updated_at
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
            info = file_info(path_of(entry.category, entry.key), entry.updated_at)
            out.writestr(info, markdown.write(entry).encode())
    return archive.getvalue()


def path_of(category: str, key: str) -> str:
    """Where an entry's page is in the zip. A category of dots alone would lead out of it."""
    folder = quote(category, safe="")
    if not folder.strip("."):
        folder = folder.replace(".", "%2E")
    return f"{folder}/{quote(key, safe='')}.md"


def unpack(archive: bytes, audience: Audience) -> list[Page]:
    """The pages of a zip, all of them of one agent (and of one user, or of none), and no key twice."""
    files = read_zip(archive, _BOUNDS).files
    limits.at_most(len(files), MAX_ENTRIES, what="files in the zip")
    pages = [_read_page(path, raw, audience) for path, raw in files.items()]
    if len({page.entry.key for page in pages}) < len(pages):
        raise refused("two files hold the same key")
    return pages


def _check_path(path: str) -> None:
    """Refuse a path that could not be one of `path_of`, or its folder."""
    folder, slash, file = path.partition("/")
    misplaced = folder in ("", ".", "..") or (slash and not file.endswith(".md"))
    if misplaced or "/" in file or "\\" in path or "\x00" in path:
        raise Invalid("is not at <category>/<percent-encoded key>.md")


# A folder for each category may be listed beside the pages.
_BOUNDS = Bounds(
    max_files=2 * MAX_ENTRIES,
    max_bytes=MAX_ENTRIES * MAX_PAGE_BYTES,
    max_file_bytes=lambda _: MAX_PAGE_BYTES,
    check_path=_check_path,
)


def _read_page(path: str, raw: bytes, audience: Audience) -> Page:
    try:
        page = markdown.read(raw.decode())
        page.entry.check()
    except UnicodeDecodeError:
        raise refused(f"{path!r} is not UTF-8") from None
    except HoldfastError as error:
        raise refused(f"{path!r}: {error.detail}") from None
    if page.agent_id != audience.agent_id:
        raise refused(f"{path!r} belongs to another agent")
    if page.user_id != audience.user_id:
        expected = "no user" if audience.user_id is None else f"the user {audience.user_id!r}"
        raise refused(f"{path!r} is not an entry of {expected}; `scope` says which are imported")
    if page.entry.category in (CONVERSATION, WORKSPACE):
        raise refused(f"{path!r} is a {page.entry.category} entry, which is not the agent's own")
    folder, _, file = path.partition("/")
    if (unquote(folder), unquote(file)) != (page.entry.category, f"{page.entry.key}.md"):
        raise refused(f"{path!r} is not at the path of its category and key")
    return page
