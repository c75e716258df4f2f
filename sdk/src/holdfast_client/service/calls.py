"""The operations about the service itself: its health, its readiness, its metrics."""

from holdfast_client.calls import Call, Reply, one
from holdfast_client.scope import Scope
from holdfast_client.service.model import Readiness

_UNAVAILABLE = 503


def read_health(scope: Scope) -> Call[str]:
    """`ok` while the process is alive; no dependency is checked."""
    return Call("GET", "/healthz", _text, headers=scope.headers, root="", repeatable=True)


def read_readiness(scope: Scope) -> Call[Readiness]:
    """Check each dependency of the service. A service that is not ready is an answer here, not an error."""
    return Call(
        "GET",
        "/readyz",
        one(Readiness),
        headers=scope.headers,
        root="",
        also_answers=frozenset({_UNAVAILABLE}),
    )


def read_metrics(scope: Scope) -> Call[str]:
    """The Prometheus metrics, as text."""
    return Call("GET", "/metrics", _text, headers=scope.headers, root="", repeatable=True)


def _text(reply: Reply) -> str:
    return reply.content.decode().rstrip("\n")
