"""What a caller sees of the memories from where it speaks, as recall asks it."""

from dataclasses import dataclass

from holdfast.kernel import sight
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.recall.search import Begun
from holdfast.kernel.recall.words import spoken
from holdfast.memories.model import ANYWHERE, Place
from holdfast.memories.passages import queries
from holdfast.memories.sight import enter


@dataclass(frozen=True, slots=True)
class View:
    """What a caller sees from where it speaks, and what recall knows of it before it embeds a query.

    `audiences` are those that the caller belongs to, `scopes` where their passages lie; `workspace_id` is None unless the
    org has workspaces enabled.
    """

    audiences: list[str]
    scopes: list[str]
    workspace_id: str | None
    names: list[str]
    model: str | None
    weights: dict[str, float] | None

    @property
    def begun(self) -> Begun:
        """As far as recall has begun."""
        return Begun(self.names, self.model, self.weights)


async def look(
    db: Database, caller: Caller, place: Place, query: str | None = None
) -> tuple[Caller, View]:
    """The caller, speaking from a place, and what it sees from there; with a query, recall begins for it."""
    statement = queries.recall_sight_alone if query is None else queries.recall_sight
    words = {} if query is None else {"words": sorted(spoken(query))}
    if place == ANYWHERE:
        view = await db.one(caller, View, statement, **words, **sight.params(caller))
        return caller, _must_answer(view)
    async with db.read(caller) as tx:
        speaking = await enter(tx, caller, place, to_write=False)
        view = await tx.one(View, statement, **words, **sight.params(speaking))
    return speaking, _must_answer(view)


def _must_answer(view: View | None) -> View:
    if view is None:
        raise RuntimeError("sight did not answer")
    return view
