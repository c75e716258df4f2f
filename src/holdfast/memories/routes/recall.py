"""Recall of memories, by GET and by POST."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from holdfast.edge.recall import RecallBody
from holdfast.edge.route import ApiRoute, TheCaller, TheDatabase
from holdfast.kernel.clock import Instant
from holdfast.kernel.ids import ClientId
from holdfast.kernel.recall.answer import Ask
from holdfast.kernel.recall.model import Mode
from holdfast.kernel.recall.query import MAX_TOKENS
from holdfast.memories import recall
from holdfast.memories.model import Place, Trust
from holdfast.memories.recall import RecalledMemories
from holdfast.memories.routes.words import ThePlace

router = APIRouter(route_class=ApiRoute, tags=["memories"])

MAX_LIMIT = 50


class MemoryRecallBody(RecallBody):
    """What to recall of memories, and in which form."""

    q: str = Field(examples=["what does Ana drink?"])
    limit: int = Field(5, ge=1, le=MAX_LIMIT)
    category: str | None = None
    tag: str | None = None
    min_trust: Trust | None = None
    project_id: ClientId | None = None
    agent_id: ClientId | None = None
    session_id: ClientId | None = None
    graph: bool = False


@router.get("/memories/recall", operation_id="memories.recall")
async def get_recall(
    caller: TheCaller,
    db: TheDatabase,
    place: ThePlace,
    q: Annotated[str, Query(examples=["what does Ana drink?"])],
    limit: Annotated[int, Query(ge=1, le=MAX_LIMIT)] = 5,
    mode: Mode = "hybrid",
    category: str | None = None,
    tag: str | None = None,
    min_trust: Trust | None = None,
    min_score: Annotated[float | None, Query(ge=0, le=1)] = None,
    max_tokens: Annotated[int | None, Query(ge=1, le=MAX_TOKENS)] = None,
    graph: bool = False,
    explain: bool = False,
    ids: Annotated[
        list[str] | None, Query(description="ids to explain; commas may part them")
    ] = None,
    now: Annotated[Instant | None, Query(description="what `last week` is relative to")] = None,
) -> RecalledMemories:
    """The memories that fit a query best."""
    ask = Ask(
        query=q,
        field="q",
        kinds=("memory",),
        whole=True,
        labels=recall.labels(category, tag, min_trust),
        limit=limit,
        mode=mode,
        min_score=min_score,
        max_tokens=max_tokens,
        graph=graph,
        explain=explain,
        ids=tuple(id for each in ids or () for id in each.split(",") if id),
        now=now,
    )
    return await recall.recall(db, caller, place, ask)


@router.post("/memories/recall", operation_id="memories.recall_post")
async def post_recall(
    body: MemoryRecallBody, caller: TheCaller, db: TheDatabase
) -> RecalledMemories:
    """The memories that fit a query best."""
    ask = body.as_ask(
        body.q,
        body.limit,
        field="q",
        kinds=("memory",),
        whole=True,
        labels=recall.labels(body.category, body.tag, body.min_trust),
        graph=body.graph,
    )
    place = Place(body.project_id, body.agent_id, body.session_id)
    return await recall.recall(db, caller, place, ask)
