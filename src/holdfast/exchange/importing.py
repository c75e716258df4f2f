"""Reads an export into an org: all of it in one transaction, or nothing. What is there in a newer version stays."""

import json
import zipfile
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from holdfast.blocks.archive import Archive, reindex, scope_of
from holdfast.conversations.backends import Backends
from holdfast.exchange.export import FORMAT, MANIFEST, REDIS, VERSION
from holdfast.exchange.redis_lists import write_list
from holdfast.exchange.tables import TABLES, Table
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Tx
from holdfast.kernel.errors import BackendUnavailable, Invalid
from holdfast.kernel.recall import passages
from holdfast.kernel.recall.vectors import DocumentReader
from holdfast.kernel.sql import load
from holdfast.memories.assets.objects import ObjectStore

queries = load(__file__)

BATCH = 500
CHUNK_BYTES = 256 * 1024
# How many ids of each outcome a report lists; all are counted.
MAX_LISTED = 1_000

_WRONG_ROWS = (psycopg.DataError, psycopg.IntegrityError)


@dataclass(frozen=True, slots=True)
class _Outcome:
    number: int
    outcome: str


@dataclass(slots=True)
class Report:
    """What became of every row: counts by table, and the ids of those that met something else."""

    dry_run: bool
    tables: dict[str, dict[str, int]] = field(default_factory=dict)
    updated: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    clashed: list[str] = field(default_factory=list)
    orphaned: list[str] = field(default_factory=list)
    assets: int = 0
    redis_conversations: int = 0


class _Undo(Exception):
    """Ends the transaction of a dry run."""


class Import:
    """One import from a zip. `readers` say how each kind of object is read to be indexed."""

    def __init__(
        self,
        backends: Backends,
        assets: ObjectStore,
        caller: Caller,
        readers: Mapping[str, DocumentReader],
    ) -> None:
        self._backends = backends
        self._assets = assets
        self._caller = caller
        self._readers = readers
        self._changed: dict[str, list[str]] = defaultdict(list)
        self._replaced: set[tuple[str, str]] = set()

    async def read(self, path: Path, *, dry_run: bool = False) -> Report:
        """Import the zip; with `dry_run`, say what would become of it and change nothing."""
        report = Report(dry_run)
        with _opened(path) as archive:
            manifest = _manifest(archive)
            self._must_reach_redis(archive)
            try:
                async with self._backends.db.begin(self._caller) as tx:
                    await self._write(tx, archive, manifest, report)
                    if dry_run:
                        raise _Undo
                    report.assets = await self._write_assets(archive)
            except _Undo:
                return report
            report.redis_conversations = await self._write_lists(archive)
        return report

    async def _write(
        self, tx: Tx, archive: zipfile.ZipFile, manifest: dict[str, Any], report: Report
    ) -> None:
        fresh = bool(await tx.one(bool, queries.is_fresh))
        for table in TABLES:
            if table.imported:
                await self._write_table(tx, archive, table, manifest["org_id"], report, fresh=fresh)
        await tx.run(queries.count_quotas)
        if not report.dry_run:
            await self._index(tx)

    async def _write_table(
        self,
        tx: Tx,
        archive: zipfile.ZipFile,
        table: Table,
        from_org: str,
        report: Report,
        *,
        fresh: bool,
    ) -> None:
        counts: Counter[str] = Counter()
        for first, lines in _batches(archive, f"data/{table.name}.jsonl"):
            rows = _parsed(table, lines, first)
            if table.name == "revisions":
                lines = _of_this_org(lines, rows, from_org, self._caller.org_id)
                await self._clear_revisions(tx, rows, fresh=fresh)
            try:
                outcomes = await tx.all(
                    _Outcome,
                    queries.import_rows,
                    table=table.name,
                    rows=f"[{','.join(lines)}]",
                    fresh=fresh,
                )
            except _WRONG_ROWS as error:
                reason = error.diag.message_primary or "a row cannot be read"
                raise Invalid(
                    f"data/{table.name}.jsonl, lines {first}–{first + len(lines) - 1}: {reason}"
                ) from None
            for each in outcomes:
                counts[each.outcome] += 1
                self._note(table, rows[each.number - 1], each.outcome, report)
        if counts:
            report.tables[table.name] = dict(counts)

    def _note(self, table: Table, row: dict[str, Any], outcome: str, report: Report) -> None:
        if outcome in ("created", "updated"):
            self._changed[table.name].append(str(row.get("id")))
        if outcome == "updated" and table.kind is not None:
            self._replaced.add((table.kind, str(row.get("id", self._caller.org_id))))
        listed = getattr(report, outcome, None)
        if isinstance(listed, list) and len(listed) < MAX_LISTED:
            name = row.get("id") or row.get("conversation_id") or row.get("key") or ""
            listed.append(f"{table.name}/{name}")

    async def _clear_revisions(
        self, tx: Tx, rows: Sequence[dict[str, Any]], *, fresh: bool
    ) -> None:
        """Versions that the org and the export both have are the export's, of objects that it replaced."""
        those = [r for r in rows if fresh or (r["kind"], r["object_id"]) in self._replaced]
        await tx.run(
            queries.clear_revisions,
            kinds=[each["kind"] for each in those],
            ids=[each["object_id"] for each in those],
            versions=[each["version"] for each in those],
        )

    async def _index(self, tx: Tx) -> None:
        """Make what was imported findable: by its words at once, by its meaning when a job has embedded it."""
        for table in TABLES:
            ids = self._changed[table.name]
            if table.indexed is not None:
                for start in range(0, len(ids), BATCH):
                    documents = await self._readers[table.indexed](tx, ids[start : start + BATCH])
                    await passages.put(tx, documents, only_prefetched=True)
        for archive in await tx.all(Archive, queries.archives, ids=self._changed["blocks"]):
            await passages.drop_scope(tx, scope_of(archive.user_id, archive.agent_id))
            await reindex(tx, archive, None)

    async def _write_assets(self, archive: zipfile.ZipFile) -> int:
        """Before the commit: there is never a row without its object."""
        wanted = set(self._changed["memory_assets"])
        found = [info for info in archive.infolist() if info.filename.startswith("assets/")]
        written = 0
        for info in found:
            asset_id = info.filename.removeprefix("assets/")
            if asset_id in wanted:
                await self._assets.put(f"{self._caller.org_id}/{asset_id}", _chunks(archive, info))
                written += 1
        return written

    def _must_reach_redis(self, archive: zipfile.ZipFile) -> None:
        """Refuse an export with conversations of Redis where there is none, before anything is written."""
        if self._backends.redis is None and any(_batches(archive, REDIS)):
            raise BackendUnavailable(
                "the export has conversations that are kept in Redis: set HOLDFAST_REDIS_URL and import it again"
            )

    async def _write_lists(self, archive: zipfile.ZipFile) -> int:
        redis, written = self._backends.redis, 0
        if redis is None:
            return written
        for _, lines in _batches(archive, REDIS):
            for line in lines:
                written += await write_list(redis, self._caller.org_id, json.loads(line))
        return written


