"""Bodies and parameters at the edge: bounded before they cost anything, UTF-8 alone, JSON's own types."""

import json

import pytest

from tests.edge.test_problems import assert_problem

JSON = {"content-type": "application/json"}
FAULTS = {f"field{number}": number for number in range(3_000)}


async def operations(anonymous, wanted):
    document = (await anonymous.get("/openapi.json")).json()
    return [
        (method, template, operation)
        for template, item in document["paths"].items()
        for method, operation in item.items()
        if wanted(method, template, operation)
    ]


def filled(template):
    fitting = {"block_type": "core", "key": "k", "resource_id": "sessions"}
    for name, value in fitting.items():
        template = template.replace("{" + name + "}", value)
    return template.replace("{", "").replace("}", "")


# --- how much ----------------------------------------------------------------------------------------------------------


async def test_a_body_without_a_credential_is_small(anonymous):
    for path in ("/api/v1/auth/login", "/api/v1/auth/link"):
        body = json.dumps({f"f{number}": 1 for number in range(290_000)})
        reply = await anonymous.post(path, content=body, headers=JSON)
        assert assert_problem(reply, 413, "payload_too_large")["limit"] == 64 * 1024
        reply = await anonymous.post(path, json=FAULTS)
        body = assert_problem(reply, 422, "invalid")
        assert len(reply.content) < 4_000
        assert "3001 fields" in body["detail"].replace("3002", "3001")


async def test_without_a_credential_the_body_of_an_operation_is_not_read(service):
    import asyncio

    reader, writer = await asyncio.open_connection("127.0.0.1", int(service.url.rpartition(":")[2]))
    writer.write(
        b"PUT /api/v1/workspaces/w HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        b"content-length: 4000000\r\n\r\n{"
    )
    assert b" 401 " in await asyncio.wait_for(reader.readline(), 60)
    writer.close()


async def test_faults_are_listed_up_to_twenty_and_counted(api):
    body = assert_problem(
        await api.put("/workspaces/w", json=dict(list(FAULTS.items())[:50])), 422, "invalid"
    )
    assert len(body["errors"]) == 20
    assert "45 more" in body["detail"]
    reply = await api.put("/workspaces/w", json=FAULTS)
    body = assert_problem(reply, 422, "invalid")
    assert len(body["errors"]) == 1
    assert "3000" in body["errors"][0]["message"]
    long = assert_problem(await api.put("/workspaces/w", json={"n" * 100_000: 1}), 422, "invalid")
    assert len(json.dumps(long)) < 2_000


@pytest.mark.parametrize("text", ["[" * 65 + "]" * 65, '{"a":' * 65 + "1" + "}" * 65])
async def test_json_is_at_most_64_levels_deep(api, text):
    save = {"key": "k", "value": "v", "metadata": {"deep": "HERE"}}
    body = json.dumps(save).replace('"HERE"', text)
    reply = await api.post("/memories", content=body, headers=JSON)
    assert "64 levels" in assert_problem(reply, 400, "invalid")["detail"]
    flat = json.dumps({"key": "k", "value": "[" * 500})
    assert (await api.post("/memories", content=flat, headers=JSON)).status_code == 201


async def test_a_text_that_cannot_be_kept_is_found_at_any_depth(api):
    text = '{"a":' * 60 + '"\\u0000"' + "}" * 60
    body = '{"key": "k", "value": "v", "metadata": ' + text + "}"
    reply = await api.post("/memories", content=body, headers=JSON)
    assert "metadata.a.a" in assert_problem(reply, 422, "invalid")["errors"][0]["field"]


# --- which characters --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "encode",
    [
        lambda text: text.replace("TEXT", "\ud800").encode("utf-8", "surrogatepass"),
        lambda text: text.encode("utf-16"),
        lambda text: text.encode("utf-16-le"),
        lambda text: text.encode("utf-32"),
        lambda text: text.encode().replace(b"TEXT", b"\xff"),
        lambda text: text.encode().replace(b"TEXT", b"\xc0\x80"),
    ],
    ids=["surrogate", "utf-16", "utf-16-le", "utf-32", "ff", "overlong"],
)
async def test_only_utf_8_is_read(api, anonymous, encode):
    found = await operations(
        anonymous,
        lambda method, template, operation: (
            template.startswith("/api/v1")
            and "application/json" in operation.get("requestBody", {}).get("content", {})
        ),
    )
    assert len(found) > 20
    for method, template, _ in found:
        if "/auth/" in template or template.endswith("/keys"):
            continue
        path = filled(template).removeprefix("/api/v1")
        reply = await api.request(method, path, content=encode('{"content": "TEXT"}'), headers=JSON)
        assert reply.status_code in (400, 404), f"{method} {template}: {reply.text}"
        if reply.status_code == 400:
            assert "not JSON" in reply.json()["detail"]


