"""Learning insights over HTTP."""

from typing import Any

from fastapi import APIRouter, Response
from pydantic import Field

from holdfast.edge.preconditions import set_etag
from holdfast.edge.route import ApiRoute, TheCaller, TheDatabase
from holdfast.edge.wire import Body
from holdfast.kernel.pages import Page
from holdfast.memories.insights import service as insights
from holdfast.memories.insights.service import Insight, NotStored, StoredInsight
from holdfast.memories.routes.words import TheCursor

router = APIRouter(route_class=ApiRoute, prefix="/insights", tags=["insights"])


class InsightBody(Body):
    """Something learned about the user."""

    insight: str = Field(examples=["Prefers short answers with an example"])
    category: str = Field("general", examples=["style"])
    source: str = Field("conversation", examples=["conversation"])
    confidence: float = Field(1.0, ge=0, le=1, examples=[0.8])
    metadata: dict[str, Any] = Field(default_factory=dict)


class Wiped(Body):
    """How many insights were erased."""

    deleted: int


@router.post(
    "", operation_id="insights.save", status_code=201, responses={200: {"model": NotStored}}
)
async def post_insight(
    body: InsightBody, response: Response, caller: TheCaller, db: TheDatabase
) -> StoredInsight | NotStored:
    """Keep an insight (201); 200 with `stored: false` where the user has turned the capture off."""
    answer = await insights.add_insight(
        db,
        caller,
        insight=body.insight,
        category=body.category,
        source=body.source,
        confidence=body.confidence,
        metadata=body.metadata,
    )
    if isinstance(answer, NotStored):
        response.status_code = 200
    else:
        set_etag(response, answer.version)
    return answer


@router.get("", operation_id="insights.list")
async def list_insights(
    cursor: TheCursor, caller: TheCaller, db: TheDatabase, category: str | None = None
) -> Page[Insight]:
    """The user's insights, newest first."""
    return await insights.list_insights(db, caller, cursor, category=category)


@router.get("/{insight_id}", operation_id="insights.get")
async def get_insight(
    insight_id: str, response: Response, caller: TheCaller, db: TheDatabase
) -> Insight:
    """One insight of the user's."""
    insight = await insights.read_insight(db, caller, insight_id)
    set_etag(response, insight.version)
    return insight


@router.delete("/{insight_id}", operation_id="insights.delete", status_code=204)
async def delete_insight(insight_id: str, caller: TheCaller, db: TheDatabase) -> None:
    """Erase one insight."""
    await insights.delete_insight(db, caller, insight_id)


@router.delete("", operation_id="insights.wipe")
async def wipe_insights(caller: TheCaller, db: TheDatabase, category: str | None = None) -> Wiped:
    """Erase all of the user's insights (of a category, where one is named)."""
    return Wiped(deleted=await insights.wipe_insights(db, caller, category=category))
