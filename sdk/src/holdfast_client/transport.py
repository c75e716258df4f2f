"""Sends Calls: builds the request, decides whether to repeat it, turns the reply into a value or an error.

The decisions are plain functions; the sync and the async sender only execute them.
"""

import random
import ssl
import time
import uuid
from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from http import HTTPStatus
from itertools import count
from typing import Any, TypeVar

from holdfast_client.calls import Call, Reply
from holdfast_client.errors import (
    BY_CODE,
    ConnectionFailed,
    FieldError,
    HoldfastError,
    UnexpectedReply,
)
from holdfast_client.lean_httpx import httpx
from holdfast_client.values import Unreadable, read

T = TypeVar("T")

VERSION = "0.1.0"
MAX_RETRIES = 2

# Statuses that mean the request was not executed, and statuses that leave open whether it was.
_REFUSED = frozenset({429})
_LOST = frozenset({502, 503, 504})

# Failures before the request was sent, and failures that a repeat cannot cure.
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_HOPELESS = (httpx.UnsupportedProtocol, httpx.LocalProtocolError, httpx.DecodingError)


def certificates_for(url: str) -> ssl.SSLContext:
    """What a client of this URL trusts. Over plain HTTP that is nothing, and the list of authorities is not read: reading it
    takes longer than a call."""
    return _no_certificates() if url.lower().startswith("http://") else _trusted_certificates()


@cache
def _trusted_certificates() -> ssl.SSLContext:
    """What httpx trusts by default, read once: each client would otherwise read the whole list of authorities anew."""
    return httpx.create_ssl_context()


@cache
def _no_certificates() -> ssl.SSLContext:
    """Refuses every server: plain HTTP does not use it, and a redirect to HTTPS is not followed."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


@dataclass(frozen=True, slots=True)
class Server:
    """The URL of the service and the API key."""

    url: str
    key: str

    def __repr__(self) -> str:
        return f"Server({self.url!r})"  # without the key: this text may be logged


@dataclass(frozen=True, slots=True)
class Retries:
    """How often a call is repeated, and the waits between."""

    most: int = MAX_RETRIES
    first_wait_s: float = 0.25
    longest_wait_s: float = 8.0
    patience_s: float = 60.0  # for a longer Retry-After the error is raised at once


@dataclass(frozen=True, slots=True)
class Failure:
    """The request got no answer."""

    error: httpx.RequestError

    @property
    def was_sent(self) -> bool:
        """Whether the server may have executed the request."""
        return not isinstance(self.error, _NOT_SENT)


Outcome = Reply | Failure


def wait_before_retry(
    call: Call[Any], outcome: Outcome, attempt: int, retries: Retries, *, jitter: float
) -> float | None:
    """The seconds to wait before repeating `call` after its `attempt`th outcome; None: do not repeat it.

    Any call is repeated if the server did not receive it (no connection) or refused it without executing it (429). If the
    answer was lost (a broken connection, 502, 503, 504), only repeatable calls are. Waits double from `first_wait_s`;
    `jitter` (0–1) shortens each by up to half, so that clients do not all return at the same moment.
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
    """The seconds in the Retry-After header, which may be a number or a date; None if there is none."""
    text = reply.headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        at = parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(0.0, (at - datetime.now(UTC)).total_seconds()) if at.tzinfo else None


def result(call: Call[T], outcome: Outcome, *, after_a_loss: bool = False) -> T:
    """Turn an outcome into the call's value, or raise the error.

    `after_a_loss`: an earlier attempt may have been executed, so a DELETE that finds nothing counts as success.
    """
    if isinstance(outcome, Failure):
        what = str(outcome.error) or type(outcome.error).__name__
        raise ConnectionFailed(f"no answer from the server: {what}") from outcome.error
    succeeded = (
        200 <= outcome.status < 300
        or outcome.status == HTTPStatus.NOT_MODIFIED
        or outcome.status in call.also_answers
    )
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
    """The exception for a problem+json reply."""
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
    """`value` as a `kind`, or unchanged if it cannot be read, so that the error itself is still raised."""
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
    """The call with a new idempotency key if it is a POST or PUT that changes something and has none yet."""
    if call.method not in ("POST", "PUT") or call.only_asks or "Idempotency-Key" in call.headers:
        return call
    return call.under(str(uuid.uuid4()))


def headers_of(server: Server, call: Call[Any], body: bytes | None) -> dict[str, str]:
    """The headers of a request with this body."""
    headers = {
        "Authorization": f"Bearer {server.key}",
        "Accept": "application/json",
        "User-Agent": f"holdfast-client/{VERSION}",
        **call.headers,
    }
    if body is not None:
        headers["Content-Type"] = call.content_type
    return headers


def _request_parts(server: Server, call: Call[Any]) -> dict[str, Any]:
    body = call.body
    parts: dict[str, Any] = {
        "method": call.method,
        "url": f"{server.url}{call.root}{call.path}",
        "headers": headers_of(server, call, body),
        "content": body,
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


class Sender(ABC):
    """Sends calls and repeats them where that is safe; a subclass says how a call is sent once."""

    def __init__(self, server: Server, retries: Retries) -> None:
        self.server, self.retries = server, retries

    @abstractmethod
    def attempt(self, call: Call[Any]) -> Outcome:
        """Send a call once."""

    @abstractmethod
    def close(self) -> None:
        """Close the connections."""

    def send(self, call: Call[T]) -> T:
        """Send a call, repeat it if that is safe, and return its value."""
        call, lost = with_key(call), False
        for attempt in count(1):
            outcome = self.attempt(call)
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


class HttpSender(Sender):
    """Sends calls with an httpx.Client."""

    def __init__(self, server: Server, http: httpx.Client, retries: Retries) -> None:
        super().__init__(server, retries)
        self._http = http

    def attempt(self, call: Call[Any]) -> Outcome:
        """Send a call once, over HTTP."""
        try:
            request = self._http.build_request(**_request_parts(self.server, call))
            return _reply(self._http.send(request, follow_redirects=False))
        except httpx.RequestError as error:
            return Failure(error)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()


async def _sleep(wait_s: float) -> None:
    import asyncio  # here, since a sync client does not need it and it takes long to load

    await asyncio.sleep(wait_s)


class AsyncSender(ABC):
    """As Sender, awaited."""

    def __init__(self, server: Server, retries: Retries) -> None:
        self.server, self.retries = server, retries

    @abstractmethod
    async def attempt(self, call: Call[Any]) -> Outcome:
        """Send a call once."""

    @abstractmethod
    async def close(self) -> None:
        """Close the connections."""

    async def send(self, call: Call[T]) -> T:
        """Send a call, repeat it if that is safe, and return its value."""
        call, lost = with_key(call), False
        for attempt in count(1):
            outcome = await self.attempt(call)
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
            await _sleep(wait_s)
        raise AssertionError("count() ends never")


class AsyncHttpSender(AsyncSender):
    """Sends calls with an httpx.AsyncClient."""

    def __init__(self, server: Server, http: httpx.AsyncClient, retries: Retries) -> None:
        super().__init__(server, retries)
        self._http = http

    async def attempt(self, call: Call[Any]) -> Outcome:
        """Send a call once, over HTTP."""
        try:
            request = self._http.build_request(**_request_parts(self.server, call))
            return _reply(await self._http.send(request, follow_redirects=False))
        except httpx.RequestError as error:
            return Failure(error)

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()