async def test_a_name_that_an_object_has_twice_is_refused(api):
    for text, name in (
        ('{"key": "k", "value": "one", "value": "two"}', "value"),
        ('{"key": "k", "value": "v", "metadata": {"a": {"b": 1, "c": 2, "b": 1}}}', "b"),
    ):
        reply = await api.post("/memories", content=text, headers=JSON)
        assert f"the name '{name}' twice" in assert_problem(reply, 400, "invalid")["detail"]
    assert (await api.get("/memories")).json()["data"] == []
    huge = '{"key": "k", "value": "v", "metadata": {"n": ' + "1" * 5_000 + "}}"
    reply = await api.post("/memories", content=huge, headers=JSON)
    assert "digits" in assert_problem(reply, 400, "invalid")["detail"]
    assert "sys." not in reply.text


async def test_a_nul_is_refused_with_its_field(api):
    reply = await api.post("/memories", json={"key": "k", "value": "a\0b"})
    assert assert_problem(reply, 422, "invalid")["errors"][0]["field"] == "value"
    reply = await api.get("/workspaces", params={"after_id": "a\0b"})
    assert_problem(reply, 400, "invalid")


async def test_a_nul_in_one_item_refuses_that_item_alone(api):
    entries = [{"key": "a", "content": "x"}, {"key": "b", "content": "x\0y"}]
    batch = (await api.post("/agents/bot/entries-batch", json={"entries": entries})).json()
    assert [each["status"] for each in batch["results"]] == ["stored", "invalid"]
    memories = [{"key": "a", "value": "x"}, {"key": "b", "value": "x\0y"}]
    reply = await api.post("/memories/batch", json={"memories": memories})
    assert reply.status_code == 200, reply.text
    assert [each["status"] for each in reply.json()["results"]] == ["stored", "invalid"]
    assert (await api.get("/memories")).json()["data"][0]["key"] == "a"


# --- which types -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path", "body", "field"),
    [
        ("PATCH", "/org", {"workspaces_enabled": 1}, "workspaces_enabled"),
        ("PATCH", "/org", {"workspaces_enabled": "true"}, "workspaces_enabled"),
        ("PATCH", "/org", {"llm_tokens_per_day": "5"}, "llm_tokens_per_day"),
        ("PATCH", "/users/me", {"insight_capture": 0}, "insight_capture"),
        ("POST", "/memories", {"key": "k", "value": "v", "pinned": 1}, "pinned"),
        ("POST", "/memories", {"key": "k", "value": 5}, "value"),
        ("POST", "/memories", {"key": "k", "value": "v", "valid_from": 1700000000}, "valid_from"),
        ("POST", "/memories", {"key": "k", "value": "v", "valid_from": "1700000000"}, "valid_from"),
        ("POST", "/memories", {"key": "k", "value": "v", "valid_from": True}, "valid_from"),
        (
            "PUT",
            "/memory/blocks/core",
            {"content": "c", "expected_updated_at": 1},
            "expected_updated_at",
        ),
        ("PUT", "/agents/a/entries/k", {"content": "c", "expires_at": 2000000000}, "expires_at"),
        ("POST", "/context", {"message": "m", "max_tokens": "10"}, "max_tokens"),
        ("POST", "/recall", {"query": "q", "limit": "5"}, "limit"),
        ("POST", "/recall", {"query": "q", "limit": True}, "limit"),
    ],
)
async def test_json_types_are_taken_as_they_are(api, method, path, body, field):
    reply = await api.request(method, path, json=body)
    assert assert_problem(reply, 422, "invalid")["errors"][0]["field"] == field


