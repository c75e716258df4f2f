"""Learning over HTTP: sessions, proposals, extraction on demand, undoing a job."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import Field, StrictBool, ValidationError, field_validator
from pydantic_core import PydanticCustomError

from holdfast.conversations.model import AppendResult
from holdfast.edge.messages import Messages
from holdfast.edge.preconditions import IfMatch, set_etag
from holdfast.edge.route import ApiRoute, TheCaller, TheDatabase
from holdfast.edge.wire import Body, page_cursor
from holdfast.kernel.caller import Caller
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.ids import ClientId
from holdfast.kernel.pages import Cursor, Page
from holdfast.learning import proposals, revert, service
from holdfast.learning.consolidation import hygiene
from holdfast.learning.consolidation import service as consolidation
from holdfast.learning.consolidation.hygiene import Hygiene
from holdfast.learning.consolidation.service import (
    KINDS,
    Consolidation,
    ConsolidationKind,
    ConsolidationRehearsal,
)
from holdfast.learning.proposal import MAX_ACCEPTED, Action, Proposal, ProposalTarget, Status
from holdfast.learning.reading import Reading
from holdfast.learning.revert import Reverted
from holdfast.learning.service import Extraction, Rehearsed, Settling
from holdfast.learning.settle import Learning

router = APIRouter(route_class=ApiRoute, tags=["learning"])

EXAMPLE = [{"role": "user", "content": "Remember that I park on level 3."}]


async def the_learning(request: Request) -> Learning:
    """What learns in this app."""
    learning: Learning = request.app.state.learning
    return learning


TheLearning = Annotated[Learning, Depends(the_learning)]


class SessionAppend(Body):
    """Messages of a session: a text (one user message), one message, or up to 100."""

    messages: Messages = Field(examples=[EXAMPLE])
    agent_id: ClientId | None = Field(None, examples=[None])
    project_id: ClientId | None = Field(None, examples=[None])


class SettleAsk(Body):
    """How to settle."""

    dry_run: StrictBool = Field(False, description="show the proposals, change nothing")


class ProposalEdit(Body):
    """What to change about a proposal; what is left out stays."""

    NEVER_NULL: ClassVar[tuple[str, ...]] = ("content", "target")

    content: str | None = Field(None, examples=["Parks on level 3"])
    target: ProposalTarget | None = Field(None, examples=["memory"])

    @field_validator(*NEVER_NULL)
    @classmethod
    def _is_given(cls, value: str | None) -> str:
        if value is None:
            raise PydanticCustomError("null", "may not be null")
        return value


class AcceptMany(Body):
    """The proposals to accept, all or none."""

    ids: list[str] = Field(
        min_length=1, max_length=MAX_ACCEPTED, examples=[["prop_0190f5fe7c00700080000000000000aa"]]
    )


@dataclass(frozen=True, slots=True)
class Accepted:
    """The proposals as they are now, in the order asked for."""

    data: list[Proposal]


class ExtractAsk(Body):
    """Messages to learn from; they are not kept."""

    messages: Messages = Field(examples=[EXAMPLE])
    agent_id: ClientId | None = Field(None, examples=[None])
    session_id: ClientId | None = Field(None, examples=[None])
    dry_run: StrictBool = Field(False, examples=[True])


class ConsolidateAsk(Body):
    """What to look for, and whether to change anything."""

    dry_run: StrictBool = Field(True, description="show the proposals, change nothing")
    kinds: list[ConsolidationKind] = Field(
        list(KINDS), min_length=1, max_length=10, examples=[["duplicates", "contradictions"]]
    )


@router.post("/sessions/{session_id}/messages", operation_id="sessions.append")
async def append_messages(
    session_id: ClientId, body: SessionAppend, caller: TheCaller, learning: TheLearning
) -> AppendResult:
    """Append messages to a session, in the resource `sessions` under the session's id."""
    return await service.append_messages(
        learning,
        caller,
        session_id,
        body.messages,
        agent_id=body.agent_id,
        project_id=body.project_id,
    )


async def _read_first(request: Request) -> None:
    """Have the extractor read before the transaction of an Idempotency-Key; what is wrong with the request is refused in it."""
    caller: Caller = request.state.identified.caller
    learning: Learning = request.app.state.learning
    session_id = request.path_params.get("session_id")
    content = await request.body()
    try:
        if session_id is None:
            request.state.read = await _read_messages(learning, caller, content)
        elif content and SettleAsk.model_validate_json(content).dry_run:
            request.state.read = await service.read_session_ahead(learning, caller, session_id)
    except (ValidationError, HoldfastError) as refusal:
        if isinstance(refusal, HoldfastError) and refusal.status >= 500:
            raise


async def _read_messages(learning: Learning, caller: Caller, content: bytes) -> Reading:
    body = ExtractAsk.model_validate_json(content)
    return await service.read_messages(learning, caller, body.messages, agent_id=body.agent_id)


class ModelRoute(ApiRoute):
    """An operation that asks a model: under an Idempotency-Key it asks before the transaction begins."""

    prepare = staticmethod(_read_first)


model_router = APIRouter(route_class=ModelRoute, tags=["learning"])


