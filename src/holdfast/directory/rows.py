"""What the directory's nouns share: pages of names that clients chose, checks, actions of revisions."""

from typing import Any, TypeVar

from holdfast.directory.model import (
    MAX_NAME_CHARS,
)
from holdfast.kernel import limits
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.errors import (
    Invalid,
    Malformed,
    ScopeDenied,
)
from holdfast.kernel.pages import Cursor, HasId, Page
from holdfast.kernel.sql import Query, load

Row = TypeVar("Row", bound=HasId)
IfMatch = list[int] | None

queries = load(__file__)


async def list_page(
    db: Database,
    caller: Caller,
    row_type: type[Row],
    query: Query,
    cursor: Cursor,
    **params: Any,
) -> Page[Row]:
    """A page of names that clients chose: they are in order of their making, with the id of one as cursor."""
    back = cursor.before_id is not None
    rows = await db.all(
        caller,
        row_type,
        query.backwards if back else query,
        after_id=cursor.after_id,
        before_id=cursor.before_id,
        limit=cursor.limit + 1,
        **params,
    )
    if not rows:
        await _check_cursor(db, caller, row_type, cursor)
    return Page.of(rows, cursor)


async def _check_cursor(
    db: Database, caller: Caller, row_type: type[HasId], cursor: Cursor
) -> None:
    """Refuse a cursor that names nothing: its page is empty, which would look like the end of the list."""
    name = cursor.after_id or cursor.before_id
    noun = row_type.__name__.lower()
    if name is not None and not await db.all(caller, str, queries.name_exists, noun=noun, id=name):
        raise Malformed(f"after_id, before_id: there is no {noun} {name!r}")


def action_of(version: int) -> str:
    return "created" if version == 1 else "updated"


def check_name(name: str | None) -> None:
    if name is None:
        return
    if not name.strip():
        raise Invalid.field("name", "may not be blank")
    limits.at_most_chars(name, MAX_NAME_CHARS, what="the name")


def refuse_agents(caller: Caller, what: str) -> None:
    if caller.credential == "agent":
        raise ScopeDenied(f"{what} is not for an agent's key")
