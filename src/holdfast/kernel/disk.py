"""Whether the database has run out of disk space.

Two signs: Postgres refused a write for lack of space a moment ago, or the folder of the embedded database has less room left
than the next piece of its write-ahead log takes. Without that room Postgres does not even start, and says nothing at all.
"""

import os
from pathlib import Path
from time import monotonic

import structlog

log = structlog.get_logger("holdfast.database")

NEEDED_BYTES = 16 * 1024 * 1024  # a segment of the write-ahead log
REFUSAL_COUNTS_FOR_S = 10.0

FULL = "disk full: the database cannot write; free some space where it keeps its data"


class Disk:
    """The space that a database has left; `folder` is where it keeps its data, if that is on this machine."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._refused_at = float("-inf")

    def write_was_refused(self) -> None:
        """Postgres refused a write for lack of space."""
        if not self._refused_lately:
            log.error("disk full", free_bytes=self._free_bytes)
        self._refused_at = monotonic()

    @property
    def is_full(self) -> bool:
        """Whether there is a sign of it."""
        free = self._free_bytes
        return self._refused_lately or (free is not None and free < NEEDED_BYTES)

    @property
    def _refused_lately(self) -> bool:
        return monotonic() - self._refused_at < REFUSAL_COUNTS_FOR_S

    @property
    def _free_bytes(self) -> int | None:
        if self._folder is None:
            return None
        try:
            found = os.statvfs(self._folder)
        except OSError:
            return None
        return found.f_bavail * found.f_frsize
