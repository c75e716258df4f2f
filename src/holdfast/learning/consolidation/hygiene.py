"""How clean memory is: counts of what consolidation would look at, by kind of row."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.learning import run as learning_run
from holdfast.learning.consolidation import find
from holdfast.learning.consolidation.find import Pair
from holdfast.learning.consolidation.service import rows_held
from holdfast.learning.consolidation.stored import (
    MAX_ROWS,
    RowCounts,
    RowKind,
    StoredRow,
    count_rows,
    queries,
)
from holdfast.learning.recording import Origin
from holdfast.learning.run import Run

MAX_EXAMPLES = 5
FEW_ROWS = 100
"""So many rows are compared while a person waits for a page."""
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
    """The state of one kind of row. Duplicates and contradictions are those among the newest `compared` rows."""

    rows: int = 0
    compared: int = 0
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
class Measured:
    """What was counted, with the pairs behind the counts of duplicates and contradictions."""

    hygiene: Hygiene
    duplicates: list[Pair]
    contradictions: list[Pair]


@dataclass(frozen=True, slots=True)
class _Quarantined:
    target: str
    number: int


@dataclass(frozen=True, slots=True)
class _Held:
    """What one transaction read."""

    rows: Sequence[StoredRow]
    counts: dict[RowKind, RowCounts]
    quarantined: dict[RowKind, int]


async def measure(db: Database, caller: Caller, *, compared: int = MAX_ROWS) -> Hygiene:
    """Count over everything that memory holds for the user or agent that the caller acts for.

    `compared`: only so many rows of each kind, the newest, are looked through for duplicates and contradictions, which
    takes about a third of a millisecond a row.
    """
    return (await measure_pairs(db, caller, compared=compared)).hygiene


async def measure_pairs(db: Database, caller: Caller, *, compared: int = MAX_ROWS) -> Measured:
    """Like `measure`, with the pairs that were found."""
    async with db.begin(caller) as tx:
        run = await learning_run.open_run(db, tx, caller, Origin(None), only_reads=True)
        held = await _read(run, await rows_held(run, compared))
    return await _compare(held)


async def measure_few(db: Database, caller: Caller) -> Measured | None:
    """Like `measure_pairs` where there are at most FEW_ROWS rows; None where there are more, and nothing is compared."""
    async with db.begin(caller) as tx:
        run = await learning_run.open_run(db, tx, caller, Origin(None), only_reads=True)
        rows = await rows_held(run, FEW_ROWS + 1)
        if len(rows) > FEW_ROWS:
            return None
        held = await _read(run, rows)
    return await _compare(held)


async def _read(run: Run, rows: Sequence[StoredRow]) -> _Held:
    counts = await count_rows(run.tx, run.caller, run.audience)
    counts["block"] = _count_lines([row for row in rows if row.row_kind == "block"])
    waiting = await run.tx.all(_Quarantined, queries.quarantined_of, audience=run.audience)
    return _Held(rows, counts, {_TARGETS[each.target]: each.number for each in waiting})


async def _compare(held: _Held) -> Measured:
    # In a thread: other requests wait for none of it.
    pairs = await asyncio.to_thread(_pairs, held.rows)
    found = {
        kind: _of_kind(
            kind,
            held.counts[kind],
            sum(row.row_kind == kind and not row.is_over for row in held.rows),
            pairs,
            held.quarantined,
        )
        for kind in _TARGETS.values()
    }
    return Measured(Hygiene(**found), *pairs)


def _count_lines(lines: Sequence[StoredRow]) -> RowCounts:
    return RowCounts(
        rows=len(lines),
        superseded=0,
        stale=0,
        never_recalled=sum(row.given_at is None for row in lines),
        without_source=sum(row.is_learned and not row.has_source for row in lines),
    )


def _pairs(rows: Sequence[StoredRow]) -> tuple[list[Pair], list[Pair]]:
    """Duplicates and contradictions among rows."""
    held = find.with_slots(rows)
    return find.duplicates(held), find.contradictions(held)


def _of_kind(
    kind: RowKind,
    counts: RowCounts,
    compared: int,
    pairs: tuple[Sequence[Pair], Sequence[Pair]],
    quarantined: dict[RowKind, int],
) -> KindHygiene:
    twice, against = ([pair for pair in each if pair.goes.row_kind == kind] for each in pairs)
    return KindHygiene(
        compared=compared,
        duplicates=_findings(twice),
        contradictions=len(against),
        quarantined=quarantined.get(kind, 0),
        **asdict(counts),
    )


def _findings(pairs: Sequence[Pair]) -> Findings:
    shown = [
        Example([pair.stays.id, pair.goes.id], [pair.stays.content, pair.goes.content])
        for pair in pairs[:MAX_EXAMPLES]
    ]
    return Findings(len(pairs), shown)
