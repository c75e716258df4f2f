"""Errors into problem+json (RFC 9457), for ours and for the framework's own alike."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import Match

from holdfast.edge.wire import as_wire
from holdfast.kernel.errors import (
    FieldError,
    HoldfastError,
    InternalError,
    Invalid,
    Malformed,
    MethodNotAllowed,
    NotFound,
    PayloadTooLarge,
    RequestTimeout,
)

log = structlog.get_logger("holdfast.problems")

# Of the faults of one request, this many are listed. A name that a client made up is cut at MAX_NAME_CHARS.
MAX_LISTED = 20
MAX_NAME_CHARS = 200
METHODS = ("DELETE", "GET", "HEAD", "PATCH", "POST", "PUT")
MEDIA_TYPE = "application/problem+json"


def problem(error: HoldfastError, request_id: str) -> Response:
    """The reply to an error."""
    body: dict[str, Any] = {
        "type": f"urn:holdfast:error:{error.code}",
        "title": error.title,
        "status": error.status,
        "detail": error.detail,
        "code": error.code,
        "request_id": request_id,
    }
    if isinstance(error, Invalid):
        body["errors"] = [_field_error(e) for e in error.errors]
    body.update({name: as_wire(fact) for name, fact in error.facts.items()})
    headers = {}
    if error.retry_after_s is not None:
        headers["Retry-After"] = str(error.retry_after_s)
    if isinstance(error, MethodNotAllowed):
        headers["Allow"] = error.allow
    if isinstance(error, RequestTimeout):
        headers["Connection"] = "close"
    if error.status == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="holdfast"'
    return Response(json.dumps(body), error.status, headers, media_type=MEDIA_TYPE)


def invalid_from(errors: Sequence[Any]) -> Invalid:
    """Pydantic's findings in our words: 400 when the query or a header cannot be read, 422 for the body.

    The first MAX_LISTED are listed; the detail says how many more there are.
    """
    listed = errors[:MAX_LISTED]
    found = [FieldError(_field_of(error), _message_of(error)) for error in listed]
    places = {error["loc"][0] for error in listed if error["loc"]}
    detail = (
        "; ".join(f"{e.field or 'it'}: {e.message}" for e in found[:5])
        or "the input cannot be read"
    )
    if len(errors) > 5:
        detail += f"; and {len(errors) - 5:,} more"
    if places <= {"query", "header", "cookie"}:
        return Malformed(detail, found)
    return Invalid(detail, found)


def install(app: FastAPI) -> None:
    """Answer every failure of the app with a problem."""

    async def ours(request: Request, error: Exception) -> Response:
        if not isinstance(error, HoldfastError):
            raise error
        return problem(error, request_id_of(request))

    async def validation(request: Request, error: Exception) -> Response:
        if not isinstance(error, RequestValidationError):
            raise error
        return problem(_as_ours(error), request_id_of(request))

    async def framework(request: Request, error: Exception) -> Response:
        if not isinstance(error, HTTPException):
            raise error
        return problem(_from_framework(error, request), request_id_of(request))

    app.add_exception_handler(HoldfastError, ours)
    app.add_exception_handler(RequestValidationError, validation)
    app.add_exception_handler(HTTPException, framework)


def as_holdfast_error(error: Exception) -> HoldfastError:
    """Any failure as one of ours; what nobody foresaw is an internal error, logged without its content."""
    if isinstance(error, HoldfastError):
        return error
    if isinstance(error, RequestValidationError):
        return _as_ours(error)
    if isinstance(error, HTTPException):
        return _from_framework(error, None)
    if isinstance(error, ClientDisconnect):
        return RequestTimeout("the client left before its request was whole")
    log.error("unexpected", error=type(error).__name__, where=_where(error))
    return InternalError("something failed on our side; the request id finds it in the log")


def request_id_of(request: Request) -> str:
    """The request's id, given by the client or made by the middleware."""
    return str(request.scope.get("holdfast.request_id", ""))


def _field_error(error: FieldError) -> dict[str, Any]:
    where = {} if error.line is None else {"line": error.line}
    return {"field": error.field, "message": error.message, **where}


def _as_ours(error: RequestValidationError) -> HoldfastError:
    if any(e["loc"] and e["loc"][0] == "path" for e in error.errors()):
        # A malformed id names nothing: it is not found, like any other id that is not there.
        return NotFound("there is nothing at this path")
    return invalid_from(error.errors())


def _from_framework(error: HTTPException, request: Request | None) -> HoldfastError:
    match error.status_code:
        case 404:
            return NotFound("there is nothing at this path")
        case 405:
            return not_allowed(_allowed(request) if request is not None else ())
        case 413:
            return PayloadTooLarge(0)
        case 400:
            return Malformed("the body cannot be read")
        case _:
            return InternalError(str(error.detail))


def not_allowed(methods: Iterable[str]) -> MethodNotAllowed:
    """The refusal of a method, with those that the path takes."""
    allow = ", ".join(sorted(methods))
    return MethodNotAllowed(f"this path takes {allow}", allow)


def _allowed(request: Request) -> Iterable[str]:
    """Every method that this path takes. The framework names those of one route, and each method is a route."""
    fixed: Mapping[str, frozenset[str]] = request.app.state.fixed_paths
    path = request.scope["path"]
    if path in fixed:
        return fixed[path]
    return [method for method in METHODS if _is_routed(request, method)]


def _is_routed(request: Request, method: str) -> bool:
    scope = {**request.scope, "method": method}
    return any(route.matches(scope)[0] is Match.FULL for route in request.app.router.routes)


def _field_of(error: Any) -> str:
    loc = [str(part)[:MAX_NAME_CHARS] for part in error["loc"]]
    return ".".join(loc[1:]) if loc and loc[0] in _PLACES and len(loc) > 1 else ".".join(loc)


def _message_of(error: Any) -> str:
    if error["type"] == "extra_forbidden":
        return "there is no such field"
    if error["type"] == "missing":
        return "is required"
    if error["type"] == "model_type":
        return "must be a JSON object"
    if error["type"] == "model_attributes_type":
        return "send a JSON object, with Content-Type: application/json"
    message: str = error["msg"]
    return message.removeprefix("Value error, ")


def _where(error: Exception) -> str:
    """File and line of the failure: a traceback's text may quote content, its places do not."""
    at, places = error.__traceback__, []
    while at is not None:
        places.append(f"{at.tb_frame.f_code.co_filename.rpartition('/')[2]}:{at.tb_lineno}")
        at = at.tb_next
    return " > ".join(places[-8:])


_PLACES = {"body", "query", "path", "header", "cookie"}
