"""MCP as clients meet it: both eras of the protocol, over HTTP and stdio, with the same walls as HTTP."""

import httpx
import pytest
from mcp import MCPError

from holdfast.edge.mcp_http import Guests
from holdfast.kernel.errors import ScopeDenied
from tests.mcp_client import ERAS, ask, connected, refused, said, started


@pytest.mark.parametrize("mode", ERAS)
async def test_both_eras_of_the_protocol_are_spoken_over_http(org, mode):
    async with connected(org, mode=mode) as client:
        assert client.protocol_version == ERAS[mode]
        assert client.server_info.name == "holdfast"
        assert "`remember`" in client.instructions
        await ask(client, "memory_store", key="likes", content="tea")
        assert (await ask(client, "memory_recall", key="likes"))["content"] == "tea"


@pytest.mark.parametrize("mode", ERAS)
async def test_stdio_acts_for_the_owner_and_the_default_agent(org, service, mode):
    async with started(service, "--org", org.id, mode=mode) as client:
        stored = await ask(client, "memory_store", key="likes", content="tea")
        assert stored["agent_id"] == "default"
        await ask(
            client, "update_memory", block_type="core", content="tea", expected_updated_at=None
        )
    async with connected(org) as client:  # a service key acts for the owner and agent default, too
        assert (await ask(client, "memory_recall", key="likes"))["content"] == "tea"
        assert len((await ask(client, "read_memory"))["data"]) == 1


async def test_stdio_acts_for_the_user_and_the_agent_it_is_told(org, service):
    async with started(service, "--org", org.id, "--user", "ana", "--agent", "bot") as client:
        assert (await ask(client, "memory_store", key="k", content="c"))["agent_id"] == "bot"
        await ask(client, "update_memory", block_type="core", content="x", expected_updated_at=None)
    async with connected(org, agent="bot", holdfast_user="ana") as client:
        assert (await ask(client, "memory_recall", key="k"))["content"] == "c"
        assert len((await ask(client, "read_memory"))["data"]) == 1
    async with connected(org, agent="bot", holdfast_user="ben") as client:
        assert (await ask(client, "read_memory"))["data"] == []


async def test_stdio_hands_on_to_a_service_elsewhere(org, service):
    far = {"HOLDFAST_URL": service.url, "HOLDFAST_API_KEY": org.key}
    async with started(service, "--agent", "bot", **far) as client:
        assert {"memory_store", "memory_list"} <= {
            tool.name for tool in (await client.list_tools()).tools
        }
        await ask(client, "memory_store", key="k", content="c")
        assert (await refused(client, "memory_store", key="", content="c"))["code"] == "invalid"
        uris = [each.uri for each in (await client.list_resources()).resources]
        assert "memory://entries/k" in uris
        assert (await client.read_resource("memory://entries/k")).contents[0].text.endswith("c")
    async with connected(org, agent="bot") as client:
        assert (await ask(client, "memory_recall", key="k"))["content"] == "c"


# --- tools -----------------------------------------------------------------------------------------------------------


async def test_every_tool_says_what_it_is_for_and_what_it_does_to_what_is_there(org):
    async with connected(org) as client:
        tools = (await client.list_tools()).tools
    assert {tool.name for tool in tools} == {
        "context", "remember", "recall", "forget", "read_memory", "edit_memory", "search", "fetch",
        "memory_store", "memory_recall", "memory_list", "memory_forget",
        "update_memory", "recall_memory",
        "create_entities", "create_relations", "add_observations", "delete_entities",
        "delete_observations", "delete_relations", "read_graph", "search_nodes", "open_nodes",
        "store_view", "store_write", "store_delete",
    }  # fmt: skip
    for tool in tools:
        assert tool.description
        assert tool.title
        assert tool.annotations.open_world_hint is False
        assert not (tool.annotations.read_only_hint and tool.annotations.destructive_hint)
        assert tool.input_schema["additionalProperties"] is False
    natures = {
        tool.name: (
            tool.annotations.read_only_hint,
            tool.annotations.destructive_hint,
            tool.annotations.idempotent_hint,
        )
        for tool in tools
    }
    assert natures["memory_recall"] == (True, False, True)
    assert natures["memory_store"] == (False, True, True)
    assert natures["memory_forget"] == (False, True, True)
    assert natures["remember"] == (False, True, True)
    assert natures["forget"] == natures["edit_memory"] == (False, True, False)
    assert natures["update_memory"] == (False, True, True)
    assert natures["create_entities"] == (False, False, True)
    assert natures["delete_entities"] == (False, True, True)
    assert {name for name, nature in natures.items() if nature[0]} == {
        "context", "recall", "search", "fetch", "memory_recall", "memory_list", "read_memory",
        "recall_memory", "read_graph", "search_nodes", "open_nodes", "store_view",
    }  # fmt: skip


