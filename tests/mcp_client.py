"""The official MCP client, connected to the service under test."""

import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from subprocess import PIPE
from typing import Any

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.stdio import stdio_server
from mcp_types import CallToolResult

from tests import forked
from tests.conftest import Org, Service

# Ways to connect, and the version of the protocol that each speaks.
ERAS = {"auto": "2026-07-28", "legacy": "2025-11-25"}


@asynccontextmanager
async def connected(
    org: Org,
    *,
    key: str | None = None,
    agent: str | None = None,
    mode: Any = "auto",
    url: str | None = None,
    tools: str | None = "all",
    **headers: str,
) -> AsyncIterator[Client]:
    """A client with a key of an org, at /mcp or at one agent's; header names take `_` for `-`."""
    path = "/mcp" if agent is None else f"/mcp/agents/{agent}"
    path += "" if tools is None else f"?tools={tools}"
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    given = {"Authorization": f"Bearer {key or org.key}", **given}
    async with httpx2.AsyncClient(headers=given, timeout=30) as http:
        transport = streamable_http_client(f"{url or org.url}{path}", http_client=http)
        async with Client(transport, mode=mode) as client:
            yield client


@asynccontextmanager
async def started(
    service: Service, *options: str, mode: Any = "auto", tools: str = "all", **env: str
) -> AsyncIterator[Client]:
    """A client of a `holdfast mcp` of its own."""
    args = ["-m", "holdfast", "mcp", "--tools", tools, *options]
    variables = {**os.environ, "HOLDFAST_DATA_DIR": service.data_dir, **env}
    async with Client(_standard_streams(args, variables), mode=mode) as client:
        yield client


@asynccontextmanager
async def _standard_streams(args: list[str], env: dict[str, str]) -> AsyncIterator[Any]:
    """The transport of a forked Python process. The SDK's own starts the program that it is given."""
    process = forked.popen(args, stdin=PIPE, stdout=PIPE, env=env, text=True)
    received, sent = anyio.wrap_file(process.stdout), anyio.wrap_file(process.stdin)
    async with stdio_server(received, sent) as streams:  # one line a message, either way
        try:
            yield streams
        finally:
            await sent.aclose()
    assert process.wait(30) == 0


async def ask(client: Client, tool: str, **arguments: Any) -> Any:
    """What a tool answers; the text says the same as the structure, or as the list in it."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, said(result)
    structure = result.structured_content
    if tool != "context" or "tokens" in structure:  # a context is a text for a prompt
        assert json.loads(said(result)) in (structure, structure.get("data"))
    return result.structured_content


async def refused(client: Client, tool: str, **arguments: Any) -> Any:
    """The error of a tool that does not do it; its words begin with its code and go on with what to do."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, said(result)
    assert said(result).startswith(f"{result.structured_content['code']}: ")
    assert "Traceback" not in said(result)
    return result.structured_content


def said(result: CallToolResult) -> str:
    """The text of a result."""
    [content] = result.content
    assert content.type == "text"
    return content.text
