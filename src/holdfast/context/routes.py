"""Context over HTTP."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Query, Request, Response
from pydantic import Field

from holdfast.blocks.model import DEFAULT_LINES, MAX_LINES
from holdfast.context import service
from holdfast.context.model import (
    DEFAULT_RECALLED,
    MAX_MESSAGE_ID_CHARS,
    MAX_RECALLED,
    MAX_TOKENS,
    MIN_RECALL_SCORE,
    RECALL_KINDS,
    ArchivalMode,
    Context,
    ConversationName,
    MemoryPolicy,
    RecallKind,
    RecallMode,
    RecallPolicy,
    UserMemory,
)
from holdfast.conversations.backends import Backends
from holdfast.edge.route import ApiRoute, TheCaller, TheDatabase
from holdfast.edge.wire import Body
from holdfast.kernel.ids import ClientId
from holdfast.memories.model import Trust

router = APIRouter(route_class=ApiRoute, prefix="/context", tags=["context"])


async def the_backends(request: Request) -> Backends:
    """What conversations of this app stand on."""
    backends: Backends = request.app.state.conversations
    return backends


TheBackends = Annotated[Backends, Depends(the_backends)]


class PolicyAsked(Body):
    """How memory should reach the agent."""

    archival_mode: ArchivalMode = Field("tool_only", examples=["auto"])
    archival_limit: int = Field(DEFAULT_LINES, ge=1, le=MAX_LINES)
    archival_min_score: float | None = Field(None, ge=0, le=1)
    include_user_core: bool = True
    include_agent_core: bool = True


class RecallAsked(Body):
    """What the message itself should recall."""

    mode: RecallMode = "auto"
    kinds: list[RecallKind] | None = Field(None, min_length=1, examples=[["memory"]])
    limit: int = Field(DEFAULT_RECALLED, ge=1, le=MAX_RECALLED)
    min_score: float = Field(MIN_RECALL_SCORE, ge=0, le=1)
    min_trust: Trust | None = Field(None, description="leave out memories that are trusted less")

    def as_policy(self) -> RecallPolicy:
        """The same as values."""
        kinds = RECALL_KINDS if self.kinds is None else tuple(dict.fromkeys(self.kinds))
        return RecallPolicy(self.mode, kinds, self.limit, self.min_score, self.min_trust)


class ConversationAsked(Body):
    """Which conversation to read: by its key, or by variables for the template of its resource."""

    resource_id: str = Field(pattern=r"^[A-Za-z0-9_-]{1,100}$", examples=["sessions"])
    key: str | None = Field(None, min_length=1, max_length=256, examples=["chat-1"])
    variables: dict[str, Any] | None = None


class ContextAsk(Body):
    """The turn a prompt is being made for."""

    message: str = Field(description="what the user said", examples=["What should I drink?"])
    agent_id: ClientId | None = None
    session_id: ClientId | None = None
    message_id: str | None = Field(None, min_length=1, max_length=MAX_MESSAGE_ID_CHARS)
    run_id: str | None = Field(None, description="with the entries of this run of the agent")
    memory_policy: PolicyAsked | None = None
    recall: RecallAsked | None = None
    conversation: ConversationAsked | None = None
    max_tokens: int | None = Field(None, ge=1, le=MAX_TOKENS, examples=[4000])
    model: str | None = Field(None, max_length=255, description="whose tokens to count")

    def as_ask(self) -> service.Ask:
        """The same as values."""
        policy, named = self.memory_policy, self.conversation
        return service.Ask(
            message=self.message,
            agent_id=self.agent_id,
            session_id=self.session_id,
            message_id=self.message_id,
            run_id=self.run_id,
            policy=MemoryPolicy(**policy.model_dump()) if policy else MemoryPolicy(),
            recall=self.recall.as_policy() if self.recall else RecallPolicy(),
            conversation=ConversationName(**named.model_dump()) if named else None,
            max_tokens=self.max_tokens,
            model=self.model,
        )


@router.post("", operation_id="context")
async def post_context(body: ContextAsk, caller: TheCaller, backends: TheBackends) -> Context:
    """What to put in a prompt: user memory, reminders, what the message recalls, the agent's entries, the conversation."""
    return await service.assemble(backends, caller, body.as_ask())


@router.get(
    "/user-memory",
    operation_id="context.user_memory",
    response_model=UserMemory,
    responses={304: {"description": "As it was."}},
)
async def get_user_memory(
    caller: TheCaller,
    db: TheDatabase,
    response: Response,
    agent_id: Annotated[ClientId | None, Query(description="with this agent's core too")] = None,
    if_none_match: Annotated[
        str | None, Header(description="answer 304 if this is still its ETag")
    ] = None,
) -> UserMemory | Response:
    """The core blocks as one text for the prompt; the same bytes until they change."""
    memory = await service.user_memory(db, caller, agent_id)
    tag = f'"{memory.etag}"'
    if if_none_match is not None and _names(if_none_match, memory.etag):
        return Response(status_code=304, headers={"ETag": tag})
    response.headers["ETag"] = tag
    return memory


def _names(if_none_match: str, etag: str) -> bool:
    """Whether an If-None-Match names this tag; weak ones count, and `*` is any."""
    tags = (tag.strip().removeprefix("W/").strip('"') for tag in if_none_match.split(","))
    return any(tag in ("*", etag) for tag in tags)
