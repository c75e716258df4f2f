"""Memory for Pydantic AI agents: `pip install 'holdfast-client[pydantic-ai]'`.

from pydantic_ai import Agent
from holdfast_client import AsyncClient
from holdfast_client.pydantic_ai import memory_instructions, memory_toolset

memory = AsyncClient().scope(user="ana", agent="tea")
agent = Agent(model, toolsets=[memory_toolset(memory)], instructions=memory_instructions(memory))

`HoldfastConversationStore` keeps conversations: `await store.load(…)` before a run, `await store.save(result)` after it.
"""

from holdfast_client.pydantic_ai.conversations import HoldfastConversationStore
from holdfast_client.pydantic_ai.memory import memory_instructions, memory_toolset

__all__ = ["HoldfastConversationStore", "memory_instructions", "memory_toolset"]
