"""An operation as a plain value: what is asked, for whom, how the reply is read, whether it may be asked twice.

Sync and async clients send the same Calls, so neither copies the other. A face's own `calls.py` builds them with the
constructors below:

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


class Options(TypedDict, total=False):
    """What a call that writes may be given besides."""

    query: Query
    content: bytes  # in place of JSON, with its content_type
    content_type: str
    headers: Mapping[str, str]
    if_match: int | None  # the version that must be the current one; else PreconditionFailed
    conflict_as: type
    timeout_s: float  # for what takes longer than the client's own timeout


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back."""

    status: int
    headers: Mapping[str, str]  # names in lower case
    content: bytes

    def json(self) -> Any:
        """The content as JSON; Unreadable where it is none."""
        try:
            return json.loads(self.content)
        except ValueError:
            raise Unreadable("expected JSON") from None


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One operation of the API.

    `repeatable`: sending it again comes to the same end as sending it once, so that it may be repeated when an answer
    was lost. `conflict_as` is the type of a Conflict's `current`. `only_asks`: a POST that changes nothing
    worth an idempotency key, under which the server would keep its answer.
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

    @property
    def query_pairs(self) -> list[tuple[str, str]]:
        """The query as it is sent: None left out, a list as one pair each."""
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
        """The body as it is sent, byte for byte the same at every repeat."""
        if self.json is None:
            return self.content
        return json.dumps(self.json, ensure_ascii=False, allow_nan=False).encode()

    def under(self, idempotency_key: str) -> "Call[T]":
        """This call under an idempotency key of one's own, so that a repeat by another process applies once too."""
        return replace(self, headers={**self.headers, "Idempotency-Key": idempotency_key})


def at(*parts: str) -> str:
    """The path of these parts, each of them percent-encoded: a key may hold a `/`, and `..` is a name like any other."""
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
    """Reads."""
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
    """Makes or does; goes out under an idempotency key, so a repeat applies once (`repeatable`, unless told otherwise)."""
    return _write("POST", scope, path, read, json, options, repeatable=repeatable)


def ask(scope: Scope, path: str, read: Callable[[Reply], T], json: Mapping[str, Any]) -> Call[T]:
    """A question that needs a body: a POST that may be repeated like a GET, and is kept by nobody."""
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
    """Sets; goes out under an idempotency key, like a POST."""
    return _write("PUT", scope, path, read, json, options, repeatable=repeatable)


def patch(
    scope: Scope,
    path: str,
    read: Callable[[Reply], T],
    json: Mapping[str, Any],
    **options: Unpack[Options],
) -> Call[T]:
    """Changes some fields. The server keeps no answer to repeat: one that was lost is the caller's to look into."""
    return _write("PATCH", scope, path, read, json, options)


def delete(
    scope: Scope, path: str, *, repeatable: bool = False, **options: Unpack[Options]
) -> Call[None]:
    """Takes away.

    `repeatable` is for what has an id that is never used again: a repeat that finds nothing is then as good as done.
    What is found by a name that somebody may use anew meanwhile is not: a repeat could take away theirs.
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
    """Takes away, where the answer says something; `repeatable` as for `delete`."""
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
    """One object."""
    return lambda reply: read(kind, reply.json())


def page_of(kind: type[T]) -> Callable[[Reply], Page[T]]:
    """A page of a list."""
    return lambda reply: read(Page[kind], reply.json())  # type: ignore[valid-type]  # filled in at run time


def data_of(kind: type[T]) -> Callable[[Reply], list[T]]:
    """The `data` of an answer that has no pages."""
    return lambda reply: read(_Data[kind], reply.json()).data  # type: ignore[valid-type]  # as above


def field_of(name: str, kind: type[T]) -> Callable[[Reply], T]:
    """The one field of an answer that is worth its caller's while."""

    def read_field(reply: Reply) -> T:
        try:
            return read(kind, read(dict[str, Any], reply.json()).get(name))
        except Unreadable as error:
            raise Unreadable(error.found, (name, *error.where)) from None

    return read_field


def raw(reply: Reply) -> bytes:
    """The bytes as they came."""
    return reply.content


def nothing(reply: Reply) -> None:
    """No content."""


@dataclass(frozen=True, slots=True)
class _Data(Generic[T]):
    data: list[T]


def _segment(part: str) -> str:
    # Dots too: clients and proxies resolve `.` and `..` before anyone else reads the path.
    return quote(part, safe="") if part.strip(".") else "%2E" * len(part)


def _query_text(value: QueryValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return instant(value) if isinstance(value, datetime) else str(value)
