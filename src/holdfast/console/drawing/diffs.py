"""Two texts side by side, line by line, with unchanged stretches folded."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from html import escape
from itertools import zip_longest
from typing import Literal

Kind = Literal["same", "changed", "removed", "added", "gap"]

CONTEXT_LINES = 3
# Past this many lines on both sides the shortest difference takes too long to find: all is shown as replaced.
MAX_LINES_COMPARED = 2_000
MAX_ROWS = 1_000
# A page stays small: of a comparison no more than this is shown, and of all comparisons on a page together, in bytes of HTML.
MAX_BYTES = 50_000


@dataclass(frozen=True, slots=True)
class Row:
    """A line of each side; None where a side has none. Of a gap, `left` says how long it is."""

    kind: Kind
    left: str | None
    right: str | None
    left_number: int | None = None
    right_number: int | None = None

    @property
    def html_bytes(self) -> int:
        """How much both texts take on a page: escaping makes five characters of one."""
        return sum(len(escape(text).encode()) for text in (self.left, self.right) if text)


def side_by_side(before: str, after: str) -> list[Row]:
    """The rows of a comparison; empty where the texts are the same."""
    if before == after:
        return []
    old, new = (text.split("\n") if text else [] for text in (before, after))
    if before.endswith("\n") and after.endswith("\n"):
        old, new = old[:-1], new[:-1]  # a line end on both sides is no line of its own
    rows: list[Row] = []
    taken = 0
    for row in _rows(old, new):
        taken += row.html_bytes
        if len(rows) == MAX_ROWS or taken > MAX_BYTES:
            rows.append(Row("gap", "the rest is too long to be shown", None))
            break
        rows.append(row)
    return rows


def changes(texts: Sequence[str | None], first: int, count: int) -> list[list[Row]]:
    """What each of `count` versions changed against the one before it; `texts` is newest first, None where one has no text.

    Past MAX_BYTES in all, a version is not compared any more.
    """
    found: list[list[Row]] = []
    taken = 0
    for index in range(first, min(first + count, len(texts))):
        before = texts[index + 1] if index + 1 < len(texts) else None
        if taken > MAX_BYTES:
            found.append([Row("gap", "too long to be shown on this page", None)])
            continue
        rows = side_by_side(before or "", texts[index] or "")
        taken += sum(row.html_bytes for row in rows)
        found.append(rows)
    return found


def _rows(old: list[str], new: list[str]) -> Iterator[Row]:
    if min(len(old), len(new)) > MAX_LINES_COMPARED:
        yield from _replaced(old, new, 0, 0)
        return
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            last = (i2, j2) == (len(old), len(new))
            yield from _kept(old[i1:i2], i1, j1, first=i1 == 0 and j1 == 0, last=last)
        else:
            yield from _replaced(old[i1:i2], new[j1:j2], i1, j1)


def _kept(lines: list[str], i: int, j: int, *, first: bool, last: bool) -> Iterator[Row]:
    """Unchanged lines: a few beside each change, and a gap for the others."""
    head = 0 if first else CONTEXT_LINES
    tail = 0 if last else CONTEXT_LINES
    hidden = len(lines) - head - tail
    if hidden <= 1:
        head, hidden = len(lines), 0
    for number, line in enumerate(lines):
        if number < head or number >= head + hidden:
            yield Row("same", line, line, i + number + 1, j + number + 1)
        elif number == head:
            yield Row("gap", f"{hidden:,} unchanged lines", None)


def _replaced(old: list[str], new: list[str], i: int, j: int) -> Iterator[Row]:
    for number, (left, right) in enumerate(zip_longest(old, new)):
        kind: Kind = "added" if left is None else "removed" if right is None else "changed"
        yield Row(
            kind,
            left,
            right,
            None if left is None else i + number + 1,
            None if right is None else j + number + 1,
        )
