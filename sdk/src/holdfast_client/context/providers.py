"""Converts a context to messages for a provider, as plain lists and dicts; no provider's package is imported.

Every stored text goes through `rendering.escape`, so that none can imitate a tag of the prompt.
"""

import json
from typing import TYPE_CHECKING, Any

from holdfast_client.context import rendering
from holdfast_client.context.rendering import escape

if TYPE_CHECKING:
    from holdfast_client.context.model import Context, ContextMessage

Message = dict[str, Any]


def openai(context: "Context", message: str | None) -> list[Message]:
    """Messages for OpenAI's chat API."""
    first = [_said("system", text) for text in standing(context)]
    talk = [openai_message(each) for each in context.messages]
    if message is not None:
        talk.append(_said("user", escape(message)))
    found = for_this_turn(context)
    if found and talk and talk[-1]["role"] == "user":
        talk[-1] = {**talk[-1], "content": f"{found}\n\n{talk[-1]['content']}"}
    elif found:
        talk.append(_said("user", found))
    return first + talk


def anthropic(context: "Context", message: str | None) -> Message:
    """`system` and `messages` for Anthropic's API, which keeps them apart."""
    system: list[Message] = []
    for text in standing(context):
        system.append(_text(text))
        if text == context.user_memory.content:
            system[-1]["cache_control"] = {"type": "ephemeral"}
    system += [_text(escape(each.content)) for each in context.messages if each.role == "system"]
    messages: list[Message] = []
    for each in context.messages:
        if each.role != "system":
            join(messages, anthropic_message(each))
    if message is not None:
        join(messages, {"role": "user", "content": [_text(escape(message))]})
    if len(messages) > 1 and messages[-2]["content"]:  # the next turn's prompt begins with the same
        messages[-2]["content"][-1]["cache_control"] = {"type": "ephemeral"}
    found = for_this_turn(context)
    if found:
        insert_before_last_text(messages, found)
    return {"system": system, "messages": messages}


def insert_before_last_text(messages: list[Message], found: str) -> None:
    """Insert into the last user message before its text, after tool results: the API requires those first."""
    if not messages or messages[-1]["role"] != "user":
        messages.append({"role": "user", "content": [_text(found)]})
        return
    content = messages[-1]["content"]
    at = len(content) - 1 if content[-1]["type"] == "text" else len(content)
    content.insert(at, _text(found))


def standing(context: "Context") -> list[str]:
    """The parts that change least: user memory, then the agent's entries."""
    entries = rendering.entries((each.key, each.content) for each in context.entries)
    return [text for text in (context.user_memory.content, entries) if text]


def for_this_turn(context: "Context") -> str:
    """Reminders and recalled texts, which change from turn to turn."""
    reminders = rendering.reminders(each.content for each in context.system_reminders)
    recalled = rendering.recalled((each.text, each.when) for each in context.recalled)
    return "\n".join(text for text in (reminders, recalled) if text)


def _said(role: str, content: str) -> Message:
    return {"role": role, "content": content}


def openai_message(each: "ContextMessage") -> Message:
    """A stored message for OpenAI."""
    sent = _said(each.role, escape(each.content))
    for name in ("name", "tool_calls", "tool_call_id"):
        value = getattr(each, name)
        if value is not None:
            sent[name] = value
    return sent


def _text(text: str) -> Message:
    return {"type": "text", "text": text}


def anthropic_message(each: "ContextMessage") -> Message:
    """A stored message for Anthropic."""
    if each.role == "tool":
        result = {
            "type": "tool_result",
            "tool_use_id": each.tool_call_id,
            "content": escape(each.content),
        }
        return {"role": "user", "content": [result]}
    content = [_text(escape(each.content))] if each.content else []
    return {"role": each.role, "content": content + [_tool_use(c) for c in each.tool_calls or []]}


def _tool_use(call: dict[str, Any]) -> Message:
    """A tool call in Anthropic's format, from OpenAI's format or from an object that already has it."""
    function = call.get("function", call)
    arguments = function.get("arguments", function.get("input", {}))
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}")
        except ValueError:
            arguments = {"arguments": arguments}
    return {
        "type": "tool_use",
        "id": call.get("id"),
        "name": function.get("name"),
        "input": arguments,
    }


def join(messages: list[Message], message: Message) -> None:
    """Add a message; Anthropic's roles must alternate, so it is joined to the last one of the same role."""
    if messages and messages[-1]["role"] == message["role"]:
        messages[-1]["content"] += message["content"]
    else:
        messages.append(message)
