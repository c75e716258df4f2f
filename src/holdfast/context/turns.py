"""What a turn was reminded of: kept at first, given again whenever the turn is asked for again."""

from collections.abc import Sequence
from typing import Any

from psycopg.types.json import Jsonb
from pydantic import TypeAdapter

from holdfast.context.model import Reminder, Turn
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.sql import load

queries = load(__file__)

_reminders = TypeAdapter(list[Reminder])


async def read_turn(db: Database, caller: Caller, turn: Turn) -> list[Reminder] | None:
    """The reminders this turn got; None when it was never asked for."""
    row = await db.one(caller, dict, queries.read_turn, **_names(caller, turn))
    return None if row is None else _reminders.validate_python(row["reminders"])


async def keep_turn(
    db: Database, caller: Caller, turn: Turn, reminders: Sequence[Reminder]
) -> list[Reminder]:
    """Keep what a turn is reminded of, unless it is known already; what it was reminded of."""
    stored = Jsonb(_reminders.dump_python(list(reminders), mode="json"))
    async with db.begin(caller) as tx:
        row = await tx.one(dict, queries.keep_turn, reminders=stored, **_names(caller, turn))
    if row is None:
        raise RuntimeError("the turn was not returned")
    return _reminders.validate_python(row["reminders"])


def _names(caller: Caller, turn: Turn) -> dict[str, Any]:
    """A turn is its user's, whichever agent asks for it."""
    return {
        "user_id": caller.user_id,
        "session_id": turn.session_id,
        "message_id": turn.message_id,
    }
