"""A model that replies from a script, behind a real HTTP server that speaks chat completions."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class StubLlm:
    """What it says next, and what it was asked."""

    url: str = ""
    reply: str = "Ana has a dog called Rex."
    reply_to: Callable[[dict[str, Any]], str] | None = None  # makes the reply of what was asked
    status: int = 200
    delay_s: float = 0.0
    may_answer: threading.Event = field(default_factory=threading.Event)
    asked: list[dict[str, Any]] = field(default_factory=list)


@contextmanager
def stub_llm() -> Iterator[StubLlm]:
    """The server, for as long as the block lasts."""
    stub = StubLlm()
    stub.may_answer.set()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            key = self.headers.get("authorization") or self.headers.get("x-api-key")
            stub.asked.append({"path": self.path, "key": key, **body})
            time.sleep(stub.delay_s)
            stub.may_answer.wait(120)
            if self.path.endswith("tokens"):
                answer: dict[str, Any] = {"input_tokens": 11}
            else:
                reply = stub.reply if stub.reply_to is None else stub.reply_to(body)
                message = {"role": "assistant", "content": reply}
                answer = {"choices": [{"message": message}], "usage": {"total_tokens": 77}}
            data = json.dumps(answer).encode()
            self.send_response(stub.status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            with suppress(BrokenPipeError):
                self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    stub.url = f"http://127.0.0.1:{server.server_port}/v1"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()
