"""Sessions: the thread of a user's conversation."""

from holdfast.directory.model import (
    Session,
)
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.errors import (
    NotFound,
)
from holdfast.kernel.places import session_params
from holdfast.kernel.sql import load

queries = load(__file__, "queries.sql")


async def read_session(db: Database, caller: Caller, session_id: str) -> Session:
    """One session of the user acted for; one without a user belongs to its agent."""
    session = await db.one(
        caller,
        Session,
        queries.read_session,
        id=session_id,
        **session_params(caller),
    )
    if session is None:
        raise NotFound(f"there is no session {session_id!r}")
    return session
