"""Hygiene measured by a job, for an owner of many rows: a page shows the last result and when it was measured.

A job keeps numbers and the ids of rows. Their texts are read when they are shown, so that none outlives its row.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any

from holdfast.kernel import jobs
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.jobs import Handler, Job, Outcome
from holdfast.kernel.pages import Cursor
from holdfast.learning.consolidation import hygiene
from holdfast.learning.consolidation.find import Pair
from holdfast.learning.consolidation.hygiene import Findings, Hygiene, KindHygiene, Measured
from holdfast.learning.consolidation.stored import RowKind, StoredRow, queries
from holdfast.learning.run import owner_of

JOB = "hygiene"
COMPARED = 1_000
"""How many rows of each kind a job compares, the newest first."""
MAX_PAIRS = 50
"""How many pairs of a kind are kept and shown."""
_LAST_JOBS = Cursor(10)


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row of a pair; `content` is None where the row is gone, or is a line of a block, which has no id of its own."""

    kind: RowKind
    id: str
    content: str | None = None


@dataclass(frozen=True, slots=True)
class ShownPair:
    """Two rows: the one that would stay and the one that would go."""

    stays: ShownRow
    goes: ShownRow


@dataclass(frozen=True, slots=True)
class Shown:
    """What a page shows of the last measurement."""

    hygiene: Hygiene | None = None
    duplicates: list[ShownPair] = field(default_factory=list)
    contradictions: list[ShownPair] = field(default_factory=list)
    measured_at: datetime | None = None
    """None where it was measured just now, or never was."""
    job: Job | None = None
    """The job that measures at present."""


@dataclass(frozen=True, slots=True)
class _Content:
    id: str
    content: str


async def request(db: Database, caller: Caller) -> str:
    """Have a job measure: its id."""
    async with db.begin(caller) as tx:
        job_id = await jobs.enqueue(tx, JOB, f"up to {COMPARED:,} rows of each kind")
    if job_id is None:
        raise RuntimeError("the job was not made")
    return job_id


def handler(db: Database) -> Handler:
    """The job `hygiene`."""

    async def work(caller: Caller, _subject: str) -> Outcome:
        return Outcome(as_result(await hygiene.measure_pairs(db, caller, compared=COMPARED)))

    return work


async def read(db: Database, caller: Caller) -> Shown:
    """Measured now where there are few rows; else the last result of a job, if there was one."""
    measured = await hygiene.measure_few(db, caller)
    if measured is not None:
        return Shown(measured.hygiene, _shown(measured.duplicates), _shown(measured.contradictions))
    found = (await jobs.list_jobs(db, caller, _LAST_JOBS, kind=JOB)).data
    at_work = next((job for job in found if job.status in ("queued", "running")), None)
    done = next((job for job in found if job.status == "succeeded" and job.result), None)
    if done is None or done.result is None:
        return Shown(job=at_work)
    last = from_result(done.result)
    texts = await _contents(db, caller, [*last.duplicates, *last.contradictions])
    return replace(
        last,
        duplicates=_with_contents(last.duplicates, texts),
        contradictions=_with_contents(last.contradictions, texts),
        measured_at=done.finished_at,
        job=at_work,
    )


def as_result(measured: Measured) -> dict[str, Any]:
    """What a job keeps: numbers and ids, no text."""
    found = asdict(measured.hygiene)
    for kind in found.values():
        kind["duplicates"] = kind["duplicates"]["count"]
    return {
        "hygiene": found,
        "pairs": {
            "duplicates": _ids(measured.duplicates),
            "contradictions": _ids(measured.contradictions),
        },
    }


def from_result(result: dict[str, Any]) -> Shown:
    """What `as_result` made, read back; without texts."""
    kinds = {
        name: KindHygiene(**{**kind, "duplicates": Findings(kind["duplicates"])})
        for name, kind in result["hygiene"].items()
    }
    pairs = result["pairs"]
    return Shown(Hygiene(**kinds), _pairs(pairs["duplicates"]), _pairs(pairs["contradictions"]))


def _pairs(ids: Sequence[tuple[RowKind, str, str]]) -> list[ShownPair]:
    return [ShownPair(ShownRow(kind, stays), ShownRow(kind, goes)) for kind, stays, goes in ids]


def _ids(pairs: Sequence[Pair]) -> list[list[str]]:
    return [[pair.goes.row_kind, pair.stays.id, pair.goes.id] for pair in pairs[:MAX_PAIRS]]


def _shown(pairs: Sequence[Pair]) -> list[ShownPair]:
    return [ShownPair(_row(pair.stays), _row(pair.goes)) for pair in pairs[:MAX_PAIRS]]


def _row(row: StoredRow) -> ShownRow:
    return ShownRow(row.row_kind, row.id, row.content)


async def _contents(db: Database, caller: Caller, pairs: Iterable[ShownPair]) -> dict[str, str]:
    ids = {row.id for pair in pairs for row in (pair.stays, pair.goes)}
    if not ids:
        return {}
    found = await db.all(
        caller,
        _Content,
        queries.contents_of,
        ids=sorted(ids),
        audience=owner_of(caller),
        user_id=caller.user_id,
        agent_id=caller.agent_id,
    )
    return {each.id: each.content for each in found}


def _with_contents(pairs: Sequence[ShownPair], texts: dict[str, str]) -> list[ShownPair]:
    """The pairs whose rows are both still there; of lines, only their blocks are known."""
    shown = [
        ShownPair(*(replace(row, content=texts.get(row.id)) for row in (pair.stays, pair.goes)))
        for pair in pairs
    ]
    return [
        pair
        for pair in shown
        if pair.goes.kind == "block" or None not in (pair.stays.content, pair.goes.content)
    ]
