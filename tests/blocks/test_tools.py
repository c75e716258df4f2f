"""Blocks as a model calls them."""

import pytest
from mcp import MCPError

from tests.mcp_client import ask, connected, refused


async def write(client, content, stamp=None, block_type="core", **more):
    return await ask(
        client, "update_memory",
        block_type=block_type, content=content, expected_updated_at=stamp, **more,
    )  # fmt: skip


async def test_a_block_is_written_under_compare_and_set(org, api):
    async with connected(org, agent="bot") as client:
        first = await write(client, "tea")
        assert (first["scope"], first["agent_id"], first["version"]) == ("user", None, 1)
        second = await write(client, "green tea", first["updated_at"])
        lost = await refused(
            client, "update_memory",
            block_type="core", content="coffee", expected_updated_at=first["updated_at"],
        )  # fmt: skip
        assert (lost["code"], lost["current"]["content"]) == ("conflict", "green tea")
        over = await refused(
            client, "update_memory",
            block_type="core", content="x" * 4_001, expected_updated_at=second["updated_at"],
        )  # fmt: skip
        assert (over["code"], over["limit"], over["actual"]) == ("limit_exceeded", 4_000, 4_001)
        assert (await ask(client, "read_memory", detail=True))["data"] == [second]
    assert (await api.get("/memory/blocks/core")).json() == second


async def test_the_stamp_must_be_given(org):
    async with connected(org, agent="bot") as client:
        error = await refused(client, "update_memory", block_type="core", content="x")
        assert error["errors"][0]["field"] == "expected_updated_at"


async def test_scope_agent_is_the_agent_that_one_acts_as(org):
    async with connected(org, agent="bot") as client:
        await write(client, "for all")
        own = await write(client, "with bot", scope="agent")
        assert (own["scope"], own["agent_id"]) == ("agent", "bot")
        assert {b["content"] for b in (await ask(client, "read_memory", detail=True))["data"]} == {
            "for all", "with bot",
        }  # fmt: skip
        assert (await ask(client, "read_memory", detail=True, scope="agent"))["data"] == [own]
        found = await ask(client, "read_memory", detail=True, scope="user", block_type="core")
        assert [b["content"] for b in found["data"]] == ["for all"]
        assert (await ask(client, "read_memory", detail=True, block_type="archival"))["data"] == []
    async with connected(org, agent="other") as client:
        assert [b["content"] for b in (await ask(client, "read_memory", detail=True))["data"]] == [
            "for all"
        ]
        assert (await ask(client, "read_memory", detail=True, scope="agent"))["data"] == []


async def test_at_plain_mcp_a_service_key_may_name_another_agent(org):
    async with connected(org) as client:
        block = await write(client, "with bot", agent_id="bot")
        assert block["agent_id"] == "bot"
        assert (await ask(client, "read_memory", detail=True, agent_id="bot"))["data"] == [block]
        assert (await ask(client, "read_memory", detail=True))["data"] == []
        error = await refused(client, "read_memory", detail=True, agent_id="nobody")
        assert error["code"] == "MEM-002"


async def test_the_archive_is_searched_with_the_agents_own_lines(org):
    async with connected(org, agent="bot") as client:
        assert (await ask(client, "recall_memory", detail=True, query="tea"))["data"] == []
        await write(client, "Drinks green tea\nHas two cats", block_type="archival")
        await write(client, "Tea at five with bot", block_type="archival", scope="agent")
        found = await ask(client, "recall_memory", detail=True, query="tea")
        assert {line["content"] for line in found["data"][:2]} == {
            "Drinks green tea", "Tea at five with bot",
        }  # fmt: skip
        assert (
            len((await ask(client, "recall_memory", detail=True, query="tea", limit=1))["data"])
            == 1
        )
        assert (await refused(client, "recall_memory", detail=True, query="tea", limit=51))[
            "code"
        ] == "invalid"
    async with connected(org, agent="other") as client:
        found = await ask(client, "recall_memory", detail=True, query="tea")
        assert found["data"][0]["content"] == "Drinks green tea"
        assert "Tea at five with bot" not in str(found)


async def test_blocks_are_resources(org):
    async with connected(org, agent="bot") as client:
        await write(client, "for all")
        await write(client, "with bot", block_type="archival", scope="agent")
        uris = {each.uri for each in (await client.list_resources()).resources}
        assert {"memory://blocks/user/core", "memory://blocks/agent/archival"} <= uris
        [content] = (await client.read_resource("memory://blocks/agent/archival")).contents
        assert content.text == "with bot"
        with pytest.raises(MCPError, match="no resource"):
            await client.read_resource("memory://blocks/agent/core")


async def test_compact_answers_have_the_stamp_that_update_memory_takes(org):
    async with connected(org, agent="bot") as client:
        made = await write(client, "tea")
        [found] = (await ask(client, "read_memory"))["data"]
        stamp = made["updated_at"]
        assert found == {"id": made["id"], "text": "tea", "when": stamp, "from": "user/core"}
        await write(client, "green tea", found["when"])
        await write(client, "Has a dog called Rex", block_type="archival")
        [line] = (await ask(client, "recall_memory", query="dog"))["data"]
        assert (line["id"], line["text"]) == ("user/archival:1", "Has a dog called Rex")


async def test_one_line_is_edited(org, api):
    async with connected(org, agent="bot", tools=None) as client:
        first = await ask(client, "edit_memory", block_type="core", new_line="Likes tea")
        assert (first["text"], first["from"]) == ("Likes tea", "user/core")
        own = await ask(client, "edit_memory", block_type="core", new_line="Asks", scope="agent")
        assert own["from"] == "agent/core"
        changed = await ask(
            client, "edit_memory", block_type="core", old_line="Likes tea", new_line="Likes coffee"
        )
        assert changed["text"] == "Likes coffee"
        lost = await refused(client, "edit_memory", block_type="core", old_line="Likes tea")
        assert (lost["code"], lost["current"]["content"]) == ("conflict", "Likes coffee")
        gone = await ask(client, "edit_memory", block_type="core", old_line="Likes coffee")
        assert gone["text"] == ""
        assert (await refused(client, "edit_memory", block_type="core"))["code"] == "invalid"
    agents = (await api.get("/memory/blocks/core?agent_id=bot")).json()
    assert agents["content"] == "Asks"
