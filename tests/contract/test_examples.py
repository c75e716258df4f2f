"""Every example of the OpenAPI document is sent as it stands, in a new org, and answered with 2xx and as the document says.

Only a server can name ids: those of the path, and those that an example shows, are replaced by ids of the same kind.
"""

import asyncio
import re
from typing import Any
from uuid import uuid4

import httpx
import pyotp
import pytest
from jsonschema import Draft202012Validator

from holdfast.access.service import make_link
from holdfast.app import make_app
from holdfast.deployment import Config
from holdfast.walls import specimens

DOCUMENT = make_app(Config("postgresql://none/none")).openapi()
ORDER = ("get", "put", "post", "patch", "delete")
NO_RECEIPT = "rcpt_" + "0" * 32

BROWSER_ORDER = (
    "memories.delete_asset", "memories.delete", "auth.delete_memories", "auth.create_key", "auth.revoke_key",
    "auth.set_password", "auth.propose_totp", "auth.confirm_totp", "auth.drop_totp", "auth.session", "auth.step_up",
    "auth.login", "auth.logout", "auth.login_by_link",
)  # fmt: skip
# A body of bytes; any will do where it is no zip.
ZIPPED = {"entries.import_zip": "entries-export", "stores.import_zip": "export"}
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
    """The job that will learn from a session once it rests."""
    session = f"rests-{uuid4()}"
    await client.post(f"/sessions/{session}/messages", json={"messages": "I park on level 3."})
    [job] = (await client.get("/jobs", params={"status": "queued", "limit": 1})).json()["data"]
    named["job_id"] = job["id"]


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


# What an operation needs before it makes sense.
BEFORE = {
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


def operations():
    for template, item in DOCUMENT["paths"].items():
        if template.startswith("/api/v1"):
            for method, operation in item.items():
                yield ORDER.index(method), template.removeprefix("/api/v1"), method, operation


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


async def send(
    client: httpx.AsyncClient, template: str, method: str, operation: Any, named: Any
) -> httpx.Response:
    path = re.sub(r"{(\w+)}", lambda found: named[found[1]], template)
    query = {
        each["name"]: with_real_ids(
            each.get("example", each["schema"].get("examples", ["missing"])[0]), named
        )
        for each in operation.get("parameters", [])
        if each["in"] == "query" and (each.get("required") or each["schema"].get("examples"))
    }
    content = operation.get("requestBody", {}).get("content", {})
    if "application/json" in content:
        body = with_real_ids(content["application/json"]["example"], named)
        return await client.request(method, path, params=query, json=body)
    octets = b""
    if operation["operationId"] in ZIPPED:
        octets = (
            await client.get(path.rsplit("/", 1)[0] + "/" + ZIPPED[operation["operationId"]])
        ).content
    return await client.request(method, path, params=query, content=octets)


def wrong_with(reply: httpx.Response, operation: Any) -> list[str]:
    """What is wrong with an answer: its status, or a field that the document has otherwise."""
    name = operation["operationId"]
    if not reply.is_success:
        return [f"{name}: {reply.status_code} {reply.text[:250]}"]
    answer = operation["responses"][str(reply.status_code)].get("content", {})
    if "application/json" not in answer or reply.headers["content-type"] != "application/json":
        return []
    schema = {**answer["application/json"]["schema"], "components": DOCUMENT["components"]}
    found = Draft202012Validator(schema).iter_errors(reply.json())
    return [f"{name}: {each.json_path} {each.message[:250]}" for each in found]


def _place(each: tuple[Any, ...]) -> tuple[bool, int]:
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


async def test_every_example_of_the_api_works_as_sent(org):
    client, failed = org.client(), []
    made = Specimens(client)
    await made.prepare("", {})
    for _, template, method, operation in sorted(operations(), key=_place):
        if {"bearer": []} not in operation["security"]:
            continue
        if method != "get":
            await made.prepare(template, operation)
        if operation["operationId"] in BEFORE:
            await BEFORE[operation["operationId"]](client, made.named)
        reply = await send(client, template, method, operation, made.named)
        failed += wrong_with(reply, operation)
    if failed:
        pytest.fail("\n".join(failed))


async def test_every_example_for_a_browser_works_as_sent(org, sign_in):
    """In an order in which none ends what the next needs. What only the account, its authenticator or the server can name
    (the e-mail address, a code, the token of a link) is real."""
    browser, failed = await sign_in("owner"), []
    await org.mint("user", user_id="ana")  # the newest key, which is revoked
    made = Specimens(org.client())
    await made.prepare("", {})
    found = {
        each["operationId"]: (template, method, each)
        for _, template, method, each in operations()
        if {"bearer": []} not in each["security"]
    }
    assert set(BROWSER_ORDER) == set(found)
    real = {
        "auth.login": {"email": (await browser.get("/users/me")).json()["email"]},
        "auth.login_by_link": {"token": await make_link(org.db, org.operator, "owner")},
    }
    for operation_id in BROWSER_ORDER:
        template, method, operation = found[operation_id]
        if operation_id in real:
            body = operation["requestBody"]["content"]["application/json"]["example"]
            assert body.keys() >= real[operation_id].keys()
            path = template.removeprefix("/")
            reply = await browser.post(path, json={**body, **real[operation_id]})
        else:
            reply = await send(browser, template, method, operation, made.named)
        failed += wrong_with(reply, operation)
        if reply.is_success and operation_id == "auth.login":
            browser.headers["X-CSRF-Token"] = reply.json()["csrf_token"]
        elif reply.is_success and operation_id == "auth.propose_totp":
            real["auth.confirm_totp"] = {"totp": pyotp.TOTP(reply.json()["secret"]).now()}
    if failed:
        pytest.fail("\n".join(failed))
