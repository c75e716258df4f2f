"""Small private files, written whole: after a crash one finds the old text or the new, never half.

Root also writes in the folder of the account that runs Postgres, which could have put a symbolic
link in the way. So every write makes a new file and renames it, and never opens what is there.
"""

import os
import tempfile
from pathlib import Path

from holdfast.engine.account import Account


def write_private(path: Path, text: str, account: Account | None = None) -> None:
    """Replace a file with one that only its owner (`account`, or else we) can read."""
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
            if account is not None and not account.is_us:
                os.fchown(file.fileno(), account.uid, account.gid)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def read_if_there(path: Path) -> str | None:
    """The text of a file, or None where there is no such file."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None


def sync_folder(folder: Path) -> None:
    """Make a rename in this folder survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
