"""The values of the service itself."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether the service is ready, and each dependency by name: `ok`, or what is wrong with it."""

    ready: bool
    checks: dict[str, str]
