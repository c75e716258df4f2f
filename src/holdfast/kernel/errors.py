"""Every error of the service, with its code and status.

HoldfastError
├── Unauthenticated         401  no or bad credential
├── ScopeDenied             403  the credential may not touch that agent, user, project or workspace
├── StepUpRequired          403  needs a browser session with a fresh step-up
├── CsrfRefused             403  a cookie-authenticated write without its token
├── NotFound                404  missing, or not visible to the caller; also a malformed id
├── AgentNotFound           404  no such agent in this workspace
├── MethodNotAllowed        405  the path exists, the method does not
├── RequestTimeout          408  the request did not arrive in time
├── Conflict                409  a compare-and-set lost
├── Archived                409  write to an archived store
├── RunEnded                409  write under a run that has ended
├── CapacityFull            409  the entry cap is full of core entries
├── PreconditionFailed      412  If-Match does not match
├── PayloadTooLarge         413  the body is over the cap
├── LimitExceeded           422  content over a stated limit
├── Invalid                 422  anything else wrong with the input
├── Malformed               400  JSON, query or paging that cannot be read
├── IdempotencyMismatch     422  an Idempotency-Key reused with another body
├── LockTimeout             423  a lock was not obtained in time
├── RateLimited             429  too many requests, or too many failed sign-ins
├── HeadersTooLarge         431  the headers are over the cap
├── InternalError           500  ours, not the caller's
└── BackendUnavailable      503  the database or Redis cannot be reached

Clients read `code`, never the wording. A message says what was wrong and what would be right; `facts` go along as
fields of the reply.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar


class HoldfastError(Exception):
    """The root: a stable code, an HTTP status, a title, and facts for the reply."""

    code: ClassVar[str]
    status: ClassVar[int]
    title: ClassVar[str]
    retry_after_s: int | None = None

    def __init__(self, detail: str, **facts: Any) -> None:
        super().__init__(detail)
        self.detail = detail
        self.facts: Mapping[str, Any] = facts


class Unauthenticated(HoldfastError):
    code, status, title = "unauthenticated", 401, "No valid credential"


class ScopeDenied(HoldfastError):
    code, status, title = "MEM-001", 403, "Scope denied"


class StepUpRequired(HoldfastError):
    code, status, title = "step_up_required", 403, "A fresh step-up is required"

    def __init__(self, detail: str | None = None) -> None:
        super().__init__(
            detail
            or "sign in with a browser and confirm with POST /auth/step-up; API keys cannot do this"
        )


class CsrfRefused(HoldfastError):
    code, status, title = "csrf", 403, "Missing or wrong CSRF token"


class NotFound(HoldfastError):
    code, status, title = "not_found", 404, "Not found"


class AgentNotFound(HoldfastError):
    code, status, title = "MEM-002", 404, "No such agent"


class MethodNotAllowed(HoldfastError):
    code, status, title = "method_not_allowed", 405, "Method not allowed"

    def __init__(self, detail: str, allow: str) -> None:
        super().__init__(detail)
        self.allow = allow


class RequestTimeout(HoldfastError):
    code, status, title = "request_timeout", 408, "The request did not arrive in time"


class Conflict(HoldfastError):
    """Someone else changed it since the caller read it; `current` is the object as it is now, or None."""

    code, status, title = "conflict", 409, "Conflict"

    def __init__(self, detail: str, current: Any = None, **facts: Any) -> None:
        super().__init__(detail, current=current, **facts)
        self.current = current


class Archived(HoldfastError):
    code, status, title = "archived", 409, "Archived"


class RunEnded(HoldfastError):
    code, status, title = "run_ended", 409, "The run has ended"


class CapacityFull(HoldfastError):
    code, status, title = "capacity", 409, "No room left"


class PreconditionFailed(HoldfastError):
    code, status, title = "precondition_failed", 412, "If-Match does not match"


class PayloadTooLarge(HoldfastError):
    code, status, title = "payload_too_large", 413, "Body too large"

    def __init__(self, limit: int) -> None:
        super().__init__(f"the body is larger than {limit:,} bytes", limit=limit)


class LimitExceeded(HoldfastError):
    code, status, title = "limit_exceeded", 422, "Over a limit"

    def __init__(self, detail: str, *, limit: int, actual: int, **facts: Any) -> None:
        super().__init__(detail, limit=limit, actual=actual, **facts)


@dataclass(frozen=True, slots=True)
class FieldError:
    """What is wrong with one field of the input."""

    field: str
    message: str
    line: int | None = None  # where the input is a file of lines


class Invalid(HoldfastError):
    code, status, title = "invalid", 422, "Invalid input"

    def __init__(self, detail: str, errors: Sequence[FieldError] = (), **facts: Any) -> None:
        super().__init__(detail, **facts)
        self.errors = list(errors)

    @classmethod
    def field(cls, field: str, message: str) -> "Invalid":
        """One field is wrong."""
        return cls(f"{field}: {message}", [FieldError(field, message)])


class Malformed(Invalid):
    status, title = 400, "Malformed request"


class IdempotencyMismatch(HoldfastError):
    code, status, title = "idempotency_mismatch", 422, "Idempotency-Key reused"


class LockTimeout(HoldfastError):
    code, status, title = "lock_timeout", 423, "Lock not obtained in time"


class RateLimited(HoldfastError):
    code, status, title = "rate_limited", 429, "Too many requests"

    def __init__(self, detail: str, retry_after_s: int) -> None:
        super().__init__(detail)
        self.retry_after_s = retry_after_s


class HeadersTooLarge(HoldfastError):
    code, status, title = "headers_too_large", 431, "Headers too large"

    def __init__(self, max_bytes: int, max_headers: int) -> None:
        super().__init__(
            f"the path and the headers are larger than {max_bytes:,} bytes or more than {max_headers} headers"
        )


class InternalError(HoldfastError):
    code, status, title = "internal", 500, "Internal error"


class BackendUnavailable(HoldfastError):
    code, status, title = "MEM-003", 503, "Memory backend unavailable"
    retry_after_s = 2


def every_error() -> list[type[HoldfastError]]:
    """The whole table, for the OpenAPI document, the docs and the client."""

    def below(cls: type[HoldfastError]) -> list[type[HoldfastError]]:
        return [found for sub in cls.__subclasses__() for found in (sub, *below(sub))]

    return below(HoldfastError)
