"""What one connection may cost: bytes and number of headers, time to send a request, connections held at once.

uvicorn bounds none of these with its httptools parser, so `LimitedProtocol` does it below ASGI, and `timed_receive` bounds
the time that a body may take to arrive.
"""

import asyncio
import json
from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, ClassVar, TypeGuard

from starlette.types import Message, Receive
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from holdfast.kernel import metrics
from holdfast.kernel.errors import (
    BackendUnavailable,
    HeadersTooLarge,
    HoldfastError,
    Malformed,
    RequestTimeout,
)
from holdfast.kernel.ids import new_id

# A body that arrives at this rate is never cut; a slower one has the request time-out in all.
MIN_BODY_BYTES_PER_S = 1024
# A connection that was answered before its request was read whole is read on, so that its client sees the answer instead of a
# reset: for LINGER_S, and again while bytes come at the rate above, up to MAX_LINGER_S.
LINGER_S = 2.0
MAX_LINGER_S = 60.0


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """Bounds of one process. `request_timeout_s`: for the headers, and apart for a body slower than 1 KiB/s."""

    max_header_bytes: int = 64 * 1024
    max_headers: int = 100
    request_timeout_s: float = 20.0
    max_connections: int = 1000


class LimitedProtocol(HttpToolsProtocol):
    """One connection, bounded. `limits` is set by `protocol_with`."""

    limits: ClassVar[ConnectionLimits] = ConnectionLimits()

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.waiting_since = self.loop.time()
        self._received_bytes = (
            0  # while the headers are not whole: also what the parser still holds
        )
        self._parsed_bytes = 0
        self._in_headers = False
        self._refusal: HoldfastError | None = None
        self._refused = False
        self._timer: asyncio.TimerHandle | None = None
        self._linger: asyncio.TimerHandle | None = None
        self._lingered_bytes = 0

    # --- the connection ----------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        """Take the connection; at the cap, in place of one whose client has been silent the longest."""
        has_room = len(self.connections) < self.limits.max_connections or self._make_room()
        super().connection_made(transport)
        if has_room:
            self._start_timer()
            return
        self.connections.discard(self)
        self._refuse(BackendUnavailable("all connections are in use"))

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        for timer in (self._timer, self._linger):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    @property
    def is_answering(self) -> bool:
        """Whether a request came in whole and its answer has not gone out whole."""
        cycle = self.cycle
        return cycle is not None and not cycle.response_complete and not cycle.more_body

    @property
    def _is_between_requests(self) -> bool:
        """Whether the next byte begins a request."""
        cycle = self.cycle
        return cycle is None or (cycle.response_complete and not cycle.more_body)

    def _make_room(self) -> bool:
        """Cut the connection that has waited longest for its client; False where all are being answered."""
        waiting = [each for each in self.connections if _waits_for_client(each)]
        if not waiting:
            return False
        longest = min(waiting, key=lambda each: each.waiting_since)
        self.connections.discard(longest)
        longest.transport.abort()
        metrics.connections_cut.labels("no_room").inc()
        return True

    # --- the headers -------------------------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        """Bytes of the client."""
        self._lingered_bytes += len(data)
        if self._refused:
            return  # read on only so that the client sees the refusal
        self.waiting_since = self.loop.time()
        if self._in_headers or self._is_between_requests:
            self._received_bytes += len(data)
        if self._timer is None and (self.cycle is None or self.cycle.response_complete):
            self._start_timer()
        super().data_received(data)
        if self._in_headers and self._received_bytes > self.limits.max_header_bytes:
            self._refuse(self._too_large())

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self._in_headers, self._parsed_bytes = True, 0

    def on_url(self, url: bytes) -> None:
        """A piece of the path."""
        super().on_url(url)
        self._parsed(len(url))

    def on_header(self, name: bytes, value: bytes) -> None:
        """One header."""
        super().on_header(name, value)
        self._parsed(len(name) + len(value) + len(b": \r\n"))

    def _parsed(self, size: int) -> None:
        self._parsed_bytes += size
        if (
            len(self.headers) > self.limits.max_headers
            or self._parsed_bytes > self.limits.max_header_bytes
        ):
            self._refusal = self._too_large()
            raise ValueError(
                self._refusal.detail
            )  # the parser stops, and send_400_response follows

    def on_headers_complete(self) -> None:
        """The request goes to the application."""
        self._in_headers, self._received_bytes = False, 0
        self._stop_timer()
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        """The answer is out. What is left of the body is read for a while, then the connection ends."""
        super().on_response_complete()
        if self._in_headers and self._timer is None:
            self._start_timer()  # the next request had begun meanwhile
        if self.cycle.more_body and not self.transport.is_closing():
            self._read_on(self.cycle)

    def on_message_complete(self) -> None:
        """The whole request is here."""
        if self.cycle is not None:
            self.cycle.more_body = False
        super().on_message_complete()

    # --- refusing ----------------------------------------------------------------------------------------------------

    def send_400_response(self, msg: str) -> None:
        """The parser gave up: by itself, or because a callback here found a limit passed."""
        self._refuse(self._refusal or Malformed(msg))

    def _too_large(self) -> HeadersTooLarge:
        return HeadersTooLarge(self.limits.max_header_bytes, self.limits.max_headers)

    def _refuse(self, refusal: HoldfastError) -> None:
        """Answer below the application and end the connection."""
        if self._refused or self.transport.is_closing():
            return
        self._refused = True
        self._stop_timer()
        metrics.connections_cut.labels(refusal.code).inc()
        self.transport.write(raw_answer(refusal, self.server_state.default_headers))
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._read_on(None)

    def _start_timer(self) -> None:
        self._timer = self.loop.call_later(self.limits.request_timeout_s, self._headers_are_late)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _headers_are_late(self) -> None:
        self._timer = None
        if self._in_headers:
            self._refuse(RequestTimeout("the headers did not arrive in time"))
        elif not self.transport.is_closing():
            self.transport.close()  # nothing was asked, so nothing is answered

    def _read_on(self, cycle: Any, since: float | None = None) -> None:
        """Read for a while, then end the connection unless the rest of the request has come. `cycle` is the request; None for one
        that was refused below the application."""
        self._lingered_bytes = 0
        since = self.loop.time() if since is None else since
        self._linger = self.loop.call_later(LINGER_S, self._end_if_unread, cycle, since)

    def _end_if_unread(self, cycle: Any, since: float) -> None:
        is_read = cycle is not None and (cycle is not self.cycle or not cycle.more_body)
        if is_read or self.transport.is_closing():
            return
        goes_on = self._lingered_bytes >= MIN_BODY_BYTES_PER_S * LINGER_S
        if goes_on and self.loop.time() < since + MAX_LINGER_S:
            self._read_on(cycle, since)
        elif cycle is None:
            self.transport.abort()  # its end is written already
        else:
            self.transport.close()


