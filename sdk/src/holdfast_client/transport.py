"""How a Call is sent: the request it becomes, when it is sent again, what its reply means.

All of it is decided here, in plain functions; the two senders only do what is decided, one waiting and one awaiting.
"""

import asyncio
import random
import time
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from itertools import count
from typing import Any, TypeVar

import httpx

from holdfast_client.calls import Call, Reply
from holdfast_client.errors import (
    BY_CODE,
    ConnectionFailed,
    FieldError,
    HoldfastError,
    UnexpectedReply,
)
from holdfast_client.values import Unreadable, read

T = TypeVar("T")

API = "/api/v1"
VERSION = "0.1.0"
MAX_RETRIES = 2

# Answers that say nothing was done, or that leave open whether it was.
_REFUSED = frozenset({429})
_LOST = frozenset({502, 503, 504})

# Failures before a request was on its way, and failures that no second try can mend.
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_HOPELESS = (httpx.UnsupportedProtocol, httpx.LocalProtocolError, httpx.DecodingError)


@dataclass(frozen=True, slots=True)
class Server:
    """Where requests go, and the key they go with."""

    url: str
    key: str

    def __repr__(self) -> str:
        return f"Server({self.url!r})"  # never the key: this may end in a log


@dataclass(frozen=True, slots=True)
class Retries:
    """How often, and how long between."""

    most: int = MAX_RETRIES
    first_wait_s: float = 0.25
    longest_wait_s: float = 8.0
    patience_s: float = 60.0  # a Retry-After beyond this is the caller's to wait for


@dataclass(frozen=True, slots=True)
class Failure:
    """No answer came."""

    error: httpx.RequestError

    @property
    def was_sent(self) -> bool:
        """Whether the server may have acted."""
        return not isinstance(self.error, _NOT_SENT)


Outcome = Reply | Failure


def wait_before_retry(
    call: Call[Any], outcome: Outcome, attempt: int, retries: Retries, *, jitter: float
) -> float | None:
    """The seconds to wait before sending `call` again after its `attempt`th outcome; None: do not.

    A call is repeated where that is sure to apply it at most once: when the server did not get it (no connection) or
    refused it unread (429), any call; when its answer was lost (a broken connection, 502, 503, 504), a repeatable one.
    Waits double from `first_wait_s`, and `jitter` (0–1) takes up to half away, so that clients do not return as one.
    """
    if attempt > retries.most or not _may_repeat(call, outcome):
        return None
    doubled_s: float = retries.first_wait_s * 2 ** (attempt - 1)
    wait_s = min(doubled_s, retries.longest_wait_s) * (1 - jitter / 2)
    asked_s = retry_after_s(outcome) if isinstance(outcome, Reply) else None
    if asked_s is None:
        return wait_s
    return None if asked_s > retries.patience_s else max(asked_s, wait_s)


def _may_repeat(call: Call[Any], outcome: Outcome) -> bool:
    if isinstance(outcome, Failure):
        if isinstance(outcome.error, _HOPELESS):
            return False
        return call.repeatable or not outcome.was_sent
    if outcome.status in _REFUSED:
        return True
    return outcome.status in _LOST and call.repeatable


def retry_after_s(reply: Reply) -> float | None:
    """When the server asks to come back: in seconds, or at a time."""
    text = reply.headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        at = parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(0.0, (at - datetime.now(UTC)).total_seconds()) if at.tzinfo else None


def result(call: Call[T], outcome: Outcome, *, after_a_loss: bool = False) -> T:
    """What an outcome means: the value that was asked for, or the error that stands for it.

    `after_a_loss`: an earlier attempt may have been applied. A DELETE that then finds nothing has done what was asked.
    """
    if isinstance(outcome, Failure):
        what = str(outcome.error) or type(outcome.error).__name__
        raise ConnectionFailed(f"no answer from the server: {what}") from outcome.error
    succeeded = 200 <= outcome.status < 300 or outcome.status == HTTPStatus.NOT_MODIFIED
    if not succeeded:
        error = error_of(call, outcome)
        if not (after_a_loss and call.method == "DELETE" and error.code == "not_found"):
            raise error
    try:
        return call.read(outcome)
    except Unreadable as error:
        raise UnexpectedReply(
            f"the reply to {call.method} {call.path} is not what was promised: {error}",
            status=outcome.status,
            request_id=outcome.headers.get("x-request-id"),
        ) from None


