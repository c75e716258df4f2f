"""Everything that can go wrong, as the server's own table has it.

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
└── UnexpectedReply              an answer came that is none of Holdfast's

Read `code`, never the wording. A code that this client does not know is a plain HoldfastError with that code.
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
    """The root: a stable code, the HTTP status, what was wrong, and the id that finds the request in the server's log."""

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
        self.retry_after = retry_after  # seconds, where the server said when to come back

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
    """Someone else changed it since it was read. `current`: how it is now, of the type the call gives; None when gone."""

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
        """The most bytes that are taken."""
        return self.facts.get("limit")


class LimitExceeded(HoldfastError):
    code = "limit_exceeded"

    @property
    def limit(self) -> int:
        """The most that is kept."""
        return int(self.facts["limit"])

    @property
    def actual(self) -> int:
        """How much it was."""
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
    """No answer came: the server could not be reached, or the connection broke. Whether it acted is not known."""

    code = "connection_failed"


class UnexpectedReply(HoldfastError):
    """An answer that is none of Holdfast's (a proxy's page, another service), or not in the shape that was promised."""

    code = "unexpected_reply"


# What never comes from the server, but from the way to it.
LOCAL = (ConnectionFailed, UnexpectedReply)


def _below(kind: type[HoldfastError]) -> list[type[HoldfastError]]:
    return [found for sub in kind.__subclasses__() for found in (sub, *_below(sub))]


# Each code and the error that stands for it.
BY_CODE: Mapping[str, type[HoldfastError]] = {kind.code: kind for kind in _below(HoldfastError)}
