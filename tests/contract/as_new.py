"""One of everything, made anew before an operation of the OpenAPI document is sent that names it."""

import asyncio
import re
from typing import Any
from uuid import uuid4

import httpx

from holdfast.app import make_app
from holdfast.deployment import Config
from holdfast.walls import specimens

DOCUMENT = make_app(Config("postgresql://none/none")).openapi()
ORDER = ("get", "put", "post", "patch", "delete")
NO_RECEIPT = "rcpt_" + "0" * 32

# Changes what others need: with insights turned off, none can be saved.
LAST = {"directory.change_me", "directory.change_org"}
# What specimens cannot be made beside.
AWAY = {
    specimens._blocks: [
        f"/memory/blocks/{b}{a}" for b in ("core", "archival") for a in ("", "?agent_id=bot")
    ],
    specimens._memories: ["/insights"],
}


async def _forget_blocks(client, named):
    await client.delete(f"/memory/blocks/{named['block_type']}")


async def _clear(client, named):
    body = {"key": specimens.INSTANCE_KEY, "confirm": True, "backup": True}
    cleared = await client.post(f"/conversations/{named['resource_id']}/clear", json=body)
    named["backup_id"] = cleared.json()["backup_id"]


async def _new_entry(client, named):
    """An entry at version 1, as the examples have it."""
    root = f"/memory_stores/{named['store_id']}"
    entry = (
        await client.post(f"{root}/memories", json={"path": "new.md", "content": "new"})
    ).json()
    versions = (await client.get(f"{root}/versions", params={"entry_id": entry["id"]})).json()
    named |= {"entry_id": entry["id"], "version_id": versions["data"][0]["id"]}


async def _new_version(client, named):
    """The version that is not the entry's current one."""
    root = f"/memory_stores/{named['store_id']}"
    versions = (await client.get(f"{root}/versions", params={"entry_id": named["entry_id"]})).json()
    named["version_id"] = versions["data"][-1]["id"]


async def _two_nodes(client, named):
    other = await client.post("/memory-nodes", json={"name": "another"})
    named |= {"node_id": other.json()["id"], "other_node_id": named["node_id"]}


async def _a_resource_without_instances(client, named):
    body = {"resource": "memory", "id": "unused", "type": "token_based", "max_tokens": 100}
    await client.put("/memory-resources/unused", json={**body, "persistence": {"type": "postgres"}})
    named["resource_id"] = "unused"


async def _pending_proposal(client, named):
    """A proposal that waits for a person."""
    await client.patch("/org", json={"review_extractions": True})
    said = f"Remember that the door code of house {uuid4()} is 4711."
    learned = await client.post("/memories/extract", json={"messages": said})
    await client.patch("/org", json={"review_extractions": False})
    named["proposal_id"] = learned.json()["proposals"][0]["id"]


async def _queued_job(client, named):
    """The job that will learn from a session once it rests; where the org learns nothing, whatever waits."""
    session = f"rests-{uuid4()}"
    await client.post(f"/sessions/{session}/messages", json={"messages": "I park on level 3."})
    queued = (await client.get("/jobs", params={"status": "queued"})).json()["data"]
    named["job_id"] = max(queued, key=lambda job: job["kind"] == "settle")["id"]


async def _cancelled_job(client, named):
    await _queued_job(client, named)
    assert (await client.post(f"/jobs/{named['job_id']}/cancel")).status_code == 200


async def _receipt(client, named):
    """The receipt of a person that a worker has erased."""
    if named["receipt_id"] != NO_RECEIPT:
        return
    await client.post("/users", json={"user_id": "leaving"})
    job_id = (await client.post("/users/leaving/erase")).json()["job_id"]
    job = {"status": "queued"}
    async with asyncio.timeout(120):
        while job["status"] in ("queued", "running"):
            await asyncio.sleep(0.1)
            job = (await client.get(f"/jobs/{job_id}")).json()
    named["receipt_id"] = job["result"]["receipt_id"]


async def _sources(client, named):
    """A source of each kind that examples name."""
    source = {"kind": "url", "ref": "https://example.com/brief"}
    await client.post(f"/memories/{named['memory_id']}/sources", json=source)


# What an operation needs before it makes sense.
BEFORE = {
    "memories.remove_sources": _sources,
    "blocks.write": _forget_blocks,
    "blocks.restore": _forget_blocks,
    "conversations.restore": _clear,
    "conversations.delete_resource": _a_resource_without_instances,
    "stores.update_entry": _new_entry,
    "stores.restore_entry": _new_entry,
    "stores.redact_version": _new_version,
    "nodes.merge": _two_nodes,
    "jobs.read": _queued_job,
    "jobs.cancel": _queued_job,
    "jobs.retry": _cancelled_job,
    "jobs.revert": _cancelled_job,
    "proposals.accept": _pending_proposal,
    "proposals.accept_many": _pending_proposal,
    "proposals.reject": _pending_proposal,
    "proposals.edit": _pending_proposal,
    "erasures.read": _receipt,
    "erasures.verify": _receipt,
}


def with_real_ids(value: Any, named: dict[str, str]) -> Any:
    """The example with a real id for each that it shows: the two nodes of an edge become two real nodes."""
    real = {
        each.partition("_")[0]: each
        for each in named.values()
        if re.fullmatch(r"[a-z]+_[0-9a-f]{32}", each)
    }
    if isinstance(value, dict):
        return {name: with_real_ids(each, named) for name, each in value.items()}
    if isinstance(value, list):
        return [with_real_ids(each, named) for each in value]
    if isinstance(value, str) and re.fullmatch(r"[a-z]+_[0-9a-f]{32}", value):
        return real.get(value.partition("_")[0], value)
    return value


def operations():
    """Every operation under /api/v1: its place among the methods, path, method and description."""
    for template, item in DOCUMENT["paths"].items():
        if template.startswith("/api/v1"):
            for method, operation in item.items():
                yield ORDER.index(method), template.removeprefix("/api/v1"), method, operation


def place(each: tuple[Any, ...]) -> tuple[bool, int]:
    """Reads first, what ends things late."""
    return each[3]["operationId"] in LAST, each[0]


class Specimens:
    """One of everything. What an operation names is made anew before it is sent."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client, self.named, self.makers = client, {}, {}

    async def prepare(self, template: str, operation: Any) -> None:
        """Have specimens of what the operation names, as new."""
        hands = specimens.Hands(specimens.Maker(self.client), specimens.Maker(self.client))
        shown = set(re.findall(r"[a-z]+_(?=[0-9a-f]{32})", str(operation.get("requestBody"))))
        for make in specimens.MAKERS:
            gives = self.makers.get(make, {})
            if make in self.makers and not any(
                f"{{{name}}}" in template or value.startswith(tuple(shown or "-"))
                for name, value in gives.items()
            ):
                continue
            if make in self.makers and make in AWAY:
                nodes = (await self.client.get("/memory-nodes")).json()["data"]
                for path in (*AWAY[make], *(f"/memory-nodes/{each['id']}" for each in nodes)):
                    await self.client.delete(path)
            self.makers[make] = await make(hands)
            self.named |= self.makers[make]

    async def have(self, template: str, method: str, operation: Any) -> dict[str, str]:
        """What names the specimens that the operation needs, in paths."""
        if method != "get":
            await self.prepare(template, operation)
        if operation["operationId"] in BEFORE:
            await BEFORE[operation["operationId"]](self.client, self.named)
        return self.named
