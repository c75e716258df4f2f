"""Every route of Anthropic's surface, as the router itself tells them: nothing crosses orgs or workspaces, nothing breaks.

The walks of tests/contract/test_walls.py send each of them too; here also between workspaces, and with ids of both sides mixed.
"""

import copy
import json
import re

import httpx
import pytest
import schemathesis
from fastapi.openapi.utils import get_openapi
from hypothesis import HealthCheck, Phase, settings

from holdfast.anthropic_api.routes import ROUTERS
from holdfast.walls.specimens import CANARY


def _described():
    """The document that this surface would have if it were ours to describe."""
    routes = [copy.copy(route) for router in ROUTERS for route in router.routes]
    for route in routes:
        route.include_in_schema = True
    document = get_openapi(title="Anthropic", version="1", routes=routes)
    return {**document, "paths": {path or "/": item for path, item in document["paths"].items()}}


DOCUMENT = _described()
OPERATIONS = [(method, template) for template, item in DOCUMENT["paths"].items() for method in item]
# One body that each operation takes; a new one with a body of its own has to be told here.
BODIES = {
    ("post", "/memory_stores"): {"name": "n"},
    ("post", "/memory_stores/{store_id}"): {"name": "n"},
    ("post", "/memory_stores/{store_id}/archive"): None,
    ("post", "/memory_stores/{store_id}/memories"): {"path": "/new", "content": "c"},
    ("post", "/memory_stores/{store_id}/memories/{memory_id}"): {"content": "c"},
    ("post", "/memory_stores/{store_id}/memory_versions/{version_id}/redact"): None,
}


def test_every_operation_is_walked():
    assert len(OPERATIONS) == len(
        [method for router in ROUTERS for route in router.routes for method in route.methods]
    )
    assert len(OPERATIONS) >= 14
    assert {each for each in OPERATIONS if each[0] not in ("get", "delete")} == BODIES.keys()


async def specimen(client):
    """A store with a memory that has an old version, the canary in all of them: the names that paths need."""
    fields = {"name": CANARY, "description": CANARY, "metadata": {"c": CANARY}}
    store = (await client.post("/memory_stores", json=fields)).json()
    at = f"/memory_stores/{store['id']}"
    memory = (
        await client.post(f"{at}/memories", json={"path": f"/{CANARY}", "content": CANARY})
    ).json()
    await client.post(f"{at}/memories/{memory['id']}", json={"content": f"{CANARY} again"})
    versions = (await client.get(f"{at}/memory_versions")).json()["data"]
    assert len(versions) == 2
    return {
        "store_id": store["id"],
        "memory_id": memory["id"],
        "version_id": versions[-1]["id"],
    }


def filled(template, named):
    missing = [name for name in re.findall(r"{(\w+)}", template) if name not in named]
    assert not missing, f"the specimen names no {missing} for {template}"
    return re.sub(r"{(\w+)}", lambda found: named[found[1]], template)


def surface(org, key=None, **headers):
    client = org.client(key, **headers)
    client.base_url = httpx.URL(f"{org.url}/anthropic/v1")
    return client


def must_be_their_error(reply, *statuses):
    where = f"{reply.request.method} {reply.request.url}: {reply.status_code} {reply.text[:300]}"
    assert reply.status_code in statuses or (not statuses and 400 <= reply.status_code < 500), where
    body = reply.json()
    assert body.keys() == {"type", "error", "request_id"}, where
    assert body["type"] == "error", where
    assert body["error"]["type"].endswith("_error"), where
    assert body["error"]["message"], where
    assert reply.headers["request-id"] == body["request_id"], where


async def walk(client, named, *, own=None):
    """Ask every operation that names something; all of it is not there. `own`: ids of the caller's, mixed in."""
    asked = 0
    for method, template in OPERATIONS:
        if "{" not in template:
            continue
        names = re.findall(r"{(\w+)}", template)
        mixtures = [named]
        if own is not None and len(names) > 1:
            mixtures += [{**own, names[-1]: named[names[-1]]}, {**named, names[-1]: own[names[-1]]}]
        for mixture in mixtures:
            reply = await client.request(
                method, filled(template, mixture), json=BODIES.get((method, template))
            )
            must_be_their_error(reply, 404)
            assert reply.json()["error"]["type"] == "not_found_error"
            assert CANARY not in reply.text
            asked += 1
    assert asked >= 12


async def test_no_operation_reaches_into_another_org(make_org, rows_of):
    theirs, ours = await make_org(), await make_org()
    named = await specimen(surface(theirs))
    own = await specimen(surface(ours))
    before = rows_of(theirs.id), rows_of(ours.id)
    for client in (
        surface(ours),
        surface(ours, await ours.mint("user", user_id="mia")),
        surface(ours, await ours.mint("agent", agent_id="bot", user_id="mia")),
    ):
        await walk(client, named, own=own)
    # The keys that were minted meanwhile are rows of ours.
    kept = ("memory_stores", "store_entries", "idempotency_keys")
    assert rows_of(theirs.id) == before[0]
    assert {t: rows_of(ours.id)[t] for t in kept} == {t: before[1][t] for t in kept}
    listed = await surface(ours).get("/memory_stores")
    assert [each["id"] for each in listed.json()["data"]] == [own["store_id"]]


