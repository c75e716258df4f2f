"""The service itself: is it alive, is it ready, its metrics."""

from holdfast_client.face import AsyncFace, Face, awaited, sync
from holdfast_client.service import calls


class Service(Face):
    """Health, readiness and metrics of the service."""

    health = sync(calls.read_health)
    ready = sync(calls.read_readiness)
    metrics = sync(calls.read_metrics)


class AsyncService(AsyncFace):
    """Health, readiness and metrics of the service."""

    health = awaited(calls.read_health)
    ready = awaited(calls.read_readiness)
    metrics = awaited(calls.read_metrics)
