"""Making and restoring backups."""

import asyncio
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import psycopg

from holdfast.backup import assets, embedded, external
from holdfast.backup.archive import (
    BackupError,
    Kind,
    Manifest,
    add_manifest,
    open_backup,
    read_manifest,
)
from holdfast.backup.embedded import Replay
from holdfast.kernel import clock
from holdfast.kernel.clock import rfc3339
from holdfast.kernel.ids import new_id
from holdfast.memories.assets.objects import ObjectStore


async def back_up(owner_url: str, kind: Kind, store: ObjectStore, path: Path) -> Manifest:
    """Write a backup to a new file, while the service goes on. The file appears when it is complete."""
    manifest = await asyncio.to_thread(_note, owner_url, kind, path)
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        with tempfile.TemporaryDirectory(prefix=".holdfast-backup-", dir=path.parent) as folder:
            await _write(owner_url, manifest, store, unfinished, Path(folder))
        unfinished.chmod(0o600)
        unfinished.rename(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        await asyncio.to_thread(_forget, owner_url, manifest.id)
        raise
    return manifest


async def _write(
    owner_url: str, manifest: Manifest, store: ObjectStore, path: Path, folder: Path
) -> None:
    known: set[str] = set()
    with tarfile.open(path, "w") as archive:
        add_manifest(archive, manifest)
        await assets.add_assets(archive, store, known)
        if manifest.kind == "base":
            await asyncio.to_thread(embedded.copy_cluster, owner_url, folder)
            await asyncio.to_thread(embedded.add_cluster, archive, folder)
        else:
            await asyncio.to_thread(external.dump, owner_url, folder)
            await asyncio.to_thread(external.add_dump, archive, folder)
        await assets.add_assets(archive, store, known)


def _note(owner_url: str, kind: Kind, path: Path) -> Manifest:
    """Note the backup in the database first: receipts of erasures name the backups that may hold a person."""
    if path.exists():
        raise BackupError(f"{path} is there already: choose another name")
    made_at, backup_id = clock.now(), new_id("bak")
    with psycopg.connect(owner_url) as connection:
        connection.execute(
            "INSERT INTO backups (id, name, kind, made_at) VALUES (%s, %s, %s, %s)",
            [backup_id, path.name, kind, made_at],
        )
        version = connection.info.server_version
    return Manifest(backup_id, kind, rfc3339(made_at), version // 10_000)


def _forget(owner_url: str, backup_id: str) -> None:
    with psycopg.connect(owner_url) as connection:
        connection.execute("DELETE FROM backups WHERE id = %s", [backup_id])


def restore(
    path: Path,
    *,
    data_dir: Path,
    owner_url: str | None,
    assets_at: str,
    replay: Replay | None = None,
) -> dict[str, Any]:
    """Restore a backup into an empty folder, or (with a URL) into an empty database; and its assets."""
    if replay is not None and owner_url is not None:
        raise BackupError("a log is replayed into a data folder only, not into a database by URL")
    with open_backup(path) as archive:
        manifest = read_manifest(archive)
        wanted: Kind = "base" if owner_url is None else "dump"
        if manifest.kind != wanted:
            raise BackupError(
                "this is a backup of an embedded database: restore it into a data folder, without a database URL"
                if manifest.kind == "base"
                else "this is a dump: restore it into a database of yours, with HOLDFAST_DATABASE_URL"
            )
        if owner_url is None:
            embedded.restore_cluster(archive, manifest, data_dir, replay)
        else:
            with tempfile.TemporaryDirectory(prefix="holdfast-restore-") as folder:
                external.restore_dump(archive, owner_url, Path(folder))
        count = asyncio.run(assets.restore_assets(archive, ObjectStore(assets_at)))
    return {"id": manifest.id, "made_at": manifest.made_at, "kind": manifest.kind, "assets": count}