def _opened(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except FileNotFoundError:
        raise Invalid(f"there is no file {path}") from None
    except (zipfile.BadZipFile, OSError):
        raise Invalid(f"{path} is not a zip") from None


def _manifest(archive: zipfile.ZipFile) -> dict[str, Any]:
    try:
        manifest: dict[str, Any] = json.loads(archive.read(MANIFEST))
        known = manifest["format"] == FORMAT and isinstance(manifest["org_id"], str)
    except (KeyError, ValueError, TypeError, zipfile.BadZipFile):
        known = False
    if not known:
        raise Invalid(f"this zip is no export: it has no {MANIFEST} of the format {FORMAT!r}")
    if manifest.get("version") != VERSION:
        raise Invalid(
            f"this export has version {manifest.get('version')} of the format, and this Holdfast reads {VERSION}"
        )
    return manifest


def _batches(archive: zipfile.ZipFile, name: str) -> Iterator[tuple[int, list[str]]]:
    """The lines of a file, some at a time, each time with the number of the first; none where there is no such file."""
    if name not in archive.namelist():
        return
    first, held = 1, list[str]()
    try:
        with archive.open(name) as file:
            for line in file:
                held.append(line.decode().rstrip("\n"))
                if len(held) == BATCH:
                    yield first, held
                    first, held = first + len(held), []
    except (UnicodeDecodeError, zipfile.BadZipFile, EOFError) as error:
        raise Invalid(f"{name} cannot be read after line {first + len(held) - 1}") from error
    if held:
        yield first, held


def _parsed(table: Table, lines: Sequence[str], first: int) -> list[dict[str, Any]]:
    rows = []
    for number, line in enumerate(lines, first):
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict):
            raise Invalid(f"data/{table.name}.jsonl, line {number}: not a JSON object")
        rows.append(row)
    return rows


def _of_this_org(
    lines: list[str], rows: Sequence[dict[str, Any]], from_org: str, org_id: str
) -> list[str]:
    """The history of the org itself carries its id, which is another here."""
    ours = list(lines)
    for number, row in enumerate(rows):
        if row.get("kind") == "org" and row.get("object_id") == from_org:
            row["object_id"] = org_id
            ours[number] = json.dumps(row)
    return ours


async def _chunks(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> AsyncIterator[bytes]:
    with archive.open(info) as file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk
