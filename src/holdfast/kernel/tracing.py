"""OpenTelemetry traces and metrics: off unless HOLDFAST_OTLP_ENDPOINT names a collector.

A request's span comes from FastAPI; below it stand the operation (the names of the GenAI memory conventions:
`gen_ai.operation.name`, `gen_ai.memory.*`), its SQL statements, embeddings and calls of a language model. Spans carry names,
numbers and ids, never a text that somebody wrote and never a query.

`start(endpoint)` is called once per process. While it is off, `span` does nothing and imports nothing of the SDK.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from holdfast import __version__

SERVICE = "holdfast"
SEND_WITHIN_S = 5
# What operations are called in the conventions, by the last part of their id; what is not here is `update_memory` where it
# changes something and has no name of its own otherwise.
OPERATIONS = {
    "recall": "search_memory",
    "search": "search_memory",
    "context": "search_memory",
    "save": "upsert_memory",
    "put": "upsert_memory",
    "store": "upsert_memory",
    "remember": "upsert_memory",
    "append": "upsert_memory",
    "create": "create_memory",
    "delete": "delete_memory",
    "forget": "delete_memory",
}
# Path parameters that name what an operation is about.
IDS = {"store_id": "gen_ai.memory.store.id", "agent_id": "gen_ai.agent.id"}
RECORD_IDS = frozenset({"memory_id", "entry_id", "node_id", "version_id"})


@dataclass(frozen=True, slots=True)
class Tracing:
    """The providers of this process."""

    tracer_provider: Any
    meter_provider: Any
    tracer: Any
    durations: Any


_running: Tracing | None = None


class TracingUnavailable(Exception):
    """The packages that send traces are not installed."""


def start(endpoint: str) -> Tracing:
    """Send traces and metrics of this process to a collector that speaks OTLP over HTTP, until the process ends: what is left
    is sent then. A second call changes nothing."""
    global _running
    if _running is not None:
        return _running
    try:
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise TracingUnavailable(
            "HOLDFAST_OTLP_ENDPOINT is set, and the packages that send traces are missing:"
            " pip install 'holdfast[otel]'"
        ) from error
    base = endpoint.rstrip("/")
    about = Resource.create({"service.name": SERVICE, "service.version": __version__})
    tracer_provider = TracerProvider(resource=about)
    tracer_provider.add_span_processor(
        BatchSpanProcessor(OTLPSpanExporter(endpoint=f"{base}/v1/traces", timeout=SEND_WITHIN_S))
    )
    reader = PeriodicExportingMetricReader(
        OTLPMetricExporter(endpoint=f"{base}/v1/metrics", timeout=SEND_WITHIN_S)
    )
    meter_provider = MeterProvider(resource=about, metric_readers=[reader])
    _running = Tracing(
        tracer_provider,
        meter_provider,
        tracer_provider.get_tracer(SERVICE, __version__),
        meter_provider.get_meter(SERVICE, __version__).create_histogram(
            "gen_ai.client.operation.duration", "s", "Time of memory operations."
        ),
    )
    return _running


def for_fastapi() -> dict[str, Any]:
    """What FastAPI is told: this process's providers, no exporters from the environment, and no logs, which would carry
    messages of exceptions."""
    quiet: dict[str, Any] = {"logs": False, "operation_spans": False, "auto_configure": False}
    if _running is None:
        return {**quiet, "tracing": False, "metrics": False}
    return {
        **quiet,
        "tracer_provider": _running.tracer_provider,
        "meter_provider": _running.meter_provider,
    }


def span(name: str, **attributes: Any) -> AbstractContextManager[Any]:
    """A span around a block; attribute names take `__` for `.`. None is given where tracing is off."""
    if _running is None:
        return nullcontext()
    return _span(
        _running, name, {key.replace("__", "."): value for key, value in attributes.items()}
    )


def statement(name: str) -> AbstractContextManager[Any]:
    """The span of an SQL statement, by the name it has in its file."""
    if _running is None:
        return nullcontext()
    return _span(_running, name, {"db.system.name": "postgresql", "db.query.summary": name})


def operation(id: str, names: dict[str, Any]) -> AbstractContextManager[Any]:
    """The span of an operation, by its id (`memories.recall`) and what its path names."""
    if _running is None:
        return nullcontext()
    return _operation(_running, id, names)


@contextmanager
def _operation(running: Tracing, id: str, names: dict[str, Any]) -> Iterator[Any]:
    face, _, verb = id.partition(".")
    known = OPERATIONS.get(verb.removesuffix("_post"))
    attributes = {
        "gen_ai.operation.name": known or id,
        "holdfast.operation": id,
        "holdfast.face": face,
    }
    attributes |= {IDS[name]: str(value) for name, value in names.items() if name in IDS}
    records = [str(value) for name, value in names.items() if name in RECORD_IDS]
    if records:
        attributes["gen_ai.memory.record.id"] = records[0]
    started = perf_counter()
    try:
        with _span(running, known or id, attributes) as made:
            yield made
    finally:
        running.durations.record(
            perf_counter() - started, {"gen_ai.operation.name": known or id, "holdfast.face": face}
        )


@contextmanager
def _span(running: Tracing, name: str, attributes: dict[str, Any]) -> Iterator[Any]:
    # A message of an exception may quote what somebody wrote: only its type is recorded.
    with running.tracer.start_as_current_span(
        name, attributes=attributes, record_exception=False, set_status_on_exception=False
    ) as made:
        try:
            yield made
        except BaseException as error:
            from opentelemetry.trace import StatusCode

            made.set_attribute("error.type", type(error).__name__)
            made.set_status(StatusCode.ERROR)
            raise
