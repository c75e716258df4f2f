"""Which problems an operation may answer, from its method and parameters; a route adds others in its `responses`."""

from typing import Any

from holdfast.edge.problems import MEDIA_TYPE
from holdfast.kernel.errors import every_error

# Every request may be malformed, arrive too slowly, have too many headers, meet a failure or a database that is away.
ALWAYS = (400, 408, 431, 500, 503)
# With a credential: it may be wrong, may not reach that far, may name what is not there, may come too often.
WITH_CREDENTIAL = (401, 403, 404, 429)
# Without one, an operation is about signing in.
SIGNING_IN = (401, 429)
WITH_BODY = (413, 422)
# POSTs that change nothing.
ASKS = frozenset({"recall", "context", "blocks.recall", "memories.recall_post", "stores.recall"})
_RETRY_AFTER = {
    "Retry-After": {"description": "seconds to wait", "schema": {"type": "integer", "minimum": 0}}
}


def problems_of(method: str, operation: dict[str, Any], *, is_open: bool) -> dict[str, Any]:
    """The responses for problems, by status."""
    if operation["tags"] == ["operations"]:  # no body, no query, no credential
        return {str(status): _problem(status) for status in (431, 500)}
    statuses = {*ALWAYS, *(SIGNING_IN if is_open else WITH_CREDENTIAL)}
    parameters = {each["name"].lower() for each in operation.get("parameters", [])}
    if "requestBody" in operation or method in ("post", "put"):
        statuses |= {*WITH_BODY}
    # A name or key in a path, or a filter, may be well formed and still be no possible one.
    if any(each["in"] in ("path", "query") for each in operation.get("parameters", [])):
        statuses.add(422)
    if method != "get" and not is_open and operation["operationId"] not in ASKS:
        statuses.add(409)
    if "if-match" in parameters:
        statuses.add(412)
    if "conversations" in operation["tags"] or operation["operationId"] == "context":
        statuses.add(423)
    declared = {int(status) for status in operation["responses"] if status[0] in "45"}
    return {str(status): _problem(status) for status in sorted(statuses | declared)}


def _problem(status: int) -> dict[str, Any]:
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    response: dict[str, Any] = {"description": _titles(status), "content": content}
    if status in (429, 503):
        response["headers"] = _RETRY_AFTER
    return response


def _titles(status: int) -> str:
    return "; ".join(dict.fromkeys(each.title for each in every_error() if each.status == status))


__all__ = ["problems_of"]
