"""The Python client of Holdfast, the memory service for AI agents.

    from holdfast_client import Client

    with Client() as client:                       # HOLDFAST_URL and HOLDFAST_API_KEY
        ana = client.scope(user="ana", agent="support")

`AsyncClient` has the same methods, awaited. Errors are in `holdfast_client.errors`, and all of them here by name.
"""

from holdfast_client.client import AsyncClient, Client
from holdfast_client.errors import (
    AgentNotFound,
    Archived,
    BackendUnavailable,
    CapacityFull,
    Conflict,
    ConnectionFailed,
    CsrfRefused,
    FieldError,
    HeadersTooLarge,
    HoldfastError,
    IdempotencyMismatch,
    InternalError,
    Invalid,
    LimitExceeded,
    LockTimeout,
    MethodNotAllowed,
    NotFound,
    PayloadTooLarge,
    PreconditionFailed,
    RateLimited,
    RequestTimeout,
    RunEnded,
    ScopeDenied,
    StepUpRequired,
    Unauthenticated,
    UnexpectedReply,
)
from holdfast_client.paging import iterate, iterate_async, pages, pages_async
from holdfast_client.scope import Scope
from holdfast_client.transport import VERSION as __version__
from holdfast_client.values import UNSET, Page

__all__ = [
    "UNSET",
    "AgentNotFound",
    "Archived",
    "AsyncClient",
    "BackendUnavailable",
    "CapacityFull",
    "Client",
    "Conflict",
    "ConnectionFailed",
    "CsrfRefused",
    "FieldError",
    "HeadersTooLarge",
    "HoldfastError",
    "IdempotencyMismatch",
    "InternalError",
    "Invalid",
    "LimitExceeded",
    "LockTimeout",
    "MethodNotAllowed",
    "NotFound",
    "Page",
    "PayloadTooLarge",
    "PreconditionFailed",
    "RateLimited",
    "RequestTimeout",
    "RunEnded",
    "Scope",
    "ScopeDenied",
    "StepUpRequired",
    "Unauthenticated",
    "UnexpectedReply",
    "__version__",
    "iterate",
    "iterate_async",
    "pages",
    "pages_async",
]
