"""Two orgs cannot see, guess or count each other's anything: every route of the document, with the other's ids."""

import json
import re

from tests.contract.specimens import CANARY, CHOSEN, one_of_everything

METHODS = ("get", "put", "post", "patch", "delete")


def requests(document, named):
    """Every operation whose path can be filled, as (method, path, body, ids it names)."""
    for template, operations in document["paths"].items():
        if not template.startswith("/api/v1/") or "/auth/" in template:
            continue
        parameters = re.findall(r"{(\w+)}", template)
        missing = [name for name in parameters if name not in named]
        assert not missing, f"tests/contract/specimens.py names no {missing} for {template}"
        path = re.sub(r"{(\w+)}", lambda found: named[found[1]], template).removeprefix("/api/v1")
        made_ids = [name for name in parameters if name not in CHOSEN]
        for method in METHODS:
            if method in operations:
                content = operations[method].get("requestBody", {}).get("content", {})
                body = content.get("application/json", {}).get("example")
                yield method, path, body, made_ids


async def test_no_route_reaches_into_another_org(make_org, anonymous, rows_of):
    theirs, ours = await make_org(), await make_org()
    named = await one_of_everything(theirs.client())
    before = rows_of(theirs.id)
    assert CANARY in json.dumps((await theirs.client().get("/workspaces/place")).json())

    document = (await anonymous.get("/openapi.json")).json()
    clients = {
        "service": ours.client(),
        "user": ours.client(await ours.mint("user", user_id="mia")),
        "agent": ours.client(await ours.mint("agent", agent_id="bot", user_id="mia")),
    }
    asked = 0
    for kind, client in clients.items():
        for method, path, body, made_ids in requests(document, named):
            reply = await client.request(method, path, json=body)
            asked += 1
            where = f"{kind} {method} {path}: {reply.status_code} {reply.text[:300]}"
            assert reply.status_code < 500, where
            assert CANARY not in reply.text, where
            if made_ids:
                assert reply.status_code in (400, 403, 404, 405, 422), where
    assert asked > 60
    assert rows_of(theirs.id) == before


async def test_lists_of_a_new_org_count_nothing_of_anyone(make_org, anonymous):
    theirs, ours = await make_org(), await make_org()
    await one_of_everything(theirs.client())
    document = (await anonymous.get("/openapi.json")).json()
    for template, operations in document["paths"].items():
        if "get" in operations and "{" not in template and template.startswith("/api/v1/"):
            reply = await ours.client().get(template.removeprefix("/api/v1"))
            assert CANARY not in reply.text
            assert theirs.id not in reply.text
