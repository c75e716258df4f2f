"""The recalled part of a context: what recall finds for the message among memories, node items, store entries and summaries.

The views of these faces are opened in the round trip that reads the user's memory; then the index is asked, in the same
round trip as the archives, and what it found is read in one more.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.context.model import RecalledText, RecallPolicy
from holdfast.conversations.flush import index as conversations
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.recall.answer import Ask, RecalledThing, Thing, View, answer
from holdfast.kernel.recall.search import Begun, Understood
from holdfast.memories import recall as memories
from holdfast.memories import view as memory_view
from holdfast.stores import recall as stores


@dataclass(frozen=True, slots=True)
class Recalling:
    """Where the caller may look, and as whom; `begun` is what recall must know before the query is embedded."""

    speaker: Caller
    views: list[View]
    begun: Begun


def views_of(
    db: Database, speaking: Caller, view: memory_view.View, store_ids: Sequence[str]
) -> Recalling:
    """Where to look, from what the faces said of it. Only memories name those who speak, so what recall must know of their
    scopes is what it must know of all."""
    views = [
        memories.as_view(db, speaking, view),
        stores.as_view(db, speaking, store_ids),
        _summaries(db, speaking),
    ]
    return Recalling(speaking, views, view.begun)


async def find(
    db: Database, recalling: Recalling, policy: RecallPolicy, query: str, asked: Understood
) -> list[RecalledText]:
    """What fits the message best. An item that a node has from a memory which was found too is left out."""
    ask = Ask(
        query=query,
        kinds=policy.kinds,
        limit=policy.limit,
        min_score=policy.min_score,
    )
    views = [memories.trusting(view, policy.min_trust) for view in recalling.views]
    found = (await answer(db, recalling.speaker, ask, views, asked)).data
    memory_ids = {each.id for each in found if each.kind == "memory"}
    return [
        _text(each) for each in found if getattr(each.object, "memory_id", None) not in memory_ids
    ]


def _summaries(db: Database, speaking: Caller) -> View:
    async def read(ids: Sequence[str]) -> dict[str, Thing]:
        rows = await conversations.read_recalled(db, speaking, speaking.agent_id, ids)
        return {id: Thing(row.content, row) for id, row in rows.items()}

    scopes = conversations.scopes_of(speaking.user_id, speaking.agent_id)
    return View(scopes, {"summary": read})


def _text(found: RecalledThing) -> RecalledText:
    thing = found.object
    return RecalledText(
        id=found.id,
        kind=found.kind,  # type: ignore[arg-type]  # the views read no other kinds
        text=found.text,
        score=found.score,
        when=getattr(thing, "valid_from", None) or thing.created_at,
        source=_source(found),
    )


def _source(found: RecalledThing) -> str:
    """Where a text comes from: who said it or what wrote it, the path in its store, the conversation that it sums up."""
    thing = found.object
    match found.kind:
        case "store_entry":
            return f"{thing.store_id}/{thing.path}"
        case "summary":
            return f"{thing.resource_id}/{thing.key}"
        case _:
            return str(thing.source)
