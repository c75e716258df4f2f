"""What each tool does, as flows of calls, and its answer for the model."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from holdfast_client.context.calls import assemble
from holdfast_client.errors import HoldfastError
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


WORK: Mapping[str, Callable[[Scope, Arguments], Flow[Any]]] = {
    "context": _context,
    "forget": _forget,
    "recall": _recall,
    "remember": _remember,
}

_TYPES = {"string": str, "integer": int, "array": list}


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
    given = {key: value for key, value in arguments.items() if value is not None}
    for key, value in given.items():
        if key not in tool.properties:
            raise WrongArguments(f"{key}: no such argument; there are {', '.join(tool.properties)}")
        wanted = tool.properties[key]["type"]
        if not isinstance(value, _TYPES[wanted]) or isinstance(value, bool):
            raise WrongArguments(f"{key}: must be of type {wanted}")
    missing = [key for key in tool.required if key not in given]
    if missing:
        raise WrongArguments(f"missing: {', '.join(missing)}")
    return given
