"""Around every request: its id, its one line in the log, its numbers in the metrics, the headers that keep a browser safe."""

import re
import time
from typing import Any

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from holdfast.edge.connections import timed_receive
from holdfast.edge.problems import as_holdfast_error, problem
from holdfast.kernel import metrics
from holdfast.kernel.ids import new_id

log = structlog.get_logger("holdfast.access")

_acceptable_id = re.compile(rb"[A-Za-z0-9_.:@/+=-]{1,128}")

SECURITY_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
# Pages of ours load nothing from elsewhere; JSON loads nothing at all.
PAGE_POLICY = (
    b"default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; form-action 'self'; base-uri 'none'; "
    b"frame-ancestors 'none'"
)
DATA_POLICY = b"default-src 'none'; frame-ancestors 'none'"


class Requests:
    """The outermost middleware. Plain ASGI, so that it neither buffers nor copies a body."""

    def __init__(self, app: ASGIApp, body_timeout_s: float) -> None:
        self.app = app
        self.body_timeout_s = body_timeout_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        # HEAD of an API path is its GET without the body.
        is_head = scope["method"] == "HEAD" and scope["path"].startswith("/api/")
        if is_head:
            scope = {**scope, "method": "GET"}
        request_id = _request_id(scope)
        scope["holdfast.request_id"] = request_id
        started = time.perf_counter()
        status = 0

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = _with_headers(message["headers"], request_id)
            elif is_head:
                message = {**message, "body": b""}
            await send(message)

        metrics.requests_in_flight.inc()
        try:
            await self.app(scope, timed_receive(receive, self.body_timeout_s), send_with_headers)
        except Exception as error:
            # Nothing may leave without a reply, but a reply that has begun cannot begin again.
            if status:
                raise
            response = problem(as_holdfast_error(error), request_id)
            await response(scope, receive, send_with_headers)
        finally:
            metrics.requests_in_flight.dec()
            _record(scope, request_id, status, time.perf_counter() - started)


def _request_id(scope: Scope) -> str:
    for name, value in scope["headers"]:
        if name == b"x-request-id" and _acceptable_id.fullmatch(value):
            text: str = value.decode()
            return text
    return new_id("req")


def _with_headers(headers: list[tuple[bytes, bytes]], request_id: str) -> list[tuple[bytes, bytes]]:
    present = {name.lower(): value for name, value in headers}
    added = [(b"x-request-id", request_id.encode()), *SECURITY_HEADERS]
    is_page = present.get(b"content-type", b"").startswith(b"text/html")
    added.append((b"content-security-policy", PAGE_POLICY if is_page else DATA_POLICY))
    if b"cache-control" not in present:
        added.append((b"cache-control", b"no-store"))
    return [*headers, *((name, value) for name, value in added if name not in present)]


def _record(scope: Scope, request_id: str, status: int, seconds: float) -> None:
    """One line a request, with the route's pattern in place of its path: a path may hold a key or a name."""
    route = getattr(scope.get("route"), "path", "unmatched")
    method = scope["method"]
    metrics.request_seconds.labels(method, route, str(status)).observe(seconds)
    line: dict[str, Any] = {
        "request_id": request_id,
        "method": method,
        "route": route,
        "status": status,
        "ms": round(seconds * 1000, 2),
    }
    caller = scope.get("holdfast.caller")
    if caller is not None:
        line |= {"org": caller.org_id, "credential": caller.credential_id}
    log.info("request", **line)
