"""Tool sets: which tools a client is shown, what they cost a model, and whether strict modes can take them."""

import json

import pytest
from mcp import MCPError

from holdfast.kernel.tokens import Tokenizer
from tests.mcp_client import ask, connected, said, started

SETS = {
    "core": ["context", "remember", "forget", "recall", "read_memory", "edit_memory"],
    "entries": ["memory_store", "memory_recall", "memory_list", "memory_forget"],
    "blocks": ["update_memory", "recall_memory"],
    "stores": ["store_view", "store_write", "store_delete"],
    "graph": [
        "create_entities", "create_relations", "add_observations", "delete_entities",
        "delete_observations", "delete_relations", "read_graph", "search_nodes", "open_nodes",
    ],
    "search": ["search", "fetch"],
}  # fmt: skip


async def names(org, **how):
    async with connected(org, **how) as client:
        return {tool.name for tool in (await client.list_tools()).tools}


def cost(tools):
    """The tokens of a tool set: compact JSON of name, description and inputSchema of its tools."""
    shown = [
        {"name": t.name, "description": t.description, "inputSchema": t.input_schema} for t in tools
    ]
    return Tokenizer().count(json.dumps(shown, ensure_ascii=False, separators=(",", ":")))


async def test_a_client_is_shown_the_sets_that_it_names_and_core_by_itself(org, anonymous):
    assert await names(org, tools=None) == set(SETS["core"])
    assert await names(org, tools=None, agent="bot") == set(SETS["core"])
    for name, tools in SETS.items():
        assert await names(org, tools=name) == set(tools)
    assert await names(org, tools="graph, search") == {*SETS["graph"], *SETS["search"]}
    assert await names(org, tools="all") == {each for tools in SETS.values() for each in tools}
    async with connected(org, tools="core") as client:
        with pytest.raises(MCPError, match="Unknown tool"):
            await client.call_tool("memory_recall", {"key": "k"})
    for wrong in ("everything", "core,", ""):
        reply = await anonymous.post(
            f"/mcp?tools={wrong}",
            json={"jsonrpc": "2.0", "id": 1, "method": "ping"},
            headers={"authorization": f"Bearer {org.key}", "accept": "application/json"},
        )
        assert (reply.status_code, reply.json()["code"]) == (400, "invalid")
        assert all(name in reply.text for name in (*SETS, "all"))


async def test_stdio_takes_tool_sets_too(org, service):
    async with started(service, "--org", org.id, tools="search,entries") as client:
        listed = {tool.name for tool in (await client.list_tools()).tools}
        assert listed == {*SETS["search"], *SETS["entries"]}
    far = {"HOLDFAST_URL": service.url, "HOLDFAST_API_KEY": org.key}
    async with started(service, tools="graph", **far) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == set(SETS["graph"])


async def test_the_core_set_costs_a_model_at_most_1200_tokens(org):
    async with connected(org, tools="core") as client:
        assert cost((await client.list_tools()).tools) <= 1_200


async def test_schemas_have_no_refs_titles_or_examples_and_are_taken_by_strict_modes(org):
    strict = pytest.importorskip("agents.strict_schema")
    async with connected(org, tools="all") as client:
        for tool in (await client.list_tools()).tools:
            text = json.dumps(tool.input_schema)
            assert not [
                word for word in ('"$ref"', '"$defs"', '"title"', '"examples"') if word in text
            ]
            made = strict.ensure_strict_json_schema(json.loads(text))
            assert set(made["required"]) == set(made["properties"]), tool.name


async def test_ten_short_facts_are_a_short_answer_and_a_budget_bounds_what_is_sent(org):
    async with connected(org, agent="bot") as client:
        for number in range(10):
            await ask(client, "remember", text=f"Ana's tea number {number} is green.")
        result = await client.call_tool("recall", {"query": "which tea is green?"})
        data = json.loads(said(result))
        assert len(data) == 10
        assert {frozenset(each) for each in data} == {frozenset({"id", "text", "when", "from"})}
        whole = Tokenizer().count(said(result))
        detailed = await client.call_tool(
            "recall", {"query": "which tea is green?", "detail": True}
        )
        assert whole < Tokenizer().count(said(detailed)) / 4
        for most in (1, 30, whole // 2, whole - 1, whole):
            for tool, arguments in (
                ("recall", {"query": "which tea is green?"}),
                ("context", {"message": "which tea is green?"}),
            ):
                cut = await client.call_tool(tool, {**arguments, "max_tokens": most})
                assert Tokenizer().count(said(cut)) <= most, (tool, most)
        assert said(await client.call_tool("recall", {"query": "tea?", "max_tokens": whole}))
