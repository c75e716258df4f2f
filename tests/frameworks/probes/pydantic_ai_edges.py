"""HoldfastConversationStore at its edges: conflicts, forks, branches, scopes, deletion; and the toolset's errors."""

import asyncio

import pytest
from pydantic_ai import Agent, BinaryContent
from pydantic_ai.conversation import Conversation
from pydantic_ai.conversation_store import ConversationConflict
from pydantic_ai.models.test import TestModel

from holdfast_client import AsyncClient, Client
from holdfast_client.errors import ConnectionFailed
from holdfast_client.pydantic_ai import (
    HoldfastConversationStore,
    memory_instructions,
    memory_toolset,
)

agent = Agent(TestModel(custom_output_text="Noted."))


async def turn(store, name: str, text: str, **options):
    conversation = await store.load(name, **options) or Conversation(conversation_id=name)
    result = await agent.run(text, conversation=conversation)
    await store.save(result, **options)
    return result.conversation


def said(conversation) -> list[str]:
    return [part.content for message in conversation.messages for part in message.parts]


async def check(client) -> None:
    store = HoldfastConversationStore(client)
    assert await store.load("a/b ü.") is None
    await turn(store, "a/b ü.", "one", scope="ana")
    await turn(store, "a/b ü.", "two", scope="ana")
    again = HoldfastConversationStore(client)  # another process
    loaded = await again.load("a/b ü.", scope="ana")
    assert said(loaded) == ["one", "Noted.", "two", "Noted."]
    assert said(await again.load("a/b ü.", limit=2)) == ["two", "Noted."]
    assert loaded.usage.requests == 2
    assert await again.load("a/b ü.", scope="bob") is None

    # Two writers: the second is told, and nothing of its own stays.
    mine, theirs = await store.load("a/b ü."), await store.load("a/b ü.")
    await store.save(await agent.run("three", conversation=mine))
    with pytest.raises(ConversationConflict):
        await store.save(await agent.run("lost", conversation=theirs))
    with pytest.raises(ConversationConflict):
        await store.save(Conversation(conversation_id="a/b ü."))
    assert said(await store.load("a/b ü."))[-2:] == ["three", "Noted."]

    # A fork shares the history; deleting its source keeps what the fork needs, and only that.
    entries = await store.load_entries("a/b ü.")
    fork = await store.fork("a/b ü.", at=2)
    assert said(fork) == ["one", "Noted."]
    newest = [record.conversation_id for record in await store.list_conversations()]
    assert newest == [fork.conversation_id, "a/b ü."]
    assert [each.conversation_id for each in await store.list_conversations(limit=1)] == newest[:1]
    assert [each.conversation_id for each in await store.list_conversations(scope="bob")] == []
    await store.delete("a/b ü.", scope="bob")
    assert await store.load("a/b ü.") is not None
    await store.delete("a/b ü.", scope="ana")
    assert await store.load("a/b ü.") is None
    assert said(await store.load(fork.conversation_id)) == ["one", "Noted."]
    assert (await store.read_entry(entries[1].id)).message == entries[1].message
    for entry in entries[2:]:
        with pytest.raises(LookupError):
            await store.read_entry(entry.id)
    await store.delete("nothing")

    # Messages with bytes come back as they were; recall does not find raw messages.
    picture = BinaryContent(b"\x00\xff" * 100, media_type="image/png")
    kept = Conversation(conversation_id="picture")
    await store.save(await agent.run(["look at the zebra", picture], conversation=kept))
    [prompt, data] = said(await store.load("picture"))[0]
    assert (prompt, data.data) == ("look at the zebra", picture.data)
    recall = client.recall("zebra")
    found = await recall if asyncio.iscoroutine(recall) else recall
    assert [hit.text for hit in found.data if "zebra" in hit.text] == []


async def check_tools(memory) -> None:
    model = TestModel(call_tools=["recall", "forget"])
    result = await Agent(model, toolsets=[memory_toolset(memory)]).run("hello")
    returned = [
        part.content
        for message in result.all_messages()
        for part in message.parts
        if part.part_kind == "tool-return"
    ]
    assert returned[0] == "[]"
    assert "give an id or a query" in returned[1]
    tools = model.last_model_request_parameters.function_tools
    assert sorted(tool.name for tool in tools) == ["context", "forget", "recall", "remember"]
    named = TestModel()
    await Agent(named, toolsets=[memory_toolset(memory, "recall")]).run("hello")
    assert [t.name for t in named.last_model_request_parameters.function_tools] == ["recall"]
    with pytest.raises(KeyError):
        memory_toolset(memory, "erase")


async def check_unreachable() -> None:
    """The run goes on without memory, unless it is strict."""
    gone = AsyncClient("http://127.0.0.1:9", "hf_test_x", max_retries=0)
    assert (
        await Agent(TestModel(custom_output_text="hi"), instructions=memory_instructions(gone)).run(
            "x"
        )
    ).output == "hi"
    strict = Agent(TestModel(), instructions=memory_instructions(gone, strict=True))
    with pytest.raises(ConnectionFailed):
        await strict.run("x")
    await gone.close()


async def main() -> None:
    with Client() as client:
        await check(client)
    async with AsyncClient() as client:
        await check_tools(client.scope(user="carl"))
    await check_unreachable()


asyncio.run(main())
print("ok")
