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
CHOSEN = {
    "workspace_id",
    "project_id",
    "agent_id",
    "user_id",
    "session_id",
    "block_type",
    "key",
    "path",
    "resource_id",
}


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


async def blocks(api: Any) -> dict[str, str]:
    """Both types of block, of the user and with an agent."""
    for path in ("core", "archival", "core?agent_id=bot", "archival?agent_id=bot"):
        body = {"content": CANARY, "expected_updated_at": None}
        reply = await api.put(f"/memory/blocks/{path}", json=body)
        assert reply.status_code == 201, reply.text
    return {"block_type": "core"}


async def entries(api: Any) -> dict[str, str]:
    """An entry of an agent, one of its workspace, one of a run."""
    run = (await api.post("/agents/bot/runs")).json()["run_id"]
    for category in ("core", "workspace", "conversation"):
        body = {"content": CANARY, "category": category, "tags": [CANARY], "run_id": run}
        reply = await api.put("/agents/bot/entries/fact", json=body)
        assert reply.status_code == 201, reply.text
    return {"key": "fact", "run_id": run}


async def stores(api: Any) -> dict[str, str]:
    """A store with an entry, whose first version is not the current one."""
    made = await api.post("/memory_stores", json={"name": CANARY, "description": CANARY})
    store = f"/memory_stores/{made.json()['id']}"
    body = {"path": f"notes/{CANARY}", "content": CANARY, "metadata": {"of": CANARY}}
    entry = (await api.post(f"{store}/memories", json=body)).json()
    updated = await api.put(
        f"{store}/memories/{entry['id']}", json={"content": f"{CANARY}, again", "version": 1}
    )
    assert updated.status_code == 200, updated.text
    versions = (await api.get(f"{store}/versions")).json()["data"]
    return {
        "store_id": made.json()["id"],
        "entry_id": entry["id"],
        "path": entry["path"],
        "version_id": versions[-1]["id"],
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


async def conversations(api: Any) -> dict[str, str]:
    """A memory resource in each backend, with a message list."""
    for resource_id, backend in (
        ("support", "postgres"),
        ("quick", "redis"),
        ("brief", "in_memory"),
    ):
        resource = {
            "resource": "memory",
            "id": resource_id,
            "description": CANARY,
            "type": "message_count_based",
            "max_messages": 4,
            "persistence": {"type": backend},
        }
        reply = await api.put(f"/memory-resources/{resource_id}", json=resource)
        assert reply.status_code == 201, reply.text
        body = {"key": "session:42", "messages": [CANARY] * 4, "session_id": "talk"}
        reply = await api.post(f"/conversations/{resource_id}/append", json=body)
        assert reply.status_code == 200, reply.text
    return {"resource_id": "support"}


MAKERS: list[Maker] = [directory, blocks, entries, stores, memories, conversations]


async def one_of_everything(api: Any) -> dict[str, str]:
    """Make it all; the path parameters that name it."""
    named: dict[str, str] = {}
    for make in MAKERS:
        named |= await make(api)
    return named
