"""What a caller sees of the memories from where it speaks, as recall asks it."""

from dataclasses import dataclass

from holdfast.kernel import sight
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Read
from holdfast.kernel.recall.search import Begun, as_asked
from holdfast.kernel.recall.words import Words, spoken
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
    underway: int | None

    @property
    def begun(self) -> Begun:
        """As far as recall has begun."""
        return Begun(self.names, self.model, self.weights, self.underway)


async def look(
    db: Database, caller: Caller, place: Place, query: str | None = None
) -> tuple[Caller, View]:
    """The caller, speaking from a place, and what it sees from there; with a query, recall begins for it."""
    if place == ANYWHERE:
        row_type, statement, params = looking(caller, query)
        return caller, _must_answer(await db.one(caller, row_type, statement, **params))
    async with db.read(caller) as tx:
        speaking = await enter(tx, caller, place, to_write=False)
        row_type, statement, params = looking(speaking, query)
        view = await tx.one(row_type, statement, **params)
    return speaking, _must_answer(view)


def looking(speaking: Caller, query: str | None) -> Read[View]:
    """The statement that reads what a caller sees; with a query, recall begins for it."""
    if query is None:
        return Read(View, queries.recall_sight_alone, sight.params(speaking))
    words = sorted(spoken(query))
    return Read(View, queries.recall_sight, {"words": words, **sight.params(speaking)})


def looking_by_words(speaking: Caller, query: str, words: Words) -> Read[View]:
    """The same for a query whose words are looked up too; recall goes on with `recall_kept` in the same transaction."""
    params = {**as_asked(words), **looking(speaking, query).params}
    return Read(View, queries.recall_sight_and_words, params)


def _must_answer(view: View | None) -> View:
    if view is None:
        raise RuntimeError("sight did not answer")
    return view
