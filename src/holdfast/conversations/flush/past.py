"""What flushes took out of an instance, in pages: the flushes themselves, and the messages."""

from dataclasses import dataclass
from datetime import datetime

from holdfast.conversations.backends import Backends
from holdfast.conversations.flush.index import queries
from holdfast.conversations.instances import OpenInstance
from holdfast.conversations.logs.values import from_json
from holdfast.conversations.model import StoredMessage
from holdfast.kernel.caller import Actor, ActorType
from holdfast.kernel.clock import Instant
from holdfast.kernel.pages import Cursor, Page, read_page


@dataclass(frozen=True, slots=True)
class PastFlush:
    """One flush: what it took out, by whom, and what it left. `strategy` is None where an append made room."""

    id: str
    at: Instant
    action: str
    actor_type: ActorType
    actor_id: str
    strategy: str | None
    removed: int
    message_count: int
    token_count: int

    @property
    def actor(self) -> Actor:
        """Who flushed."""
        return Actor(self.actor_type, self.actor_id)


@dataclass(frozen=True, slots=True)
class FlushedPart:
    """Some flushed messages in the order in which they were appended, and how many there are in all."""

    total: int
    messages: list[tuple[StoredMessage, datetime]]


async def list_flushes(
    backends: Backends, opened: OpenInstance, conversation_id: str, cursor: Cursor
) -> Page[PastFlush]:
    """The flushes of an opened instance, newest first."""
    async with backends.db.read(opened.caller) as tx:
        return await read_page(
            tx, PastFlush, queries.list_flushes, cursor, conversation_id=conversation_id
        )


async def read_flushed_part(
    backends: Backends,
    opened: OpenInstance,
    conversation_id: str,
    *,
    offset: int | None,
    limit: int,
    at: datetime | None = None,
) -> FlushedPart:
    """At most `limit` flushed messages from an offset on (None: the newest); `at` names one flush by its time."""
    kept_for = backends.flushed_kept_for
    async with backends.db.read(opened.caller) as tx:
        which = {
            "conversation_id": conversation_id,
            "since": None if kept_for is None else tx.now - kept_for,
            "at": at,
        }
        total = await tx.one(int, queries.count_flushed, **which) or 0
        start = max(0, total - limit) if offset is None else offset
        rows = await tx.all(dict, queries.part_of_flushed, **which, offset=start, limit=limit)
    messages = [
        (StoredMessage(row["seq"], from_json(row["message"]), row["flushed_at"]), row["flushed_at"])
        for row in rows
    ]
    return FlushedPart(total, messages)
