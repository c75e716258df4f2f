"""Differences between two states of a block, an entry or a memory."""

from dataclasses import dataclass
from datetime import datetime

# A state of an object: its version, or a time.
Point = int | datetime


@dataclass(frozen=True, slots=True)
class TextDiff:
    """A unified diff, empty if nothing changed. A version is None if the object was not made yet.

    `redacted`: the content of one of the two states is gone for good.
    """

    from_version: int | None
    to_version: int | None
    diff: str
    redacted: bool = False
