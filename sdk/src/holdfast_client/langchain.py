"""Chat histories of LangChain in Holdfast: `pip install 'holdfast-client[langchain]'`.

from langchain_core.runnables.history import RunnableWithMessageHistory
from holdfast_client import Client
from holdfast_client.langchain import HoldfastChatMessageHistory

memory = Client().scope(user="ana")
chain = RunnableWithMessageHistory(model, lambda session: HoldfastChatMessageHistory(session, memory))
"""

import asyncio
from collections.abc import Sequence
from typing import Any, TypeVar

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    message_to_dict,
    messages_from_dict,
)

from holdfast_client.client import AsyncClient, Client
from holdfast_client.conversations.model import Message
from holdfast_client.flows import Flow, run
from holdfast_client.histories import RESOURCE, History
from holdfast_client.running import run_on

T = TypeVar("T")
FORM = "langchain"
_ROLES = {
    "human": "user",
    "ai": "assistant",
    "AIMessageChunk": "assistant",
    "system": "system",
    "tool": "tool",
}


class HoldfastChatMessageHistory(BaseChatMessageHistory):
    """The messages of one session, kept as the conversation `sessions/{session_id}` of the user of `memory`.

    With an AsyncClient only the async methods work. What the resource flushes when its budget of tokens is full is not
    returned.
    """

    def __init__(
        self, session_id: str, memory: Client | AsyncClient, *, resource: str = RESOURCE
    ) -> None:
        self._memory = memory
        self._history = History(
            memory._scope, session_id, FORM, _role_and_text, _from_message, resource
        )

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]  # LangChain declares an attribute
        """All messages, oldest first."""
        return messages_from_dict(self._run(self._history.read()))

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Add messages at the end."""
        self._run(self._history.append([message_to_dict(each) for each in messages]))

    def clear(self) -> None:
        """Remove all messages."""
        self._run(self._history.clear())

    async def aget_messages(self) -> list[BaseMessage]:
        """As `messages`, awaited."""
        return messages_from_dict(await self._run_async(self._history.read()))

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """As `add_messages`, awaited."""
        await self._run_async(self._history.append([message_to_dict(each) for each in messages]))

    async def aclear(self) -> None:
        """As `clear`, awaited."""
        await self._run_async(self._history.clear())

    def _run(self, flow: Flow[T]) -> T:
        if isinstance(self._memory, Client):
            return run(flow, self._memory.send)
        raise asyncio.InvalidStateError(
            "this history has an AsyncClient: use aget_messages, aadd_messages, aclear"
        )

    async def _run_async(self, flow: Flow[T]) -> T:
        return await run_on(self._memory, flow)


def _role_and_text(item: Any) -> tuple[str, str]:
    content = item["data"].get("content", "")
    if not isinstance(content, str):
        parts = [part if isinstance(part, str) else part.get("text", "") for part in content]
        content = "\n".join(part for part in parts if part)
    return _ROLES.get(item["type"], "system"), content


def _from_message(message: Message) -> dict[str, Any]:
    """A message that came another way, as LangChain writes it."""
    kinds: dict[str, BaseMessage] = {
        "user": HumanMessage(message.content),
        "assistant": AIMessage(message.content),
        "system": SystemMessage(message.content),
    }
    return message_to_dict(
        kinds.get(message.role)
        or ToolMessage(message.content, tool_call_id=message.tool_call_id or "")
    )
