"""What crosses faces, over HTTP."""

from fastapi import APIRouter
from pydantic import Field

from holdfast.edge.route import ApiRoute, TheCaller, TheDatabase
from holdfast.edge.wire import Body
from holdfast.kernel.clock import Instant
from holdfast.kernel.pages import MAX_LIMIT
from holdfast.kernel.recall.model import KINDS, Kind, Mode
from holdfast.kernel.recall.query import MAX_TOKENS
from holdfast.memories.model import Place
from holdfast.unified_recall import recall
from holdfast.unified_recall.recall import Ask, RecalledThings

router = APIRouter(route_class=ApiRoute, tags=["recall"])


class RecallBody(Body):
    """What to recall over every face, and in which form."""

    query: str = Field(examples=["what does Ana drink?"])
    kinds: list[Kind] | None = Field(None, examples=[["memory", "store_entry"]])
    agent_id: str | None = None
    project_id: str | None = None
    session_id: str | None = None
    limit: int = Field(10, ge=1, le=MAX_LIMIT)
    max_tokens: int | None = Field(None, ge=1, le=MAX_TOKENS)
    min_score: float | None = Field(None, ge=0, le=1)
    mode: Mode = "hybrid"
    graph: bool = False
    explain: bool = False
    ids: list[str] = Field(
        default_factory=list, examples=[["memory_0199c0ffee0070008000000000000001"]]
    )
    now: Instant | None = Field(None, description="what `last week` is relative to")

    def as_ask(self) -> Ask:
        """The body as a value."""
        fields = self.model_dump(exclude={"kinds", "ids", "agent_id", "project_id", "session_id"})
        return Ask(
            kinds=KINDS if self.kinds is None else tuple(self.kinds),
            place=Place(self.project_id, self.agent_id, self.session_id),
            ids=tuple(self.ids),
            **fields,
        )


@router.post("/recall")
async def post_recall(body: RecallBody, caller: TheCaller, db: TheDatabase) -> RecalledThings:
    """What fits a query best, of every kind that the caller may see."""
    return await recall.recall(db, caller, body.as_ask())
