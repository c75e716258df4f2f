"""Learning over HTTP: sessions, proposals, extraction on demand, undoing a job."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from pydantic import Field, StrictBool

from holdfast.conversations.model import AppendResult
from holdfast.edge.route import ApiRoute, TheCaller
from holdfast.edge.wire import Body
from holdfast.kernel.ids import ClientId
from holdfast.learning import service
from holdfast.learning.service import Extraction, Rehearsed, Settling
from holdfast.learning.settle import Learning

router = APIRouter(route_class=ApiRoute, tags=["learning"])

Messages = str | dict[str, Any] | list[str | dict[str, Any]]
EXAMPLE = [{"role": "user", "content": "Remember that I park on level 3."}]


def the_learning(request: Request) -> Learning:
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


class ExtractAsk(Body):
    """Messages to learn from; they are not kept."""

    messages: Messages = Field(examples=[EXAMPLE])
    agent_id: ClientId | None = Field(None, examples=[None])
    session_id: ClientId | None = Field(None, examples=[None])
    dry_run: StrictBool = Field(False, examples=[True])


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


@router.post(
    "/sessions/{session_id}/settle",
    operation_id="sessions.settle",
    responses={202: {"model": Settling, "description": "A job learns from the session."}},
)
async def settle_session(
    session_id: ClientId,
    response: Response,
    caller: TheCaller,
    learning: TheLearning,
    body: SettleAsk | None = None,
) -> Settling | Rehearsed:
    """Learn from what is new in a session now (202), or show what that would propose (`dry_run`)."""
    if body is not None and body.dry_run:
        return await service.rehearse_settling(learning, caller, session_id)
    settling = await service.settle_session(learning, caller, session_id)
    if settling.job_id is not None:
        response.status_code = 202
    return settling


@router.post("/memories/extract", operation_id="memories.extract")
async def extract(body: ExtractAsk, caller: TheCaller, learning: TheLearning) -> Extraction:
    """Learn from messages that are sent along; with `dry_run` nothing is written."""
    return await service.extract_now(
        learning,
        caller,
        body.messages,
        agent_id=body.agent_id,
        session_id=body.session_id,
        dry_run=body.dry_run,
    )
