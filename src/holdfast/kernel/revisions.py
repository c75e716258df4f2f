"""The history of every object: versions, as_of, restore, redaction and audit read this one table.

A revision is an object as it stood after one change; `Tx.revise` writes it in the transaction of the change. What a change
replaced is the revision before. No face keeps a second history.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from holdfast.kernel.caller import Actor, ActorType, Caller
from holdfast.kernel.clock import rfc3339
from holdfast.kernel.db import Tx
from holdfast.kernel.errors import Conflict, Malformed, NotFound
from holdfast.kernel.ids import new_id
from holdfast.kernel.pages import MAX_VERSIONS, Cursor, Page, read_page
from holdfast.kernel.sql import load

queries = load(__file__, "revisions.sql")

LATEST = Cursor(limit=MAX_VERSIONS)
# Versions are integers of the database.
MAX_VERSION = 2**31 - 1


@dataclass(frozen=True, slots=True)
class WhatChanged:
    """Which object changed, how it was called then (`label`), what holds it (`parent_id`), and who changed it."""

    id: str
    kind: str
    object_id: str
    parent_id: str | None
    label: str | None
    version: int
    action: str
    actor_type: ActorType
    actor_id: str
    user_id: str | None

    @property
    def actor(self) -> Actor:
        """Who made it."""
        return Actor(self.actor_type, self.actor_id)


@dataclass(frozen=True, slots=True)
class Revision(WhatChanged):
    """One change. `state` and `content` are None once redacted, or where the object was deleted."""

    agent_id: str | None
    session_id: str | None
    request_id: str | None
    created_at: datetime
    state: dict[str, Any] | None
    content: str | None
    redacted_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One object of several that changed together, as `write` records it.

    `at` is the object's new updated_at (default: the time of the transaction); `by` is the caller as it spoke for this
    object, where it entered another agent or session for each (default: the transaction's caller).
    """

    object_id: str
    version: int
    action: str
    label: str | None = None
    state: Mapping[str, Any] | None = None
    content: str | None = None
    at: datetime | None = None
    by: Caller | None = None


async def write(tx: Tx, kind: str, changes: Sequence[Change]) -> None:
    """Write a revision for each of several objects of a kind, in one statement; `Tx.revise` writes one."""
    if tx.caller is None:
        raise RuntimeError("a revision needs a caller")
    actor = tx.caller.actor
    await tx.run(
        queries.write,
        kind=kind,
        changes=Jsonb([_as_json(change, change.by or tx.caller) for change in changes]),
        actor_type=actor.type,
        actor_id=actor.id,
        user_id=tx.caller.user_id,
        request_id=tx.caller.request_id,
    )


def _as_json(change: Change, by: Caller) -> dict[str, Any]:
    """What is None is left out: a JSON null would be kept as a value."""
    given = {
        "id": new_id("memver"),
        "object_id": change.object_id,
        "label": change.label,
        "version": change.version,
        "action": change.action,
        "agent_id": by.agent_id,
        "session_id": by.session_id,
        "at": None if change.at is None else rfc3339(change.at),
        "state": change.state,
        "content": change.content,
    }
    return {name: value for name, value in given.items() if value is not None}


async def history(
    tx: Tx, kind: str, object_id: str, cursor: Cursor = LATEST, *, with_state: bool = False
) -> Page[Revision]:
    """Revisions of an object, newest first, a page at a time; `with_state` leaves out those that have none."""
    of_object = {"kind": kind, "object_id": object_id}
    page = await read_page(
        tx, Revision, queries.history, cursor, **of_object, with_state=with_state
    )
    start = cursor.after_id or cursor.before_id
    if page.data or start is None:
        return page
    if await tx.one(int, queries.version_of, **of_object, id=start) is None:
        raise Malformed("after_id, before_id: this is not a version of this object")
    return page


async def at_version(tx: Tx, kind: str, object_id: str, version: int) -> Revision:
    """The object as it was at a version; NotFound when it never had that one."""
    found = await tx.one(
        Revision, queries.at_version, kind=kind, object_id=object_id, version=version
    )
    if found is None:
        raise NotFound(f"there is no version {version} of it")
    return found


async def as_of(tx: Tx, kind: str, object_id: str, at: datetime) -> Revision | None:
    """The object as it stood at an instant; None before it was made."""
    return await tx.one(Revision, queries.as_of, kind=kind, object_id=object_id, at=at)


async def latest_version(tx: Tx, kind: str, object_id: str) -> int:
    """The highest version an object ever had, 0 for one that never existed. An object created again continues from it."""
    return (await tx.one(int, queries.latest_version, kind=kind, object_id=object_id)) or 0


async def redact(tx: Tx, caller: Caller, revision_id: str) -> Revision:
    """Take a revision's content away for good; who and when stay. Conflict when it is gone already."""
    actor = caller.actor
    redacted = await tx.one(
        Revision,
        queries.redact,
        id=revision_id,
        by=Jsonb({"type": actor.type, "id": actor.id}),
    )
    if redacted is None:
        raise Conflict("this version is redacted already")
    return redacted


async def erase(tx: Tx, kind: str, object_ids: Sequence[str], *, with_parts: bool = False) -> None:
    """Take the contents of all revisions of these objects away for good; that they happened, when and by whom, stays.
    `with_parts`: also those of objects whose parent they are."""
    await tx.run(queries.erase, kind=kind, object_ids=list(object_ids), with_parts=with_parts)
