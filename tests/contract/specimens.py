"""One of everything an org can hold, for the contract that every face signs.

A face adds a maker: it makes its things in an org through the API, puts CANARY into everything it can, and tells the
path parameters that name them. Names that clients choose (`CHOSEN`) may exist in every org; ids that the service makes
must not be found by anyone else.
"""

from collections.abc import Awaitable, Callable
from typing import Any

CANARY = "canary-7f3a"

Maker = Callable[[Any], Awaitable[dict[str, str]]]

# Path parameters whose values clients choose: another org may have the same.
CHOSEN = {"workspace_id", "project_id", "agent_id", "user_id", "session_id"}


async def directory(api: Any) -> dict[str, str]:
    """A workspace, a project with a member, an agent."""
    for path, body in (
        ("/workspaces/place", {"name": CANARY}),
        ("/projects/plan", {"name": CANARY, "visibility": "private"}),
        ("/projects/plan/members/mia", None),
        ("/agents/bot", {"name": CANARY}),
    ):
        reply = await api.put(path, json=body) if body else await api.put(path)
        assert reply.status_code in (200, 201), reply.text
    keys = (await api.get("/keys")).json()["data"]
    return {
        "workspace_id": "place",
        "project_id": "plan",
        "agent_id": "bot",
        "user_id": "mia",
        "session_id": "talk",
        "key_id": keys[0]["id"],
        "job_id": "job_" + "0" * 32,
    }


async def memories(api: Any) -> dict[str, str]:
    """A memory with an asset, a node with an item and an edge, an insight."""

    async def make(path: str, **request: Any) -> str:
        reply = await api.post(path, **request)
        assert reply.status_code == 201, reply.text
        return str(reply.json()["id"])

    fields = {"summary": CANARY, "category": CANARY, "tags": [CANARY]}
    memory = await make("/memories", json={"key": CANARY, "value": CANARY, **fields})
    node = await make("/memory-nodes", json={"name": CANARY, "aliases": [f"{CANARY}!"]})
    item = {"content": CANARY, "memory_id": memory}
    edge = {"from": node, "to": node, "relation": CANARY}
    return {
        "memory_id": memory,
        "asset_id": await make(f"/memories/{memory}/assets?name={CANARY}", content=CANARY.encode()),
        "node_id": node,
        "item_id": await make(f"/memory-nodes/{node}/items", json=item),
        "edge_id": await make("/memory-nodes/edges", json=edge),
        "insight_id": await make("/insights", json={"insight": CANARY}),
    }


MAKERS: list[Maker] = [directory, memories]


async def one_of_everything(api: Any) -> dict[str, str]:
    """Make it all; the path parameters that name it."""
    named: dict[str, str] = {}
    for make in MAKERS:
        named |= await make(api)
    return named
