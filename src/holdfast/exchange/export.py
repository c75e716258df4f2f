"""Writes an export: JSON lines in a zip, as everything stood at one moment; the files of assets; texts for people beside it."""

import asyncio
import json
import zipfile
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any

from holdfast import __version__
from holdfast.conversations.backends import Backends
from holdfast.exchange import interchange, markdown, redis_lists
from holdfast.exchange.tables import BY_NAME, TABLES, Chosen, Table, select
from holdfast.kernel import clock
from holdfast.kernel.caller import Caller
from holdfast.kernel.clock import rfc3339
from holdfast.memories.assets.objects import ObjectStore

FORMAT, VERSION = "holdfast", 1
MANIFEST, REDIS = "manifest.json", "data/redis_conversations.jsonl"
BATCH = 500

# Columns by which a row refers to rows of the directory that go along with it.
_REFERS = ("agent_id", "project_id", "workspace_id", "resource_id")


class Export:
    """One export, into a zip at a path."""

    def __init__(
        self, backends: Backends, assets: ObjectStore, caller: Caller, chosen: Chosen
    ) -> None:
        self._backends = backends
        self._assets = assets
        self._caller = caller
        self._chosen = chosen
        self._referred: dict[str, set[str]] = defaultdict(set)
        self._lines: dict[str, int] = {}
        self._asset_ids: list[str] = []
        self._readable = markdown.Pages()
        self._graph = interchange.Graph()

    async def write(self, path: Path) -> dict[str, int]:
        """Write the zip; how many lines each file has."""
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            async with self._backends.db.snapshot(self._caller) as connection:
                for table in _in_order(self._chosen):
                    rows = self._rows(connection, table)
                    await self._write_lines(archive, f"data/{table.name}.jsonl", rows)
            lists = redis_lists.read_lists(self._backends.redis, self._caller.org_id, self._chosen)
            await self._write_lines(archive, REDIS, lists)
            await self._write_assets(archive)
            for name, text in self._beside():
                archive.writestr(name, text)
            archive.writestr(MANIFEST, json.dumps(self._manifest(), indent=2))
        return self._lines

    async def _rows(self, connection: Any, table: Table) -> AsyncIterator[str]:
        query, params = select(table, self._chosen, self._referred)
        async with connection.cursor(name=f"export_{table.name}") as cursor:
            cursor.itersize = BATCH
            await cursor.execute(query, params)
            async for (line,) in cursor:
                self._look_at(table, line)
                yield line

    def _look_at(self, table: Table, line: str) -> None:
        """Note what a row refers to, and what of it people read."""
        row = json.loads(line)
        if table.named_by is None:
            self._referred["id"].add(str(row.get("id") or row.get("conversation_id") or ""))
        for column in _REFERS:
            if row.get(column) is not None:
                self._referred[column].add(row[column])
        if table.name == "memory_assets":
            self._asset_ids.append(row["id"])
        self._readable.add(table.name, row)
        self._graph.add(table.name, row)

    async def _write_lines(
        self, archive: zipfile.ZipFile, name: str, lines: AsyncIterator[str]
    ) -> None:
        count, held = 0, list[str]()
        with archive.open(name, "w", force_zip64=True) as file:
            async for line in lines:
                held.append(f"{line}\n")
                count += 1
                if len(held) == BATCH:
                    await asyncio.to_thread(file.write, "".join(held).encode())
                    held.clear()
            await asyncio.to_thread(file.write, "".join(held).encode())
        self._lines[name] = count

    async def _write_assets(self, archive: zipfile.ZipFile) -> None:
        for asset_id in self._asset_ids:
            chunks = await self._assets.get(f"{self._caller.org_id}/{asset_id}")
            if chunks is not None:  # else it was deleted after the moment of the export
                with archive.open(f"assets/{asset_id}", "w", force_zip64=True) as file:
                    async for chunk in chunks:
                        await asyncio.to_thread(file.write, chunk)

    def _beside(self) -> Iterator[tuple[str, str]]:
        yield from self._readable.files()
        yield from self._graph.files(self._lines)

    def _manifest(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "version": VERSION,
            "holdfast": __version__,
            "made_at": rfc3339(clock.now()),
            "org_id": self._caller.org_id,
            "user_id": self._chosen.user_id,
            "agent_id": self._chosen.agent_id,
            "lines": self._lines,
        }


def _in_order(chosen: Chosen) -> Sequence[Table]:
    """Without the whole org: first what is chosen by its names, then what that refers to, then the history of the former."""
    if chosen.whole_org:
        return TABLES
    last = ("agents", "projects", "memory_resources", "workspaces", "revisions", "jobs")
    first = [table for table in TABLES if table.name not in last]
    return [*first, *(BY_NAME[name] for name in last)]
