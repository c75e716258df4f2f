"""File locks of a data folder's embedded use. The kernel releases them when a process dies, however it dies.

users.lock    held shared by every process that uses the folder; the keeper takes it whole before it stops Postgres
keeper.lock   held by the keeper while it lives
"""

import fcntl
import os
import time
from pathlib import Path

USERS = "users.lock"
KEEPER = "keeper.lock"
TRY_EVERY_S = 0.02


class FileLock:
    """A lock that this process holds on a file of the data folder."""

    def __init__(self, path: Path, *, shared: bool, patience_s: float) -> None:
        """Take the lock; TimeoutError if others hold it for longer than `patience_s`."""
        self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        deadline = time.monotonic() + patience_s
        how = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        while True:
            try:
                fcntl.flock(self._handle, how | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    os.close(self._handle)
                    raise TimeoutError(f"{path} is held by another process") from None
            time.sleep(TRY_EVERY_S)

    def release(self) -> None:
        """Let others have it."""
        os.close(self._handle)


def keeper_lives(data_dir: Path) -> bool:
    """Whether a keeper holds this folder."""
    try:
        FileLock(data_dir / KEEPER, shared=True, patience_s=0).release()
    except TimeoutError:
        return True
    return False
