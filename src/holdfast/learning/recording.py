"""Proposals as they are written: the row, the statement that it became, the words that it rests on."""

import hashlib
from dataclasses import asdict, dataclass
from typing import Any

from psycopg.types.json import Jsonb

from holdfast.kernel import metrics
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Tx
from holdfast.kernel.sql import load
from holdfast.learning.facts import Fact
from holdfast.learning.proposal import Draft, Proposal, Result, Status, StoredProposal, sources_of

queries = load(__file__)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where candidates come from: the conversation, the session, the job, the extractor."""

    extractor: str | None
    conversation: str = ""
    session_id: str | None = None
    job_id: str | None = None


@dataclass(slots=True)
class Made:
    """A proposal that this run makes, until it is written."""

    id: str
    draft: Draft
    status: Status = "applied"
    result: Result | None = None
    fact: Fact | None = None  # the statement that it became, or that its sources support
    is_new: bool = False


async def record(tx: Tx, caller: Caller, origin: Origin, audience: str, made: Made) -> None:
    """Write a proposal, the statement that it became, and the words that it rests on."""
    draft = made.draft
    links = [asdict(each) for each in sources_of(draft, origin.session_id)]
    await tx.run(
        queries.insert_proposal,
        id=made.id,
        user_id=caller.user_id,
        agent_id=caller.agent_id,
        project_id=caller.project_id,
        session_id=origin.session_id,
        workspace_id=caller.workspace_id,
        job_id=origin.job_id,
        extractor=origin.extractor,
        **_columns(draft),
        sources=Jsonb(links),
        status=made.status,
        result=None if made.result is None else Jsonb(asdict(made.result)),
    )
    if made.fact is not None and made.is_new:
        await write_fact(tx, made.fact, audience)
    fact_id = None if made.fact is None else made.fact.id
    for cited in draft.cited:
        await tx.run(
            queries.insert_source,
            audience=audience,
            conversation=origin.conversation,
            message_id=cited.message_id,
            quote_digest=digest(cited.quote),
            slot=cited.slot,
            proposal_id=made.id,
            fact_id=fact_id,
        )
    tx.on_commit(metrics.proposals.labels(draft.action, made.status).inc)


def _columns(draft: Draft) -> dict[str, Any]:
    return {
        "action": draft.action,
        "target": draft.target,
        "block_type": draft.block_type,
        "scope": draft.scope,
        "key": draft.key,
        "content": draft.content,
        "before": draft.before,
        "supersedes": draft.supersedes,
        "kind": draft.kind,
        "subject": draft.subject,
        "attribute": draft.attribute,
        "value": draft.value,
        "related": None if draft.related is None else Jsonb(list(draft.related)),
        "confidence": draft.confidence,
        "trust": draft.trust,
        "reason": draft.reason,
        "valid_from": draft.valid_from,
    }


async def write_fact(tx: Tx, fact: Fact, audience: str) -> None:
    """Record where a statement stands."""
    await tx.run(
        queries.insert_fact,
        id=fact.id,
        audience=audience,
        place=fact.place,
        object_id=fact.object_id,
        kind=fact.kind,
        content=fact.content,
        subject=fact.subject,
        attribute=fact.attribute,
        value=fact.value,
        confidence=fact.confidence,
        trust=fact.trust,
        said_at=fact.said_at,
    )


async def read_recorded(tx: Tx, caller: Caller, proposal_id: str) -> Proposal:
    """A proposal that was recorded in this transaction, as it is shown."""
    row = await tx.one(
        StoredProposal,
        queries.read_proposal,
        id=proposal_id,
        by_user=caller.user_id,
        by_agent=caller.agent_id,
        by_project=caller.project_id,
        by_workspace=caller.workspace_id,
        by_run=None,
        key_agent=None,
    )
    if row is None:
        raise RuntimeError("the proposal was not written")
    return row.shown


def digest(quote: str) -> str:
    """What a quote is compared by, to learn from it once."""
    return hashlib.sha256(quote.encode(errors="replace")).hexdigest()[:32]
