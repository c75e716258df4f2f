"""Recall over every face for a model; and search and fetch, as research clients call them."""

from typing import Annotated, Any
from urllib.parse import quote

from pydantic import Field

from holdfast.edge.toolbox import READS, Call, Toolbox
from holdfast.kernel.errors import AgentNotFound
from holdfast.kernel.pages import MAX_LIMIT
from holdfast.kernel.recall.answer import Ask
from holdfast.kernel.recall.model import MAX_QUERY_CHARS
from holdfast.kernel.recall.query import MAX_TOKENS
from holdfast.memories.model import Place
from holdfast.unified_recall import recall as unified
from holdfast.unified_recall.reading import Whole, read_whole
from holdfast.unified_recall.recall import RecalledThing, RecalledThings

box = Toolbox()

TITLE_CHARS = 80
RESULTS = 10

Query = Annotated[
    str,
    Field(
        max_length=MAX_QUERY_CHARS,
        description="What you want to know, in your own words.",
        examples=["what does Ana drink?"],
    ),
]


@box.tool("Recall from every kind of memory", READS)
async def recall(
    call: Call,
    query: Query,
    limit: Annotated[int, Field(ge=1, le=MAX_LIMIT, description="At most this many.")] = 10,
    max_tokens: Annotated[
        int | None,
        Field(ge=1, le=MAX_TOKENS, description="The texts together stay within this."),
    ] = None,
) -> dict[str, Any]:
    """Search everything that is remembered, by word and by meaning, best first: facts, memories, what is known of people
    and things, documents. Nothing relevant is an empty list.

    Use it whenever the answer may have come up before, and you do not know where it is kept.
    Example: recall(query="what does Ana drink?", limit=5)
    """
    found = await _recall(call, query, limit=limit, max_tokens=max_tokens)
    data = [
        {
            "kind": each.kind,
            "id": each.id,
            "text": each.text,
            "object": each.object,
            "score": each.score,
            "matched": each.matched,
        }
        for each in found.data
    ]
    return {"data": data, "tokens": found.tokens}


@box.tool("Search memory", READS)
async def search(call: Call, query: Query) -> dict[str, Any]:
    """Search everything that is remembered; the results have ids that fetch reads in full.

    Use it to look over many things at once, then fetch those that matter. For the texts at once, use recall.
    Example: search(query="refund policy")
    """
    found = await _recall(call, query, limit=RESULTS)
    return {
        "results": [
            {"id": each.id, "title": _title(each.object, each.text), "url": _url(call, each)}
            for each in found.data
        ]
    }


@box.tool("Fetch something that search found", READS)
async def fetch(
    call: Call,
    id: Annotated[
        str,
        Field(
            description="An id that search or recall gave.",
            examples=["memory_0199c0ffee0070008000000000000001"],
        ),
    ],
) -> dict[str, str]:
    """Read one thing in full by its id.

    Use it after search.
    Example: fetch(id="memory_0199c0ffee0070008000000000000001")
    """
    found = await _read(call, id)
    return {
        "id": id,
        "title": _title(found.object, found.content),
        "text": found.content,
        "url": _url(call, found),
    }


async def _recall(
    call: Call, query: str, *, limit: int, max_tokens: int | None = None
) -> RecalledThings:
    """Recall from where the agent stands; from nowhere in particular while nobody wrote to it yet."""
    ask = Ask(query=query, limit=limit, max_tokens=max_tokens)
    try:
        place = Place(agent_id=call.agent_id)
        return await unified.recall(call.db, call.caller, place, ask)
    except AgentNotFound:
        return await unified.recall(call.db, call.caller, Place(), ask)


async def _read(call: Call, id: str) -> Whole:
    try:
        return await read_whole(call.db, call.caller, Place(agent_id=call.agent_id), id)
    except AgentNotFound:
        return await read_whole(call.db, call.caller, Place(), id)


def _title(thing: Any, text: str) -> str:
    """What a thing is called: its key, its path, or how its text begins."""
    for name in ("key", "path", "title"):
        if isinstance(called := getattr(thing, name, None), str):
            return called
    first = text.strip().partition("\n")[0]
    return first if len(first) <= TITLE_CHARS else f"{first[: TITLE_CHARS - 1]}…"


def _url(call: Call, found: RecalledThing | Whole) -> str:
    """Where the API shows a thing."""
    thing = found.object
    match found.kind:
        case "memory":
            path = f"memories/{found.id}"
        case "node_item":
            path = f"memory-nodes/{thing.node_id}"
        case "store_entry":
            path = f"memory_stores/{thing.store_id}/memories/{found.id}"
        case "entry":
            path = f"agents/{quote(thing.agent_id)}/entries/{quote(thing.key, safe='')}"
        case "block_line":
            path = "memory/blocks/archival"
        case _:
            path = "recall"
    return f"{call.url}/api/v1/{path}"
