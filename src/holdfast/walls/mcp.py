"""The walk over MCP: every tool and every resource, called as somebody who must not see what the specimens hold."""

import re
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

import httpx

from holdfast.walls.specimens import ASKED, CANARY, NODE_ALIAS, Named

# Values for the required parameters of tools. None holds the canary, so that an echoed argument is no breach.
_ARGUMENTS: dict[str, Any] = {
    "message": ASKED,
    "query": ASKED,
    "key": "fact",
    "content": "written by another",
    "text": "written by another",
    "category": "core",
    "block_type": "archival",
    "expected_updated_at": None,
    "filter": {"query": "harbour"},
    "path": "notes/another.md",
    "name": NODE_ALIAS,
    "names": [NODE_ALIAS],
    "entityNames": [NODE_ALIAS],
    "entities": [{"name": "Another", "entityType": "entity", "observations": ["is another"]}],
    "relations": [{"from": NODE_ALIAS, "to": NODE_ALIAS, "relationType": "knows"}],
    "observations": [{"entityName": NODE_ALIAS, "contents": ["is another"]}],
    "deletions": [{"entityName": NODE_ALIAS, "observations": ["is another"]}],
}


async def breaches(named: Named, clients: Mapping[str, httpx.AsyncClient]) -> AsyncIterator[str]:
    """Calls every tool and reads every resource as each client: a line for each answer that shows the canary.

    Raises LookupError for a tool with a required parameter that has no value here.
    """
    for who, client in clients.items():
        for method, params in [call async for call in _calls(client, named)]:
            text = (await _post(client, method, params)).text
            if CANARY in text:
                yield f"{who}: MCP {method} {params}: shows what it must not: {text[:300]}"


async def _calls(
    client: httpx.AsyncClient, named: Named
) -> AsyncIterator[tuple[str, dict[str, Any]]]:
    for tool in (await _result(client, "tools/list"))["tools"]:
        for arguments in _arguments(tool, named):
            yield "tools/call", {"name": tool["name"], "arguments": arguments}
    for resource in (await _result(client, "resources/list"))["resources"]:
        yield "resources/read", {"uri": resource["uri"]}
    for template in (await _result(client, "resources/templates/list"))["resourceTemplates"]:
        for uri in _filled(template["uriTemplate"]):
            yield "resources/read", {"uri": uri}


def _arguments(tool: Mapping[str, Any], named: Named) -> list[dict[str, Any]]:
    """The arguments of each call: those that are required, once alone and once with each that could name a thing."""
    values = {**_ARGUMENTS, "id": named["memory_id"], "store": named["store_id"]}
    schema = tool["inputSchema"]
    missing = [name for name in schema.get("required", []) if name not in values]
    if missing:
        raise LookupError(f"walls/mcp.py has no {missing} for the tool {tool['name']}")
    required = {name: values[name] for name in schema.get("required", [])}
    naming = [n for n in ("query", "id") if n in schema["properties"] and n not in required]
    return [required, *({**required, name: values[name]} for name in naming)]


def _filled(template: str) -> Iterator[str]:
    values = {"key": ["fact"], "scope": ["user", "agent"], "block_type": ["core", "archival"]}
    filled = [template]
    for name in re.findall(r"{(\w+)}", template):
        if name not in values:
            raise LookupError(f"walls/mcp.py has no {name} for the resource {template}")
        filled = [each.replace(f"{{{name}}}", value) for each in filled for value in values[name]]
    yield from filled


async def _result(client: httpx.AsyncClient, method: str) -> dict[str, Any]:
    result: dict[str, Any] = (await _post(client, method, {})).json()["result"]
    return result


async def _post(
    client: httpx.AsyncClient, method: str, params: Mapping[str, Any]
) -> httpx.Response:
    """One JSON-RPC request. The service keeps no MCP sessions, so none has to be opened."""
    return await client.post(
        client.base_url.copy_with(path="/mcp", query=b"tools=all"),
        json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params},
        headers={"Accept": "application/json, text/event-stream"},
    )
