"""The history of one object on its page: some versions at a time, each as what it changed against the one before it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from holdfast.console.drawing.diffs import Row, changes
from holdfast.console.visit import Visit
from holdfast.kernel.errors import Malformed, NotFound
from holdfast.kernel.ids import is_made_id
from holdfast.kernel.pages import Cursor, Page

VERSIONS_SHOWN = 10
OLDEST = Cursor(1, before_id="")  # a blank sorts before all ids: the page at the old end
FROM = "versions_from"


class Version(Protocol):
    """A state of an object; `version_id` is the cursor of its history."""

    @property
    def version_id(self) -> str: ...


Past = TypeVar("Past", bound=Version)


@dataclass(frozen=True, slots=True)
class Versions(Generic[Past]):
    """The versions on a page with what each changed, and links to the older ones and to the newest."""

    shown: list[tuple[Past, list[Row]]]
    older: str | None
    newest: str | None


async def read_versions(
    visit: Visit,
    read: Callable[[Cursor], Awaitable[Page[Any]]],
    text: Callable[[Past], str | None],
) -> Versions[Past]:
    """The newest versions, or those after the one that the address names; none of an object that never was.

    One more is read than shown, since the last that is shown is compared with it.
    """
    after = visit.query.text(FROM)
    if after is not None and not is_made_id(after):
        raise Malformed.field(FROM, "is not the id of a version")
    try:
        rows: list[Past] = (await read(Cursor(VERSIONS_SHOWN + 1, after_id=after))).data
    except NotFound:
        rows = []
    compared = changes([text(each) for each in rows], 0, VERSIONS_SHOWN)
    has_older = len(rows) > VERSIONS_SHOWN
    last = rows[VERSIONS_SHOWN - 1].version_id if has_older else None
    return Versions(
        [*zip(rows, compared, strict=False)],
        older=visit.link(**{FROM: last}) + "#history" if has_older else None,
        newest=visit.link(**{FROM: None}) + "#history" if after else None,
    )