def error_of(call: Call[Any], reply: Reply) -> HoldfastError:
    """The typed error of a problem+json reply."""
    try:
        problem = read(dict[str, Any], reply.json())
        code = read(str, problem.get("code"))
    except Unreadable:
        return UnexpectedReply(
            f"{call.method} {call.path} was answered {reply.status}, and not by Holdfast",
            status=reply.status,
            request_id=reply.headers.get("x-request-id"),
            retry_after=retry_after_s(reply),
        )
    standard = ("type", "title", "status", "detail", "code", "request_id", "errors")
    facts = {name: fact for name, fact in problem.items() if name not in standard}
    if call.conflict_as is not None and facts.get("current") is not None:
        facts["current"] = _as_kind(call.conflict_as, facts["current"])
    return BY_CODE.get(code, HoldfastError)(
        str(problem.get("detail", "")),
        code=code,
        status=reply.status,
        request_id=problem.get("request_id"),
        errors=tuple(_field_errors(problem.get("errors"))),
        facts=facts,
        retry_after=retry_after_s(reply),
    )


def _as_kind(kind: type, value: Any) -> Any:
    """`value` as a `kind`, or as it came: an error must not be lost over what it carries."""
    try:
        return read(kind, value)
    except Unreadable:
        return value


def _field_errors(found: Any) -> list[FieldError]:
    try:
        return read(list[FieldError], found or [])
    except Unreadable:
        return []


def with_key(call: Call[T]) -> Call[T]:
    """The call under an idempotency key, where the server keeps answers by one: the same at each of its repeats."""
    if call.method not in ("POST", "PUT") or "Idempotency-Key" in call.headers:
        return call
    return call.under(str(uuid.uuid4()))


def _request_parts(server: Server, call: Call[Any]) -> dict[str, Any]:
    headers = {
        "Authorization": f"Bearer {server.key}",
        "Accept": "application/json",
        "User-Agent": f"holdfast-client/{VERSION}",
        **call.headers,
    }
    if call.body is not None:
        headers["Content-Type"] = call.content_type
    parts: dict[str, Any] = {
        "method": call.method,
        "url": f"{server.url}{API}{call.path}",
        "headers": headers,
        "content": call.body,
    }
    if call.query_pairs:
        parts["params"] = call.query_pairs
    if call.timeout_s is not None:
        parts["timeout"] = call.timeout_s
    return parts


def _reply(response: httpx.Response) -> Reply:
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Reply(response.status_code, headers, response.content)


def _is_loss(outcome: Outcome) -> bool:
    return outcome.was_sent if isinstance(outcome, Failure) else outcome.status in _LOST


class Sender:
    """Sends calls and waits for their answers."""

    def __init__(self, server: Server, http: httpx.Client, retries: Retries) -> None:
        self.server, self.http, self.retries = server, http, retries

    def send(self, call: Call[T]) -> T:
        """The answer to a call, repeated where that is safe."""
        call, lost = with_key(call), False
        for attempt in count(1):
            outcome = self._try(call)
            wait_s = wait_before_retry(
                call,
                outcome,
                attempt,
                self.retries,
                jitter=random.random(),  # noqa: S311
            )
            if wait_s is None:
                return result(call, outcome, after_a_loss=lost)
            lost = lost or _is_loss(outcome)
            time.sleep(wait_s)
        raise AssertionError("count() ends never")

    def _try(self, call: Call[Any]) -> Outcome:
        try:
            request = self.http.build_request(**_request_parts(self.server, call))
            return _reply(self.http.send(request, follow_redirects=False))
        except httpx.RequestError as error:
            return Failure(error)


class AsyncSender:
    """Sends calls and awaits their answers."""

    def __init__(self, server: Server, http: httpx.AsyncClient, retries: Retries) -> None:
        self.server, self.http, self.retries = server, http, retries

    async def send(self, call: Call[T]) -> T:
        """The answer to a call, repeated where that is safe."""
        call, lost = with_key(call), False
        for attempt in count(1):
            outcome = await self._try(call)
            wait_s = wait_before_retry(
                call,
                outcome,
                attempt,
                self.retries,
                jitter=random.random(),  # noqa: S311
            )
            if wait_s is None:
                return result(call, outcome, after_a_loss=lost)
            lost = lost or _is_loss(outcome)
            await asyncio.sleep(wait_s)
        raise AssertionError("count() ends never")

    async def _try(self, call: Call[Any]) -> Outcome:
        try:
            request = self.http.build_request(**_request_parts(self.server, call))
            return _reply(await self.http.send(request, follow_redirects=False))
        except httpx.RequestError as error:
            return Failure(error)
