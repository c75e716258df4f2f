"""An operation of the API as a value: the request, how to read its reply, and whether it may be sent twice.

The sync and the async client send the same Calls, so no operation is written twice. The `calls.py` of each face builds them
with the constructors below:

    def read_workspace(scope: Scope, workspace_id: str) -> Call[Workspace]:
        return get(scope, at("workspaces", workspace_id), one(Workspace))
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Generic, Literal, TypedDict, TypeVar, Unpack
from urllib.parse import quote

from holdfast_client.scope import Scope
from holdfast_client.values import Page, Unreadable, instant, read

T = TypeVar("T")

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
QueryValue = str | int | float | bool | datetime | Sequence[str] | None
Query = Mapping[str, QueryValue]
JSON = "application/json"
API = "/api/v1"


class Options(TypedDict, total=False):
    """Optional arguments of the calls that write."""

    query: Query
    content: bytes  # a body instead of JSON; goes with content_type
    content_type: str
    headers: Mapping[str, str]
    if_match: int | None  # raises PreconditionFailed unless this is the current version
    conflict_as: type
    timeout_s: float  # overrides the client's timeout


@dataclass(frozen=True, slots=True)
class Reply:
    """The HTTP response: status, headers and body."""

    status: int
    headers: Mapping[str, str]  # names in lower case
    content: bytes

    def json(self) -> Any:
        """Parse the content as JSON; raises Unreadable if it is not JSON."""
        try:
            return json.loads(self.content)
        except ValueError:
            raise Unreadable("expected JSON") from None


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One operation of the API.

    `repeatable`: sending it twice has the same effect as sending it once, so it may be repeated if the answer was lost.
    `conflict_as` is the type of a Conflict's `current`. `only_asks`: a POST that changes nothing; it is sent without an
    idempotency key, so the server does not store its answer. `root` comes before the path. `also_answers`: statuses besides 2xx
    whose body is the answer.
    """

    method: Method
    path: str
    read: Callable[[Reply], T]
    query: Query = field(default_factory=dict)
    json: Mapping[str, Any] | None = None
    content: bytes | None = None
    content_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)
    repeatable: bool = False
    conflict_as: type | None = None
    timeout_s: float | None = None
    only_asks: bool = False
    root: str = API
    also_answers: frozenset[int] = frozenset()

    @property
    def query_pairs(self) -> list[tuple[str, str]]:
        """The query parameters to send: None is left out, a list becomes one pair per item."""
        return [
            (name, _query_text(each))
            for name, value in self.query.items()
            for each in (
                [value] if isinstance(value, str) or not isinstance(value, Sequence) else value
            )
            if each is not None
        ]

    @property
    def body(self) -> bytes | None:
        """The body to send; the same bytes at every repeat, as the idempotency key requires."""
        if self.json is None:
            return self.content
        return json.dumps(self.json, ensure_ascii=False, allow_nan=False).encode()

    def under(self, idempotency_key: str) -> "Call[T]":
        """This call with the given idempotency key, so that a repeat from another process is applied once too."""
        return replace(self, headers={**self.headers, "Idempotency-Key": idempotency_key})


def at(*parts: str) -> str:
    """Join the parts into a path, each percent-encoded, so that a key may contain `/` or be `..`."""
    for part in parts:
        if not part:
            raise ValueError("an id or key may not be empty")
    return "".join(f"/{_segment(part)}" for part in parts)


def get(
    scope: Scope,
    path: str,
    read: Callable[[Reply], T],
    query: Query | None = None,
    *,
    headers: Mapping[str, str] | None = None,
) -> Call[T]:
    """A GET; it may always be repeated."""
    sent = {**scope.headers, **(headers or {})}
    return Call("GET", path, read, query or {}, headers=sent, repeatable=True)


def post(
    scope: Scope,
    path: str,
    read: Callable[[Reply], T],
    json: Mapping[str, Any] | None = None,
    *,
    repeatable: bool = True,
    **options: Unpack[Options],
) -> Call[T]:
    """A POST that changes something. It is sent with an idempotency key, so a repeat is applied once."""
    return _write("POST", scope, path, read, json, options, repeatable=repeatable)


