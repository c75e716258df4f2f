"""Sends every operation, MCP tool and MCP resource as somebody who must not see what the specimens hold."""

import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from holdfast.walls import surfaces
from holdfast.walls.specimens import ASKED, CANARY, CHOSEN, INSTANCE_KEY, Named

METHODS = ("get", "put", "post", "patch", "delete")
# Fields of bodies and queries that search: the walk looks for what the specimens say.
SEARCHES = ("query", "q", "message")
# Ids of what belongs to an agent: another user who may act as that agent may use them.
OF_AGENTS = frozenset({"run_id"})
# Erasing or deleting a person is a service key's right, and changes what others see: the walk names a person who is not there.
ERASES, NOBODY = ("/erase", "/users/{user_id}"), "nobody-is-called-this"
# An id that somebody else's credential names is refused or not there.
REFUSED = frozenset({400, 403, 404, 405, 409, 412, 415, 422})


@dataclass(frozen=True, slots=True)
class Ask:
    """One request of a walk."""

    method: str
    path: str
    template: str
    body: Any = None
    query: Mapping[str, str] = field(default_factory=dict)
    names_an_id: bool = False  # the path holds an id that the service made: it must not be found
    from_root: bool = False  # the path is not below /api/v1

    async def send(self, client: httpx.AsyncClient) -> httpx.Response:
        """Send it as the client's credential."""
        url = client.base_url.join(self.path) if self.from_root else self.path
        return await client.request(self.method, url, json=self.body, params=self.query)


def asks(document: Mapping[str, Any], named: Named) -> Iterator[Ask]:
    """Every operation of the OpenAPI document, then of mem0's and Anthropic's surfaces, with the specimens' names filled in.

    Browser sign-in is left out. Raises LookupError for a route with a path parameter that no specimen names.
    """
    for template, operations in document["paths"].items():
        if not template.startswith("/api/v1/") or "/auth/" in template:
            continue
        parameters = re.findall(r"{(\w+)}", template)
        missing = [name for name in parameters if name not in named]
        if missing:
            raise LookupError(f"walls/specimens.py names no {missing} for {template}")
        values = {**named, "user_id": NOBODY} if template.endswith(ERASES) else named
        path = _filled(template, values)
        made = any(name not in CHOSEN | OF_AGENTS for name in parameters)
        for method in METHODS:
            if method in operations:
                yield from _of_operation(method, path, template, operations[method], named, made)
    for method, template, names, sent in surfaces.operations(named):
        yield Ask(
            method,
            _filled(template, names),
            template,
            sent.body,
            sent.query or {},
            names_an_id="{" in template,
            from_root=True,
        )


def _filled(template: str, values: Mapping[str, str]) -> str:
    return re.sub(r"{(\w+)}", lambda found: values[found[1]], template).removeprefix("/api/v1")


def _of_operation(
    method: str,
    path: str,
    template: str,
    operation: Mapping[str, Any],
    named: Named,
    made: bool,
) -> Iterator[Ask]:
    """The operation as its example has it, and once more from the places that it takes as query parameters."""
    content = operation.get("requestBody", {}).get("content", {})
    takes = {each["name"] for each in operation.get("parameters", []) if each["in"] == "query"}
    body = _searching(content.get("application/json", {}).get("example"))
    searched = {name: ASKED for name in SEARCHES if name in takes}
    if template.startswith(
        "/api/v1/conversations/"
    ):  # an instance is named by its key, beside the path
        body = body if body is None else {**body, "key": INSTANCE_KEY}
        searched |= {"key": INSTANCE_KEY} if "key" in takes else {}
    yield Ask(method, path, template, body, searched, made)
    asked = [name for name in ("agent_id", "project_id", "session_id") if name in takes]
    places = {name: named[name] for name in asked if name in named}
    for name, value in places.items():
        yield Ask(method, path, template, body, {**searched, name: value}, made)


def _searching(example: Any) -> Any:
    if not isinstance(example, dict):
        return example
    return {name: ASKED if name in SEARCHES else value for name, value in example.items()}


async def breaches(
    document: Mapping[str, Any], named: Named, clients: Mapping[str, httpx.AsyncClient]
) -> AsyncIterator[str]:
    """Sends every ask as each of these clients: a line for each answer that shows or finds something, or fails."""
    for who, client in clients.items():
        for ask in asks(document, named):
            reply = await ask.send(client)
            problem = _problem(ask, reply)
            if problem is not None:
                told = f"{reply.status_code} {reply.text[:300]}"
                yield f"{who}: {ask.method} {ask.path} {dict(ask.query)}: {problem}: {told}"


def _problem(ask: Ask, reply: httpx.Response) -> str | None:
    if reply.status_code >= 500:
        return "fails"
    if CANARY in reply.text:
        return "shows what it must not"
    if ask.names_an_id and reply.status_code not in REFUSED:
        return "finds what it must not"
    return None


async def seen(
    document: Mapping[str, Any], named: Named, client: httpx.AsyncClient
) -> dict[str, str]:
    """What everything reads like to the client that it belongs to, to be compared before and after a walk."""
    found: dict[str, str] = {}
    for ask in asks(document, named):
        if ask.method == "get" and not ask.path.endswith("/recall"):  # scores move with time
            reply = await ask.send(client)
            if CANARY in reply.text and "json" in reply.headers["content-type"]:
                found[f"{ask.path} {dict(ask.query)}"] = "\n".join(_with_canary(reply.json()))
    return found


def _with_canary(value: Any) -> Iterator[str]:
    """The smallest objects of an answer that hold the canary: others' things may come and go beside them."""
    if isinstance(value, dict):
        inner = [line for each in value.values() for line in _with_canary(each)]
        own = [each for each in value.values() if isinstance(each, str) and CANARY in each]
        if own:
            yield json.dumps(value, sort_keys=True)
        else:
            yield from inner
    elif isinstance(value, list):
        for each in value:
            yield from _with_canary(each)
    elif isinstance(value, str) and CANARY in value:
        yield value
