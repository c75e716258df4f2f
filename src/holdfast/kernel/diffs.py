"""Differences between two states of a text, each named by a version or a time: the same for every face.

The states are revisions, so that a diff also reaches over a deletion: what is deleted, or not made yet, is an empty text.
"""

import asyncio
import difflib
from dataclasses import dataclass
from datetime import datetime

from pydantic import TypeAdapter, ValidationError

from holdfast.kernel import revisions
from holdfast.kernel.clock import Instant
from holdfast.kernel.db import Tx
from holdfast.kernel.errors import Malformed
from holdfast.kernel.revisions import Revision

# Past this many lines on both sides, finding the shortest diff would take longer than anyone waits.
MAX_LINES_COMPARED = 10_000
MAX_VERSION_DIGITS = 9

_instant: TypeAdapter[datetime] = TypeAdapter(Instant)


@dataclass(frozen=True, slots=True)
class TextDiff:
    """What changed from one state of an object to another, as a unified diff; empty where nothing did.

    A version is None where the object was not made yet. `redacted`: the content of one of the two is gone for good.
    """

    from_version: int | None
    to_version: int | None
    diff: str
    redacted: bool = False


async def between(tx: Tx, kind: str, object_id: str, since: str, until: str) -> TextDiff:
    """The diff of an object's content between two versions or times; from a later to an earlier one, that of going back."""
    old = await _state(tx, kind, object_id, since, "from")
    new = await _state(tx, kind, object_id, until, "to")
    redacted = any(each is not None and each.redacted_at is not None for each in (old, new))
    names = (_name(old), _name(new))
    text = "" if redacted else await asyncio.to_thread(unified, _text(old), _text(new), *names)
    return TextDiff(
        from_version=None if old is None else old.version,
        to_version=None if new is None else new.version,
        diff=text,
        redacted=redacted,
    )


async def _state(tx: Tx, kind: str, object_id: str, point: str, field: str) -> Revision | None:
    if point.isascii() and point.isdigit():
        if len(point) > MAX_VERSION_DIGITS:
            raise Malformed.field(field, "there is no such version")
        return await revisions.at_version(tx, kind, object_id, int(point))
    return await revisions.as_of(tx, kind, object_id, moment(point, field))


def moment(text: str, field: str) -> datetime:
    """A time as a client wrote it."""
    try:
        return _instant.validate_python(text)
    except ValidationError:
        raise Malformed.field(field, "is a version or a time, as in 2026-01-31T12:00:00Z") from None


def unified(before: str | None, after: str | None, old_name: str, new_name: str) -> str:
    """A unified diff, in the form that patch reads; None is a text that is not there."""
    if before == after:
        return ""
    old, new = _lines(before), _lines(after)
    names = (
        old_name if before is not None else "/dev/null",
        new_name if after is not None else "/dev/null",
    )
    if min(len(old), len(new)) > MAX_LINES_COMPARED:
        hunk = [
            f"--- {names[0]}\n",
            f"+++ {names[1]}\n",
            f"@@ -1,{len(old)} +1,{len(new)} @@\n",
            *(f"-{line}" for line in old),
            *(f"+{line}" for line in new),
        ]
    else:
        hunk = list(difflib.unified_diff(old, new, *names))
    return "".join(hunk)


def _lines(text: str | None) -> list[str]:
    """Lines as patch knows them: only \\n ends one, and a last one without it says so."""
    if not text:
        return []
    lines = [f"{line}\n" for line in text.split("\n")]
    if text.endswith("\n"):
        return lines[:-1]
    lines[-1] += "\\ No newline at end of file\n"
    return lines


def _text(state: Revision | None) -> str | None:
    return None if state is None else state.content


def _name(state: Revision | None) -> str:
    return "/dev/null" if state is None else f"version {state.version}"
