"""A little OpenAI-compatible embedder that hashes words: real HTTP, no model. It can be slow, or down."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from zlib import crc32

DIMENSIONS = 64


def embed(text: str) -> list[float]:
    vector = [0.0] * DIMENSIONS
    for word in text.lower().split():
        vector[crc32(word.strip(".,:?!").encode()) % DIMENSIONS] += 1.0
    return vector


class HashingEmbedder:
    """Answers at `url` for as long as it lives."""

    def __init__(self) -> None:
        self.down = False
        self.delay_s = 0.0
        self.asked = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                outer.asked += 1
                time.sleep(outer.delay_s)
                if outer.down:
                    self.send_error(503)
                    return
                data = [
                    {"index": i, "embedding": embed(text)} for i, text in enumerate(body["input"])
                ]
                answer = json.dumps({"data": data, "model": body["model"]}).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1#hashing"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