async def test_no_tool_takes_an_agent_where_the_url_names_one(org):
    async with connected(org) as client:
        plain = (await client.list_tools()).tools
    async with connected(org, agent="bot") as client:
        bound = (await client.list_tools()).tools
        error = await refused(client, "read_memory", agent_id="other")
    assert any("agent_id" in tool.input_schema["properties"] for tool in plain)
    assert not any("agent_id" in str(tool.input_schema) for tool in bound)
    assert [tool.name for tool in plain] == [tool.name for tool in bound]
    assert error["errors"][0]["field"] == "agent_id"


async def test_a_wrong_argument_is_named_and_changes_nothing(org):
    async with connected(org) as client:
        error = await refused(client, "memory_store", key="k", contents="c")
        assert {each["field"] for each in error["errors"]} == {"content", "contents"}
        error = await refused(client, "memory_store", key="k", content="a\0b")
        assert error["code"] == "invalid"
        error = await refused(client, "memory_store", key="k", content="x" * 16_385)
        assert (error["code"], error["limit"], error["actual"]) == (
            "limit_exceeded",
            16_384,
            16_385,
        )
        assert await ask(client, "memory_recall", key="k") == {}


async def test_an_error_says_what_to_do_next(org):
    async with connected(org) as client:
        await ask(client, "update_memory", block_type="core", content="a", expected_updated_at=None)
        lost = await client.call_tool(
            "update_memory", {"block_type": "core", "content": "b", "expected_updated_at": None}
        )
    assert lost.is_error
    assert lost.structured_content["current"]["content"] == "a"
    assert "merge your change" in said(lost)


async def test_an_unknown_tool_is_an_error_of_the_protocol(org):
    async with connected(org) as client:
        with pytest.raises(MCPError, match="Unknown tool"):
            await client.call_tool("memory_eat", {})


# --- walls -----------------------------------------------------------------------------------------------------------


async def test_two_orgs_do_not_meet(make_org):
    one, other = await make_org(), await make_org()
    async with connected(one, agent="bot") as client:
        await ask(client, "memory_store", key="secret", content="of one")
        await ask(
            client, "update_memory", block_type="core", content="one", expected_updated_at=None
        )
    async with connected(other, agent="bot") as client:
        assert await ask(client, "memory_recall", key="secret") == {}
        assert (await ask(client, "memory_list"))["data"] == []
        assert (await ask(client, "read_memory"))["data"] == []
        assert (await ask(client, "memory_forget", key="secret")) == {"forgotten": False}
        uris = [each.uri for each in (await client.list_resources()).resources]
        assert uris == ["memory://knowledge-graph"]
        with pytest.raises(MCPError, match="no resource"):
            await client.read_resource("memory://entries/secret")
    async with connected(one, agent="bot") as client:
        assert (await ask(client, "memory_recall", key="secret"))["content"] == "of one"


async def test_two_agents_do_not_meet(org):
    keys = {name: await org.mint("agent", agent_id=name) for name in ("ada", "bob")}
    async with connected(org, key=keys["ada"]) as client:
        assert (await ask(client, "memory_store", key="k", content="of ada"))["agent_id"] == "ada"
    async with connected(org, key=keys["bob"]) as client:
        assert await ask(client, "memory_recall", key="k") == {}
        assert (await ask(client, "memory_list"))["data"] == []
    async with connected(org, key=keys["ada"], agent="ada") as client:
        assert (await ask(client, "memory_recall", key="k"))["content"] == "of ada"


async def test_an_agents_key_does_not_open_another_agents_url(org, anonymous):
    key = await org.mint("agent", agent_id="ada")
    reply = await anonymous.post(
        "/mcp/agents/bob", json=_ping(), headers={"x-api-key": key, "accept": "application/json"}
    )
    assert (reply.status_code, reply.json()["code"]) == (403, "MEM-001")


async def test_an_agents_key_reaches_no_other_agent_by_argument(org):
    key = await org.mint("agent", agent_id="ada", user_id="ana")
    async with connected(org, agent="bob", holdfast_user="ana") as client:
        await ask(
            client, "update_memory",
            block_type="core", content="of bob", expected_updated_at=None, scope="agent",
        )  # fmt: skip
    async with connected(org, key=key) as client:
        for tool, arguments in (
            ("read_memory", {}),
            ("recall_memory", {"query": "of"}),
            (
                "update_memory",
                {
                    "block_type": "core",
                    "content": "x",
                    "expected_updated_at": None,
                    "scope": "agent",
                },
            ),
        ):
            error = await refused(client, tool, agent_id="bob", **arguments)
            assert error["code"] == "MEM-001", tool
        assert (await ask(client, "read_memory"))["data"] == []


