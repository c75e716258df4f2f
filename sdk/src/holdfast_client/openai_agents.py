"""Sessions of the OpenAI Agents SDK in Holdfast: `pip install 'holdfast-client[openai-agents]'`.

from agents import Agent, Runner
from holdfast_client import AsyncClient
from holdfast_client.openai_agents import HoldfastSession

session = HoldfastSession("chat-1", AsyncClient().scope(user="ana"))
result = await Runner.run(agent, "What tea shall I buy?", session=session)
"""

from typing import TYPE_CHECKING, Any, TypeVar, cast

from agents.memory.session_settings import SessionSettings, coerce_session_settings

from holdfast_client.client import AsyncClient, Client
from holdfast_client.conversations.model import Message
from holdfast_client.flows import Flow
from holdfast_client.histories import RESOURCE, History
from holdfast_client.running import run_on

if TYPE_CHECKING:
    from agents.items import TResponseInputItem

T = TypeVar("T")
FORM = "openai_agents"


class HoldfastSession:
    """The `Session` protocol of the Agents SDK: items of one session, kept as the conversation `sessions/{session_id}`.

    `memory` is a Client, an AsyncClient, or an embedded instance of either; a sync one is called in threads. The messages are
    seen by the user of its scope, and by context and learning like any others. What the resource flushes when its budget of
    tokens is full is not returned.
    """

    session_settings: SessionSettings | None

    def __init__(
        self,
        session_id: str,
        memory: Client | AsyncClient,
        *,
        resource: str = RESOURCE,
        session_settings: SessionSettings | dict[str, Any] | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = coerce_session_settings(session_settings or {})
        self._memory = memory
        self._history = History(
            memory._scope, session_id, FORM, _role_and_text, _from_message, resource
        )

    async def get_items(self, limit: int | None = None) -> "list[TResponseInputItem]":
        """The newest `limit` items (by default the settings' limit, else all), oldest first."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        return cast("list[TResponseInputItem]", await self._run(self._history.read(limit)))

    async def add_items(self, items: "list[TResponseInputItem]") -> None:
        """Add items at the end."""
        await self._run(self._history.append(items))

    async def pop_item(self) -> "TResponseInputItem | None":
        """Remove and return the newest item; None if there is none."""
        return cast("TResponseInputItem | None", await self._run(self._history.pop()))

    async def clear_session(self) -> None:
        """Remove all items."""
        await self._run(self._history.clear())

    async def _run(self, flow: Flow[T]) -> T:
        return await run_on(self._memory, flow)


_ROLES = {
    "function_call": "assistant",
    "function_call_output": "tool",
    "reasoning": "assistant",
    "message": "assistant",
}


def _role_and_text(item: Any) -> tuple[str, str]:
    role = item.get("role") or _ROLES.get(item.get("type", ""), "assistant")
    content = item.get("content", item.get("output", item.get("arguments", "")))
    if isinstance(content, str):
        return role, content
    parts = [part.get("text", "") for part in content or [] if isinstance(part, dict)]
    return role, "\n".join(part for part in parts if isinstance(part, str))


def _from_message(message: Message) -> dict[str, Any]:
    """A message that came another way, as an item."""
    return {"role": message.role, "content": message.content}
