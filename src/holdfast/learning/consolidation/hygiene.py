"""How clean memory is: counts of what consolidation would look at, by kind of row."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.learning import run as learning_run
from holdfast.learning.consolidation import find
from holdfast.learning.consolidation.find import Pair
from holdfast.learning.consolidation.service import rows_held
from holdfast.learning.consolidation.stored import RowKind, StoredRow, queries
from holdfast.learning.recording import Origin
from holdfast.learning.run import owner_of

MAX_EXAMPLES = 5
_TARGETS: dict[str, RowKind] = {"block": "block", "memory": "memory", "entry": "entry", "node_item": "node_item"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Example:
    """Two rows that say the same."""

    ids: list[str]
    contents: list[str]


@dataclass(frozen=True, slots=True)
class Findings:
    """How many, and the first few."""

    count: int = 0
    examples: list[Example] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class KindHygiene:
    """The state of one kind of row."""

    rows: int = 0
    duplicates: Findings = field(default_factory=Findings)
    contradictions: int = 0
    superseded: int = 0
    stale: int = 0
    never_recalled: int = 0
    without_source: int = 0
    quarantined: int = 0


@dataclass(frozen=True, slots=True)
class Hygiene:
    """The state of what memory holds for a user or an agent, by kind of row."""

    memory: KindHygiene
    entry: KindHygiene
    block: KindHygiene
    node_item: KindHygiene


@dataclass(frozen=True, slots=True)
class _Quarantined:
    target: str
    number: int


async def measure(db: Database, caller: Caller, *, compared: int | None = None) -> Hygiene:
    """Count over everything that memory holds for the user or agent that the caller acts for.

    `compared`: only so many rows of each kind, the newest, are looked through for duplicates and contradictions, which
    takes about a millisecond a row; None looks through all.
    """
    async with db.begin(caller) as tx:
        run = await learning_run.open_run(db, tx, caller, Origin(None))
        rows = await rows_held(run)
        waiting = await tx.all(_Quarantined, queries.quarantined_of, audience=owner_of(caller))
    quarantined = {_TARGETS[each.target]: each.number for each in waiting}
    newest = rows if compared is None else _newest(rows, compared)
    # In a thread: other requests wait for none of it.
    pairs = await asyncio.to_thread(_pairs, newest)
    return Hygiene(
        **{kind: _of_kind(kind, rows, pairs, quarantined, tx.now) for kind in _TARGETS.values()}
    )


def _newest(rows: Sequence[StoredRow], number: int) -> list[StoredRow]:
    """The first rows of each kind: they are read newest first."""
    kinds = {row.place for row in rows}
    return [row for kind in kinds for row in [r for r in rows if r.place == kind][:number]]


def _pairs(rows: Sequence[StoredRow]) -> tuple[list[Pair], list[Pair]]:
    """Duplicates and contradictions among rows."""
    held = find.with_slots(rows)
    return find.duplicates(held), find.contradictions(held)


def _of_kind(
    kind: RowKind,
    rows: Sequence[StoredRow],
    pairs: tuple[Sequence[Pair], Sequence[Pair]],
    quarantined: dict[RowKind, int],
    now: datetime,
) -> KindHygiene:
    own = [row for row in rows if row.row_kind == kind]
    held = [row for row in own if not row.is_over]
    twice, against = ([pair for pair in each if pair.goes.row_kind == kind] for each in pairs)
    return KindHygiene(
        rows=len(held),
        duplicates=_findings(twice),
        contradictions=len(against),
        superseded=sum(row.is_superseded for row in own),
        stale=len(find.expired(own, now)),
        never_recalled=sum(row.given_at is None for row in held),
        without_source=sum(row.is_learned and not row.has_source for row in held),
        quarantined=quarantined.get(kind, 0),
    )


def _findings(pairs: Sequence[Pair]) -> Findings:
    shown = [
        Example([pair.stays.id, pair.goes.id], [pair.stays.content, pair.goes.content])
        for pair in pairs[:MAX_EXAMPLES]
    ]
    return Findings(len(pairs), shown)
