"""Both clients on the running service, and little servers that fail in a way of our choosing."""

import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any

import pytest

from holdfast.app import make_app
from holdfast.deployment import Config
from holdfast.embedded.app_loop import AppLoop
from holdfast.embedded.client import AsyncHoldfast, Holdfast
from holdfast.embedded.opening import Embedded
from holdfast_client import AsyncClient, Client
from holdfast_client.transport import Retries, Server


@dataclass(frozen=True)
class Both:
    """A sync and an async client with one key."""

    sync: Client
    awaited: AsyncClient

    def scope(self, **names: str) -> "Both":
        return Both(self.sync.scope(**names), self.awaited.scope(**names))


@pytest.fixture(params=["http", "embedded"])
async def both(org, embedded, request: pytest.FixtureRequest) -> AsyncIterator[Both]:
    """Both clients, as the service key of the test's org: over HTTP, and as the classes of an embedded instance."""
    if request.param == "embedded":
        yield embedded(org.key)
        return
    with Client(org.url, org.key) as client:
        async with AsyncClient(org.url, org.key) as async_client:
            yield Both(client, async_client)


@pytest.fixture(scope="session")
def embedded(service) -> Iterator[Callable[[str], Both]]:
    """Makes an embedded pair with a key: the app in this process, on the database of the running service."""
    app = AppLoop(make_app(Config(service.app_url, redis_url=service.redis_url), embedded=True))
    folder: Any = SimpleNamespace(instance=SimpleNamespace(app=app))

    def pair(key: str) -> Both:
        opened = Embedded(folder, Server("http://embedded", key))
        sync, awaited = Holdfast.__new__(Holdfast), AsyncHoldfast.__new__(AsyncHoldfast)
        sync._use(opened, 30, Retries())
        awaited._use(opened, 30, Retries())
        return Both(sync, awaited)

    yield pair
    app.close()


@dataclass
class Asked:
    """A request as it came to the little server."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Script:
    """What the little server answers, in order (the last goes on), and what it was asked."""

    url: str
    asked: list[Asked] = field(default_factory=list)


# An answer: (status, headers, body), or "drop" to read the request and break the connection without a word.
Answer = tuple[int, dict[str, str], bytes] | str


@contextmanager
def _answering(*answers: Answer) -> Iterator[Script]:
    script = Script("")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            script.asked.append(Asked(self.command, self.path, headers, body))
            planned = answers[min(len(script.asked), len(answers)) - 1]
            if isinstance(planned, str):
                self.close_connection = True
                return
            status, extra, content = planned
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **extra}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    script.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield script
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def answering() -> Callable[..., Any]:
    """Starts a real HTTP server that answers from a script."""
    return _answering
