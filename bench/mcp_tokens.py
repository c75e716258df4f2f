"""What MCP costs a model: the tokens of each tool set, and of the answer to a recall that finds ten short facts.

Tokens are those of o200k_base: of a tool set the compact JSON of name, description and inputSchema of its tools, of an answer
its text.
"""

import json
from typing import Any

import httpx

from bench.harness import Bench, console
from holdfast.edge.tool_sets import SETS
from holdfast.kernel.tokens import Tokenizer

FACTS = 10


async def run(bench: Bench) -> None:
    """Print the figures of docs/mcp.md."""
    count = Tokenizer().count
    async with httpx.AsyncClient(base_url=bench.url, headers=_headers(bench), timeout=60) as http:
        for name in (*SETS, "all"):
            tools = (await _call(http, name, "tools/list", {}))["tools"]
            shown = [
                {field: each[field] for field in ("name", "description", "inputSchema")}
                for each in tools
            ]
            tokens = count(json.dumps(shown, ensure_ascii=False, separators=(",", ":")))
            console.print(f"{name:8} {len(tools):2} tools, {tokens:5} tokens")
        for number in range(FACTS):
            fact = {"text": f"Ana's tea number {number} is green."}
            await _call(http, "core", "tools/call", {"name": "remember", "arguments": fact})
        for detail in (False, True):
            asked = {"query": "which tea is green?", "detail": detail}
            found = await _call(http, "core", "tools/call", {"name": "recall", "arguments": asked})
            tokens = count(found["content"][0]["text"])
            console.print(f"recall of {FACTS} facts{', detail' * detail}: {tokens} tokens")


def _headers(bench: Bench) -> dict[str, str]:
    return {
        "Authorization": f"Bearer {bench.key}",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-11-25",
    }


async def _call(
    http: httpx.AsyncClient, tools: str, method: str, params: dict[str, Any]
) -> dict[str, Any]:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    reply = await http.post("/mcp", params={"tools": tools}, json=message)
    reply.raise_for_status()
    result: dict[str, Any] = reply.json()["result"]
    return result
