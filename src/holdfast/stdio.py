"""`holdfast mcp`: MCP on standard input and output, for a client that starts it.

on_database  beside the service or without one: the same tools, straight on the database
on_service   a service elsewhere: every message is handed on to its /mcp, with a key
Standard output belongs to the protocol; whatever else is said goes to standard error.
"""

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
)

from holdfast import __version__
from holdfast.app import toolboxes
from holdfast.deployment import Deployment
from holdfast.edge.mcp import INSTRUCTIONS, Context, make_server
from holdfast.edge.mcp_http import DEFAULT_AGENT
from holdfast.edge.toolbox import Call
from holdfast.kernel.caller import Caller
from holdfast.kernel.errors import BackendUnavailable

READ_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class Place:
    """A service and how to enter it."""

    url: str
    key: str
    user: str | None = None
    agent: str | None = None
    tools: str | None = None

    @property
    def endpoint(self) -> str:
        """Where its MCP answers; an agent that is named is named in the URL."""
        agent = "" if self.agent is None else f"/agents/{quote(self.agent, safe='')}"
        tools = "" if self.tools is None else f"?tools={quote(self.tools)}"
        return f"{self.url.rstrip('/')}/mcp{agent}{tools}"

    @property
    def headers(self) -> dict[str, str]:
        """What each request carries."""
        user = {} if self.user is None else {"Holdfast-User": self.user}
        return {"Authorization": f"Bearer {self.key}", **user}


async def on_database(
    deployment: Deployment, caller: Caller, agent: str | None, tools: frozenset[str]
) -> None:
    """Answer until standard input ends. With an agent named, no tool can name another."""
    call = Call(deployment.db, caller, agent or DEFAULT_AGENT, tools=tools)
    boxes = toolboxes(deployment.conversations)
    await _serve(make_server(boxes, lambda _: call, of_one_agent=agent is not None))


async def on_service(place: Place) -> None:
    """Hand every message on to a service until standard input ends."""
    async with httpx2.AsyncClient(headers=place.headers, timeout=READ_TIMEOUT_S) as http:
        await _check(http, place)
        transport = streamable_http_client(place.endpoint, http_client=http)
        async with Client(transport, cache=None) as remote:
            await _serve(_handing_on(remote))


async def _check(http: httpx2.AsyncClient, place: Place) -> None:
    """Say in one line what is wrong, before the protocol begins."""
    try:
        reply = await http.get(f"{place.url.rstrip('/')}/api/v1/org")
    except (httpx2.TransportError, httpx2.InvalidURL):
        raise BackendUnavailable(
            f"nothing answers at {place.url}; is `holdfast serve` running?"
        ) from None
    if reply.status_code == 401:
        raise BackendUnavailable(f"the service at {place.url} does not know this key")


def _handing_on(remote: Client) -> Server[dict[str, Any]]:
    async def list_tools(_: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        return await remote.list_tools(cursor=_cursor(params))

    async def call_tool(_: Context, params: CallToolRequestParams) -> CallToolResult:
        return await remote.call_tool(params.name, params.arguments)

    async def list_resources(
        _: Context, params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        return await remote.list_resources(cursor=_cursor(params))

    async def list_templates(
        _: Context, params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        return await remote.list_resource_templates(cursor=_cursor(params))

    async def read_resource(_: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        return await remote.read_resource(str(params.uri))

    return Server(
        "holdfast",
        version=__version__,
        title="Holdfast",
        instructions=remote.instructions or INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
    )


def _cursor(params: PaginatedRequestParams | None) -> str | None:
    return None if params is None else params.cursor


async def _serve(server: Server[dict[str, Any]]) -> None:
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
