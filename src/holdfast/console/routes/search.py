"""Search over every face, with what each rank is made of and why something was not found."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Response

from holdfast.console.addresses import memory_address
from holdfast.console.drawing import bars
from holdfast.console.visit import PageRoute, TheVisit, Visit
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.recall.answer import Ask, RecalledThing, RecalledThings
from holdfast.kernel.recall.model import KINDS, Kind, Mode
from holdfast.memories.graph.nodes import read_nodes
from holdfast.memories.model import TRUSTS, Place
from holdfast.unified_recall.recall import recall

router = APIRouter(route_class=PageRoute, include_in_schema=False)

EVERY_KIND: tuple[Kind, ...] = (*KINDS, "flushed")
MODES: tuple[Mode, ...] = ("hybrid", "lexical", "semantic")
# The parts of a score in the words of a person who wonders about a rank.
PARTS = {
    "lexical": "words of the query",
    "semantic": "close in meaning",
    "close_reading": "read closely",
    "session": "its session fits",
    "temporal": "the time fits",
    "actor": "who said it",
    "graph": "linked in the graph",
    "recency": "recent",
    "importance": "important",
    "pinned": "pinned",
}


@router.get("/search", response_model=None)
async def search(visit: TheVisit) -> Response:
    """The form, and what it finds."""
    found, problem = None, None
    if visit.query.text("q") is not None:
        try:
            found = await _find(visit)
        except HoldfastError as error:
            if error.status >= 500:
                raise
            problem = error.detail
    hits = [] if found is None else found.data
    names = await _node_names(visit, hits)
    return visit.page(
        "search.html",
        found=found,
        problem=problem,
        hits=[(hit, title_of(hit, names), address_of(hit), _bar(hit)) for hit in hits],
        kinds=EVERY_KIND,
        modes=MODES,
        trusts=TRUSTS,
        part_names=PARTS,
    )


async def _find(visit: Visit) -> RecalledThings:
    query = visit.query
    kind = query.choice("kind", EVERY_KIND)
    ask = Ask(
        query=query.must("q"),
        kinds=None if kind is None else (kind,),
        limit=query.number("limit", 1, 100) or 10,
        mode=query.choice("mode", MODES) or "hybrid",
        min_score=query.share("min_score"),
        graph=query.flag("graph"),
        explain=True,
        ids=tuple(query.words("ids")),
    )
    place = Place(query.name("project_id"), query.name("agent_id"), query.name("session_id"))
    min_trust = query.choice("min_trust", TRUSTS)
    return await recall(visit.db, visit.caller, place, ask, min_trust=min_trust)


async def _node_names(visit: Visit, hits: Sequence[RecalledThing]) -> dict[str, str]:
    """The names of the nodes that were found something of."""
    found = {hit.object.node_id for hit in hits if hit.kind == "node_item"}
    nodes = await read_nodes(visit.db, visit.caller, sorted(found))
    return {node.id: node.name for node in nodes}


def title_of(hit: RecalledThing, node_names: Mapping[str, str]) -> str:
    """What the link to a hit says."""
    found: Any = hit.object
    match hit.kind:
        case "store_entry":
            return str(found.path)
        case "node_item":
            return node_names.get(found.node_id, "An item of the graph")
        case "block_line":
            return "Archival block"
        case _:
            return str(found.key)


def address_of(hit: RecalledThing) -> str | None:
    """The page that shows what was found."""
    found: Any = hit.object
    match hit.kind:
        case "memory":
            return memory_address(found)
        case "node_item":
            return f"/nodes/{found.node_id}"
        case "store_entry":
            return f"/stores/{found.store_id}/entries/{hit.id}"
        case "entry":
            return f"/entries/{quote(found.agent_id)}/entry?{urlencode({'key': found.key, 'scope': found.scope})}"
        case "block_line":
            return "/blocks/archival" + (
                f"?agent_id={quote(found.agent_id)}" if found.agent_id else ""
            )
        case "summary" | "flushed":
            shown = urlencode({"key": found.key, "flushed": "1"})
            return f"/conversations/{quote(found.resource_id)}/messages?{shown}"


def _bar(hit: RecalledThing) -> list[bars.Part]:
    parts = {} if hit.explain is None else hit.explain.parts
    return bars.cut(parts.items(), whole=1.0, known=[*PARTS])