@model_router.post(
    "/sessions/{session_id}/settle",
    operation_id="sessions.settle",
    responses={202: {"model": Settling, "description": "A job learns from the session."}},
)
async def settle_session(
    request: Request,
    session_id: ClientId,
    response: Response,
    caller: TheCaller,
    learning: TheLearning,
    body: SettleAsk | None = None,
) -> Settling | Rehearsed:
    """Learn from what is new in a session now (202), or show what that would propose (`dry_run`)."""
    if body is not None and body.dry_run:
        return await service.rehearse_settling(
            learning, caller, session_id, read=getattr(request.state, "read", None)
        )
    settling = await service.settle_session(learning, caller, session_id)
    if settling.job_id is not None:
        response.status_code = 202
    return settling


@model_router.post("/memories/extract", operation_id="memories.extract")
async def extract(
    request: Request, body: ExtractAsk, caller: TheCaller, learning: TheLearning
) -> Extraction:
    """Learn from messages that are sent along; with `dry_run` nothing is written."""
    return await service.extract_now(
        learning,
        caller,
        body.messages,
        agent_id=body.agent_id,
        session_id=body.session_id,
        dry_run=body.dry_run,
        reading=getattr(request.state, "read", None),
    )


@router.post("/jobs/{job_id}/revert", operation_id="jobs.revert")
async def revert_job(job_id: str, caller: TheCaller, db: TheDatabase) -> Reverted:
    """Undo what a job wrote where nobody has changed it since; the answer lists what was kept and why."""
    return await revert.revert_job(db, caller, job_id)


@router.get("/proposals", operation_id="proposals.list")
async def list_proposals(
    cursor: Annotated[Cursor, Depends(page_cursor)],
    caller: TheCaller,
    db: TheDatabase,
    status: Annotated[Status | None, Query()] = None,
    action: Annotated[Action | None, Query()] = None,
    job_id: Annotated[str | None, Query(description="of this job alone")] = None,
    session_id: Annotated[ClientId | None, Query(description="of this session alone")] = None,
) -> Page[Proposal]:
    """What learning proposed for the user acted for, newest first."""
    return await proposals.list_proposals(
        db, caller, cursor, status=status, action=action, job_id=job_id, session_id=session_id
    )


@router.post("/proposals/accept", operation_id="proposals.accept_many")
async def accept_many(body: AcceptMany, caller: TheCaller, db: TheDatabase) -> Accepted:
    """Apply several proposals in one transaction; 409 with `current` where one is decided already."""
    return Accepted(await proposals.accept_proposals(db, caller, body.ids))


@router.get("/proposals/{proposal_id}", operation_id="proposals.get")
async def get_proposal(
    proposal_id: str, response: Response, caller: TheCaller, db: TheDatabase
) -> Proposal:
    """One proposal."""
    found = await proposals.read_proposal(db, caller, proposal_id)
    set_etag(response, found.version)
    return found


@router.patch("/proposals/{proposal_id}", operation_id="proposals.edit")
async def edit_proposal(
    proposal_id: str,
    body: ProposalEdit,
    if_match: IfMatch,
    response: Response,
    caller: TheCaller,
    db: TheDatabase,
) -> Proposal:
    """Change the text or the place of a proposal that is not decided; 409 with `current` where it is."""
    changed = await proposals.edit_proposal(
        db, caller, proposal_id, content=body.content, target=body.target, if_match=if_match
    )
    set_etag(response, changed.version)
    return changed


@router.post("/proposals/{proposal_id}/accept", operation_id="proposals.accept")
async def accept_proposal(
    proposal_id: str, if_match: IfMatch, response: Response, caller: TheCaller, db: TheDatabase
) -> Proposal:
    """Apply a proposal; 409 with `current` where it is decided already."""
    [accepted] = await proposals.accept_proposals(db, caller, [proposal_id], if_match=if_match)
    set_etag(response, accepted.version)
    return accepted


@router.post("/proposals/{proposal_id}/reject", operation_id="proposals.reject")
async def reject_proposal(
    proposal_id: str, if_match: IfMatch, response: Response, caller: TheCaller, db: TheDatabase
) -> Proposal:
    """Decide against a proposal; 409 with `current` where it is decided already."""
    rejected = await proposals.reject_proposal(db, caller, proposal_id, if_match=if_match)
    set_etag(response, rejected.version)
    return rejected


@router.post(
    "/consolidate",
    operation_id="learning.consolidate",
    responses={202: {"model": Consolidation, "description": "A job consolidates."}},
)
async def consolidate(
    response: Response, caller: TheCaller, db: TheDatabase, body: ConsolidateAsk | None = None
) -> ConsolidationRehearsal | Consolidation:
    """Propose what to merge, supersede, retire or move in the memory of the user acted for; without `dry_run` by a job (202)."""
    asked = body or ConsolidateAsk()
    if asked.dry_run:
        return await consolidation.rehearse(db, caller, asked.kinds)
    response.status_code = 202
    return await consolidation.request(db, caller, asked.kinds)


@router.get("/hygiene", operation_id="learning.hygiene")
async def read_hygiene(caller: TheCaller, db: TheDatabase) -> Hygiene:
    """How clean the memory of the user acted for is: duplicates, contradictions and more, by kind of row."""
    return await hygiene.measure(db, caller)
