"""The embedded database in a backup: a copy of its files with the log that makes it consistent."""

import os
import shlex
import shutil
import tarfile
import tempfile
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from holdfast.backup.archive import DATABASE, BackupError, Manifest, part
from holdfast.backup.programs import run
from holdfast.engine import Engine
from holdfast.engine.account import account_for
from holdfast.engine.binaries import binaries_for
from holdfast.engine.files import sync_folder
from holdfast.engine.home import make_data_dir, settle_home
from holdfast.engine.lock import FolderLock
from holdfast.kernel.migrate import migrate


@dataclass(frozen=True, slots=True)
class Replay:
    """The folder of an archived log to be read after a backup, and the moment at which to stop; None: at its end."""

    log: Path
    until: datetime | None = None


BASE, LOG = "base.tar", "pg_wal.tar"
UNFINISHED = "postgres.restored-"


def copy_cluster(owner_url: str, folder: Path) -> None:
    """Copy the files of the running cluster into a folder, as tars. The log is streamed beside it, so that nothing which is
    needed is removed meanwhile."""
    arguments = [
        "--pgdata",
        str(folder),
        "--format=tar",
        "--wal-method=stream",
        "--checkpoint=fast",
    ]
    run("pg_basebackup", arguments, owner_url)


def add_cluster(archive: tarfile.TarFile, folder: Path) -> None:
    """Put a copy into the backup."""
    for name in (BASE, LOG):
        archive.add(folder / name, f"{DATABASE}/{name}")


def restore_cluster(
    archive: tarfile.TarFile, manifest: Manifest, data_dir: Path, replay: Replay | None = None
) -> None:
    """Make the cluster of a data folder that has none from a backup, and let it recover once; with `replay`, further than
    the backup."""
    data_dir = data_dir.expanduser().resolve()
    make_data_dir(data_dir)
    lock = FolderLock(data_dir)
    try:
        home = settle_home(data_dir)
        if home.pgdata.exists():
            raise BackupError(f"{data_dir} has a database already: restore into an empty folder")
        account = account_for(home.pgdata)
        major = binaries_for(account).major
        if str(manifest.postgres) != major:
            raise BackupError(
                f"this backup was made by Postgres {manifest.postgres} and this is {major}: restore it with the"
                " version of Holdfast that made it, and run holdfast upgrade with this one on that folder"
            )
        new = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=home.cluster_dir))
        try:
            _extract(archive, BASE, new)
            _extract(archive, LOG, new / "pg_wal")
            if replay is not None:
                _ask_for_replay(new, replay)
            _hand_over(new, account.uid, account.gid)
            os.sync()
            new.rename(home.pgdata)
            sync_folder(home.cluster_dir)
        except BaseException:
            shutil.rmtree(new, ignore_errors=True)
            raise
    finally:
        lock.release()
    start_once(data_dir)


def _ask_for_replay(pgdata: Path, replay: Replay) -> None:
    """Have Postgres read the archived log after the backup's own. It removes the signal when it is done."""
    place = shlex.quote(str(replay.log)).replace("%", "%%")
    lines = {
        "restore_command": f"cp {place}/%f %p",
        "recovery_target_action": "promote",
        "hot_standby": "off",  # single-user mode, which sets the passwords, can recover but not be a standby
    }
    if replay.until is not None:
        lines["recovery_target_time"] = replay.until.isoformat()
    quoted = "".join(
        f"{name} = '{value.replace(chr(39), chr(39) * 2)}'\n" for name, value in lines.items()
    )
    with (pgdata / "postgresql.auto.conf").open("a") as file:
        file.write(quoted)
    (pgdata / "recovery.signal").touch()


def _extract(archive: tarfile.TarFile, name: str, folder: Path) -> None:
    folder.mkdir(exist_ok=True, mode=0o700)
    with tarfile.open(fileobj=part(archive, name), mode="r|") as files:
        files.extractall(folder, filter="data")


def _hand_over(folder: Path, uid: int, gid: int) -> None:
    """Postgres wants its folder closed, and its own."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)
        if os.geteuid() == 0:
            os.chown(path, uid, gid)


def start_once(data_dir: Path) -> None:
    """Start it once: it reads its log to the end of the backup, takes new passwords, and this version's schema."""
    engine = Engine(data_dir)
    try:
        migrate(engine.start().owner_url)
    finally:
        engine.stop()
