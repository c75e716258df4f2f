"""Recall over every face for a model; and search and fetch, as research clients call them."""

from typing import Annotated, Any
from urllib.parse import quote

from pydantic import Field

from holdfast.edge import compact
from holdfast.edge.toolbox import READS, Call, Toolbox, Worded
from holdfast.kernel import given
from holdfast.kernel.errors import AgentNotFound
from holdfast.kernel.pages import MAX_LIMIT
from holdfast.kernel.recall.answer import Ask
from holdfast.kernel.recall.model import MAX_QUERY_CHARS
from holdfast.kernel.recall.query import MAX_TOKENS
from holdfast.memories.model import Place
from holdfast.unified_recall import recall as unified
from holdfast.unified_recall.reading import Whole, read_whole
from holdfast.unified_recall.recall import RecalledThing, RecalledThings

box = Toolbox("search")

TITLE_CHARS = 80
RESULTS = 10

Query = Annotated[
    str,
    Field(
        max_length=MAX_QUERY_CHARS,
        description="What you want to know, in your own words.",
    ),
]


@box.tool("Recall from every kind of memory", READS, "core")
async def recall(
    call: Call,
    query: Query,
    limit: Annotated[int, Field(ge=1, le=MAX_LIMIT)] = 10,
    max_tokens: Annotated[
        int | None, Field(ge=1, le=MAX_TOKENS, description="Of the whole answer.")
    ] = None,
    detail: Annotated[bool, Field(description="Whole objects.")] = False,
) -> Worded:
    """Search everything that is remembered, by word and by meaning, best first. Use it whenever the answer may have come up
    before."""
    found = await _recall(call, query, limit=limit)
    shown = _detailed if detail else _compact
    return compact.listed([shown(each) for each in found.data], max_tokens)


def _detailed(each: RecalledThing) -> dict[str, Any]:
    names = ("kind", "id", "text", "object", "score", "matched")
    return {name: getattr(each, name) for name in names}


def _compact(each: RecalledThing) -> dict[str, Any]:
    """`from` is the kind, with the key or the path that other tools take."""
    thing = each.object
    named = {"entry": "key", "store_entry": "path"}.get(each.kind)
    source = each.kind if named is None else f"{each.kind} {getattr(thing, named)}"
    when = getattr(thing, "valid_from", None) or getattr(thing, "created_at", None)
    return compact.line(each.id, each.text, when or thing.updated_at, source)


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
        Field(description="An id that search or recall gave."),
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


async def _recall(call: Call, query: str, *, limit: int) -> RecalledThings:
    """Recall from where the agent stands; from nowhere in particular while nobody wrote to it yet."""
    ask = Ask(query=query, limit=limit)
    try:
        place = Place(agent_id=call.agent_id)
        found = await unified.recall(call.db, call.caller, place, ask)
    except AgentNotFound:
        found = await unified.recall(call.db, call.caller, Place(), ask)
    texts = [given.GivenText(each.kind, each.id, each.text) for each in found.data]
    await given.record(call.db, call.caller, call.session_id, texts)
    return found


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
