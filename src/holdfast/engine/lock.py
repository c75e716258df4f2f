"""One engine to a folder, for as long as its process lives."""

import contextlib
import fcntl
import os
from pathlib import Path

from holdfast.engine.errors import FolderInUse

NAME = "engine.lock"


class FolderLock:
    """Holds a folder until `release`, or until the process dies: nothing stale can stay behind."""

    def __init__(self, folder: Path) -> None:
        """Take the folder at once, or raise `FolderInUse` with the pid of the one who has it."""
        self._handle = os.open(
            folder / NAME, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
        )
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(self._handle, 20, 0).strip()
            os.close(self._handle)
            raise FolderInUse(folder, int(holder) if holder.isdigit() else None) from None
        os.ftruncate(self._handle, 0)
        os.pwrite(self._handle, str(os.getpid()).encode(), 0)

    def release(self) -> None:
        """Let the folder go. The file stays: removing it would let two hold two different files."""
        with contextlib.suppress(OSError):
            os.ftruncate(self._handle, 0)
        os.close(self._handle)
