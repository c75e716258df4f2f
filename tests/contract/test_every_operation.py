"""What conventions.md promises for every operation, walked over the OpenAPI document with one of everything."""

import re
from typing import Any

import pytest

from tests.contract.as_new import Specimens, operations, place
from tests.contract.test_examples import send

GETS = [each for each in operations() if each[2] == "get"]
LISTS = [
    each
    for each in GETS
    if "after_id" in {parameter["name"] for parameter in each[3].get("parameters", [])}
]
JSON = "application/json"


@pytest.fixture
async def made(org):
    """One of everything in the test's org."""
    specimens = Specimens(org.client())
    await specimens.prepare("", {})
    return specimens


def path_of(template: str, named: dict[str, str]) -> str:
    return re.sub(r"{(\w+)}", lambda found: named[found[1]], template)


def body_of(operation: Any) -> Any:
    return operation.get("requestBody", {}).get("content", {}).get(JSON, {}).get("example")


async def test_every_list_is_a_page_with_cursors_and_limits(made):
    """limit 1–100 (a history has more on a page), after_id and before_id exclude each other, a cursor is an id of the list."""
    with_rows = 0
    for _, template, _, operation in LISTS:
        name, path = operation["operationId"], path_of(template, made.named)
        required = {
            each["name"]: each["schema"]["examples"][0]
            for each in operation["parameters"]
            if each["in"] == "query" and each.get("required")
        }

        async def get(path=path, required=required, **query):
            return await made.client.get(path, params=required | query)

        page = (await get()).json()
        assert {"data", "first_id", "last_id", "has_more"} <= page.keys(), name
        assert bool(page["data"]) == (page["first_id"] is not None), name
        for wrong in ({"limit": 0}, {"limit": 1_001}, {"after_id": "no id"}, {"colour": "red"}):
            refused = await get(**wrong)
            assert (refused.status_code, refused.json()["code"]) == (400, "invalid"), (name, wrong)
        if not page["data"]:
            continue
        with_rows += 1
        first, last = page["first_id"], page["last_id"]
        both = await get(after_id=first, before_id=first)
        assert both.status_code == 400, name
        below = (await get(after_id=first)).json()
        assert first not in str([below["first_id"], below["last_id"]]), name
        if len(page["data"]) > 1 and not page["has_more"]:
            above = (await get(before_id=last)).json()
            assert above["data"] == page["data"][:-1], name
            one = (await get(limit=1)).json()
            assert (one["data"], one["has_more"]) == (page["data"][:1], True), name
    assert with_rows > 10


async def test_every_read_answers_head_and_its_etag_answers_304(made):
    with_etag, undeclared = 0, []
    for _, template, method, operation in GETS:
        if {"bearer": []} not in operation["security"]:
            continue
        name = operation["operationId"]
        found = await send(made.client, template, method, operation, made.named)
        if not found.is_success:  # a job or a receipt, which only a worker makes
            continue
        head = await made.client.head(found.request.url)
        assert (head.status_code, head.content) == (found.status_code, b""), name
        if "etag" in found.headers:
            with_etag += 1
            same = {"If-None-Match": found.headers["etag"]}
            again = await made.client.get(found.request.url, headers=same)
            assert (again.status_code, again.content) == (304, b""), name
        if ("etag" in found.headers) != ("304" in operation["responses"]):
            undeclared.append(name)
    assert not undeclared, " ".join(undeclared)
    assert with_etag > 10


async def test_every_body_refuses_what_it_does_not_know_and_what_is_no_json(made):
    """An unknown field is named in the refusal, broken JSON is a 400, and both carry the client's request id."""
    walked = 0
    for _, template, method, operation in operations():
        body = body_of(operation)
        if {"bearer": []} not in operation["security"] or not isinstance(body, dict):
            continue
        name, path = operation["operationId"], path_of(template, made.named)
        headers = {"x-request-id": f"req-{name}", "content-type": JSON}
        broken = await made.client.request(method, path, content=b'{"a": ', headers=headers)
        assert (broken.status_code, broken.json()["code"]) == (400, "invalid"), name
        unknown = await made.client.request(
            method, path, json={**body, "colour": "red"}, headers=headers
        )
        if name != "conversations.validate_resource":  # which answers what is wrong
            assert unknown.status_code == 422, (name, unknown.text)
            problem = unknown.json()
            assert any("colour" in each["field"] for each in problem["errors"]), name
            assert problem["request_id"] == unknown.headers["x-request-id"] == f"req-{name}"
            walked += 1
    assert walked > 30


async def test_every_operation_needs_a_credential(made, anonymous):
    walked = 0
    for _, template, method, operation in operations():
        if not operation["security"]:
            continue
        path = f"/api/v1{path_of(template, made.named)}"
        reply = await anonymous.request(method, path, json=body_of(operation))
        assert (reply.status_code, reply.json()["code"]) == (401, "unauthenticated"), path
        assert reply.headers["www-authenticate"].startswith("Bearer"), path
        walked += 1
    assert walked > 100


async def test_every_change_honours_if_match(made):
    """A version that is not the current one is a 412, whatever else the request says."""
    walked = 0
    for _, template, method, operation in sorted(operations(), key=place):
        parameters = {each["name"].lower() for each in operation.get("parameters", [])}
        if "if-match" not in parameters or {"bearer": []} not in operation["security"]:
            continue
        named = await made.have(template, method, operation)
        if operation["operationId"] == "blocks.write":  # prepared by taking the block away
            await made.client.put(
                "/memory/blocks/core", json={"content": "tea", "expected_updated_at": None}
            )
        made.client.headers["If-Match"] = '"4711"'
        stale = await send(made.client, template, method, operation, named)
        del made.client.headers["If-Match"]
        assert (stale.status_code, stale.json()["code"]) == (412, "precondition_failed"), (
            operation["operationId"],
            stale.text,
        )
        walked += 1
    assert walked > 30


async def test_the_etag_of_a_session_moves_with_its_activity(api):
    """A session's version does not count messages, so its ETag is of all that it shows."""
    path = "/sessions/talk"
    await api.post(f"{path}/messages", json={"messages": "I park on level 3."})
    before = (await api.get(path)).headers["etag"]
    assert (await api.get(path, headers={"If-None-Match": before})).status_code == 304
    await api.post(f"{path}/messages", json={"messages": "Now on level 4."})
    assert (await api.get(path, headers={"If-None-Match": before})).status_code == 200
