"""The app on an event loop in a thread of this process, and requests to it without a socket."""

import asyncio
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar
from urllib.parse import unquote, urlencode

import httpx
import uvloop
from fastapi import FastAPI

from holdfast_client.calls import Call, Reply
from holdfast_client.transport import Failure, Outcome, Server, headers_of

T = TypeVar("T")

STOP_WITHIN_S = 30.0

_SCOPE: dict[str, Any] = {
    "type": "http",
    "asgi": {"version": "3.0", "spec_version": "2.4"},
    "http_version": "1.1",
    "scheme": "http",
    "root_path": "",
    "client": ("127.0.0.1", 0),
    "server": ("127.0.0.1", 80),
}


class AppLoop:
    """Runs an app's lifespan and its requests in a thread of their own."""

    def __init__(self, app: FastAPI) -> None:
        """Start the app; raises what kept it from starting."""
        self.app = app
        self._pid = os.getpid()
        self._loop = uvloop.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="holdfast", daemon=True)
        self._thread.start()
        self._stop = asyncio.Event()
        started: Future[None] = Future()
        self._running = self.submit(self._lifespan(started))
        try:
            started.result()
        except BaseException:
            self._end()
            raise

    @property
    def is_ours(self) -> bool:
        """Whether this process started it: a forked child has no such thread."""
        return os.getpid() == self._pid

    def submit(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Run a coroutine on the app's loop."""
        if not self.is_ours:
            work.close()
            raise RuntimeError(
                "this process was forked from the one that opened Holdfast(): open it again here"
            )
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def close(self) -> None:
        """Stop the app and the thread."""
        if not self.is_ours:
            return
        try:
            self._loop.call_soon_threadsafe(self._stop.set)
            self._running.result(STOP_WITHIN_S)
        finally:
            self._end()

    async def request(self, server: Server, call: Call[Any], timeout_s: float) -> Outcome:
        """The outcome of a call, as over HTTP: an answer, or none in time."""
        body = call.body
        exchange = _Exchange(body or b"")
        scope = _scope(server, call, body)
        try:
            async with asyncio.timeout(call.timeout_s or timeout_s):
                await self.app(scope, exchange.receive, exchange.send)
        except TimeoutError:
            return Failure(httpx.ReadTimeout("no answer in time"))
        except (
            Exception
        ) as error:  # whatever broke the answer off: over HTTP it would be a closed connection
            return Failure(httpx.RemoteProtocolError(type(error).__name__))
        return exchange.reply()

    async def _lifespan(self, started: "Future[None]") -> None:
        """Start and stop the app in one task, as its task groups require."""
        try:
            async with self.app.router.lifespan_context(self.app):
                started.set_result(None)
                await self._stop.wait()
        except BaseException as error:
            if started.done():
                raise
            started.set_exception(error)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._loop.close()

    def _end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)


class _Exchange:
    """The two channels of one ASGI request."""

    def __init__(self, body: bytes) -> None:
        self._body: bytes | None = body
        self._status = 0
        self._headers: dict[str, str] = {}
        self._parts: list[bytes] = []

    async def receive(self) -> dict[str, Any]:
        if self._body is None:
            await asyncio.Event().wait()  # the caller stays until it has its answer
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            self._headers = {
                name.decode("latin-1").lower(): value.decode("latin-1")
                for name, value in message["headers"]
            }
        elif message["type"] == "http.response.body":
            self._parts.append(message.get("body", b""))

    def reply(self) -> Reply:
        return Reply(self._status, self._headers, b"".join(self._parts))


def _scope(server: Server, call: Call[Any], body: bytes | None) -> dict[str, Any]:
    raw_path = f"{call.root}{call.path}"
    headers = {"Host": "127.0.0.1", **headers_of(server, call, body)}
    if body is not None:
        headers["Content-Length"] = str(len(body))
    return {
        **_SCOPE,
        "method": call.method,
        "path": unquote(raw_path),
        "raw_path": raw_path.encode(),
        "query_string": urlencode(call.query_pairs).encode(),
        "headers": [
            (name.lower().encode("latin-1"), value.encode("latin-1"))
            for name, value in headers.items()
        ],
        "state": {},
    }
