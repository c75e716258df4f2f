"""What one connection may cost, with raw sockets against a uvicorn of the test's own."""

import asyncio
import json
import socket
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import pytest
import uvicorn
from starlette.requests import Request
from starlette.responses import PlainTextResponse

from holdfast.edge.connections import ConnectionLimits, protocol_with
from holdfast.edge.middleware import Requests

KIB = 1024


@dataclass
class Server:
    port: int
    state: uvicorn.server.ServerState

    async def connect(self):
        return await asyncio.open_connection("127.0.0.1", self.port)

    async def ask(self, request: bytes) -> bytes:
        """Send one request in one piece and read until the server ends the connection."""
        reader, writer = await self.connect()
        with suppress(ConnectionError):
            writer.write(request)
            await writer.drain()
        return await _rest(reader, writer)


async def _rest(reader, writer) -> bytes:
    answer = b""
    with suppress(ConnectionError):
        while piece := await asyncio.wait_for(reader.read(65536), 30):
            answer += piece
    writer.close()
    return answer


async def _app(scope, receive, send):
    """Answers with the size of the body; `/early` answers before it reads the body."""
    if scope["type"] == "http":
        request = Request(scope, receive)
        size = 0 if request.url.path == "/early" else len(await request.body())
        await PlainTextResponse(str(size))(scope, receive, send)


@asynccontextmanager
async def serving(app=_app, **limits):
    limits = ConnectionLimits(**limits)
    config = uvicorn.Config(
        Requests(app, body_timeout_s=limits.request_timeout_s),
        http=protocol_with(limits),
        loop="none",
        lifespan="off",
        log_config=None,
    )
    server = uvicorn.Server(config)
    listener = socket.create_server(("127.0.0.1", 0))
    task = asyncio.create_task(server._serve([listener]))
    while not server.started:
        await asyncio.sleep(0.01)
    try:
        yield Server(listener.getsockname()[1], server.server_state)
    finally:
        server.should_exit = True
        await task


def _problem(answer: bytes):
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"application/problem+json" in head, answer[:300]
    return json.loads(body)


END = b"connection: close\r\n\r\n"


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"GET / HTTP/1.1\r\nx: " + b"a" * (4 * 1024 * KIB) + b"\r\n" + END,
        b"GET / HTTP/1.1\r\nx: " + b"a" * (70 * KIB) + b"\r\n" + END,
        b"GET / HTTP/1.1\r\n" + b"x: a\r\n" * 101 + END,
        b"GET / HTTP/1.1\r\n" + b"x: a\r\n" * 200_000 + END,
        b"GET /" + b"a" * (70 * KIB) + b" HTTP/1.1\r\n" + END,
        b"GET / HTTP/1.1\r\n" + b"n" * (4 * 1024 * KIB),
    ],
    ids=["4 MiB value", "70 KiB value", "101", "200,000", "long path", "endless name"],
)
async def test_headers_over_the_limits_are_431(request_bytes):
    async with serving() as server:
        answer = await server.ask(request_bytes)
        assert answer.startswith(b"HTTP/1.1 431 "), answer[:200]
        assert _problem(answer)["code"] == "headers_too_large"


async def test_headers_within_the_limits_are_taken():
    async with serving() as server:
        lines = b"".join(b"x-%d: %s\r\n" % (n, b"a" * 600) for n in range(98))
        assert (await server.ask(b"GET / HTTP/1.1\r\n" + lines + END)).startswith(b"HTTP/1.1 200 ")
        # The count begins anew with each request of a connection.
        one = b"GET / HTTP/1.1\r\n" + lines + b"\r\n"
        last = b"GET / HTTP/1.1\r\n" + lines + END
        assert (await server.ask(one + one + last)).count(b"HTTP/1.1 200 ") == 3


async def test_what_is_no_http_is_a_problem():
    async with serving() as server:
        answer = await server.ask(b"\x16\x03\x01 hello\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 400 ")
        assert _problem(answer)["code"] == "invalid"


@pytest.mark.parametrize(
    ("begun", "status"),
    [
        (b"GET / HTTP/1.1\r\nhost: x\r\n", b"408"),
        (b"POST / HTTP/1.1\r\ncontent-length: 100\r\n\r\nhalf", b"408"),
        (b"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n", b"408"),
        (b"GET / HTTP/1.1\r\nhost: x\r\n\r\nGET / HT", b"408"),
        (b"", b""),
    ],
    ids=["headers", "body", "chunks", "second request", "nothing"],
)
async def test_what_is_half_sent_is_ended(begun, status):
    async with serving(request_timeout_s=0.2) as server:
        answer = await server.ask(begun)
        if status:
            last = answer[answer.rindex(b"HTTP/1.1 ") :]
            assert last.startswith(b"HTTP/1.1 " + status), answer
            assert _problem(last)["code"] == "request_timeout"
        else:
            assert answer == b""


