"""What a caller sees of the memories from where it speaks, as recall asks it."""

from dataclasses import dataclass

from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.recall.search import Begun
from holdfast.kernel.recall.words import spoken
from holdfast.memories.model import ANYWHERE, Place
from holdfast.memories.passages import queries
from holdfast.memories.sight import enter, sight


@dataclass(frozen=True, slots=True)
class View:
    """What a caller sees from where it speaks: contexts, and the workspace it is held to; and what recall knows of them
    before it embeds a query."""

    contexts: list[str]
    workspace_id: str | None
    names: list[str]
    model: str | None
    weights: dict[str, float] | None

    @property
    def scopes(self) -> tuple[str, ...]:
        """The contexts as recall knows them, and the nodes' items that belong to no memory."""
        return (*(f"memory/{context}" for context in self.contexts), "node/items")

    @property
    def begun(self) -> Begun:
        """As far as recall has begun."""
        return Begun(self.names, self.model, self.weights)


async def look(db: Database, caller: Caller, place: Place, query: str = "") -> tuple[Caller, View]:
    """The caller, speaking from a place, and what it sees from there; recall begins for the query."""
    words = sorted(spoken(query))
    if place == ANYWHERE:
        view = await db.one(caller, View, queries.recall_sight, words=words, **sight(caller))
        return caller, _must_answer(view)
    async with db.read(caller) as tx:
        speaking = await enter(tx, caller, place, to_write=False)
        view = await tx.one(View, queries.recall_sight, words=words, **sight(speaking))
    return speaking, _must_answer(view)


def _must_answer(view: View | None) -> View:
    if view is None:
        raise RuntimeError("sight did not answer")
    return view
