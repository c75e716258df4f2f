"""The rows of one owner, of every kind, in one shape."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Tx
from holdfast.kernel.sql import Query, load
from holdfast.learning.facts import Held
from holdfast.learning.model import KnownFact, Trust
from holdfast.learning.proposal import Place

queries = load(__file__)

MAX_ROWS = 10_000
"""How many rows of a kind are looked at, the newest first."""

RowKind = Literal["memory", "entry", "block", "node_item"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRow:
    """Something that memory holds: a memory, an entry, an item of a node, or a line of a block."""

    place: Place
    id: str
    content: str
    version: int | None
    created_at: datetime | None
    said_at: datetime | None
    pinned: bool
    expires_at: datetime | None
    is_superseded: bool
    is_over: bool
    """Superseded, retired or expired: recall does not find it."""
    is_learned: bool
    """A job wrote it."""
    has_source: bool
    kind: str
    trust: Trust
    subject: str
    attribute: str
    value: str
    is_relation: bool
    given_at: datetime | None
    """When a call that named a session was last given it."""
    agent_id: str | None = None
    key: str | None = None
    scope: str | None = None
    node_id: str | None = None
    block_type: str | None = None

    @property
    def row_kind(self) -> RowKind:
        """How hygiene names its kind."""
        return "block" if self.place == "line" else self.place

    def held(self) -> Held:
        """As learning's writer takes it; lines are looked up by their block instead."""
        return Held(
            KnownFact(self.id, self.content),
            self.place,
            self.id,
            self.content,
            self.version,
            self.said_at,
            None,
            self.agent_id,
            self.block_type,
            self.node_id,
            self.key,
            self.scope,
        )


@dataclass(frozen=True, slots=True)
class RowCounts:
    """How many rows of a kind still hold, and how many of what consolidation would look at."""

    rows: int
    superseded: int
    stale: int
    never_recalled: int
    without_source: int


async def read_rows(
    tx: Tx, caller: Caller, audience: str, limit: int = MAX_ROWS
) -> list[StoredRow]:
    """The memories, entries and node items of an owner, the newest `limit` of each kind; the oldest of them first."""
    names = _names(caller, audience) | {"limit": limit}
    found = [
        *await tx.all(StoredRow, queries.memories_of, only=None, **names),
        *await tx.all(StoredRow, queries.entries_of, **names),
        *await tx.all(StoredRow, queries.items_of, **names),
    ]
    return sorted(found, key=lambda row: row.id)


async def read_memories(
    tx: Tx, caller: Caller, audience: str, only: Literal["expired", "learned"]
) -> list[StoredRow]:
    """The memories of an owner that expired, or that a job wrote: the newest MAX_ROWS of them, the oldest first."""
    names = _names(caller, audience) | {"limit": MAX_ROWS, "only": only}
    found = await tx.all(StoredRow, queries.memories_of, **names)
    return sorted(found, key=lambda row: row.id)


async def count_rows(tx: Tx, caller: Caller, audience: str) -> dict[RowKind, RowCounts]:
    """Counts over all memories, entries and node items of an owner."""
    names = _names(caller, audience)
    kinds: dict[RowKind, Query] = {
        "memory": queries.count_memories,
        "entry": queries.count_entries,
        "node_item": queries.count_items,
    }
    found: dict[RowKind, RowCounts] = {}
    for kind, query in kinds.items():
        found[kind] = await tx.one(RowCounts, query, **names) or RowCounts(0, 0, 0, 0, 0)
    return found


def _names(caller: Caller, audience: str) -> dict[str, str | None]:
    return {"audience": audience, "user_id": caller.user_id, "agent_id": caller.agent_id}


def rows_of_lines(lines: Sequence[Held], given: set[str]) -> list[StoredRow]:
    """The lines of blocks in the same shape; `given` are the ids of blocks that calls were given."""
    return [_line(held, given) for held in lines]


def _line(held: Held, given: set[str]) -> StoredRow:
    fact = held.fact
    return StoredRow(
        place="line",
        id=held.object_id,
        content=held.content,
        version=held.version,
        created_at=held.said_at,
        said_at=held.said_at,
        pinned=False,
        expires_at=None,
        is_superseded=False,
        is_over=False,
        is_learned=fact is not None,
        has_source=fact is None or bool(fact.sources),
        kind="fact" if fact is None else fact.kind,
        trust="user" if fact is None else fact.trust,  # type: ignore[arg-type]  # it was a candidate's
        subject="" if fact is None else fact.subject,
        attribute="" if fact is None else fact.attribute,
        value="" if fact is None else fact.value,
        is_relation=fact is not None and bool(fact.related),
        given_at=held.said_at if held.object_id in given else None,
        agent_id=held.agent_id,
        block_type=held.block_type,
    )
