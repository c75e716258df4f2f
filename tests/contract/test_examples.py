"""Every example of the OpenAPI document is sent as it stands, in a new org, and answered with 2xx and as the document says.

Only a server can name ids: those of the path, and those that an example shows, are replaced by ids of the same kind.
"""

import re
from typing import Any

import httpx
import pyotp
import pytest
from jsonschema import Draft202012Validator

from holdfast.access.service import make_link
from tests.contract.as_new import DOCUMENT, Specimens, operations, place, with_real_ids

BROWSER_ORDER = (
    "memories.delete_asset", "memories.delete", "auth.delete_memories", "auth.create_key", "auth.revoke_key",
    "auth.set_password", "auth.propose_totp", "auth.confirm_totp", "auth.drop_totp", "auth.session", "auth.step_up",
    "auth.login", "auth.logout", "auth.login_by_link",
)  # fmt: skip
# A body of bytes; any will do where it is no zip.
ZIPPED = {"entries.import_zip": "entries-export", "stores.import_zip": "export"}


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


async def test_every_example_of_the_api_works_as_sent(org):
    client, failed = org.client(), []
    made = Specimens(client)
    await made.prepare("", {})
    for _, template, method, operation in sorted(operations(), key=place):
        if {"bearer": []} not in operation["security"]:
            continue
        named = await made.have(template, method, operation)
        reply = await send(client, template, method, operation, named)
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
