"""Memories for a model: remember something, and forget it."""

import re
from hashlib import sha256
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from holdfast.edge import compact
from holdfast.edge.toolbox import CHANGES, REPLACES, Call, Toolbox
from holdfast.kernel.clock import Instant
from holdfast.kernel.errors import AgentNotFound, Invalid, NotFound
from holdfast.kernel.recall.answer import Ask
from holdfast.memories import recall, service
from holdfast.memories.model import ANYWHERE, Memory, NewMemory, Place
from holdfast.memories.saving import save_memory

box = Toolbox("core")


def _as_instant(value: Any) -> Any:
    """A day counts from its beginning in UTC."""
    return f"{value}T00:00:00Z" if isinstance(value, str) and _DAY.fullmatch(value) else value


_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
# A day, as answers have it, or a time.
Day = Annotated[Instant, BeforeValidator(_as_instant), WithJsonSchema({"type": "string"})]
Detail = Annotated[bool, Field(description="Whole objects.")]


@box.tool("Remember something", REPLACES)
async def remember(
    call: Call,
    text: Annotated[str, Field(description="One fact, in a full sentence.")],
    key: Annotated[str | None, Field(description="Replaces what has this key.")] = None,
    category: str | None = None,
    tags: list[str] | None = None,
    when: Annotated[Day | None, Field(description="Since when it is so: 2026-01-31.")] = None,
    detail: Detail = False,
) -> Any:
    """Remember a fact that should last, as soon as you learn it: a preference, a decision, something that happened. No
    secrets."""
    if not text.strip():
        raise Invalid.field("text", "may not be blank")
    given = {"category": category, "tags": tags, "valid_from": when}
    fields = {name: value for name, value in given.items() if value is not None}
    # A model wrote it, whoever told it: that is what `min_trust` asks about.
    new = NewMemory(
        {"key": key or _key_of(text), "value": text, "trust": "assistant", **fields},
        scope="global" if call.caller.user_id is not None else "agent",
        place=ANYWHERE if call.caller.user_id is not None else Place(agent_id=call.agent_id),
    )
    return _shown(await save_memory(call.db, call.caller, new), detail=detail)


@box.tool("Forget something", CHANGES)
async def forget(
    call: Call,
    id: Annotated[str | None, Field(description="A memory's id, as recall gave it.")] = None,
    query: Annotated[str | None, Field(description="Or forget what fits this best.")] = None,
    detail: Detail = False,
) -> Any:
    """End what is no longer true: it is not recalled any more, its history stays. Give id or query; the answer names it."""
    if (id is None) == (query is None):
        raise Invalid.field("id", "give an id or a query, one of the two")
    place = Place(agent_id=call.agent_id)
    try:
        return _shown(await _retire(call, place, id, query), detail=detail)
    except AgentNotFound:  # nothing was stored for this agent yet
        return _shown(await _retire(call, ANYWHERE, id, query), detail=detail)


async def _retire(call: Call, place: Place, id: str | None, query: str | None) -> Memory:
    if query is not None:
        asked = Ask(query=query, kinds=("memory",), limit=1)
        found = (await recall.recall(call.db, call.caller, place, asked)).data
        if not found:
            raise NotFound("no memory fits this query; nothing was forgotten")
        id = found[0].id
    return await service.retire_memory(call.db, call.caller, id or "", place=place)


def _key_of(text: str) -> str:
    """The key of a text that is remembered without one, as the clients make it: the same text is kept once."""
    return f"text-{sha256(text.encode()).hexdigest()[:16]}"


def _shown(memory: Memory, *, detail: bool) -> Any:
    if detail:
        return memory
    when = memory.valid_from or memory.created_at
    return compact.line(memory.id, memory.value, when, "memory")
