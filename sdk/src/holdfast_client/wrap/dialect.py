"""What differs between the providers' APIs: how a request is read and extended, and how a reply is read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from holdfast_client.context.model import Context

Said = dict[str, Any]
"""A message as `conversations.append` takes it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a request says: the last user message, the messages since the last reply, and whether it carries earlier ones."""

    text: str
    new: tuple[Said, ...]
    has_history: bool
    turns: int  # user messages in the request


class Reading(Protocol):
    """Collects a streamed reply."""

    def add(self, event: Any) -> None:
        """Take the next event."""

    def said(self) -> list[Said]:
        """The messages that the events so far make."""


class Dialect(Protocol):
    """One API of one provider."""

    def asked(self, request: Mapping[str, Any]) -> Asked:
        """What a request says."""

    def extended(
        self, request: Mapping[str, Any], context: Context, asked: Asked
    ) -> dict[str, Any]:
        """The request with the context in it."""

    def said(self, reply: Any) -> list[Said]:
        """The messages of a whole reply."""

    def reading(self) -> Reading:
        """For a streamed reply."""


@dataclass(slots=True)
class Collected:
    """Text and tool calls of a reply, as they arrive."""

    text: list[str] = field(default_factory=list)
    calls: dict[int, dict[str, Any]] = field(default_factory=dict)

    def call(
        self, index: int, *, id: str | None = None, name: str | None = None, arguments: str = ""
    ) -> None:
        """Take a part of a tool call."""
        known = self.calls.setdefault(index, {"id": None, "name": None, "arguments": ""})
        known["id"] = id or known["id"]
        known["name"] = name or known["name"]
        known["arguments"] += arguments

    def said(self) -> list[Said]:
        """The assistant's message; none if nothing arrived."""
        return assistant("".join(self.text), [tool_call(**call) for call in self.calls.values()])


def assistant(text: str, calls: Sequence[Mapping[str, Any]] = ()) -> list[Said]:
    """The assistant's message as a list of one; empty if it says nothing."""
    if not (text or calls):
        return []
    return [
        {"role": "assistant", "content": text, **({"tool_calls": list(calls)} if calls else {})}
    ]


def tool_call(id: str | None, name: str | None, arguments: str) -> dict[str, Any]:
    """A tool call as it is stored."""
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def text_of(content: Any) -> str:
    """The text of a message's content: a text, or parts of which some are text."""
    if isinstance(content, str):
        return content
    parts = [field_of(part, "text") for part in content or []]
    return "\n".join(part for part in parts if isinstance(part, str))


def since_last_reply(messages: Sequence[Any]) -> tuple[list[Any], bool]:
    """The messages after the assistant's last one, and whether there is one."""
    for at in range(len(messages) - 1, -1, -1):
        if field_of(messages[at], "role") == "assistant":
            return list(messages[at + 1 :]), True
    return list(messages), False


def field_of(part: Any, name: str) -> Any:
    """A field of a dict or of a provider's object; None if it has none."""
    return part.get(name) if isinstance(part, Mapping) else getattr(part, name, None)
