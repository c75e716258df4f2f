"""What a turn was given, stored by its first request and given again whenever the turn is asked for again."""

from dataclasses import dataclass
from typing import Any

from psycopg.types.json import Jsonb
from pydantic import TypeAdapter

from holdfast.context.model import RecalledText, Reminder, Turn
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.sql import load

queries = load(__file__)


@dataclass(frozen=True, slots=True)
class Given:
    """The reminders and the recalled texts of a turn; None for a part that no request has asked for."""

    reminders: list[Reminder] | None = None
    recalled: list[RecalledText] | None = None


_given = TypeAdapter(Given)


async def read_turn(db: Database, caller: Caller, turn: Turn) -> Given:
    """What this turn was given so far."""
    row = await db.one(caller, dict, queries.read_turn, **_names(caller, turn))
    return Given() if row is None else _given.validate_python(row)


async def keep_turn(db: Database, caller: Caller, turn: Turn, given: Given) -> Given:
    """Store what a turn is given, as far as it has no such part yet; what it has now."""
    plain = _given.dump_python(given, mode="json")
    parts = {name: None if part is None else Jsonb(part) for name, part in plain.items()}
    async with db.begin(caller) as tx:
        row = await tx.one(dict, queries.keep_turn, **parts, **_names(caller, turn))
    if row is None:
        raise RuntimeError("the turn was not returned")
    return _given.validate_python(row)


def _names(caller: Caller, turn: Turn) -> dict[str, Any]:
    """A turn is its user's, whichever agent asks for it."""
    return {
        "user_id": caller.user_id,
        "session_id": turn.session_id,
        "message_id": turn.message_id,
    }
