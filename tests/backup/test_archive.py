"""The file of a backup: what it says about itself, and what is refused; and a backup that fails leaves nothing behind."""

import json
import tarfile
from io import BytesIO

import psycopg
import pytest

from holdfast.backup.archive import (
    VERSION,
    BackupError,
    Manifest,
    add_manifest,
    open_backup,
    part,
    read_manifest,
)
from holdfast.backup.assets import add_assets, restore_assets
from holdfast.backup.embedded import Replay
from holdfast.backup.service import back_up, restore
from holdfast.memories.assets.objects import ObjectStore

MANIFEST = Manifest("bak_x", "dump", "2026-11-16T09:00:00Z", 18)


def written(path, **files):
    with tarfile.open(path, "w") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name.replace("__", "/"))
            info.size = len(content)
            archive.addfile(info, BytesIO(content))
    return path


def test_a_manifest_is_read_as_it_was_written(tmp_path):
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        add_manifest(archive, MANIFEST)
    with open_backup(tmp_path / "a.tar") as archive:
        assert read_manifest(archive) == MANIFEST
        with pytest.raises(BackupError, match="damaged: it has no database/dump"):
            part(archive, "dump")


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        (b"", "no backup of Holdfast"),
        (b"[]", "no backup of Holdfast"),
        (b'{"format": "other", "version": 1}', "no backup of Holdfast"),
        (json.dumps({"format": "holdfast-backup", "version": VERSION + 1}).encode(), "of the format"),
    ],
)  # fmt: skip
def test_other_files_and_other_versions_are_refused(tmp_path, manifest, said):
    path = written(tmp_path / "a.tar", **{"manifest.json": manifest})
    with open_backup(path) as archive, pytest.raises(BackupError, match=said):
        read_manifest(archive)


def test_what_cannot_be_restored_is_said_before_anything_is_touched(tmp_path):
    manifest = json.dumps({"format": "holdfast-backup", "version": VERSION, "id": "bak_x", "kind": "base",
                           "made_at": "2026-11-16T09:00:00Z", "postgres": 18}).encode()  # fmt: skip
    path = written(tmp_path / "a.tar", **{"manifest.json": manifest})
    places = {"data_dir": tmp_path / "data", "assets_at": str(tmp_path / "assets")}
    with pytest.raises(BackupError, match="there is no file"):
        restore(tmp_path / "none.tar", owner_url=None, **places)
    with pytest.raises(BackupError, match="without a database URL"):
        restore(path, owner_url="postgresql://nowhere/db", **places)
    with pytest.raises(BackupError, match="into a data folder only"):
        restore(path, owner_url="postgresql://nowhere/db", replay=Replay(tmp_path), **places)
    assert not (tmp_path / "data").exists()
    with pytest.raises(BackupError, match=r"no database/base\.tar"):
        restore(path, owner_url=None, **places)
    # Nothing half made is left where a database would be.
    assert not list((tmp_path / "data").glob("postgres*"))


async def test_a_backup_that_fails_leaves_no_file_and_no_note(service, tmp_path):
    store = ObjectStore(f"{service.data_dir}/assets")
    path = tmp_path / "a.tar"
    # The embedded database's owner may not read every row, so a dump is refused.
    with pytest.raises(BackupError, match="cannot read every row"):
        await back_up(service.owner_url, "dump", store, path)
    assert list(tmp_path.iterdir()) == []
    with psycopg.connect(service.owner_url) as connection:
        noted = connection.execute("SELECT count(*) FROM backups WHERE name = 'a.tar'").fetchone()
    assert noted == (0,)
    path.write_text("somebody's")
    with pytest.raises(BackupError, match="there already"):
        await back_up(service.owner_url, "dump", store, path)
    assert path.read_text() == "somebody's"


async def test_assets_go_in_once_and_come_out_as_they_were(tmp_path):
    source, target = ObjectStore(str(tmp_path / "source")), ObjectStore(str(tmp_path / "target"))

    async def put(path: str, content: bytes) -> None:
        async def chunks():
            yield content

        await source.put(path, chunks())

    await put("org_a/asset_1", b"\x00" * 70_000)
    known: set[str] = set()
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        await add_assets(archive, source, known)
        await put("org_a/asset_2", b"came meanwhile")
        await add_assets(archive, source, known)
    assert known == {"org_a/asset_1", "org_a/asset_2"}
    with open_backup(tmp_path / "a.tar") as archive:
        assert await restore_assets(archive, target) == 2
    chunks = await target.get("org_a/asset_2")
    assert b"".join([chunk async for chunk in chunks]) == b"came meanwhile"
