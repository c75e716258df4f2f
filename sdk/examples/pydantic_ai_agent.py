"""A Pydantic AI agent with memory tools, memory in its instructions, and a conversation that is kept. Needs HOLDFAST_URL and
HOLDFAST_API_KEY.

The model answers from a script, so that this runs without a network; use a real one by its name: `Agent("anthropic:…")`.
"""

import asyncio

from pydantic_ai import Agent, ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.conversation import Conversation
from pydantic_ai.models.function import AgentInfo, FunctionModel

from holdfast_client import AsyncClient
from holdfast_client.pydantic_ai import (
    HoldfastConversationStore,
    memory_instructions,
    memory_toolset,
)


def scripted(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Remembers what it is told, and answers a question from its instructions."""
    last = messages[-1].parts[-1]
    if last.part_kind == "tool-return":
        return ModelResponse([TextPart("Noted.")])
    if last.content.endswith("?"):
        known = "green" if "tea green" in (info.instructions or "") else "unknown to me"
        return ModelResponse([TextPart(f"Your tea: {known}.")])
    return ModelResponse([ToolCallPart("remember", {"text": last.content, "key": "tea"})])


async def main() -> None:
    async with AsyncClient() as client:
        memory = client.scope(user="ana", agent="tea")
        store = HoldfastConversationStore(memory)
        agent = Agent(
            FunctionModel(scripted),
            toolsets=[memory_toolset(memory)],
            instructions=memory_instructions(memory),
        )

        result = await agent.run(
            "I take my tea green.", conversation=Conversation(conversation_id="monday")
        )
        await store.save(result, scope="ana")
        assert (await memory.recall("tea", limit=1)).data[0].text == "I take my tea green."

        # Another day: a new conversation knows it from memory, the old one can be continued.
        answer = await agent.run("How do I take my tea?")
        print(answer.output)
        assert answer.output == "Your tea: green."
        monday = await store.load("monday", scope="ana")
        assert [message.kind for message in monday.messages] == ["request", "response"] * 2


asyncio.run(main())
