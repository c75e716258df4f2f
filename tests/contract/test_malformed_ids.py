"""A malformed id in a path names nothing: 404 for every operation, and never a failure of ours."""

import re

import pytest

CHOSEN = {"agent_id", "user_id", "workspace_id", "project_id", "session_id"}
# What is named there is being made: a wrong name is wrong input.
MAKES = {"/agents/{agent_id}", "/projects/{project_id}", "/workspaces/{workspace_id}"}
# Their values are texts, of which the face says what is wrong.
TEXTS = {"key"}
METHODS = {"get", "put", "post", "patch", "delete"}
FITTING = {"key": "k", "path": "p", "run_id": "run_" + "0" * 32}


def operations(document):
    for template, item in document["paths"].items():
        if template.startswith("/api/v1/"):
            for method in item.keys() & METHODS:
                content = item[method].get("requestBody", {}).get("content", {})
                body = content.get("application/json", {}).get("example")
                for name in set(re.findall(r"{(\w+)}", template)) - TEXTS:
                    yield method, template.removeprefix("/api/v1"), name, body


def filled(template, name, value):
    fitting = {**FITTING, name: value}
    return re.sub(r"{(\w+)}", lambda found: fitting.get(found[1], "p"), template)


@pytest.mark.parametrize("value", ["a%20b", "%00", "x" * 129, "%FF", "%C3%BC", "%ED%A0%80"])
async def test_a_malformed_name_is_not_there(api, anonymous, value):
    await api.put("/projects/p", json={})
    asked = 0
    for method, template, name, body in operations((await anonymous.get("/openapi.json")).json()):
        if name not in CHOSEN:
            continue
        reply = await api.request(method, filled(template, name, value), json=body)
        where = f"{method} {template} {name}={value}: {reply.status_code} {reply.text[:200]}"
        asked += 1
        if method == "put" and template in MAKES:
            assert (reply.status_code, reply.json()["code"]) == (422, "invalid"), where
        else:
            code = "MEM-002" if name == "agent_id" else "not_found"
            assert (reply.status_code, reply.json()["code"]) == (404, code), where
    assert asked > 20
    assert (await api.get("/agents")).json()["data"] == []


async def test_no_id_in_a_path_breaks_the_service(api, anonymous):
    found = list(operations((await anonymous.get("/openapi.json")).json()))
    assert len(found) > 100
    for method, template, name, body in found:
        for value in ("%00", "a%00b", "%FF", "%ED%A0%80", "x" * 5000, "%0A"):
            reply = await api.request(method, filled(template, name, value), json=body)
            where = (
                f"{method} {template} {name}={value[:9]}: {reply.status_code} {reply.text[:200]}"
            )
            assert 400 <= reply.status_code < 500, where
            if "%00" in value and not (method == "put" and template in MAKES):
                assert reply.status_code == 404, where


async def test_an_agents_key_is_told_that_another_path_is_not_its_own(org):
    client = org.client(await org.mint("agent", agent_id="bot"))
    for path in ("/agents/a%20b/entries", "/agents/%00/entries", "/agents/other/entries"):
        reply = await client.get(path)
        assert (reply.status_code, reply.json()["code"]) == (403, "MEM-001"), path
