"""Learning insights: what was learned about a user from conversations, in a store of the user's own.

The user may turn the capture off (PATCH /users/me): then nothing new is stored. Deleting an insight erases it.
"""

import json
from dataclasses import dataclass
from typing import Any, Literal

from psycopg.types.json import Jsonb

from holdfast.kernel import idempotency, limits, revisions
from holdfast.kernel.caller import Caller
from holdfast.kernel.clock import Instant
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import Invalid, NotFound
from holdfast.kernel.ids import new_id
from holdfast.kernel.pages import Cursor, Page, read_page
from holdfast.kernel.sql import load

queries = load(__file__)

MAX_INSIGHT_CHARS = 500
MAX_LABEL_CHARS = 64
MAX_METADATA_BYTES = 16 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Insight:
    """Something learned about a user."""

    id: str
    type: Literal["insight"] = "insight"
    user_id: str
    category: str
    insight: str
    source: str
    confidence: float
    metadata: dict[str, Any]
    version: int
    created_at: Instant
    updated_at: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredInsight(Insight):
    """An insight as its save answers."""

    stored: Literal[True] = True


@dataclass(frozen=True, slots=True)
class NotStored:
    """The user does not want insights to be captured."""

    stored: Literal[False] = False
    reason: Literal["capture_off"] = "capture_off"


async def add_insight(
    db: Database,
    caller: Caller,
    *,
    insight: str,
    category: str,
    source: str,
    confidence: float,
    metadata: dict[str, Any],
) -> StoredInsight | NotStored:
    """Keep an insight about the user the caller acts for, unless that user has turned the capture off."""
    user_id = caller.must_be_user()
    _check_text(insight, "insight", MAX_INSIGHT_CHARS)
    _check_text(category, "category", MAX_LABEL_CHARS)
    _check_text(source, "source", MAX_LABEL_CHARS)
    limits.at_most_bytes(json.dumps(metadata), MAX_METADATA_BYTES, what="the metadata")
    async with db.begin(caller) as tx:
        if await tx.one(bool, queries.may_capture, user_id=user_id) is False:
            return NotStored()
        added = await tx.one(
            StoredInsight,
            queries.add_insight,
            id=new_id("ins"),
            user_id=user_id,
            category=category,
            insight=insight,
            source=source,
            confidence=confidence,
            metadata=Jsonb(metadata),
        )
        if added is None:
            raise RuntimeError("the insight was not returned")
        await tx.revise(
            "insight",
            added.id,
            version=1,
            action="created",
            label=category,
            state={"source": source, "confidence": confidence, "metadata": metadata},
            content=insight,
        )
    return added


async def read_insight(db: Database, caller: Caller, insight_id: str) -> Insight:
    """One insight of the user's."""
    found = await db.one(
        caller, Insight, queries.read_insight, user_id=caller.must_be_user(), id=insight_id
    )
    if found is None:
        raise NotFound(f"there is no insight {insight_id!r}")
    return found


async def list_insights(
    db: Database, caller: Caller, cursor: Cursor, *, category: str | None = None
) -> Page[Insight]:
    """The user's insights, newest first."""
    async with db.read(caller) as tx:
        return await read_page(
            tx,
            Insight,
            queries.list_insights,
            cursor,
            user_id=caller.must_be_user(),
            category=category,
        )


async def delete_insight(db: Database, caller: Caller, insight_id: str) -> None:
    """Erase one of the user's insights."""
    async with db.begin(caller) as tx:
        if not await _erase(tx, caller, insight_id=insight_id):
            raise NotFound(f"there is no insight {insight_id!r}")


async def wipe_insights(db: Database, caller: Caller, *, category: str | None = None) -> int:
    """Erase all of the user's insights (of a category, where one is named); how many there were."""
    async with db.begin(caller) as tx:
        return len(await _erase(tx, caller, category=category))


async def _erase(
    tx: Tx, caller: Caller, *, insight_id: str | None = None, category: str | None = None
) -> list[str]:
    gone = await tx.all(
        str,
        queries.delete_insights,
        user_id=caller.must_be_user(),
        id=insight_id,
        category=category,
    )
    if gone:
        await revisions.erase(tx, "insight", gone)
        await idempotency.forget_mentions(tx, gone)
    for each in gone:
        await tx.revise("insight", each, version=2, action="deleted")
    return gone


def _check_text(text: str, field: str, limit: int) -> None:
    if not text.strip():
        raise Invalid.field(field, "may not be blank")
    limits.at_most_chars(text, limit, what=field)
