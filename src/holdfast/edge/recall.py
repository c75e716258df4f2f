"""What every recall over HTTP takes beside its query."""

from typing import Any

from pydantic import Field

from holdfast.edge.wire import Body
from holdfast.kernel.clock import Instant
from holdfast.kernel.recall.answer import Ask
from holdfast.kernel.recall.model import Mode
from holdfast.kernel.recall.query import MAX_TOKENS


class RecallBody(Body):
    """How to recall: how much, by which arms, and what to explain. A face adds its query, its limit and its filters."""

    mode: Mode = "hybrid"
    min_score: float | None = Field(None, ge=0, le=1)
    max_tokens: int | None = Field(None, ge=1, le=MAX_TOKENS)
    explain: bool = False
    ids: list[str] = Field(
        default_factory=list, description="explain those that are not found, in `misses`"
    )
    now: Instant | None = Field(None, description="what `last week` is relative to")

    def as_ask(self, query: str, limit: int, **more: Any) -> Ask:
        """The body as a value, with what the face adds."""
        return Ask(
            query=query,
            limit=limit,
            mode=self.mode,
            min_score=self.min_score,
            max_tokens=self.max_tokens,
            explain=self.explain,
            ids=tuple(self.ids),
            now=self.now,
            **more,
        )