async def test_times_are_written_out_in_queries_too(api):
    for at in ("1700000000", "1700000000.5", "now"):
        assert_problem(await api.get("/memories", params={"as_of": at}), 400, "invalid")
    await api.post("/memories", json={"key": "k", "value": "v"})
    good = await api.get("/memories", params={"as_of": "2026-01-31T12:00:00+02:00"})
    assert good.status_code == 200


# --- parameters ----------------------------------------------------------------------------------------------------------


def _takes(name):
    def wanted(method, template, operation):
        return method == "get" and any(
            each["name"] == name and each["in"] == "query"
            for each in operation.get("parameters", [])
        )

    return wanted


@pytest.mark.parametrize("name", ["after_id", "before_id"])
async def test_a_cursor_that_is_no_id_is_malformed(api, anonymous, name):
    await api.put("/agents/agent_id", json={})
    await api.post("/memories", json={"key": "k", "value": "v"})
    [memory] = (await api.get("/memories")).json()["data"]
    store = (await api.post("/memory_stores", json={"name": "s"})).json()
    found = await operations(anonymous, _takes(name))
    assert len(found) > 8
    for _, template, _ in found:
        path = template.removeprefix("/api/v1").replace("{memory_id}", memory["id"])
        path = filled(path.replace("{store_id}", store["id"]))
        reply = await api.get(path, params={name: "junk"})
        assert reply.status_code == 400, f"{template}: {reply.status_code} {reply.text}"
        assert reply.json()["code"] == "invalid"


@pytest.mark.parametrize("name", ["agent_id", "user_id", "session_id", "project_id"])
async def test_a_malformed_name_in_a_query_is_malformed(api, anonymous, name):
    def wanted(method, template, operation):
        return any(
            each["name"] == name and each["in"] == "query"
            for each in operation.get("parameters", [])
        )

    found = await operations(anonymous, wanted)
    assert found
    for method, template, operation in found:
        content = operation.get("requestBody", {}).get("content", {})
        body = content.get("application/json", {}).get("example")
        reply = await api.request(
            method, filled(template).removeprefix("/api/v1"), params={name: "a b"}, json=body
        )
        assert reply.status_code == 400, f"{method} {template}: {reply.text}"


async def test_an_operation_without_a_body_drops_no_field(api, anonymous):
    store = (await api.post("/memory_stores", json={"name": "s"})).json()["id"]
    made = await api.post(f"/memory_stores/{store}/memories", json={"path": "p", "content": "x"})
    path = f"/memory_stores/{store}/memories/{made.json()['id']}"
    reply = await api.request("DELETE", path, json={"version": 7})  # belongs into the query
    assert assert_problem(reply, 422, "invalid")["errors"][0]["field"] == "version"
    assert (await api.get(path)).status_code == 200
    assert (await api.request("DELETE", path, json={})).status_code == 204

    found = await operations(
        anonymous,
        lambda method, template, operation: (
            method != "get"
            and template.startswith("/api/v1")
            and "requestBody" not in operation
            and "/auth/" not in template
        ),
    )
    assert len(found) > 20
    for method, template, _ in found:
        path = filled(template).removeprefix("/api/v1")
        reply = await api.request(method, path, json={"colour": "red"})
        assert reply.status_code == 422, f"{method} {template}: {reply.text}"
        assert "colour" in reply.json()["detail"], template


async def test_every_path_allows_what_the_document_says(api, anonymous):
    document = (await anonymous.get("/openapi.json")).json()
    methods = {"GET", "POST", "PUT", "PATCH", "DELETE"}
    for template, item in document["paths"].items():
        if not template.startswith("/api/v1"):
            continue
        documented = {method.upper() for method in item}
        for method in methods - documented:
            reply = await api.request(method, filled(template).removeprefix("/api/v1"))
            assert reply.status_code == 405, f"{method} {template}: {reply.status_code}"
            assert set(reply.headers["allow"].split(", ")) == documented, template
    assert (await anonymous.post("/docs")).headers["allow"] == "GET"
