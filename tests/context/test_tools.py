"""Context as a model calls it."""

from tests.mcp_client import ask, connected


async def test_a_turn_gets_the_user_the_archive_and_the_agents_facts(org):
    async with connected(org, agent="bot") as client:
        empty = await ask(client, "context", message="What should I drink?", detail=True)
        assert (empty["user_memory"]["content"], empty["entries"]) == ("", [])
        for block_type, content in (("core", "Is called Ana"), ("archival", "Drinks green tea")):
            await ask(
                client, "update_memory",
                block_type=block_type, content=content, expected_updated_at=None,
            )  # fmt: skip
        await ask(client, "memory_store", key="tone", content="short answers")

        found = await ask(client, "context", message="Should it be tea?", detail=True)
        assert "Is called Ana" in found["user_memory"]["content"]
        assert [each["content"] for each in found["system_reminders"]] == ["Drinks green tea"]
        assert [each["content"] for each in found["entries"]] == ["short answers"]

        small = await ask(client, "context", message="Should it be tea?", max_tokens=1, detail=True)
        assert small["tokens"]["total"] <= 1
        assert small["dropped"] != []

        said = (await client.call_tool("context", {"message": "Should it be tea?"})).content[0].text
        assert said == (
            "<user_memory>\n<user_core>\nIs called Ana\n</user_core>\n</user_memory>\n"
            '<agent_entries>\n<agent_entry key="tone">\nshort answers\n</agent_entry>\n</agent_entries>\n'
            "<system_reminder>\nDrinks green tea\n</system_reminder>"
        )
