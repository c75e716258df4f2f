"""Proposals: list, read, edit, accept, reject. What was decided once is not decided again."""

from collections.abc import Sequence
from dataclasses import asdict, replace

from psycopg.types.json import Jsonb

from holdfast.kernel import limits, metrics, sight
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import Conflict, Invalid, NotFound, PreconditionFailed
from holdfast.kernel.pages import Cursor, Page, read_page
from holdfast.kernel.sql import load
from holdfast.learning import run as learning_run
from holdfast.learning.facts import Held
from holdfast.learning.proposal import (
    MAX_ACCEPTED,
    MAX_CONTENT_CHARS,
    OPEN,
    Action,
    Draft,
    Proposal,
    ProposalTarget,
    Result,
    Status,
    StoredProposal,
)
from holdfast.learning.recording import Made, Origin, write_fact
from holdfast.learning.routing import retarget
from holdfast.learning.run import Run
from holdfast.memories.model import IfMatch

queries = load(__file__)


async def list_proposals(
    db: Database,
    caller: Caller,
    cursor: Cursor,
    *,
    status: Status | None = None,
    action: Action | None = None,
    job_id: str | None = None,
    session_id: str | None = None,
) -> Page[Proposal]:
    """Proposals about the memory of the user acted for, newest first."""
    async with db.read(caller) as tx:
        page = await read_page(
            tx,
            StoredProposal,
            queries.list_proposals,
            cursor,
            status=status,
            action=action,
            job_id=job_id,
            session_id=session_id,
            **sight.params_of_key(caller),
        )
    return page.showing(lambda each: each.shown)


async def read_proposal(db: Database, caller: Caller, proposal_id: str) -> Proposal:
    """One proposal."""
    found = await db.one(
        caller, StoredProposal, queries.read_proposal, id=proposal_id, **sight.params_of_key(caller)
    )
    if found is None:
        raise NotFound(f"there is no proposal {proposal_id!r}")
    return found.shown


async def edit_proposal(
    db: Database,
    caller: Caller,
    proposal_id: str,
    *,
    content: str | None = None,
    target: ProposalTarget | None = None,
    if_match: IfMatch = None,
) -> Proposal:
    """Change the text or the place of a proposal that is not decided."""
    if content is not None:
        if not content.strip():
            raise Invalid.field("content", "may not be blank")
        limits.storable(content, field="content")
        limits.at_most_chars(content, MAX_CONTENT_CHARS, what="content")
    async with db.begin(caller) as tx:
        [row] = await _hold(tx, caller, [proposal_id], if_match)
        held = draft = draft_from(row)
        draft = replace(draft, content=content or draft.content)
        if target is not None and target != row.target:
            if target == "entry" and row.agent_id is None:
                raise Invalid.field("target", "an entry needs an agent; this proposal has none")
            draft = retarget(draft, target, _acting(caller, row))
        if draft == held:
            return row.shown
        return (await _update(tx, row, draft, row.status, row.result, "edited")).shown


async def reject_proposal(
    db: Database, caller: Caller, proposal_id: str, *, if_match: IfMatch = None
) -> Proposal:
    """Decide against a proposal."""
    async with db.begin(caller) as tx:
        [row] = await _hold(tx, caller, [proposal_id], if_match)
        tx.on_commit(metrics.proposals.labels(row.action, "rejected").inc)
        done = await _update(tx, row, draft_from(row), "rejected", row.result, "rejected")
    return done.shown


async def accept_proposals(
    db: Database, caller: Caller, proposal_ids: Sequence[str], *, if_match: IfMatch = None
) -> list[Proposal]:
    """Apply proposals, all or none, in the order given; `if_match` is for a single one."""
    wanted = list(dict.fromkeys(proposal_ids))
    limits.at_most(len(wanted), MAX_ACCEPTED, what="ids")
    async with db.begin(caller) as tx:
        rows = {row.id: row for row in await _hold(tx, caller, wanted, if_match)}
        return [await _accept(db, tx, caller, rows[each]) for each in wanted]


# --- inside of a decision ----------------------------------------------------------------------------------------------


