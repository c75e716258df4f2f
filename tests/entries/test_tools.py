"""Entries as a model calls them."""

import pytest
from mcp import MCPError

from tests.mcp_client import ask, connected, refused


async def test_a_fact_is_stored_recalled_refreshed_and_forgotten(org):
    async with connected(org, agent="bot") as client:
        stored = await ask(
            client, "memory_store", key="likes", category="core", content="tea", tags=["drinks"]
        )
        assert (stored["created"], stored["version"], stored["evicted"]) == (True, 1, [])
        again = await ask(client, "memory_store", key="likes", category="daily", content="coffee")
        assert (again["created"], again["version"], again["id"]) == (False, 2, stored["id"])

        entry = await ask(client, "memory_recall", key="likes")
        assert (entry["content"], entry["category"], entry["tags"]) == ("coffee", "daily", [])
        assert await ask(client, "memory_forget", key="likes") == {"forgotten": True}
        assert await ask(client, "memory_recall", key="likes") == {}
        assert await ask(client, "memory_forget", key="likes") == {"forgotten": False}


async def test_the_tools_and_http_show_the_same_entry(org, api):
    async with connected(org, agent="bot") as client:
        await ask(client, "memory_store", key="a/b c", content="über")
        shown = await ask(client, "memory_recall", key="a/b c")
    assert (await api.get("/agents/bot/entries/a%2Fb%20c")).json() == shown


async def test_a_fact_without_a_category_is_core_and_a_shared_one_is_seen_by_other_agents(org):
    async with connected(org, agent="ada") as client:
        assert (await ask(client, "memory_store", key="k", content="c"))["category"] == "core"
        await ask(client, "memory_store", key="shared", category="workspace", content="for all")
    async with connected(org, agent="bob") as client:
        await ask(client, "memory_store", key="own", content="c")
        keys = [each["key"] for each in (await ask(client, "memory_list"))["data"]]
        assert keys == ["own", "shared"]


async def test_an_agent_that_never_stored_anything_has_an_empty_memory(org):
    async with connected(org, agent="new") as client:
        assert await ask(client, "memory_recall", key="k") == {}
        assert await ask(client, "memory_list") == {"data": [], "has_more": False}
        assert await ask(client, "memory_forget", key="k") == {"forgotten": False}


async def test_a_list_is_filtered_by_all_that_is_asked(org):
    async with connected(org, agent="bot") as client:
        first = await ask(
            client, "memory_store", key="a", content="pays by invoice", tags=["x", "y"]
        )
        await ask(
            client, "memory_store", key="b", content="100% sure", category="daily", tags=["x"]
        )
        await ask(client, "memory_store", key="c", content="nothing", category="billing")

        async def keys(**filter):
            return [
                each["key"] for each in (await ask(client, "memory_list", filter=filter))["data"]
            ]

        assert await keys() == ["c", "b", "a"]
        assert await keys(category="daily") == ["b"]
        assert await keys(tags=["x", "y"]) == ["a"]
        assert await keys(query="INVOICE") == ["a"]
        assert await keys(query="0%") == ["b"]
        assert await keys(updated_after=first["updated_at"]) == ["c", "b"]
        assert await keys(updatedAfter=first["updated_at"], limit=1) == ["c"]
        cut = await ask(client, "memory_list", filter={"limit": 2})
        assert (len(cut["data"]), cut["has_more"]) == (2, True)

        error = await refused(client, "memory_list", filter={"categroy": "daily"})
        assert error["errors"][0]["field"] == "filter.categroy"
        assert (await refused(client, "memory_list", filter={"limit": 101}))["code"] == "invalid"


async def test_entries_are_resources_page_by_page(org):
    keys = [f"fact {number:03}/ü" for number in range(101)]
    async with connected(org, agent="bot") as client:
        for key in keys:
            await ask(client, "memory_store", key=key, content=f"about {key}")
        found, cursor = [], None
        while True:
            page = await client.list_resources(cursor=cursor)
            found += page.resources
            cursor = page.next_cursor
            if cursor is None:
                break
        entries = [each for each in found if each.uri.startswith("memory://entries/")]
        assert [each.name for each in entries] == keys[::-1]
        [content] = (await client.read_resource(entries[0].uri)).contents
        assert content.mime_type == "text/markdown"
        assert content.text.endswith(f"about {keys[-1]}")
        templates = (await client.list_resource_templates()).resource_templates
        assert "memory://entries/{key}" in {each.uri_template for each in templates}
        for uri in (
            "memory://entries/none",
            "memory://entries",
            "memory://nothing/x",
            "file:///etc",
        ):
            with pytest.raises(MCPError, match="no resource"):
                await client.read_resource(uri)
        with pytest.raises(MCPError, match="cursor"):
            await client.list_resources(cursor="nonsense")


async def test_a_fact_is_the_users_unless_it_is_told_to_be_the_agents(org):
    ana, alone = await org.mint("user", user_id="ana"), await org.mint("agent", agent_id="bot")
    async with connected(org, agent="bot", key=ana) as client:
        stored = await ask(client, "memory_store", key="likes", content="tea")
        assert (stored["scope"], stored["user_id"]) == ("user", "ana")
        refusal = await refused(client, "memory_store", key="all", content="x", scope="agent")
        assert refusal["code"] == "MEM-001"
    async with connected(org, agent="bot") as client:
        shared = await ask(client, "memory_store", key="all", content="x", scope="agent")
        assert (shared["scope"], shared["user_id"]) == ("agent", None)
        assert await ask(client, "memory_recall", key="likes") == {}
        shared = await ask(client, "memory_store", key="w", content="x", category="workspace")
        assert shared["scope"] == "agent"
    async with connected(org, agent="bot", key=alone) as client:
        assert (await ask(client, "memory_store", key="own", content="x"))["scope"] == "agent"
        keys = [each["key"] for each in (await ask(client, "memory_list"))["data"]]
        assert keys == ["own", "w", "all"]
