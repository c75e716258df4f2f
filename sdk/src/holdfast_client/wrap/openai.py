"""OpenAI's two APIs: chat completions and responses."""

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


class ChatReading(Collected):
    """A streamed chat completion."""

    def add(self, event: Any) -> None:
        """Take the next chunk."""
        for choice in (field_of(event, "choices") or [])[:1]:
            delta = field_of(choice, "delta")
            self.text.append(field_of(delta, "content") or "")
            for part in field_of(delta, "tool_calls") or []:
                function = field_of(part, "function")
                self.call(
                    field_of(part, "index") or 0,
                    id=field_of(part, "id"),
                    name=field_of(function, "name"),
                    arguments=field_of(function, "arguments") or "",
                )


class ChatCompletions:
    """`chat.completions.create`."""

    def asked(self, request: Mapping[str, Any]) -> Asked:
        """The messages after the last reply; those of the system are not stored."""
        messages = list(request.get("messages", []))
        new, has_history = since_last_reply(messages)
        users = [each for each in messages if field_of(each, "role") == "user"]
        return Asked(
            text=text_of(field_of(users[-1], "content")) if users else "",
            new=tuple(_stored(each) for each in new if field_of(each, "role") in ("user", "tool")),
            has_history=has_history,
            turns=len(users),
        )

    def extended(
        self, request: Mapping[str, Any], context: Context, asked: Asked
    ) -> dict[str, Any]:
        """Memory after the system's own messages; reminders in the last user message."""
        messages = [_plain(each) for each in request.get("messages", [])]
        leading = 0
        while leading < len(messages) and messages[leading].get("role") in ("system", "developer"):
            leading += 1
        added = [{"role": "system", "content": text} for text in providers.standing(context)]
        if not asked.has_history:
            added += [providers.openai_message(each) for each in context.messages]
        rest = _reminded(messages[leading:], providers.for_this_turn(context))
        return {**request, "messages": [*messages[:leading], *added, *rest]}

    def said(self, reply: Any) -> list[Said]:
        """The first choice."""
        choices = field_of(reply, "choices") or []
        if not choices:
            return []
        message = field_of(choices[0], "message")
        calls = []
        for call in field_of(message, "tool_calls") or []:
            function = field_of(call, "function")
            name, arguments = field_of(function, "name"), field_of(function, "arguments")
            calls.append(tool_call(field_of(call, "id"), name, arguments or ""))
        return assistant(field_of(message, "content") or "", calls)

    def reading(self) -> Reading:
        """For `stream=True`."""
        return ChatReading()


class ResponsesReading(Collected):
    """A streamed response."""

    def add(self, event: Any) -> None:
        """Take the next event."""
        kind = field_of(event, "type")
        if kind == "response.output_text.delta":
            self.text.append(field_of(event, "delta") or "")
        elif kind == "response.output_item.done":
            item = field_of(event, "item")
            if field_of(item, "type") == "function_call":
                self.call(len(self.calls), **_call_of(item))


class Responses:
    """`responses.create`: memory goes into `instructions`."""

    def asked(self, request: Mapping[str, Any]) -> Asked:
        """The input: a text, or a list of messages and results of tools."""
        given = request.get("input", "")
        items = [{"role": "user", "content": given}] if isinstance(given, str) else list(given)
        new, has_history = since_last_reply(items)
        users = [each for each in items if field_of(each, "role") == "user"]
        stored = [_stored_input(each) for each in new]
        return Asked(
            text=text_of(field_of(users[-1], "content")) if users else "",
            new=tuple(each for each in stored if each is not None),
            has_history=has_history or bool(request.get("previous_response_id")),
            turns=len(users),
        )

    def extended(
        self, request: Mapping[str, Any], context: Context, asked: Asked
    ) -> dict[str, Any]:
        """The request with memory in its instructions."""
        parts = [request.get("instructions"), *providers.standing(context)]
        parts.append(providers.for_this_turn(context))
        given = request.get("input", "")
        changed = {**request, "instructions": "\n\n".join(part for part in parts if part)}
        if context.messages and not asked.has_history:
            items = [{"role": "user", "content": given}] if isinstance(given, str) else list(given)
            before = [
                {"role": each.role, "content": each.content}
                for each in context.messages
                if each.role in ("user", "assistant") and each.content
            ]
            changed["input"] = [*before, *items]
        return changed

    def said(self, reply: Any) -> list[Said]:
        """The texts and function calls of the output."""
        output = field_of(reply, "output") or []
        texts = [
            text_of(field_of(item, "content"))
            for item in output
            if field_of(item, "type") == "message"
        ]
        calls = [
            tool_call(**_call_of(item))
            for item in output
            if field_of(item, "type") == "function_call"
        ]
        return assistant("\n".join(texts), calls)

    def reading(self) -> Reading:
        """For `stream=True`."""
        return ResponsesReading()


def _call_of(item: Any) -> dict[str, Any]:
    return {
        "id": field_of(item, "call_id"),
        "name": field_of(item, "name"),
        "arguments": field_of(item, "arguments") or "",
    }


def _stored(message: Any) -> Said:
    stored = {"role": field_of(message, "role"), "content": text_of(field_of(message, "content"))}
    call_id = field_of(message, "tool_call_id")
    return {**stored, "tool_call_id": call_id} if call_id else stored


def _stored_input(item: Any) -> Said | None:
    if field_of(item, "type") == "function_call_output":
        output = field_of(item, "output")
        return {
            "role": "tool",
            "content": text_of(output),
            "tool_call_id": field_of(item, "call_id"),
        }
    if field_of(item, "role") == "user":
        return {"role": "user", "content": text_of(field_of(item, "content"))}
    return None


def _plain(message: Any) -> dict[str, Any]:
    """A message as a dict: OpenAI's own reply objects may be sent back to it."""
    if isinstance(message, Mapping):
        return dict(message)
    dumped: dict[str, Any] = message.model_dump(exclude_none=True)
    return dumped


def _reminded(messages: list[dict[str, Any]], reminders: str) -> list[dict[str, Any]]:
    """The messages with the reminders before the text of the last user message."""
    at = next(
        (i for i in range(len(messages) - 1, -1, -1) if messages[i].get("role") == "user"), None
    )
    if not reminders or at is None:
        return messages
    content = messages[at].get("content")
    if isinstance(content, str):
        content = f"{reminders}\n\n{content}"
    else:
        content = [{"type": "text", "text": reminders}, *(content or [])]
    return [*messages[:at], {**messages[at], "content": content}, *messages[at + 1 :]]
