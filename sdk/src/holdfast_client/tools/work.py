"""What each tool does, as flows of calls, and its answer for the model."""

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from holdfast_client.context.calls import assemble
from holdfast_client.entries import calls as entries
from holdfast_client.entries.model import Entry
from holdfast_client.errors import AgentNotFound, HoldfastError, NotFound
from holdfast_client.flows import Flow
from holdfast_client.scope import Scope
from holdfast_client.tools.definitions import TOOLS
from holdfast_client.unified_recall.calls import forget, recall, remember

Arguments = Mapping[str, Any]
_SCHEMAS = {tool.name: tool for tool in TOOLS}


class WrongArguments(ValueError):
    """What is wrong with the arguments that the model supplied."""


def work(scope: Scope, name: str, arguments: Arguments | str) -> Flow[str]:
    """Do what a tool says; the answer as JSON text, errors of the model's making included."""
    try:
        given = _checked(name, arguments)
        answer = yield from WORK[name](scope, given)
    except (HoldfastError, WrongArguments) as error:
        answer = {"error": str(error)}
    return json.dumps(answer, ensure_ascii=False, default=str)


def _remember(scope: Scope, given: Arguments) -> Flow[Any]:
    options = {name: given[name] for name in ("category", "tags") if name in given}
    saved = yield remember(scope, given["text"], given.get("key"), **options)
    return {"id": saved.id, "key": saved.key, "saved": "new" if saved.created else "updated"}


def _recall(scope: Scope, given: Arguments) -> Flow[Any]:
    found = yield recall(scope, given["query"], limit=given.get("limit", 10))
    return [{"id": each.id, "text": each.text, "from": each.kind} for each in found.data]


def _forget(scope: Scope, given: Arguments) -> Flow[Any]:
    wanted = given.get("id")
    if wanted is None:
        if not given.get("query"):
            raise WrongArguments("give an id or a query")
        found = yield recall(scope, given["query"], kinds=["memory"], limit=1)
        if not found.data:
            return {"forgotten": None, "note": "nothing like that is remembered"}
        wanted = found.data[0].id
    gone = yield forget(scope, wanted)
    return {"forgotten": gone.id, "text": gone.value}


def _context(scope: Scope, given: Arguments) -> Flow[Any]:
    found = yield assemble(scope, given["message"], max_tokens=given.get("max_tokens"))
    return {
        "user_memory": found.user_memory.content,
        "reminders": [each.content for each in found.system_reminders],
        "recalled": [each.text for each in found.recalled],
        "notes": {each.key: each.content for each in found.entries},
    }


def _agent(scope: Scope) -> str:
    """The scope's agent, else the one that MCP connections without an agent act as."""
    return scope.agent or "default"


def _memory_store(scope: Scope, given: Arguments) -> Flow[Any]:
    category = given.get("category", "core")
    stored = yield entries.store(
        scope,
        given["key"],
        given["content"],
        category=category,
        tags=given.get("tags", ()),
        scope="agent" if category in ("workspace", "conversation") else "user",
        agent_id=_agent(scope),
    )
    return {"key": stored.key, "saved": "new" if stored.created else "updated"}


def _memory_recall(scope: Scope, given: Arguments) -> Flow[Any]:
    try:
        found = yield entries.recall(scope, given["key"], agent_id=_agent(scope))
    except (NotFound, AgentNotFound):
        return {}
    return _fact(found)


def _memory_list(scope: Scope, given: Arguments) -> Flow[Any]:
    fields = _SCHEMAS["memory_list"].properties["filter"]["properties"]
    asked = _fitting("filter.", fields, given.get("filter", {}))
    if "updated_after" in asked:
        try:
            asked["updated_after"] = datetime.fromisoformat(asked["updated_after"])
        except ValueError:
            raise WrongArguments("filter.updated_after: write it as 2026-01-31T00:00:00Z") from None
    try:
        page = yield entries.list_entries(scope, agent_id=_agent(scope), **asked)
    except AgentNotFound:  # nothing was stored for this agent yet
        return {"data": [], "has_more": False}
    return {"data": [_fact(each) for each in page.data], "has_more": page.has_more}


def _memory_forget(scope: Scope, given: Arguments) -> Flow[Any]:
    try:
        gone = yield entries.forget(scope, given["key"], agent_id=_agent(scope))
    except AgentNotFound:
        gone = False
    return {"forgotten": gone}


def _fact(entry: Entry) -> dict[str, Any]:
    return {"key": entry.key, "content": entry.content, "category": entry.category}


WORK: Mapping[str, Callable[[Scope, Arguments], Flow[Any]]] = {
    "context": _context,
    "forget": _forget,
    "recall": _recall,
    "remember": _remember,
    "memory_forget": _memory_forget,
    "memory_list": _memory_list,
    "memory_recall": _memory_recall,
    "memory_store": _memory_store,
}

_TYPES = {"string": str, "integer": int, "array": list, "object": dict}


def _checked(name: str, arguments: Arguments | str) -> Arguments:
    """The arguments as a mapping that fits the tool's schema; null counts as left out."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}")
        except ValueError:
            raise WrongArguments("the arguments are not JSON") from None
    if not isinstance(arguments, Mapping):
        raise WrongArguments("the arguments must be an object")
    tool = _SCHEMAS[name]
    given = _fitting("", tool.properties, arguments)
    missing = [key for key in tool.required if key not in given]
    if missing:
        raise WrongArguments(f"missing: {', '.join(missing)}")
    return given


def _fitting(prefix: str, properties: Mapping[str, Any], arguments: Arguments) -> dict[str, Any]:
    """The values that are not null; WrongArguments for an unknown name or another type."""
    given = {key: value for key, value in arguments.items() if value is not None}
    for key, value in given.items():
        if key not in properties:
            known = ", ".join(properties)
            raise WrongArguments(f"{prefix}{key}: no such argument; there are {known}")
        wanted = properties[key]["type"]
        if not isinstance(value, _TYPES[wanted]) or isinstance(value, bool):
            raise WrongArguments(f"{prefix}{key}: must be of type {wanted}")
    return given
