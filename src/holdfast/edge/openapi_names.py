"""Names and order in the OpenAPI document: operation ids, titles of schemas, groups and their descriptions.

An operation's id is the method of the Python client that sends it: `memories.save` is `client.memories.save(…)`. Each route
declares its own (`operation_id="memories.save"`). Where one operation has a GET and a POST, the id of the POST ends in `_post`.
What only a browser session may do, and the client has no method for, has an id under `auth.`.
"""

import re
from typing import Any

# What a newcomer needs first, in this order; `/docs` opens with these.
START = ("memories.save", "recall", "context", "memories.retire")
START_TAG = "start here"

# The groups of `/docs`, in their order.
TAGS: dict[str, str] = {
    START_TAG: "Remember something, recall it, put it into a prompt, forget it. The rest of this page is detail.",
    "blocks": "Two short texts about a user, `core` and `archival`: `core` is in every prompt. Written whole, by "
    "compare-and-set, or line by line.",
    "entries": "Facts that an agent stores under keys of its own, and gets back at the start of a run within a budget of bytes.",
    "conversations": "Message lists within a budget of tokens. What no longer fits is summarised or flushed, and stays recallable.",
    "memories": "Single facts about a user, a project or an agent, with a key, a value, a validity in time and their sources. "
    "Found by word and by meaning.",
    "stores": "Folders of text files with every version kept, shared by an org or private to a user.",
    "nodes": "The graph of people, topics and events that memories are about.",
    "insights": "Observations about a user, drawn from conversations.",
    "recall": "One search over every face.",
    "context": "What to put into a prompt, from every face, within one budget of tokens.",
    "memory resources": "How conversations of a kind are kept: budget, flushing, privacy, backend.",
    "learning": "What is learned from conversations: sessions, proposals, reverts, hygiene.",
    "activity": "Figures over time, and who changed what.",
    "jobs": "Background work: its state, its result, retry and cancel.",
    "language models": "The calls to language models that the service made, and their tokens.",
    "exchange": "Export and import of an org, a user or an agent.",
    "erasure": "Erase a person, and the receipt that proves it.",
    "directory": "The org, its workspaces, projects, agents, users and sessions.",
    "access": "Signing in with a browser, and API keys.",
    "operations": "Health, readiness and metrics of the service. No credential.",
}

_REF = "#/components/schemas/"
_generic = re.compile(r"^([A-Za-z]+)_([A-Za-z]+)_$")


def name_schemas(document: dict[str, Any]) -> None:
    """Have `MemoryPage` for `Page_Memory_`, each schema titled by its name, and no other titles, in the whole document.

    A generator names classes after titles: those that the framework makes for fields (`Key`, `Value`) repeat a hundred times.
    """
    renamed: dict[str, str] = {}
    for name in document["components"]["schemas"]:
        found = _generic.match(name)
        if found:
            renamed[name] = f"{found[2]}{found[1]}"
    paths = {_REF + name: _REF + better for name, better in renamed.items()}
    for part in ("paths", "components"):
        document[part] = _walk(document[part], paths)
    schemas = document["components"]["schemas"]
    document["components"]["schemas"] = {
        renamed.get(name, name): {"title": renamed.get(name, name), **schema}
        for name, schema in sorted(schemas.items())
    }


def _walk(value: Any, renamed: dict[str, str], *, is_example: bool = False) -> Any:
    if isinstance(value, list):
        return [_walk(each, renamed, is_example=is_example) for each in value]
    if not isinstance(value, dict):
        return value
    if is_example:
        return value
    return {
        name: renamed.get(each, each)
        if name == "$ref"
        else _walk(each, renamed, is_example=name in ("example", "examples"))
        for name, each in value.items()
        if not (name == "title" and isinstance(each, str))
    }


def order(document: dict[str, Any]) -> None:
    """Put the operations into the order of their groups, those of START first, and describe the groups."""
    names = list(TAGS)
    used = {
        tag for item in document["paths"].values() for each in item.values() for tag in each["tags"]
    }
    document["tags"] = [
        {"name": name, "description": text} for name, text in TAGS.items() if name in used
    ]

    def place(path: str) -> tuple[int, int]:
        operations = document["paths"][path].values()
        starts = [
            START.index(each["operationId"]) for each in operations if each["operationId"] in START
        ]
        if starts:
            return (0, min(starts))
        tag = next(iter(operations))["tags"][0]
        return (names.index(tag) if tag in names else len(names), 0)

    document["paths"] = {
        path: document["paths"][path] for path in sorted(document["paths"], key=place)
    }


def describe_names(operation: dict[str, Any]) -> None:
    """A summary of one line, and the group of those that come first."""
    text = operation.get("description", "").strip()
    first = re.split(r"(?<=[.;:])\s|\n", text, maxsplit=1)[0].rstrip(".;:")
    operation["summary"] = first or operation["operationId"]
    if operation["operationId"] in START:
        operation["tags"] = [*operation["tags"], START_TAG]


__all__ = ["START", "START_TAG", "TAGS", "describe_names", "name_schemas", "order"]
