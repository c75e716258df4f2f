"""Consolidation on demand and by a job: what is wrong becomes proposals, applied unless the org reviews them."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, get_args

from holdfast.kernel import clock, jobs
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.ids import new_id
from holdfast.kernel.jobs import Handler, Outcome
from holdfast.learning import run as learning_run
from holdfast.learning.consolidation import find
from holdfast.learning.consolidation.find import Pair
from holdfast.learning.consolidation.stored import (
    MAX_ROWS,
    StoredRow,
    queries,
    read_memories,
    read_rows,
    rows_of_lines,
)
from holdfast.learning.facts import Held
from holdfast.learning.model import Kind
from holdfast.learning.proposal import Action, Draft, Proposal, ProposalTarget, Result
from holdfast.learning.recording import Made, Origin
from holdfast.learning.routing import retarget
from holdfast.learning.run import Run, owner_of
from holdfast.learning.settle import RollBack, again_if_changed

JOB = "consolidate"

ConsolidationKind = Literal["duplicates", "contradictions", "expired", "unused", "core"]
KINDS: tuple[ConsolidationKind, ...] = get_args(ConsolidationKind)
_FACT_KINDS = frozenset(get_args(Kind))


@dataclass(frozen=True, slots=True)
class Consolidation:
    """The job that consolidates."""

    job_id: str


@dataclass(frozen=True, slots=True)
class ConsolidationRehearsal:
    """What consolidating would propose."""

    proposals: list[Proposal]


@dataclass(frozen=True, slots=True)
class _Owner:
    org_id: str
    user_id: str | None
    agent_id: str | None
    workspace_id: str


async def request(
    db: Database, caller: Caller, kinds: Sequence[ConsolidationKind]
) -> Consolidation:
    """Have a job consolidate."""
    async with db.begin(caller) as tx:
        job_id = await jobs.enqueue(tx, JOB, ",".join(dict.fromkeys(kinds)))
    if job_id is None:
        raise RuntimeError("the job was not made")
    return Consolidation(job_id)


async def rehearse(
    db: Database, caller: Caller, kinds: Sequence[ConsolidationKind]
) -> ConsolidationRehearsal:
    """What consolidating would propose now; everything that it writes is rolled back."""
    proposals: list[Proposal] = []
    try:
        async with db.begin(caller) as tx:
            run = await learning_run.open_run(db, tx, caller, Origin(None))
            proposals = await _consolidate(run, kinds)
            raise RollBack
    except RollBack:
        return ConsolidationRehearsal([each.rehearsed for each in proposals])


async def preview(
    db: Database, caller: Caller, kind: Literal["expired", "unused", "core"]
) -> list[StoredRow]:
    """The rows that consolidating would retire or move. Writes nothing, and waits for no other run."""
    async with db.begin(caller) as tx:
        run = await learning_run.open_run(db, tx, caller, Origin(None), only_reads=True)
        match kind:
            case "expired":
                return await _expired(run)
            case "unused":
                return await _unused(run)
            case "core":
                return find.misplaced(await rows_held(run, 0))


def handler(db: Database) -> Handler:
    """The job `consolidate`; its subject are the kinds, separated by commas."""

    async def work(caller: Caller, subject: str) -> Outcome:
        wanted = subject.split(",")
        kinds = [kind for kind in KINDS if kind in wanted]
        job_id = caller.credential_id

        async def once() -> Outcome:
            async with db.begin(caller) as tx:
                run = await learning_run.open_run(db, tx, caller, Origin(None, job_id=job_id))
                result = _counted(await _consolidate(run, kinds))
                await jobs.succeed(tx, job_id, result)
            return Outcome(result)

        return await again_if_changed(once)

    return work


async def consolidate_due(db: Database, every: timedelta) -> int:
    """Ask for a job for every owner of every org that had none for so long: how many."""
    now = clock.now()
    found = await db.prove(_Owner, queries.owners_due, "", before=now - every)
    for each in found:
        caller = Caller(
            each.org_id,
            "job",
            "consolidate_due",
            each.workspace_id,
            user_id=each.user_id,
            agent_id=each.agent_id,
        )
        once = f"{JOB} {owner_of(caller)} {int(now.timestamp() // every.total_seconds())}"
        async with db.begin(caller) as tx:
            await jobs.enqueue(tx, JOB, ",".join(KINDS), once=once)
    return len(found)


def _counted(proposals: Sequence[Proposal]) -> dict[str, object]:
    by_action: dict[str, int] = {}
    for each in proposals:
        by_action[each.action] = by_action.get(each.action, 0) + 1
    applied = sum(each.status == "applied" for each in proposals)
    return {"proposals": by_action, "applied": applied}


# --- making proposals ------------------------------------------------------------------------------------------------


async def rows_held(run: Run, limit: int = MAX_ROWS) -> list[StoredRow]:
    """What memory holds for the run's owner: the newest rows of each kind, and all lines of blocks."""
    lines = await run.knowledge.lines()
    blocks = sorted({held.object_id for held in lines})
    given = set(await run.tx.all(str, queries.blocks_given, ids=blocks)) if blocks else set()
    rows = await read_rows(run.tx, run.caller, run.audience, limit)
    return [*rows, *rows_of_lines(lines, given)]


