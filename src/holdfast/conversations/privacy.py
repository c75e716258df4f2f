"""What is redacted, and what is never kept: before anything is written, counted, indexed or sent to a model.

Patterns run on RE2, whose time is linear in the text whatever the pattern.
"""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from holdfast.conversations.model import COMPACTION
from holdfast.kernel.patterns import MAX_PATTERN_CHARS, MAX_PATTERNS, compile_pattern

__all__ = [
    "MAX_PATTERNS",
    "MAX_PATTERN_CHARS",
    "RedactionFailed",
    "Redactor",
    "compile_pattern",
    "redact_all",
    "redact_message",
]

# Past this much text a thread does it.
_MAX_CHARS_ON_THE_LOOP = 16_384


class RedactionFailed(Exception):
    """The message cannot be made fit to keep."""


@dataclass(frozen=True, slots=True)
class Redactor:
    """The patterns of a policy, compiled."""

    patterns: tuple[Any, ...]
    replacement: str

    def text(self, text: str) -> str:
        """The text without anything that a pattern matches."""
        for pattern in self.patterns:
            text = pattern.sub(lambda _: self.replacement, text)
        return text

    def value(self, value: Any) -> Any:
        """A JSON value with every string in it redacted, names of fields too."""
        match value:
            case str():
                return self.text(value)
            case dict():
                return {self.text(name): self.value(each) for name, each in value.items()}
            case list():
                return [self.value(each) for each in value]
            case int() | float() if not isinstance(value, bool):
                # A number can be what a pattern looks for: it is text once it is written down.
                return value if self.text(str(value)) == str(value) else self.text(str(value))
            case _:
                return value

    def tool_call(self, call: Any) -> Any:
        """A tool call: its arguments also where they are JSON inside a string; its id stays, the result refers to it."""
        match call:
            case dict():
                return {
                    name: each if name == "id" else self.tool_call(each)
                    for name, each in call.items()
                }
            case list():
                return [self.tool_call(each) for each in call]
            case str():
                return self._maybe_json(call)
            case _:
                return self.value(call)

    def _maybe_json(self, text: str) -> str:
        """Escapes inside JSON can hide what a pattern looks for, so the strings are read as what they say."""
        redacted = self.text(text)
        if not redacted.lstrip().startswith(("{", "[", '"')):
            return redacted
        try:
            parsed = json.loads(redacted)
        except (ValueError, RecursionError):
            return redacted
        inside = self.value(parsed)
        return redacted if inside == parsed else json.dumps(inside, ensure_ascii=False)

    def covers(self, text: str) -> bool:
        """Whether some pattern matches in it."""
        return any(pattern.search(text) is not None for pattern in self.patterns)


def redact_message(redactor: Redactor, message: dict[str, Any]) -> dict[str, Any]:
    """The message (as fields) redacted; RedactionFailed when its ids or its type hold what may not be kept."""
    if message.get("type") == COMPACTION:
        if redactor.value(message) != message:
            raise RedactionFailed(
                "a redaction pattern matches in this compaction item, which must stay as it is"
            )
        return message
    redacted = dict(message)
    redacted["content"] = redactor.text(message["content"])
    if message.get("name") is not None:
        redacted["name"] = redactor.text(message["name"])
    if message.get("tool_calls") is not None:
        redacted["tool_calls"] = redactor.tool_call(message["tool_calls"])
    redacted["metadata"] = redactor.value(message.get("metadata") or {})
    names = [message.get("id"), message.get("tool_call_id"), *_call_ids(message.get("tool_calls"))]
    if message.get("type") != "message":  # that word is ours, and tells nothing
        names.append(message.get("type"))
    if any(isinstance(each, str) and redactor.covers(each) for each in names):
        raise RedactionFailed(
            "a redaction pattern matches one of its ids or its type, which must stay as they are"
        )
    return redacted


async def redact_all(
    redactor: Redactor, messages: Sequence[dict[str, Any]]
) -> list[dict[str, Any] | RedactionFailed]:
    """Each message redacted, or why it could not be; off the event loop where there is much to read."""

    def one(message: dict[str, Any]) -> dict[str, Any] | RedactionFailed:
        try:
            return redact_message(redactor, message)
        except RedactionFailed as failure:
            return failure
        except Exception as failure:  # whatever it was, the message must not be kept unredacted
            return RedactionFailed(f"redaction failed ({type(failure).__name__})")

    if not redactor.patterns:
        return list(messages)
    if sum(len(message["content"]) for message in messages) <= _MAX_CHARS_ON_THE_LOOP:
        return [one(message) for message in messages]
    return [await asyncio.to_thread(one, message) for message in messages]


def _call_ids(tool_calls: Any) -> list[Any]:
    if not isinstance(tool_calls, list):
        return []
    return [call.get("id") for call in tool_calls if isinstance(call, dict)]
