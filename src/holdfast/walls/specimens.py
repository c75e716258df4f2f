"""One of everything an org or a user can hold, with the path parameters that name it.

Every room adds a maker. A route whose path parameters no maker names makes the walk fail: a new route needs a specimen.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import httpx

CANARY = "canary-7f3a"
# What the specimens say. A walk searches for the words after the canary, so that an echoed query is no breach.
SAID = f"{CANARY} the harbour pilot sleeps at noon"
ASKED = "when does the harbour pilot sleep"
# A name of the specimen node without the canary: naming it must find nothing.
NODE_ALIAS = "harbour pilot"
INSTANCE_KEY = "session:42"

# Path parameters whose values clients choose: another org or user may have the same.
CHOSEN = frozenset(
    {
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
)

Named = dict[str, str]


class Maker:
    """Makes specimens through the API, and fails where the API refuses one."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client = client

    async def __call__(self, method: str, path: str, **request: Any) -> dict[str, Any]:
        """Send a request that must succeed; the JSON of its answer."""
        reply = await self.client.request(method, path, **request)
        if reply.status_code not in (200, 201, 202):
            raise RuntimeError(f"no specimen: {method} {path}: {reply.status_code} {reply.text}")
        answer: dict[str, Any] = reply.json()
        return answer


@dataclass(frozen=True, slots=True)
class Hands:
    """Who makes the specimens: the user that they are of, and an administrator for what only one may make."""

    admin: Maker
    user: Maker


async def _directory(api: Hands) -> Named:
    await api.admin("PUT", "/workspaces/place", json={"name": "place"})
    await api.admin("PUT", "/agents/bot", json={"name": "bot"})
    await api.user("PUT", "/projects/plan", json={"name": SAID, "visibility": "private"})
    await api.user("PUT", "/projects/plan/members/mia")
    keys = (await api.admin("GET", "/keys"))["data"]
    return {
        "workspace_id": "place",
        "project_id": "plan",
        "agent_id": "bot",
        "user_id": "mia",
        "key_id": keys[0]["id"],
        "job_id": "job_" + "0" * 32,
        "receipt_id": "rcpt_" + "0" * 32,
    }


async def _blocks(api: Hands) -> Named:
    for path in ("core", "archival", "core?agent_id=bot", "archival?agent_id=bot"):
        body = {"content": SAID, "expected_updated_at": None}
        await api.user("PUT", f"/memory/blocks/{path}", json=body)
    return {"block_type": "core"}


async def _entries(api: Hands) -> Named:
    body = {"content": SAID, "tags": [CANARY], "scope": "user"}
    await api.user("PUT", "/agents/bot/entries/fact", json=body)
    run = (await api.admin("POST", "/agents/bot/runs"))["run_id"]
    return {"key": "fact", "run_id": str(run)}


async def _stores(api: Hands) -> Named:
    body = {"name": CANARY, "description": SAID, "visibility": "private"}
    store = (await api.user("POST", "/memory_stores", json=body))["id"]
    path = f"/memory_stores/{store}"
    written = {"path": f"notes/{CANARY}", "content": SAID, "metadata": {"of": CANARY}}
    entry = await api.user("POST", f"{path}/memories", json=written)
    again = {"content": f"{SAID}, again", "version": 1}
    await api.user("PUT", f"{path}/memories/{entry['id']}", json=again)
    versions = (await api.user("GET", f"{path}/versions"))["data"]
    return {
        "store_id": store,
        "entry_id": entry["id"],
        "path": entry["path"],
        "version_id": versions[-1]["id"],
    }


async def _memories(api: Hands) -> Named:
    fields = {"summary": SAID, "category": CANARY, "tags": [CANARY]}
    memory = (await api.user("POST", "/memories", json={"key": CANARY, "value": SAID, **fields}))[
        "id"
    ]
    shared = {"key": CANARY, "value": SAID, "scope": "project", "project_id": "plan"}
    await api.user("POST", "/memories", json=shared)
    asset = await api.user(
        "POST", f"/memories/{memory}/assets?name={CANARY}", content=SAID.encode()
    )
    node = await api.user("POST", "/memory-nodes", json={"name": CANARY, "aliases": [NODE_ALIAS]})
    of_project = {"name": CANARY, "visibility": "project", "project_id": "plan"}
    await api.user("POST", "/memory-nodes", json={**of_project, "items": [{"content": SAID}]})
    item = {"content": SAID, "memory_id": memory}
    edge = {"from": node["id"], "to": node["id"], "relation": CANARY}
    return {
        "memory_id": memory,
        "asset_id": asset["id"],
        "node_id": node["id"],
        "item_id": (await api.user("POST", f"/memory-nodes/{node['id']}/items", json=item))["id"],
        "edge_id": (await api.user("POST", "/memory-nodes/edges", json=edge))["id"],
        "insight_id": (await api.user("POST", "/insights", json={"insight": SAID}))["id"],
    }


async def _conversations(api: Hands) -> Named:
    for resource_id, backend in (("support", "postgres"), ("brief", "in_memory")):
        resource = {
            "resource": "memory",
            "id": resource_id,
            "type": "message_count_based",
            "max_messages": 4,
            "default_key_template": "session:{{.session_id}}",
            "persistence": {"type": backend},
        }
        await api.admin("PUT", f"/memory-resources/{resource_id}", json=resource)
        body = {"key": INSTANCE_KEY, "messages": [SAID] * 5, "session_id": "talk"}
        await api.user("POST", f"/conversations/{resource_id}/append", json=body)
    return {"resource_id": "support", "session_id": "talk"}


async def _context(api: Hands) -> Named:
    turn = {"session_id": "talk", "message_id": "m1", "message": ASKED}
    await api.user("POST", "/context", json={**turn, "memory_policy": {"archival_mode": "auto"}})
    return {}


async def _learning(api: Hands) -> Named:
    said = {"role": "user", "content": f"Remember that {SAID}."}
    learned = await api.user("POST", "/memories/extract", json={"messages": [said]})
    return {"proposal_id": str(learned["proposals"][0]["id"])}


Make = Callable[[Hands], Awaitable[Named]]

MAKERS: tuple[Make, ...] = (
    _directory,
    _blocks,
    _entries,
    _stores,
    _memories,
    _conversations,
    _context,
    _learning,
)


async def one_of_everything(admin: httpx.AsyncClient, user: httpx.AsyncClient) -> Named:
    """Make one of everything as `user` (what only an administrator may make, as `admin`): what names it in paths."""
    hands = Hands(Maker(admin), Maker(user))
    named: Named = {}
    for make in MAKERS:
        named |= await make(hands)
    return named
