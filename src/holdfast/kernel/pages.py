"""Pages of a list: newest first, cursors that are ids, neither a skip nor a repeat while others write."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from holdfast.kernel.db import Tx
from holdfast.kernel.errors import Malformed
from holdfast.kernel.sql import Query

DEFAULT_LIMIT = 20
MAX_LIMIT = 100
# A page of the versions of one object, which nearly always has fewer.
MAX_VERSIONS = 1000

# Every id sorts between these two.
_BEFORE_ALL, _AFTER_ALL = "", "~"


class HasId(Protocol):
    @property
    def id(self) -> str: ...


Row = TypeVar("Row", bound=HasId)
Shown = TypeVar("Shown", bound=HasId)


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a page starts: after `after_id` (older), or before `before_id` (newer)."""

    limit: int = DEFAULT_LIMIT
    after_id: str | None = None
    before_id: str | None = None

    def __post_init__(self) -> None:
        if self.after_id is not None and self.before_id is not None:
            raise Malformed("give after_id or before_id, not both")


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """One page, newest first; `has_more` tells of the direction that was asked for."""

    data: list[Row]
    first_id: str | None
    last_id: str | None
    has_more: bool

    def showing(self, show: Callable[[Row], Shown]) -> "Page[Shown]":
        """The same page with every row in another form; the cursors stay."""
        return Page([show(row) for row in self.data], self.first_id, self.last_id, self.has_more)

    @classmethod
    def of(cls, rows: list[Row], cursor: Cursor) -> "Page[Row]":
        """The page in `rows`, which were read in the cursor's direction with one more than its limit."""
        has_more = len(rows) > cursor.limit
        rows = rows[: cursor.limit]
        if cursor.before_id is not None:
            rows.reverse()
        return cls(
            data=rows,
            first_id=rows[0].id if rows else None,
            last_id=rows[-1].id if rows else None,
            has_more=has_more,
        )


async def read_page(
    tx: Tx, row_type: type[Row], query: Query, cursor: Cursor, **params: Any
) -> Page[Row]:
    """Run `query` for one page.

    It orders by id DESC and takes %(older_than)s, %(newer_than)s (ids, both exclusive) and %(limit)s.
    """
    back = cursor.before_id is not None
    rows = await tx.all(
        row_type,
        query.backwards if back else query,
        older_than=cursor.after_id or _AFTER_ALL,
        newer_than=cursor.before_id or _BEFORE_ALL,
        limit=cursor.limit + 1,
        **params,
    )
    return Page.of(rows, cursor)