async def _consolidate(run: Run, kinds: Sequence[ConsolidationKind]) -> list[Proposal]:
    rows = await rows_held(run)
    for kind in kinds:
        await _STEPS[kind](run, rows)
    return await learning_run.finish(run)


async def _merge_duplicates(run: Run, rows: Sequence[StoredRow]) -> None:
    for pair in find.duplicates(find.with_slots(rows)):
        await _merge(run, pair)


async def _end_contradicted(run: Run, rows: Sequence[StoredRow]) -> None:
    for pair in find.contradictions(find.with_slots(rows)):
        await _supersede(run, pair)


async def _expired(run: Run) -> list[StoredRow]:
    rows = await read_memories(run.tx, run.caller, run.audience, "expired")
    return find.expired(rows, run.tx.now)


async def _unused(run: Run) -> list[StoredRow]:
    rows = await read_memories(run.tx, run.caller, run.audience, "learned")
    return find.unused(rows, run.tx.now)


async def _retire_expired(run: Run, _rows: Sequence[StoredRow]) -> None:
    for row in await _expired(run):
        await _retire(run, row, "it expired", at=row.expires_at)


async def _retire_unused(run: Run, _rows: Sequence[StoredRow]) -> None:
    reason = f"no call was given it for {find.UNUSED_AFTER.days} days"
    for row in await _unused(run):
        await _retire(run, row, reason, at=run.tx.now)


async def _move_misplaced(run: Run, rows: Sequence[StoredRow]) -> None:
    for row in find.misplaced(rows):
        await _move(run, row)


_STEPS: dict[ConsolidationKind, Callable[[Run, Sequence[StoredRow]], Awaitable[None]]] = {
    "duplicates": _merge_duplicates,
    "contradictions": _end_contradicted,
    "expired": _retire_expired,
    "unused": _retire_unused,
    "core": _move_misplaced,
}


async def _merge(run: Run, pair: Pair) -> None:
    reason = f"{pair.stays.id} says the same"
    made = await _made(run, pair.goes, "merge", pair.stays.content, reason, pair.stays)
    held = await _held(run, pair.goes)
    if made is None or held is None:
        return
    if pair.stays.place == "memory" and held.fact is not None and held.fact.links:
        run.writer.links = held.fact.links
        made.result = await run.writer.support(pair.stays.held(), made.draft)
        run.writer.links = None
    await run.writer.end(held, successor=made.result, at=run.tx.now)


async def _supersede(run: Run, pair: Pair) -> None:
    reason = f"{pair.stays.id} is newer and gives the same property another value"
    made = await _made(run, pair.goes, "supersede", pair.stays.content, reason, pair.stays)
    held = await _held(run, pair.goes)
    if made is not None and held is not None:
        await run.writer.end(held, successor=made.result, at=pair.stays.said_at or run.tx.now)


async def _retire(run: Run, row: StoredRow, reason: str, *, at: datetime | None) -> None:
    made = await _made(run, row, "retire", row.content, reason, row)
    held = await _held(run, row)
    if made is not None and held is not None:
        await run.writer.end(held, successor=None, at=at)


async def _move(run: Run, row: StoredRow) -> None:
    reason = "it tells of one day: core is in every prompt, a memory is recalled when it matters"
    made = await _made(run, row, "update", row.content, reason, None)
    held = await _held(run, row)
    if made is not None and held is not None:
        run.writer.links = None if held.fact is None else held.fact.links
        await learning_run.write(run, made, held)
        run.writer.links = None


async def _made(
    run: Run,
    row: StoredRow,
    action: Action,
    content: str,
    reason: str,
    result: StoredRow | None,
) -> Made | None:
    """A proposal about a row; None where it is to wait for a decision, or an earlier one has ended the row."""
    if any(
        (each.draft.supersedes, each.draft.before) == (row.id, row.content) for each in run.made
    ):
        return None
    target: ProposalTarget = "block" if row.place == "line" else row.place
    draft = Draft(
        action=action,
        target=target,
        content=content,
        kind=row.kind if row.kind in _FACT_KINDS else "fact",  # type: ignore[arg-type]
        confidence=1.0,
        trust=row.trust,
        reason=reason,
        valid_from=row.said_at,
        block_type=row.block_type,
        scope=row.scope or ("agent" if row.place == "line" and row.agent_id else "user"),
        key=row.key,
        before=row.content,
        supersedes=row.id,
        subject=row.subject,
        attribute=row.attribute,
        value=row.value,
    )
    if action == "update":
        draft = retarget(draft, "memory", run.caller)
    made = Made(new_id("prop"), draft)
    if result is not None:
        made.result = Result(result.id, result.version)
    run.made.append(made)
    if run.review:
        made.status = "pending"
        return None
    return made


async def _held(run: Run, row: StoredRow) -> Held | None:
    found = await run.knowledge.at(row.id, row.content)
    return found if found is not None or row.place in ("line", "memory") else row.held()
