"""A context in the words of a provider. Nothing of theirs is imported: these are plain lists and dicts."""

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holdfast_client.context.model import Context, ContextMessage

Message = dict[str, Any]

_ours = re.compile(r"<(?=/?(?:agent_entries|system_reminder)(?:[\s/>]|\Z))", re.IGNORECASE)


def openai(context: "Context", message: str | None) -> list[Message]:
    """Messages for OpenAI's chat API."""
    standing = [_said("system", text) for text in _standing(context)]
    talk = [_openai_message(each) for each in context.messages]
    if message is not None:
        talk.append(_said("user", message))
    reminders = _reminders(context)
    if reminders:
        at = len(talk) - 1 if talk and talk[-1]["role"] == "user" else len(talk)
        talk.insert(at, _said("system", reminders))
    return standing + talk


def anthropic(context: "Context", message: str | None) -> Message:
    """`system` and `messages` for Anthropic's API, which keeps them apart."""
    system: list[Message] = []
    for text in _standing(context):
        system.append({"type": "text", "text": text})
        if text == context.user_memory.content:
            system[-1]["cache_control"] = {"type": "ephemeral"}
    system += [_text(each.content) for each in context.messages if each.role == "system"]
    reminders = _reminders(context)
    if reminders:
        system.append(_text(reminders))
    messages: list[Message] = []
    for each in context.messages:
        if each.role != "system":
            _append(messages, _anthropic_message(each))
    if message is not None:
        _append(messages, {"role": "user", "content": [_text(message)]})
    return {"system": system, "messages": messages}


def _standing(context: "Context") -> list[str]:
    """What changes seldom: user memory, then the agent's entries."""
    lines = [f"{each.key}: {_quiet(each.content)}" for each in context.entries]
    entries = "\n".join(["<agent_entries>", *lines, "</agent_entries>"]) if lines else ""
    return [text for text in (context.user_memory.content, entries) if text]


def _reminders(context: "Context") -> str:
    lines = [_quiet(each.content) for each in context.system_reminders]
    return "\n".join(["<system_reminder>", *lines, "</system_reminder>"]) if lines else ""


def _quiet(text: str) -> str:
    """A text that opens and closes none of these tags."""
    return _ours.sub("&lt;", text)


def _said(role: str, content: str) -> Message:
    return {"role": role, "content": content}


def _openai_message(each: "ContextMessage") -> Message:
    sent = _said(each.role, each.content)
    for name in ("name", "tool_calls", "tool_call_id"):
        value = getattr(each, name)
        if value is not None:
            sent[name] = value
    return sent


def _text(text: str) -> Message:
    return {"type": "text", "text": text}


def _anthropic_message(each: "ContextMessage") -> Message:
    if each.role == "tool":
        result = {"type": "tool_result", "tool_use_id": each.tool_call_id, "content": each.content}
        return {"role": "user", "content": [result]}
    content = [_text(each.content)] if each.content else []
    return {"role": each.role, "content": content + [_tool_use(c) for c in each.tool_calls or []]}


def _tool_use(call: dict[str, Any]) -> Message:
    """A tool call as OpenAI writes it, with its arguments as text, or as a plain object already."""
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


def _append(messages: list[Message], message: Message) -> None:
    """Anthropic's roles take turns: what one of them goes on saying joins its last message."""
    if messages and messages[-1]["role"] == message["role"]:
        messages[-1]["content"] += message["content"]
    else:
        messages.append(message)