async def _hold(
    tx: Tx, caller: Caller, ids: Sequence[str], if_match: IfMatch = None
) -> list[StoredProposal]:
    """Proposals that are not decided, held; NotFound, PreconditionFailed, or Conflict with the one that is decided."""
    rows = await tx.all(
        StoredProposal, queries.hold_proposals, ids=list(ids), **sight.params_of_key(caller)
    )
    missing = set(ids) - {row.id for row in rows}
    if missing:
        raise NotFound(f"there is no proposal {sorted(missing)[0]!r}")
    for row in rows:
        if if_match is not None and row.version not in if_match:
            raise PreconditionFailed("the proposal changed since that ETag")
        if row.status not in OPEN:
            raise Conflict(f"this proposal is {row.status} already", current=row.shown)
    return rows


def draft_from(row: StoredProposal) -> Draft:
    """A stored proposal as it would be made."""
    return Draft(
        action=row.action,
        target=row.target,
        content=row.content,
        kind=row.kind,  # type: ignore[arg-type]  # it was a candidate's
        confidence=row.confidence,
        trust=row.trust,
        reason=row.reason,
        valid_from=row.valid_from,
        block_type=row.block_type,
        scope=row.scope,
        key=row.key,
        before=row.before,
        supersedes=row.supersedes,
        subject=row.subject,
        attribute=row.attribute,
        value=row.value,
        related=None if row.related is None else (row.related[0], row.related[1]),
    )


def _acting(caller: Caller, row: StoredProposal) -> Caller:
    return replace(caller, agent_id=row.agent_id, project_id=row.project_id)


async def _accept(db: Database, tx: Tx, caller: Caller, row: StoredProposal) -> Proposal:
    origin = Origin(row.extractor, "", row.session_id, row.job_id)
    run = await learning_run.open_run(db, tx, _acting(caller, row), origin)
    run.writer.links = tuple(row.sources)
    made = Made(row.id, draft_from(row), result=row.result)
    run.made.append(made)
    held = None if row.supersedes is None else await run.knowledge.at(row.supersedes, row.before)
    await _apply(run, made, held)
    await learning_run.flush(run)
    if made.fact is not None and made.is_new:
        await write_fact(tx, made.fact, row.audience)
        await tx.run(queries.link_sources, proposal_id=row.id, fact_id=row.id)
    tx.on_commit(metrics.proposals.labels(row.action, "applied").inc)
    return (await _update(tx, row, made.draft, "applied", made.result, "accepted")).shown


async def _apply(run: Run, made: Made, held: Held | None) -> None:
    """Do what a proposal says. What it was to replace may be gone by now: then there is nothing to end."""
    if made.draft.action in ("retire", "merge"):
        if held is not None:
            await run.writer.end(held, successor=made.result, at=run.tx.now)
        return
    if made.draft.action == "supersede" and made.result is not None:  # both rows are there
        if held is not None:
            await run.writer.end(held, successor=made.result, at=run.tx.now)
        return
    same = await run.knowledge.saying(made.draft)
    if same is not None and _is_besides(same, held, made.draft):
        made.result = Result(same.object_id, same.version)
        if held is not None:
            await run.writer.end(held, successor=made.result, at=made.draft.valid_from)
    elif made.draft.action != "none":
        await learning_run.write(run, made, held)


def _is_besides(same: Held, held: Held | None, draft: Draft) -> bool:
    """Whether what a proposal says stands already, apart from what it is to replace."""
    return held is None or (draft.action == "supersede" and same.known.id != held.known.id)


async def _update(
    tx: Tx,
    row: StoredProposal,
    draft: Draft,
    status: Status,
    result: Result | None,
    action: str,
) -> StoredProposal:
    changed = await tx.one(
        StoredProposal,
        queries.update_proposal,
        id=row.id,
        content=draft.content,
        target=draft.target,
        block_type=draft.block_type,
        scope=draft.scope,
        key=draft.key,
        reason=draft.reason,
        status=status,
        result=None if result is None else Jsonb(asdict(result)),
    )
    if changed is None:
        raise NotFound(f"there is no proposal {row.id!r}")
    await tx.revise(
        "proposal",
        row.id,
        version=changed.version,
        action=action,
        state={"status": status, "target": changed.target},
        content=changed.content,
    )
    return changed
