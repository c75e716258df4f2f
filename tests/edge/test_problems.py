"""Every failure is a problem with a code, the framework's own too."""

import json

import pytest

MIB = 1024 * 1024


def assert_problem(reply, status, code):
    assert reply.status_code == status, reply.text
    assert reply.headers["content-type"] == "application/problem+json"
    body = reply.json()
    assert set(body) >= {"type", "title", "status", "detail", "code", "request_id"}
    assert (body["status"], body["code"]) == (status, code)
    assert body["request_id"] == reply.headers["x-request-id"]
    return body


async def test_a_path_that_is_not_there(anonymous, api):
    assert_problem(await anonymous.get("/nowhere"), 404, "not_found")
    assert_problem(await api.get("/nowhere"), 404, "not_found")
    assert_problem(await api.get("/org/"), 404, "not_found")


async def test_a_method_that_is_not_there_names_those_that_are(api):
    reply = await api.post("/workspaces/w", json={})
    assert_problem(reply, 405, "method_not_allowed")
    assert set(reply.headers["allow"].split(", ")) == {"GET", "PUT"}


@pytest.mark.parametrize(
    "body",
    [b"{", b"[1,", b'{"name": NaN}', b'{"name": "\xff"}', b"[" * 100_000, b"\x00", b'{"a" "b"}'],
)
async def test_a_body_that_is_not_json(api, body):
    reply = await api.put(
        "/workspaces/w", content=body, headers={"content-type": "application/json"}
    )
    assert_problem(reply, 400, "invalid")


@pytest.mark.parametrize("body", ["[]", '"text"', "3", "null", "true"])
async def test_json_that_is_no_object(api, body):
    reply = await api.put(
        "/workspaces/w", content=body, headers={"content-type": "application/json"}
    )
    assert_problem(reply, 422, "invalid")


async def test_an_unknown_field_is_named_and_nothing_is_changed(api):
    body = assert_problem(
        await api.put("/workspaces/w", json={"name": "W", "nmae": "W"}), 422, "invalid"
    )
    assert body["errors"] == [{"field": "nmae", "message": "there is no such field"}]
    assert (await api.get("/workspaces/w")).status_code == 404


async def test_an_unknown_query_parameter_is_named(api):
    body = assert_problem(await api.get("/workspaces?limt=3"), 400, "invalid")
    assert body["errors"][0]["field"] == "limt"


@pytest.mark.parametrize("query", ["limit=0", "limit=101", "limit=x", "after_id=a&before_id=b"])
async def test_paging_that_cannot_be_read(api, query):
    assert_problem(await api.get(f"/workspaces?{query}"), 400, "invalid")


@pytest.mark.parametrize("text", ["\x00", "a\x00b", "\ud800", "\udfff tail"])
async def test_text_that_cannot_be_kept_is_refused_by_name(api, text):
    reply = await api.put(
        "/workspaces/w",
        content=json.dumps({"name": text}),
        headers={"content-type": "application/json"},
    )
    body = assert_problem(reply, 422, "invalid")
    assert body["errors"][0]["field"] == "name"


async def test_a_body_at_the_cap_is_read_and_one_byte_more_is_not(api):
    padding = 4 * MIB - len(b'{"name": ""}')
    at_the_cap = b'{"name": "' + b"x" * padding + b'"}'
    assert len(at_the_cap) == 4 * MIB
    headers = {"content-type": "application/json"}
    reply = await api.put("/workspaces/w", content=at_the_cap, headers=headers)
    assert_problem(reply, 422, "limit_exceeded")  # read, and then found too long for a name
    reply = await api.put("/workspaces/w", content=at_the_cap + b" ", headers=headers)
    assert_problem(reply, 413, "payload_too_large")


async def test_a_body_without_a_length_is_cut_off_at_the_cap(api):
    async def endless():
        for _ in range(80):
            yield b" " * (MIB // 16)

    reply = await api.put(
        "/workspaces/w", content=endless(), headers={"content-type": "application/json"}
    )
    assert_problem(reply, 413, "payload_too_large")


async def test_the_clients_request_id_is_echoed_and_a_hostile_one_replaced(api):
    given = await api.get("/org", headers={"x-request-id": "trace-1"})
    assert given.headers["x-request-id"] == "trace-1"
    replaced = await api.get("/org", headers={"x-request-id": 'a"b<script>'})
    assert replaced.headers["x-request-id"].startswith("req_")


async def test_both_spellings_of_a_field_are_read(api):
    for body in ({"workspaces_enabled": True}, {"workspacesEnabled": True}):
        assert (await api.patch("/org", json=body)).json()["workspaces_enabled"] is True


async def test_a_limit_says_what_it_is_and_what_was_sent(api):
    name = "é" * 256
    body = assert_problem(
        await api.put("/workspaces/w", json={"name": name}), 422, "limit_exceeded"
    )
    assert (body["limit"], body["actual"]) == (255, 256)
    assert (await api.put("/workspaces/w", json={"name": "é" * 255})).status_code == 201


async def test_a_stale_if_match_is_a_failed_precondition(api):
    await api.put("/workspaces/w", json={"name": "one"})
    stale = await api.put("/workspaces/w", json={"name": "two"}, headers={"If-Match": '"7"'})
    assert_problem(stale, 412, "precondition_failed")
    fresh = await api.put("/workspaces/w", json={"name": "two"}, headers={"If-Match": '"1", "7"'})
    assert fresh.json()["version"] == 2
    bad = await api.put("/workspaces/w", json={"name": "x"}, headers={"If-Match": "2"})
    assert_problem(bad, 400, "invalid")
    assert (await api.get("/workspaces/w")).json()["name"] == "two"
