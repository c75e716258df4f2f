"""Our errors as Anthropic's clients expect them: their envelope, their types, their statuses."""

import json
from dataclasses import replace
from typing import Any

from fastapi import Request, Response

from holdfast.edge.problems import request_id_of
from holdfast.edge.route import ApiRoute, claims_of
from holdfast.kernel import auth
from holdfast.kernel.errors import Archived, BackendUnavailable, Conflict, HoldfastError

_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    409: "conflict_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}
OVERLOADED = 529


PRECONDITION_LOST = "memory_precondition_failed_error"
PATH_CONFLICT = "memory_path_conflict_error"


def with_error_type(kind: str, lost: Conflict) -> Conflict:
    """The conflict, answered with this error type, which their clients handle."""
    return Conflict(lost.detail, current=lost.current, error_type=kind)


class AnthropicRoute(ApiRoute):
    """An operation for a client of Anthropic's: older ones say `beta` on every URL."""

    ignored_query = frozenset({"beta"})
    refuses_unknown_fields = False

    def claims(self, request: Request) -> auth.Claims:
        """Who is asking; their header for the workspace stands beside ours."""
        claims = claims_of(request)
        return replace(
            claims, workspace=claims.workspace or request.headers.get("anthropic-workspace-id")
        )

    def refuse(self, error: HoldfastError, request: Request) -> Response:
        """The reply to a failure, in their envelope."""
        return refusal(error, request)


def refusal(error: HoldfastError, request: Request) -> Response:
    """A failure in their envelope."""
    status = _status(error)
    details: dict[str, Any] = {"type": _type(error, status), "message": error.detail}
    holder = error.facts.get("current")
    if details["type"] == PATH_CONFLICT and holder is not None:
        details |= {
            "conflicting_memory_id": holder.id,
            "conflicting_path": f"/{holder.path}",
        }
    request_id = request_id_of(request)
    headers = {"request-id": request_id}
    if status == 409:
        # Their clients repeat a 409 otherwise, and a lost compare-and-set stays lost.
        headers["x-should-retry"] = "false"
    if error.retry_after_s is not None:
        headers["retry-after"] = str(error.retry_after_s)
    body = {"type": "error", "error": details, "request_id": request_id}
    return Response(json.dumps(body), status, headers, media_type="application/json")


def _status(error: HoldfastError) -> int:
    if isinstance(error, Archived) or error.status in (405, 422):
        return 400
    return OVERLOADED if isinstance(error, BackendUnavailable) else error.status


def _type(error: HoldfastError, status: int) -> str:
    return error.facts.get("error_type") or _TYPES.get(status, "api_error")
