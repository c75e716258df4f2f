"""Chat histories of frameworks, with their real packages."""

import asyncio

import pytest

pytest.importorskip("agents", reason="openai-agents is not installed")
pytest.importorskip("langchain_core", reason="langchain-core is not installed")

from agents import Agent, Runner
from agents.memory.session import Session
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from holdfast_client import NotFound
from holdfast_client.langchain import HoldfastChatMessageHistory
from holdfast_client.openai_agents import HoldfastSession

ITEMS = [
    {"role": "user", "content": "What tea? 🍵 'quoted'"},
    {"type": "reasoning", "id": "rs_1", "summary": []},
    {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": '{"at": "Porto"}'},
    {"type": "function_call_output", "call_id": "c1", "output": "rain"},
    {"type": "message", "role": "assistant", "id": "m1", "status": "completed",
     "content": [{"type": "output_text", "text": "Mint.", "annotations": []}]},
]  # fmt: skip


@pytest.mark.parametrize("kind", ["sync", "awaited"])
async def test_session_of_the_agents_sdk(both, kind) -> None:
    memory = getattr(both.scope(user="ana"), kind)
    session = HoldfastSession("chat-1", memory)
    assert isinstance(session, Session)
    assert await session.get_items() == []
    assert await session.pop_item() is None
    await session.add_items(ITEMS)
    assert await session.get_items() == ITEMS  # as they were given
    assert await session.get_items(2) == ITEMS[-2:]
    assert await session.get_items(0) == []
    assert await session.pop_item() == ITEMS[-1]
    assert await session.get_items() == ITEMS[:-1]

    other = HoldfastSession("'; DROP TABLE x; --", memory)
    await other.add_items([{"role": "user", "content": "hi"}])
    assert await HoldfastSession("chat-2", memory).get_items() == []
    await session.clear_session()
    assert await session.get_items() == []
    assert len(await other.get_items()) == 1
    many = [{"role": "user", "content": str(number)} for number in range(230)]
    await session.add_items(many)
    assert await session.get_items() == many
    # Another user does not see them.
    stranger = getattr(both.scope(user="bob"), kind)
    with pytest.raises(NotFound):
        await HoldfastSession("chat-1", stranger).get_items()


async def test_writers_of_one_session(both) -> None:
    sessions = [HoldfastSession("s", both.awaited) for _ in range(4)]
    await asyncio.gather(
        *(
            session.add_items([{"role": "user", "content": f"{n}"}])
            for n, session in enumerate(sessions * 3)
        )
    )
    assert len(await sessions[0].get_items()) == 12


async def test_settings_as_a_dictionary(both) -> None:
    """As the SDK's own sessions take them: normalised, and a misspelt one is refused."""
    memory = both.awaited.scope(user="ana")
    session = HoldfastSession("limited", memory, session_settings={"limit": 1})
    await session.add_items([{"role": "user", "content": text} for text in ("one", "two")])
    assert [item["content"] for item in await session.get_items()] == ["two"]
    assert session.session_settings.resolve({"limit": 4}).limit == 4
    with pytest.raises(TypeError, match="limitt"):
        HoldfastSession("wrong", memory, session_settings={"limitt": 1})


async def test_an_agent_remembers_its_session(both) -> None:
    testing = pytest.importorskip("agents.testing", reason="this version has no scripted model")
    memory = both.scope(user="ana").sync
    said = testing.assistant_message
    model = testing.ScriptedModel([[said("Hello Ana.")], [said("You are Ana.")]])
    agent = Agent(name="bot", model=model)
    session = HoldfastSession("run-1", memory)
    first = await Runner.run(agent, "I am Ana", session=session)
    second = await Runner.run(agent, "Who am I?", session=session)
    assert (first.final_output, second.final_output) == ("Hello Ana.", "You are Ana.")
    kept = memory.conversations.read("sessions", key="run-1").data
    assert [(each.role, each.content) for each in kept] == [
        ("user", "I am Ana"), ("assistant", "Hello Ana."), ("user", "Who am I?"), ("assistant", "You are Ana."),
    ]  # fmt: skip


async def test_chat_history_of_langchain(both) -> None:
    ana = both.scope(user="ana")
    history = HoldfastChatMessageHistory("chat-1", ana.sync)
    said = [
        SystemMessage("Be kind."),
        HumanMessage([{"type": "text", "text": "What tea?"}]),
        AIMessage("", tool_calls=[{"name": "weather", "args": {"at": "Porto"}, "id": "c1"}]),
        ToolMessage("rain", tool_call_id="c1"),
        AIMessage("Mint.", additional_kwargs={"x": 1}),
    ]
    history.add_messages(said)
    assert history.messages == said
    awaited = HoldfastChatMessageHistory("chat-1", ana.awaited)
    await awaited.aadd_messages([HumanMessage("and later?")])
    assert await awaited.aget_messages() == [*said, HumanMessage("and later?")]
    with pytest.raises(asyncio.InvalidStateError):
        _ = awaited.messages
    ana.sync.conversations.append("sessions", "from elsewhere", key="chat-1")
    assert history.messages[-1] == HumanMessage("from elsewhere")
    history.clear()
    assert history.messages == []