def protocol_with(limits: ConnectionLimits) -> type[LimitedProtocol]:
    """The protocol for uvicorn's `http` option."""
    return type("LimitedProtocol", (LimitedProtocol,), {"limits": limits})


def _waits_for_client(connection: Any) -> TypeGuard[LimitedProtocol]:
    """Whether its client has to send something: the next request, or the rest of one."""
    return isinstance(connection, LimitedProtocol) and not connection.is_answering


def raw_answer(error: HoldfastError, headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """A problem as the bytes of a whole answer that ends the connection."""
    request_id = new_id("req")
    body = json.dumps(
        {
            "type": f"urn:holdfast:error:{error.code}",
            "title": error.title,
            "status": error.status,
            "detail": error.detail,
            "code": error.code,
            "request_id": request_id,
        }
    ).encode()
    lines = [
        f"HTTP/1.1 {error.status} {HTTPStatus(error.status).phrase}".encode(),
        *(name + b": " + value for name, value in headers),
        b"content-type: application/problem+json",
        f"x-request-id: {request_id}".encode(),
        b"cache-control: no-store",
        b"connection: close",
        f"content-length: {len(body)}".encode(),
    ]
    if error.retry_after_s is not None:
        lines.append(f"retry-after: {error.retry_after_s}".encode())
    return b"\r\n".join([*lines, b"", body])


def timed_receive(receive: Receive, timeout_s: float) -> Receive:
    """`receive` that raises RequestTimeout where the client takes too long to send the body.

    Only waiting counts, not what the application does in between; each KiB that came buys another second.
    """
    waited_s, received, whole = 0.0, 0, False

    async def timed() -> Message:
        nonlocal waited_s, received, whole
        if whole:
            return (
                await receive()
            )  # now it waits for the client to leave, for however long the answer takes
        clock = asyncio.get_running_loop().time
        began = clock()
        allowed_s = timeout_s + received / MIN_BODY_BYTES_PER_S - waited_s
        try:
            async with asyncio.timeout(allowed_s):
                message = await receive()
        except TimeoutError:
            raise RequestTimeout("the body did not arrive in time") from None
        waited_s += clock() - began
        received += len(message.get("body", b""))
        whole = not message.get("more_body", False)
        return message

    return timed
