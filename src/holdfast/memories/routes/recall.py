"""Recall of memories, by GET and by POST."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from holdfast.edge.route import ApiRoute, TheCaller, TheDatabase
from holdfast.edge.wire import Body
from holdfast.kernel.clock import Instant
from holdfast.kernel.ids import ClientId
from holdfast.kernel.recall.model import Mode
from holdfast.kernel.recall.query import MAX_TOKENS
from holdfast.memories import recall
from holdfast.memories.model import Place
from holdfast.memories.recall import Ask, Recalled
from holdfast.memories.routes.words import ThePlace

router = APIRouter(route_class=ApiRoute, tags=["memories"])

MAX_LIMIT = 50


class RecallBody(Body):
    """What to recall, and in which form."""

    q: str = Field(examples=["what does Ana drink?"])
    limit: int = Field(5, ge=1, le=MAX_LIMIT)
    mode: Mode = "hybrid"
    category: str | None = None
    tag: str | None = None
    project_id: ClientId | None = None
    agent_id: ClientId | None = None
    session_id: ClientId | None = None
    min_score: float | None = Field(None, ge=0, le=1)
    max_tokens: int | None = Field(None, ge=1, le=MAX_TOKENS)
    graph: bool = False
    explain: bool = False
    ids: list[str] = Field(
        default_factory=list, examples=[["memory_0199c0ffee0070008000000000000001"]]
    )
    now: Instant | None = Field(None, description="what `last week` is relative to")

    def as_ask(self) -> Ask:
        """The body as a value."""
        place = Place(self.project_id, self.agent_id, self.session_id)
        fields = self.model_dump(exclude={"project_id", "agent_id", "session_id", "ids"})
        return Ask(place=place, ids=tuple(self.ids), **fields)


@router.get("/memories/recall")
async def get_recall(
    caller: TheCaller,
    db: TheDatabase,
    place: ThePlace,
    q: Annotated[str, Query(examples=["what does Ana drink?"])],
    limit: Annotated[int, Query(ge=1, le=MAX_LIMIT)] = 5,
    mode: Mode = "hybrid",
    category: str | None = None,
    tag: str | None = None,
    min_score: Annotated[float | None, Query(ge=0, le=1)] = None,
    max_tokens: Annotated[int | None, Query(ge=1, le=MAX_TOKENS)] = None,
    graph: bool = False,
    explain: bool = False,
    ids: Annotated[
        list[str] | None, Query(description="ids to explain; commas may part them")
    ] = None,
    now: Annotated[Instant | None, Query(description="what `last week` is relative to")] = None,
) -> Recalled:
    """The memories that fit a query best."""
    ask = Ask(
        q=q,
        place=place,
        limit=limit,
        mode=mode,
        category=category,
        tag=tag,
        min_score=min_score,
        max_tokens=max_tokens,
        graph=graph,
        explain=explain,
        ids=tuple(id for each in ids or () for id in each.split(",") if id),
        now=now,
    )
    return await recall.recall(db, caller, ask)


@router.post("/memories/recall")
async def post_recall(body: RecallBody, caller: TheCaller, db: TheDatabase) -> Recalled:
    """The memories that fit a query best."""
    return await recall.recall(db, caller, body.as_ask())
