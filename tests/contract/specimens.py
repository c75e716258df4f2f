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
CHOSEN = {"workspace_id", "project_id", "agent_id", "user_id", "session_id", "resource_id"}


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


MAKERS: list[Maker] = [directory, conversations]


async def one_of_everything(api: Any) -> dict[str, str]:
    """Make it all; the path parameters that name it."""
    named: dict[str, str] = {}
    for make in MAKERS:
        named |= await make(api)
    return named
