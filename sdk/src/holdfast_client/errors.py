"""The errors of the client: one class for each error code of the server, and two for failures on the way.

HoldfastError
├── Unauthenticated         401  no or bad credential
├── ScopeDenied             403  the credential may not touch that agent, user, project or workspace
├── StepUpRequired          403  needs a browser session with a fresh step-up
├── CsrfRefused             403  a cookie-authenticated write without its token
├── NotFound                404  missing, or not visible to the caller
│   └── AgentNotFound       404  no such agent in this workspace
├── MethodNotAllowed        405  the path exists, the method does not
├── RequestTimeout          408  the request did not reach the server in time
├── Conflict                409  someone else changed it; `current` is how it is now
├── Archived                409  write to an archived store
├── RunEnded                409  write under a run that has ended
├── CapacityFull            409  the entry cap is full of core entries
├── PreconditionFailed      412  the version given as `if_match` is not the current one
├── PayloadTooLarge         413  the body is over the cap
├── LimitExceeded           422  content over a stated limit; `limit`, `actual`
├── Invalid                 422  anything else wrong with the input (400 where it cannot be read); `errors`
├── IdempotencyMismatch     422  an idempotency key reused with another body
├── LockTimeout             423  a lock was not obtained in time
├── RateLimited             429  too many requests; `retry_after`
├── HeadersTooLarge         431  the headers are over the cap
├── InternalError           500  the server's own failure
├── BackendUnavailable      503  the server's database or Redis cannot be reached; `retry_after`
├── ConnectionFailed             no answer came
└── UnexpectedReply              an answer came, but not from Holdfast

Programs should read `code`, not the text. A code that this client does not know is a plain HoldfastError with that code.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class FieldError:
    """What is wrong with one field of the input."""

    field: str
    message: str


class HoldfastError(Exception):
    """The base class: a stable code, the HTTP status, a text, and the request id that the server's log has too."""

    code = ""

    def __init__(
        self,
        detail: str,
        *,
        code: str = "",
        status: int | None = None,
        request_id: str | None = None,
        errors: tuple[FieldError, ...] = (),
        facts: Mapping[str, Any] | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code or self.code
        self.status = status
        self.request_id = request_id
        self.errors = errors
        self.facts: Mapping[str, Any] = facts or {}
        self.retry_after = retry_after  # seconds, if the server sent Retry-After

    def __str__(self) -> str:
        known = [self.code, f"request {self.request_id}" if self.request_id else ""]
        return f"{self.detail} ({', '.join(part for part in known if part)})"


class Unauthenticated(HoldfastError):
    code = "unauthenticated"


class ScopeDenied(HoldfastError):
    code = "MEM-001"


class StepUpRequired(HoldfastError):
    code = "step_up_required"


class CsrfRefused(HoldfastError):
    code = "csrf"


class NotFound(HoldfastError):
    code = "not_found"


class AgentNotFound(NotFound):
    code = "MEM-002"


class MethodNotAllowed(HoldfastError):
    code = "method_not_allowed"


class RequestTimeout(HoldfastError):
    code = "request_timeout"


class Conflict(HoldfastError):
    """The object changed since it was read. `current` is the object as it is now; None if it does not exist."""

    code = "conflict"

    @property
    def current(self) -> Any:
        """The object as it is now."""
        return self.facts.get("current")


class Archived(HoldfastError):
    code = "archived"


class RunEnded(HoldfastError):
    code = "run_ended"


class CapacityFull(HoldfastError):
    code = "capacity"


class PreconditionFailed(HoldfastError):
    code = "precondition_failed"


class PayloadTooLarge(HoldfastError):
    code = "payload_too_large"

    @property
    def limit(self) -> int | None:
        """The limit in bytes."""
        return self.facts.get("limit")


class LimitExceeded(HoldfastError):
    code = "limit_exceeded"

    @property
    def limit(self) -> int:
        """The limit, in the unit that `detail` names."""
        return int(self.facts["limit"])

    @property
    def actual(self) -> int:
        """The actual amount, in the same unit."""
        return int(self.facts["actual"])


class Invalid(HoldfastError):
    code = "invalid"


class IdempotencyMismatch(HoldfastError):
    code = "idempotency_mismatch"


class LockTimeout(HoldfastError):
    code = "lock_timeout"


class RateLimited(HoldfastError):
    code = "rate_limited"


class HeadersTooLarge(HoldfastError):
    code = "headers_too_large"


class InternalError(HoldfastError):
    code = "internal"


class BackendUnavailable(HoldfastError):
    code = "MEM-003"


class ConnectionFailed(HoldfastError):
    """No answer: the server was not reached, or the connection broke. The request may have been executed."""

    code = "connection_failed"


class UnexpectedReply(HoldfastError):
    """The answer is not from Holdfast (a proxy's error page, another service), or has an unexpected shape."""

    code = "unexpected_reply"


# Raised by the client itself, never sent by the server.
LOCAL = (ConnectionFailed, UnexpectedReply)


def _below(kind: type[HoldfastError]) -> list[type[HoldfastError]]:
    return [found for sub in kind.__subclasses__() for found in (sub, *_below(sub))]


# The class for each error code.
BY_CODE: Mapping[str, type[HoldfastError]] = {kind.code: kind for kind in _below(HoldfastError)}