def ask(scope: Scope, path: str, read: Callable[[Reply], T], json: Mapping[str, Any]) -> Call[T]:
    """A POST that only reads. It may be repeated like a GET, and the server does not store its answer."""
    headers = scope.headers
    return Call("POST", path, read, json=json, headers=headers, repeatable=True, only_asks=True)


def put(
    scope: Scope,
    path: str,
    read: Callable[[Reply], T],
    json: Mapping[str, Any] | None = None,
    *,
    repeatable: bool = True,
    **options: Unpack[Options],
) -> Call[T]:
    """A PUT; it is sent with an idempotency key, as a POST is."""
    return _write("PUT", scope, path, read, json, options, repeatable=repeatable)


def patch(
    scope: Scope,
    path: str,
    read: Callable[[Reply], T],
    json: Mapping[str, Any],
    **options: Unpack[Options],
) -> Call[T]:
    """A PATCH of some fields. It is not repeated: if the answer is lost, the caller has to read the object again."""
    return _write("PATCH", scope, path, read, json, options)


def delete(
    scope: Scope, path: str, *, repeatable: bool = False, **options: Unpack[Options]
) -> Call[None]:
    """A DELETE without an answer.

    Set `repeatable` only for an object whose id is never reused: a repeat that finds nothing then counts as success. An object
    that is addressed by a reusable name could meanwhile be another one, which a repeat would delete.
    """
    return remove(scope, path, nothing, repeatable=repeatable, **options)


def remove(
    scope: Scope,
    path: str,
    read: Callable[[Reply], T],
    *,
    repeatable: bool = False,
    **options: Unpack[Options],
) -> Call[T]:
    """A DELETE whose answer is read; `repeatable` as for `delete`."""
    return _write("DELETE", scope, path, read, None, options, repeatable=repeatable)


def _write(
    method: Method,
    scope: Scope,
    path: str,
    read: Callable[[Reply], T],
    json: Mapping[str, Any] | None,
    options: Options,
    *,
    repeatable: bool = False,
) -> Call[T]:
    version = options.get("if_match")
    guard = {} if version is None else {"If-Match": f'"{version}"'}
    return Call(
        method,
        path,
        read,
        query=options.get("query", {}),
        json=json,
        content=options.get("content"),
        content_type=options.get("content_type", JSON),
        headers={**scope.headers, **guard, **options.get("headers", {})},
        repeatable=repeatable,
        conflict_as=options.get("conflict_as"),
        timeout_s=options.get("timeout_s"),
    )


# --- how replies are read --------------------------------------------------------------------------------------------


def one(kind: type[T]) -> Callable[[Reply], T]:
    """Read the reply as one object."""
    return lambda reply: read(kind, reply.json())


def page_of(kind: type[T]) -> Callable[[Reply], Page[T]]:
    """Read the reply as a page of a list."""
    return lambda reply: read(Page[kind], reply.json())  # type: ignore[valid-type]  # filled in at run time


def data_of(kind: type[T]) -> Callable[[Reply], list[T]]:
    """Read the `data` of a list that has no pages."""
    return lambda reply: read(_Data[kind], reply.json()).data  # type: ignore[valid-type]  # as above


def field_of(name: str, kind: type[T]) -> Callable[[Reply], T]:
    """Read one field of the reply and ignore the others."""

    def read_field(reply: Reply) -> T:
        try:
            return read(kind, read(dict[str, Any], reply.json()).get(name))
        except Unreadable as error:
            raise Unreadable(error.found, (name, *error.where)) from None

    return read_field


def raw(reply: Reply) -> bytes:
    """Return the body unchanged."""
    return reply.content


def nothing(reply: Reply) -> None:
    """For replies without content."""


@dataclass(frozen=True, slots=True)
class _Data(Generic[T]):
    data: list[T]


def _segment(part: str) -> str:
    # Encode dots too: clients and proxies resolve `.` and `..` in a path.
    return quote(part, safe="") if part.strip(".") else "%2E" * len(part)


def _query_text(value: QueryValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return instant(value) if isinstance(value, datetime) else str(value)