async def test_no_operation_reaches_into_another_workspace(org, api, rows_of):
    await api.put("/workspaces/theirs", json={})
    await api.put("/workspaces/ours", json={})
    await api.patch("/org", json={"workspaces_enabled": True})
    named = await specimen(surface(org, anthropic_workspace_id="theirs"))
    client = surface(org, anthropic_workspace_id="ours")
    own = await specimen(client)
    before = rows_of(org.id)
    await walk(client, named, own=own)
    assert rows_of(org.id) == before
    for listed in (
        await client.get("/memory_stores"),
        await client.get("/memory_stores", params={"include_archived": True, "limit": 100}),
    ):
        assert [each["id"] for each in listed.json()["data"]] == [own["store_id"]]


async def test_an_operation_without_a_good_key_says_nothing(org, rows_of):
    named = await specimen(surface(org))
    before = rows_of(org.id)
    for method, template in OPERATIONS:
        reply = await surface(org, "hf_live_nobody").request(
            method, filled(template, named), json=BODIES.get((method, template))
        )
        must_be_their_error(reply, 401)
        assert CANARY not in reply.text
    assert rows_of(org.id) == before


MALFORMED = [
    b"", b"{", b"[]", b"null", b'"text"', b"1", b"{}", b'{"name": 1, "path": 1, "content": 1}', b"\xff\xfe",
    b'{"name": null, "path": null, "content": null}', b"[" * 5000, b'{"name": NaN}',
    b'{"unknown": 1}', b'{"path": "x", "content": "\\u0000"}', b'{"name": "\\ud800"}',
    b'{"path": "/../x", "content": "c"}', b'{"metadata": []}', b'{"precondition": {"type": "x"}}',
]  # fmt: skip


@pytest.mark.parametrize("content_type", ["application/json", "text/plain", ""])
async def test_a_malformed_body_is_their_error_and_changes_nothing(org, rows_of, content_type):
    client = surface(org)
    named = await specimen(client)
    before = rows_of(org.id)
    for method, template in OPERATIONS:
        if BODIES.get((method, template)) is None:
            continue
        for body in MALFORMED:
            if template.endswith("}") and body in (b"{}", MALFORMED[9]):
                continue  # an update of nothing is one
            reply = await client.request(
                method,
                filled(template, named),
                content=body,
                headers={"Content-Type": content_type},
            )
            must_be_their_error(reply)
    assert rows_of(org.id) == before


async def test_a_malformed_query_or_id_is_their_error(org):
    client = surface(org)
    named = await specimen(client)
    for method, template in OPERATIONS:
        if method == "get":
            path = filled(template, named)
            for query in ("unknown=1", "view=neither", "limit=0", "limit=x", "page=%00", "page=?",
                          "created_at[gte]=soon", "depth=-1", "path_prefix=x", "operation=x"):  # fmt: skip
                reply = await client.get(f"{path}?{query}")
                if reply.status_code != 200:
                    must_be_their_error(reply, 400)
                assert query != "unknown=1" or reply.status_code == 400
        for bad in ("x", "%00", "memstore_", "a" * 3000, "..%2F..", "%ff", "ü"):
            if "{" in template:
                wrong = re.sub(r"{\w+}", bad, template)
                reply = await client.request(method, wrong, json=BODIES.get((method, template)))
                must_be_their_error(reply, 404)


async def test_what_is_not_here_is_their_error_too(org, service):
    client = surface(org)
    for method, path in (
        ("GET", "/messages"),
        ("POST", "/messages"),
        ("PATCH", "/memory_stores"),
        ("TRACE", "/memory_stores"),
        ("QUERY", "/memory_stores/x"),
        ("PUT", "/memory_stores/x/memories"),
        ("GET", "/memory_stores/x/nothing?limit=1"),
        ("POST", "/memory_stores/x/memories/y/z"),
    ):
        must_be_their_error(await client.request(method, path), 404)
    for path in ("/anthropic/", "/anthropic/v1", "/anthropic/v2/models"):
        must_be_their_error(await client.get(f"{service.url}{path}"), 404)


fuzzed = schemathesis.openapi.from_dict(DOCUMENT)


@fuzzed.parametrize()
@settings(
    max_examples=10,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_nothing_breaks_the_surface(case, service):
    reply = case.call(
        base_url=f"{service.url}/anthropic/v1",
        headers={"Authorization": f"Bearer {service.api_key}"},
        timeout=30,
    )
    assert reply.status_code < 500, reply.text
    if reply.status_code >= 400:
        body = json.loads(reply.content)
        assert body.keys() == {"type", "error", "request_id"}
        assert body["error"]["type"].endswith("_error")
