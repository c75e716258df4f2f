"""Where things are: the data folder, and the folder that holds the cluster.

    data_dir/
      engine.lock              held by the process that runs the engine
      passwords.json           of the two roles (0600)
      postgres.log             what Postgres has to say
      postgres/                the cluster
      wal_archive              where finished files of the write-ahead log are copied to, if anywhere
      cluster, socket          only where the cluster or its socket had to go elsewhere: where

The two are one folder, except where root starts Postgres as an account that cannot enter the data
folder (in root's home, say). Then the cluster has a folder of its own in /var/lib/holdfast.
"""

import os
import re
import secrets
import stat
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from holdfast.engine import binaries
from holdfast.engine.account import Account, account_for, can_reach
from holdfast.engine.endpoints import PORT
from holdfast.engine.errors import EngineError
from holdfast.engine.files import read_if_there, write_private

ARCHIVE_VARIABLE = "HOLDFAST_WAL_ARCHIVE"

# What the kernel allows for a socket's path, with its closing zero byte.
SOCKET_PATH_BYTES = 104 if sys.platform == "darwin" else 108


@dataclass(frozen=True, slots=True)
class Home:
    """The places of one engine."""

    data_dir: Path
    cluster_dir: Path

    @property
    def pgdata(self) -> Path:
        """Postgres' own folder; it exists once the cluster in it is complete."""
        return self.cluster_dir / "postgres"

    @property
    def log(self) -> Path:
        """What Postgres prints. We open it, so the account need not be able to reach it."""
        return self.data_dir / "postgres.log"

    @property
    def passwords(self) -> Path:
        """The passwords of the two roles."""
        return self.data_dir / "passwords.json"

    @property
    def socket_note(self) -> Path:
        """Names the socket's folder, where that is not the cluster's."""
        return self.data_dir / "socket"


def make_data_dir(data_dir: Path) -> None:
    """Make the folder if it is missing, closed to everybody else; leave one that exists as it is.

    For root it is 0711 where the account that runs Postgres can use that: it has to pass through.
    """
    if "\n" in str(data_dir):
        raise EngineError("a data folder cannot have a line break in its name: choose another")
    data_dir.parent.mkdir(parents=True, exist_ok=True)
    try:
        data_dir.mkdir(mode=0o700)
    except FileExistsError:
        if not data_dir.is_dir():
            raise EngineError(f"{data_dir} is not a folder: choose another data folder") from None
        return
    account = account_for(data_dir / "postgres")
    if not account.is_us and can_reach(account, data_dir.parent):
        data_dir.chmod(0o711)


def settle_home(data_dir: Path) -> Home:
    """Where this folder's cluster is, or shall be: decided once, at the first start."""
    home = find_home(data_dir)
    if home.cluster_dir == data_dir and not home.pgdata.exists():
        account = account_for(home.pgdata)
        if not (account.is_us or can_reach(account, data_dir)):
            # A new name each time: a data folder that was deleted and made anew starts empty.
            write_private(data_dir / "cluster", secrets.token_hex(8))
            home = find_home(data_dir)
    if home.cluster_dir != data_dir and not home.cluster_dir.exists():
        binaries.system_folder("clusters")
        home.cluster_dir.mkdir(mode=0o711)
        home.cluster_dir.chmod(0o711)
        # For a person who wonders, years later, whose cluster this is.
        write_private(home.cluster_dir / "data_dir", f"{data_dir}\n")
    return home


def find_home(data_dir: Path) -> Home:
    """Where this folder's cluster is, going by what was written down; changes nothing."""
    name = read_if_there(data_dir / "cluster")
    if name is None:
        return Home(data_dir, data_dir)
    if not re.fullmatch("[0-9a-f]{16}", name):
        raise EngineError(f"{data_dir / 'cluster'} is damaged: restore it from a backup")
    return Home(data_dir, binaries.SYSTEM_DIR / "clusters" / name)


def settle_socket_dir(home: Home, account: Account) -> Path:
    """The folder for the socket: the cluster's own or, where its path will not do, a short one."""
    if _good_for_a_socket(home.pgdata):
        return home.pgdata
    noted = read_if_there(home.socket_note)
    if noted is not None and _is_private(Path(noted), account):
        return Path(noted)
    short = make_short_folder(account)
    write_private(home.socket_note, str(short))
    return short


def settle_log_archive(home: Home, account: Account) -> Path | None:
    """The folder that the write-ahead log is archived in: HOLDFAST_WAL_ARCHIVE, else the one of the last start, so that a
    command which starts the database for a moment leaves no gap. An empty value turns it off."""
    note = home.data_dir / "wal_archive"
    asked = os.environ.get(ARCHIVE_VARIABLE)
    if asked is None:
        noted = read_if_there(note)
        return None if noted is None else Path(noted)
    if not asked.strip():
        note.unlink(missing_ok=True)
        return None
    folder = Path(asked).expanduser().resolve()
    if not folder.exists():
        folder.mkdir(mode=0o700, parents=True)
        if not account.is_us:
            os.chown(folder, account.uid, account.gid)
    if not (account.is_us or can_reach(account, folder)):
        raise EngineError(
            f"the account that runs Postgres cannot enter {folder}: choose another folder"
        )
    write_private(note, str(folder))
    return folder


def drop_socket_dir(home: Home) -> None:
    """Remove the short folder, if there is one and it is empty."""
    noted = read_if_there(home.socket_note)
    if noted is None:
        return
    try:
        Path(noted).rmdir()
    except FileNotFoundError:
        pass
    except OSError:
        return  # Not empty: a server may still use it, and the next start will take it up again.
    home.socket_note.unlink()


def _good_for_a_socket(folder: Path) -> bool:
    # libpq takes a comma in a host for the border between two hosts.
    path = f"{folder}/.s.PGSQL.{PORT}"
    return len(os.fsencode(path)) < SOCKET_PATH_BYTES and "," not in path


def make_short_folder(account: Account) -> Path:
    """A new folder with a path that is short enough for a socket, closed to everybody but the account."""
    # mkdtemp makes a folder that is new and closed, so a shared parent is no danger.
    for parent in (Path(tempfile.gettempdir()).resolve(), Path("/tmp").resolve()):  # noqa: S108
        if _good_for_a_socket(parent / "holdfast-12345678") and can_reach(account, parent):
            folder = Path(tempfile.mkdtemp(prefix="holdfast-", dir=parent))
            if not account.is_us:
                os.chown(folder, account.uid, account.gid)
            return folder
    raise EngineError("no folder with a short path for the socket: set TMPDIR to one")


def _is_private(folder: Path, account: Account) -> bool:
    """Whether the folder is still the account's and closed to others: /tmp is open to all."""
    try:
        found = folder.lstat()
    except FileNotFoundError:
        return False
    return (
        stat.S_ISDIR(found.st_mode)
        and found.st_uid == account.uid
        and stat.S_IMODE(found.st_mode) == 0o700
    )
