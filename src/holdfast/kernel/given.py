"""What calls that name a session were given from memory, for a week: learning does not learn it a second time (echo guard)."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from psycopg.types.json import Jsonb

from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.sight import Audience
from holdfast.kernel.sql import load

queries = load(__file__, "given.sql")

KEPT_FOR = timedelta(days=7)
MAX_TEXTS = 1_000
"""How many texts of a session are compared with, the newest first."""
MAX_CHARS = 2_000
OWN_WORDS = frozenset({"summary", "flushed"})
"""Kinds that hold what was said in conversations: to say it again is no echo of memory."""


@dataclass(frozen=True, slots=True)
class GivenText:
    """A text that a call answered with, and the object it came from."""

    kind: str
    object_id: str
    content: str


async def record(
    db: Database, caller: Caller, session_id: str | None, texts: Sequence[GivenText]
) -> None:
    """Note what a call gave. A call that names no session is not noted."""
    if session_id is None or not texts:
        return
    items = [
        {
            "digest": hashlib.sha256(each.content.encode(errors="replace")).hexdigest()[:32],
            "kind": each.kind,
            "object_id": each.object_id,
            "content": each.content[:MAX_CHARS],
        }
        for each in texts
        if each.content.strip() and each.kind not in OWN_WORDS
    ]
    async with db.begin(caller) as tx:
        await tx.run(
            queries.record, session_id=session_id, audience=_owner(caller), items=Jsonb(items)
        )


async def read(tx: Tx, caller: Caller, session_id: str) -> list[GivenText]:
    """What calls for this caller's user were given for a session within the last week."""
    return await tx.all(
        GivenText,
        queries.read,
        session_id=session_id,
        audience=_owner(caller),
        limit=MAX_TEXTS,
        since=tx.now - KEPT_FOR,
    )


def _owner(caller: Caller) -> str:
    """The user, without one the agent: another user's call that names a session says nothing about it."""
    agent_id = caller.agent_id if caller.user_id is None else None
    return Audience(user_id=caller.user_id, agent_id=agent_id).text


async def erase(tx: Tx, object_ids: Sequence[str]) -> None:
    """Forget the texts of objects that are being erased."""
    await tx.run(queries.erase, ids=list(object_ids))


async def sweep(tx: Tx) -> None:
    """Delete an org's texts that are older than a week."""
    await tx.run(queries.sweep, before=tx.now - KEPT_FOR)
