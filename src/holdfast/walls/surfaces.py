"""The routes beside the OpenAPI document: mem0's and Anthropic's. Each needs a line here, which says what a walk sends to it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fastapi.routing import APIRoute

from holdfast.anthropic_api import routes as anthropic_api
from holdfast.mem0_api import routes as mem0_api
from holdfast.walls.specimens import ASKED, Named

BOT = {"agent_id": "bot"}
ANOTHER = "written by another"


@dataclass(frozen=True, slots=True)
class Sent:
    """What goes with a route: a body, a query."""

    body: Any = None
    query: Mapping[str, str] | None = None


# No line names a user: a service key may act for each of them. Keys of one user that name another are in the surfaces' own tests.
MEM0 = {
    "GET /v1/ping/": [Sent()],
    "POST /v3/memories/add/": [Sent({"messages": [{"role": "user", "content": ANOTHER}]})],
    "POST /v3/memories/search/": [
        Sent({"query": ASKED, "top_k": 50}),
        Sent({"query": ASKED, "top_k": 50, "filters": BOT}),
    ],
    "POST /v3/memories/": [Sent({}), Sent({"filters": BOT})],
    "GET /v1/memories/{memory_id}/": [Sent()],
    "PUT /v1/memories/{memory_id}/": [Sent({"text": ANOTHER})],
    "GET /v1/memories/{memory_id}/history/": [Sent()],
    "DELETE /v1/memories/{memory_id}/": [Sent()],
    "DELETE /v1/memories/": [Sent(query=BOT), Sent(query={"run_id": "none"})],
}
_STORE = "/memory_stores/{store_id}"
ANTHROPIC = {
    "GET /memory_stores": [Sent(query={"include_archived": "true", "limit": "100"})],
    "POST /memory_stores": [Sent({"name": "another"})],
    f"GET {_STORE}": [Sent()],
    f"POST {_STORE}": [Sent({"name": "another"})],
    f"GET {_STORE}/memories": [Sent(query={"view": "full"})],
    f"POST {_STORE}/memories": [Sent({"path": "/another", "content": ANOTHER})],
    f"GET {_STORE}/memories/{{memory_id}}": [Sent()],
    f"POST {_STORE}/memories/{{memory_id}}": [Sent({"content": ANOTHER})],
    f"GET {_STORE}/memory_versions": [Sent(query={"view": "full"})],
    f"GET {_STORE}/memory_versions/{{version_id}}": [Sent()],
    f"POST {_STORE}/memory_versions/{{version_id}}/redact": [Sent()],
    f"DELETE {_STORE}/memories/{{memory_id}}": [Sent()],
    f"POST {_STORE}/archive": [Sent()],
    f"DELETE {_STORE}": [Sent()],
}
_SURFACES = (
    ("/mem0", [mem0_api.router], MEM0),
    ("/anthropic/v1", anthropic_api.ROUTERS, ANTHROPIC),
)


def operations(named: Named) -> Iterator[tuple[str, str, Named, Sent]]:
    """Method, path template, the names that fill it, and what is sent. LookupError for a route without a line."""
    for prefix, routers, lines in _SURFACES:
        # Anthropic's memories are entries of a store; mem0's are memories.
        names = {**named, "memory_id": named["entry_id"]} if lines is ANTHROPIC else named
        routes = {
            f"{method} {route.path}"
            for router in routers
            for route in router.routes
            if isinstance(route, APIRoute)
            for method in route.methods or ()
        }
        if routes != lines.keys():
            raise LookupError(f"walls/surfaces.py has no line for {routes ^ lines.keys()}")
        for line, requests in lines.items():
            method, _, template = line.partition(" ")
            for sent in requests:
                yield method.lower(), prefix + template, names, sent
