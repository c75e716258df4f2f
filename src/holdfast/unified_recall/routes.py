"""What crosses faces, over HTTP."""

from fastapi import APIRouter
from pydantic import Field

from holdfast.edge.recall import RecallBody
from holdfast.edge.route import ApiRoute, TheCaller, TheDatabase
from holdfast.kernel.ids import ClientId
from holdfast.kernel.pages import MAX_LIMIT
from holdfast.kernel.recall.model import Kind
from holdfast.memories.model import Place, Trust
from holdfast.unified_recall import recall
from holdfast.unified_recall.recall import RecalledThings

router = APIRouter(route_class=ApiRoute, tags=["recall"])


class EveryRecallBody(RecallBody):
    """What to recall over every face, and in which form."""

    query: str = Field(examples=["what does Ana drink?"])
    kinds: list[Kind] | None = Field(None, examples=[["memory", "store_entry"]])
    agent_id: ClientId | None = None
    project_id: ClientId | None = None
    session_id: ClientId | None = None
    limit: int = Field(10, ge=1, le=MAX_LIMIT)
    graph: bool = False
    min_trust: Trust | None = Field(None, description="leave out memories that are trusted less")


@router.post("/recall", operation_id="recall")
async def post_recall(body: EveryRecallBody, caller: TheCaller, db: TheDatabase) -> RecalledThings:
    """What fits a query best, of every kind that the caller may see."""
    kinds = None if body.kinds is None else tuple(body.kinds)
    ask = body.as_ask(body.query, body.limit, kinds=kinds, graph=body.graph)
    place = Place(body.project_id, body.agent_id, body.session_id)
    return await recall.recall(db, caller, place, ask, min_trust=body.min_trust)
