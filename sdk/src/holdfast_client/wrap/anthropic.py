"""Anthropic's messages API."""

import json
from collections.abc import Mapping
from typing import Any

from holdfast_client.context import providers
from holdfast_client.context.model import Context
from holdfast_client.wrap.dialect import (
    Asked,
    Collected,
    Reading,
    Said,
    assistant,
    field_of,
    since_last_reply,
    text_of,
    tool_call,
)


class MessageReading(Collected):
    """A streamed message."""

    def add(self, event: Any) -> None:
        """Take the next event."""
        kind, index = field_of(event, "type"), field_of(event, "index") or 0
        if kind == "content_block_start":
            block = field_of(event, "content_block")
            if field_of(block, "type") == "tool_use":
                self.call(index, id=field_of(block, "id"), name=field_of(block, "name"))
        elif kind == "content_block_delta":
            delta = field_of(event, "delta")
            if field_of(delta, "type") == "text_delta":
                self.text.append(field_of(delta, "text") or "")
            elif field_of(delta, "type") == "input_json_delta":
                self.call(index, arguments=field_of(delta, "partial_json") or "")


class Messages:
    """`messages.create` and `messages.stream`."""

    def asked(self, request: Mapping[str, Any]) -> Asked:
        """The messages after the last reply."""
        messages = list(request.get("messages", []))
        new, has_history = since_last_reply(messages)
        texts = [
            text_of(field_of(each, "content"))
            for each in messages
            if field_of(each, "role") == "user"
        ]
        said = [text for text in texts if text]
        stored = [part for each in new for part in _stored(each)]
        return Asked(said[-1] if said else "", tuple(stored), has_history, turns=len(said))

    def extended(
        self, request: Mapping[str, Any], context: Context, asked: Asked
    ) -> dict[str, Any]:
        """Memory after the request's own system prompt; reminders before the text of the last user message."""
        own = request.get("system") or []
        system = [{"type": "text", "text": own}] if isinstance(own, str) else list(own)
        system += [{"type": "text", "text": text} for text in providers.standing(context)]
        messages: list[dict[str, Any]] = []
        if not asked.has_history:
            for each in context.messages:
                if each.role != "system":
                    providers.join(messages, providers.anthropic_message(each))
        for each in request.get("messages", []):
            providers.join(messages, _blocks(each))
        reminders = providers.for_this_turn(context)
        if reminders:
            providers.insert_before_last_text(messages, reminders)
        changed = {**request, "messages": messages}
        return {**changed, "system": system} if system else changed

    def said(self, reply: Any) -> list[Said]:
        """The text and tool calls of a message."""
        content = field_of(reply, "content") or []
        calls = [
            tool_call(
                field_of(part, "id"), field_of(part, "name"), json.dumps(field_of(part, "input"))
            )
            for part in content
            if field_of(part, "type") == "tool_use"
        ]
        return assistant(text_of(content), calls)

    def reading(self) -> Reading:
        """For `stream=True`."""
        return MessageReading()


def _blocks(message: Any) -> dict[str, Any]:
    content = field_of(message, "content")
    blocks = (
        [{"type": "text", "text": content}] if isinstance(content, str) else list(content or [])
    )
    return {"role": field_of(message, "role"), "content": blocks}


def _stored(message: Any) -> list[Said]:
    """A user message as it is stored: the results of tools apart, each with the id of its call."""
    content = field_of(message, "content")
    parts = [] if isinstance(content, str) else list(content or [])
    results = [
        {
            "role": "tool",
            "content": text_of(field_of(part, "content")),
            "tool_call_id": field_of(part, "tool_use_id"),
        }
        for part in parts
        if field_of(part, "type") == "tool_result"
    ]
    text = text_of(content)
    return [*results, *([{"role": "user", "content": text}] if text else [])]