async def test_bytes_that_drip_do_not_hold_a_connection():
    async with serving(request_timeout_s=0.3) as server:
        for begun in (
            b"GET / HTTP/1.1\r\nx: ",
            b"POST / HTTP/1.1\r\ncontent-length: 1000000\r\n\r\n",
        ):
            reader, writer = await server.connect()
            writer.write(begun)
            answered = asyncio.create_task(_rest(reader, writer))
            while not answered.done():
                with suppress(ConnectionError):
                    writer.write(b"a")
                await asyncio.sleep(0.02)
            assert b" 408 " in answered.result()


async def test_an_answer_before_the_body_came_does_not_keep_the_connection(monkeypatch):
    monkeypatch.setattr("holdfast.edge.connections.LINGER_S", 0.2)
    async with serving() as server:
        answer = await server.ask(b"POST /early HTTP/1.1\r\ncontent-length: 1000\r\n\r\nhalf")
        assert answer.startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    ("begun", "status"),
    [
        (b"POST /early HTTP/1.1\r\ncontent-length: 100000000\r\n\r\n", b"200"),
        (b"GET / HTTP/1.1\r\nx: " + b"a" * 100_000, b"431"),  # refused below the application
    ],
    ids=["answered early", "refused"],
)
async def test_what_still_comes_after_an_answer_is_read_while_it_comes(monkeypatch, begun, status):
    for linger_s in (0.2, 1, 5):  # longer where this process itself stood still for so long
        monkeypatch.setattr("holdfast.edge.connections.LINGER_S", linger_s)
        if await _is_read_for(3 * linger_s, begun, status):
            return
    pytest.fail("a connection ends although its client sends on")


async def _is_read_for(seconds: float, begun: bytes, status: bytes) -> bool:
    async with serving() as server:
        reader, writer = await server.connect()
        writer.write(begun)
        assert (await reader.readline()).startswith(b"HTTP/1.1 " + status)
        try:
            for _ in range(30):
                writer.write(b"a" * 10_000)
                await writer.drain()
                await asyncio.sleep(seconds / 30)
        except ConnectionError:
            return False
        writer.transport.abort()
        return True


async def test_a_body_may_follow_its_answer_and_the_connection_goes_on():
    async with serving() as server:
        reader, writer = await server.connect()
        writer.write(b"POST /early HTTP/1.1\r\ncontent-length: 4\r\n\r\n")
        assert b"200" in await reader.readuntil(b"\r\n\r\n0")
        writer.write(b"bodyPOST / HTTP/1.1\r\ncontent-length: 3\r\n" + END + b"abc")
        assert (await _rest(reader, writer)).endswith(b"\r\n\r\n3")


async def test_at_the_cap_the_longest_silent_connection_gives_way():
    async with serving(max_connections=8) as server:
        silent = [await server.connect() for _ in range(8)]
        for _, writer in silent:
            writer.write(b"POST / HTTP/1.1\r\ncontent-length: 100\r\n\r\nhalf")
        while len(server.state.tasks) < 8:
            await asyncio.sleep(0.01)
        assert (await server.ask(b"GET / HTTP/1.1\r\n" + END)).startswith(b"HTTP/1.1 200 ")
        assert len(server.state.connections) <= 8
        gone = [reader.at_eof() or reader.exception() is not None for reader, _ in silent]
        assert (gone[0], sum(gone)) == (True, 1)
        for _, writer in silent:
            writer.close()


async def test_where_all_are_being_answered_the_next_is_told_to_come_back():
    asked, go_on = asyncio.Semaphore(0), asyncio.Event()

    async def slow(scope, receive, send):
        await Request(scope, receive).body()
        asked.release()
        await go_on.wait()
        await PlainTextResponse("done")(scope, receive, send)

    async with serving(slow, max_connections=8) as server:
        busy = [await server.connect() for _ in range(8)]
        for _, writer in busy:
            writer.write(b"GET / HTTP/1.1\r\n" + END)
        for _ in busy:
            await asked.acquire()
        refused = await server.ask(b"GET / HTTP/1.1\r\n" + END)
        assert refused.startswith(b"HTTP/1.1 503 ")
        assert b"retry-after" in refused
        go_on.set()
        answers = [await _rest(*each) for each in busy]
        assert all(answer.startswith(b"HTTP/1.1 200 ") for answer in answers)