async def test_a_users_key_acts_for_its_user_as_the_default_agent(org):
    key = await org.mint("user", user_id="ana")
    async with connected(org, key=key) as client:
        assert (await ask(client, "memory_store", key="k", content="c"))["agent_id"] == "default"
        await ask(client, "update_memory", block_type="core", content="x", expected_updated_at=None)
    async with connected(org) as client:
        assert (await ask(client, "read_memory"))["data"] == []


# --- the door --------------------------------------------------------------------------------------------------------


def _ping():
    return {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def _headers(org, **more):
    return {
        "authorization": f"Bearer {org.key}",
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": "2025-11-25",
        **more,
    }


async def test_a_key_is_read_from_either_header_and_needed(org, anonymous):
    for path in ("/mcp", "/mcp/agents/bot"):
        reply = await anonymous.post(path, json=_ping(), headers={"accept": "application/json"})
        assert (reply.status_code, reply.json()["code"]) == (401, "unauthenticated")
        assert reply.headers["www-authenticate"].startswith("Bearer")
        headers = _headers(org)
        headers["x-api-key"] = headers.pop("authorization").removeprefix("Bearer ")
        reply = await anonymous.post(path, json=_ping(), headers=headers)
        assert reply.json() == {"jsonrpc": "2.0", "id": 1, "result": {}}


async def test_there_are_no_sessions_to_listen_to_or_to_end(org, anonymous):
    for method in ("GET", "DELETE", "PUT"):
        reply = await anonymous.request(method, "/mcp", headers=_headers(org))
        assert (reply.status_code, reply.headers["allow"]) == (405, "POST")


async def test_a_malformed_agent_is_not_found(org, anonymous):
    reply = await anonymous.post("/mcp/agents/a%20b", json=_ping(), headers=_headers(org))
    assert (reply.status_code, reply.json()["code"]) == (404, "MEM-002")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example:8321"}, 403),
        ({"host": "localhost:1234"}, 200),
        ({"host": "[::1]:8321"}, 200),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://localhost:3000"}, 200),
        ({"host": "evil.example", "origin": "http://evil.example"}, 403),
    ],
)
async def test_a_page_that_rebinds_its_name_to_this_machine_is_refused(
    org, anonymous, headers, status
):
    reply = await anonymous.post("/mcp", json=_ping(), headers=_headers(org, **headers))
    assert reply.status_code == status


async def test_a_body_over_the_cap_is_refused(org, anonymous):
    big = {**_ping(), "params": {"x": "x" * (4 * 1024 * 1024)}}
    assert (await anonymous.post("/mcp", json=big, headers=_headers(org))).status_code == 413


async def test_what_is_no_message_is_an_error_of_the_protocol(org, anonymous):
    for body in (b"{", b"[]", b"7", b"[" * 100_000):
        headers = _headers(org, **{"content-type": "application/json"})
        reply = await anonymous.post("/mcp", content=body, headers=headers)
        assert reply.status_code == 400
        assert "error" in reply.json()


async def test_calls_are_counted_by_tool_and_outcome(org):
    async with connected(org) as client:
        await ask(client, "memory_list")
        await refused(client, "memory_store", key="", content="x")
    async with httpx.AsyncClient(base_url=org.url) as client:
        shown = (await client.get("/metrics")).text
    assert 'holdfast_mcp_tool_calls_total{outcome="ok",tool="memory_list"}' in shown
    assert 'holdfast_mcp_tool_calls_total{outcome="invalid",tool="memory_store"}' in shown


# --- several processes, other addresses ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("guests", "host", "origin", "welcome"),
    [
        (Guests(loopback_only=False), "memory.example:8321", None, True),
        (Guests(loopback_only=False), "memory.example", "https://memory.example", True),
        (Guests(loopback_only=False), "memory.example", "https://evil.example", False),
        (Guests(loopback_only=False, hosts=frozenset({"memory.example"})), "evil.example", None, False),
        (Guests(hosts=frozenset({"memory.example"})), "memory.example", None, True),
        (Guests(hosts=frozenset({"memory.example"})), "memory.example", "https://memory.example", True),
        (Guests(origins=frozenset({"https://app.example"})), "localhost", "https://app.example", True),
        (Guests(), "localhost.evil.example", None, False),
        (Guests(), "", None, False),
        (Guests(), "[::1", None, False),
        (Guests(), "localhost", "http://[::1", False),
    ],
)  # fmt: skip
def test_who_may_knock(guests, host, origin, welcome):
    if welcome:
        guests.check(host, origin)
    else:
        with pytest.raises(ScopeDenied):
            guests.check(host, origin)
