"""Recall in one store over HTTP."""

from fastapi import APIRouter
from pydantic import Field

from holdfast.edge.recall import RecallBody
from holdfast.edge.route import ApiRoute, TheCaller, TheDatabase
from holdfast.kernel.pages import MAX_LIMIT
from holdfast.stores import recall
from holdfast.stores.routes.words import PREFIX

router = APIRouter(prefix=PREFIX, route_class=ApiRoute, tags=["stores"])


class StoreRecallBody(RecallBody):
    """What to recall in a store, and in which form."""

    query: str = Field(examples=["how do we handle refunds?"])
    limit: int = Field(10, ge=1, le=MAX_LIMIT)


@router.post("/{store_id}/recall", operation_id="stores.recall")
async def post_recall(
    store_id: str, body: StoreRecallBody, caller: TheCaller, db: TheDatabase
) -> recall.RecalledEntries:
    """The entries of the store that fit a query best, each by its best passage."""
    return await recall.recall(db, caller, store_id, body.as_ask(body.query, body.limit))
