"""Traces and metrics, as a collector receives them from a running service."""

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from holdfast.kernel import tracing
from tests.conftest import serving

SECRET = "zanzibar-marmalade"


class Collected:
    """What came in."""

    def __init__(self) -> None:
        self.spans = []
        self.metrics = set()
        self.bytes = b""

    def take(self, path: str, body: bytes) -> None:
        self.bytes += body
        if path == "/v1/traces":
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                for scope in resource.scope_spans:
                    self.spans += scope.spans
        else:
            for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics:
                for scope in resource.scope_metrics:
                    self.metrics |= {metric.name for metric in scope.metrics}

    def below(self, name: str) -> set[str]:
        """The names of all spans anywhere below those of this name; statements that were sent together are one span."""
        parents = {span.span_id: span.parent_span_id for span in self.spans}
        roots = {span.span_id for span in self.spans if span.name == name}

        def is_below(span_id: bytes) -> bool:
            while span_id := parents.get(span_id, b""):
                if span_id in roots:
                    return True
            return False

        found = [span.name for span in self.spans if is_below(span.span_id)]
        return {name for names in found for name in names.split(", ")}


@contextmanager
def collecting() -> Iterator[tuple[str, Collected]]:
    """A collector that speaks OTLP over HTTP: its address, and what it was sent."""
    collected = Collected()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.headers.get("content-encoding") == "gzip":
                body = gzip.decompress(body)
            collected.take(self.path, body)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return None

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", collected
    finally:
        server.shutdown()
        server.server_close()


def test_spans_go_from_the_request_to_the_embedding_and_carry_no_content(data_dir):
    with collecting() as (endpoint, collected):
        with serving(data_dir, HOLDFAST_OTLP_ENDPOINT=endpoint, HOLDFAST_SLOW_RECALL="1ms") as (
            ready,
            _,
        ):
            with httpx.Client(
                base_url=f"{ready['url']}/api/v1",
                headers={"Authorization": f"Bearer {ready['api_key']}"},
                timeout=30,
            ) as api:
                saved = api.post("/memories", json={"key": "jam", "value": f"likes {SECRET}"})
                assert saved.status_code == 201, saved.text
                found = api.post("/memories/recall", json={"q": SECRET})
                assert found.json()["data"], found.text
                assert api.post("/memories/recall", json={"q": f"{SECRET}\0"}).status_code == 422
            metrics = httpx.get(f"{ready['url']}/metrics").text
        log = (data_dir.parent / f"{data_dir.name}.log").read_text()
    # The service has ended: what was left was sent.
    assert {"POST /api/v1/memories", "POST /api/v1/memories/recall"} <= {
        span.name for span in collected.spans
    }
    below = collected.below("POST /api/v1/memories/recall")
    assert {"search_memory", "embeddings", "recall_sight_and_words"} <= below
    assert {"embeddings", "recall_sight_and_words"} <= collected.below("search_memory")
    assert "upsert_memory" in collected.below("POST /api/v1/memories")
    assert {"http.server.request.duration", "gen_ai.client.operation.duration"} <= collected.metrics
    assert SECRET.encode() not in collected.bytes
    assert ready["api_key"].encode() not in collected.bytes
    assert "slow recall" in log
    assert SECRET not in log
    assert "holdfast_slow_recalls_total 1.0" in metrics


def test_it_is_off_by_default():
    assert tracing.span("x").__enter__() is None
    assert tracing.for_fastapi()["tracing"] is False
    assert tracing.for_fastapi()["auto_configure"] is False


def test_what_is_missing_is_said(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(tracing.TracingUnavailable, match=r"holdfast\[otel\]"):
        tracing.start("http://127.0.0.1:4318")
