"""The file of a backup: a tar with a manifest, the database, and the assets.

manifest.json            format, version, kind (base or dump), when it was made, by which versions
database/base.tar        base: the files of the cluster
database/pg_wal.tar      base: the log up to the end of the backup
database/dump            dump: what pg_dump wrote
assets/ORG_ID/ASSET_ID   the bytes of assets
"""

import json
import tarfile
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from typing import IO, Literal

from holdfast import __version__
from holdfast.engine.errors import EngineError

FORMAT, VERSION = "holdfast-backup", 1
MANIFEST, DATABASE, ASSETS = "manifest.json", "database", "assets"

Kind = Literal["base", "dump"]


class BackupError(EngineError):
    """A backup cannot be made or read; the message says why."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup says about itself. `postgres` is the major version of the server."""

    id: str
    kind: Kind
    made_at: str
    postgres: int
    format: str = FORMAT
    version: int = VERSION
    holdfast: str = __version__


def add_manifest(archive: tarfile.TarFile, manifest: Manifest) -> None:
    """Write the manifest, which comes first."""
    text = json.dumps(asdict(manifest), indent=2).encode()
    info = tarfile.TarInfo(MANIFEST)
    info.size, info.mode = len(text), 0o600
    archive.addfile(info, BytesIO(text))


def open_backup(path: Path) -> tarfile.TarFile:
    """A backup to be read from its beginning."""
    try:
        return tarfile.open(path, "r")
    except FileNotFoundError:
        raise BackupError(f"there is no file {path}") from None
    except (tarfile.TarError, OSError):
        raise BackupError(f"{path} is not a backup") from None


def read_manifest(archive: tarfile.TarFile) -> Manifest:
    """What the backup says about itself; BackupError for another file, or another version of the format."""
    try:
        file = archive.extractfile(MANIFEST)
        found = json.loads(file.read()) if file is not None else {}
        known = found.get("format") == FORMAT
    except (KeyError, ValueError, AttributeError, tarfile.TarError):
        known = False
    if not known:
        raise BackupError("this file is no backup of Holdfast")
    if found.get("version") != VERSION:
        raise BackupError(
            f"this backup has version {found.get('version')} of the format, and this Holdfast reads {VERSION}"
        )
    return Manifest(**found)


def part(archive: tarfile.TarFile, name: str) -> IO[bytes]:
    """One file of the backup, to be read."""
    try:
        file = archive.extractfile(f"{DATABASE}/{name}")
    except KeyError:
        file = None
    if file is None:
        raise BackupError(f"this backup is damaged: it has no {DATABASE}/{name}")
    return file
