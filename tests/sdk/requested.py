"""What the methods of the client send, without sending it: a row for each operation, with every argument that it takes."""

import inspect
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from holdfast_client import AsyncClient, Client
from holdfast_client.calls import JSON, Call
from tests.contract.as_new import DOCUMENT

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
SENT_NOON = "2026-01-31T12:00:00.000000Z"
PAGE = {"limit": 7, "after_id": "after", "before_id": "before"}
# What the client is bound to, and what that is in a body or a query.
BOUND = {"user": "ana", "workspace": "lab", "agent": "bot", "project": "plan", "session": "talk"}
PLACE = {"agent_id": "bot", "project_id": "plan", "session_id": "talk"}
OTHER = {"agent_id": "other", "project_id": "moon", "session_id": "walk"}
HEADERS = {"Holdfast-User": "ana", "Holdfast-Workspace": "lab"}

OPERATIONS = {
    operation["operationId"]: (method.upper(), path, operation)
    for path, item in DOCUMENT["paths"].items()
    for method, operation in item.items()
}


@dataclass(frozen=True)
class Row:
    """A method, called with all of its arguments, and the request that it makes."""

    operation: str  # its id in the OpenAPI document
    do: Callable[[Any], Any]
    line: str
    query: dict[str, Any] = field(default_factory=dict)  # a list stands for as many pairs
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = JSON
    # What the document has, and the method does not send: why.
    without: dict[str, str] = field(default_factory=dict)


COVERED: set[str] = set()  # the operations of all rows that were imported


def rows_of(*rows: Row) -> Any:
    """The rows as parameters of a test."""
    COVERED.update(row.operation for row in rows)
    return pytest.mark.parametrize(
        "row", [pytest.param(row, id=f"{at}-{row.operation}") for at, row in enumerate(rows)]
    )


class Sent(Exception):
    """The call that a method would have sent."""


def _kept(call: Call[Any]) -> Any:
    raise Sent(call)


async def _kept_async(call: Call[Any]) -> Any:
    raise Sent(call)


def _bound(client: Any, send: Any) -> Any:
    client.send = send
    return client.scope(**BOUND)


async def sent_by(kind: type[Client] | type[AsyncClient], do: Callable[[Any], Any]) -> Call[Any]:
    """The call that a method of a bound client makes."""
    send = _kept if kind is Client else _kept_async
    try:
        answer = do(_bound(kind("http://nowhere", "hf_test_none"), send))
        if inspect.isawaitable(answer):
            await answer
    except Sent as sent:
        call: Call[Any] = sent.args[0]
        return call
    raise AssertionError("nothing was sent")


def _shown(call: Call[Any]) -> dict[str, Any]:
    """All that a server would see of a call."""
    query: dict[str, Any] = {}
    for name, value in call.query_pairs:
        query[name] = [*query[name], value] if name in query else [value]
    body = call.body
    return {
        "line": f"{call.method} {call.path}",
        "query": query,
        "body": json.loads(body) if body and call.content_type == JSON else body,
        "headers": dict(call.headers),
        "content_type": call.content_type,
        "may be repeated": (call.repeatable, call.only_asks, call.timeout_s),
    }


def _texts(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [json.dumps(each) if isinstance(each, bool) else str(each) for each in values]


def _described(operation_id: str) -> tuple[set[str], set[str]]:
    """The names of an operation's parameters in the query, and of the fields of its body."""
    _, _, operation = OPERATIONS[operation_id]
    query = {each["name"] for each in operation.get("parameters", []) if each["in"] == "query"}
    content = operation.get("requestBody", {}).get("content", {}).get(JSON)
    if content is None:
        return query, set()
    schema = content["schema"]
    while "$ref" in schema:
        schema = DOCUMENT["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return query, set(schema.get("properties", {}))


async def must_send(row: Row) -> None:
    """The method makes this request with either client; it has all that the document describes, and nothing else."""
    call = await sent_by(Client, row.do)
    shown = _shown(call)
    assert shown["line"] == row.line
    assert shown["query"] == {name: _texts(value) for name, value in row.query.items()}
    assert shown["body"] == row.body
    assert shown["headers"] == HEADERS | row.headers
    assert shown["content_type"] == row.content_type
    assert _shown(await sent_by(AsyncClient, row.do)) == shown

    query, fields = _described(row.operation)
    sent = set(row.body) if isinstance(row.body, dict) and fields else set()
    assert set(row.query) <= query
    assert sent <= fields
    missing = (query - set(row.query)) | (fields - sent)
    assert missing == set(row.without), f"{row.operation} does not send {missing}"
