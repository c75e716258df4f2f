"""Runs the programs of Postgres that copy a database. Passwords go through the environment, never through an argument."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from holdfast.backup.archive import BackupError
from holdfast.engine.account import Account
from holdfast.engine.binaries import PASSED_ON, binaries_for


def run(program: str, arguments: Sequence[str], url: str, *, connect_by: str = "--dbname") -> None:
    """Run a program of the embedded Postgres as us, against the database of a URL; BackupError with what it said."""
    binaries = binaries_for(Account(os.geteuid(), os.getegid()))
    parts = {name: str(value) for name, value in conninfo_to_dict(url).items() if value is not None}
    password = parts.pop("password", None)
    env = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    if password is not None:
        env["PGPASSWORD"] = password
    command = [str(Path(binaries.bin_dir) / program), f"{connect_by}={make_conninfo(**parts)}"]
    done = subprocess.run(  # noqa: S603
        [*command, *arguments], env=env, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        raise BackupError(f"{program} failed: {said[-1] if said else done.returncode}")
