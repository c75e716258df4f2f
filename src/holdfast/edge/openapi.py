"""The OpenAPI document: what the framework derives, with the problems every operation may answer, and an example on each."""

from collections.abc import Callable
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from holdfast.edge.openapi_answers import require_fields_of_answers
from holdfast.edge.openapi_examples import example_of, example_to_send
from holdfast.edge.openapi_names import describe_names, name_schemas, order
from holdfast.edge.openapi_statuses import problems_of
from holdfast.edge.route import CLIENT_NAMES, COOKIE
from holdfast.kernel.errors import every_error
from holdfast.kernel.ids import CLIENT_ID

# In a route's openapi_extra: only a signed-in browser may call it.
BROWSER_ONLY = "x-browser-only"
SAFE_METHODS = ("get", "head")

PROBLEM_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "RFC 9457. Read `code`, never the wording; facts about the error stand beside it.",
    "required": ["type", "title", "status", "detail", "code", "request_id"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string", "enum": sorted({error.code for error in every_error()})},
        "request_id": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["field", "message"],
                "properties": {"field": {"type": "string"}, "message": {"type": "string"}},
            },
        },
    },
}

SECURITY_SCHEMES: dict[str, Any] = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "An API key."},
    "api_key": {"type": "apiKey", "in": "header", "name": "x-api-key"},
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": COOKIE,
        "description": "A browser that signed in at `/auth/login`.",
    },
    "csrf": {
        "type": "apiKey",
        "in": "header",
        "name": "X-CSRF-Token",
        "description": "The `csrf_token` of the session; every write by cookie needs it.",
    },
}

# Headers that the edge reads for every operation with a credential, and for every POST and PUT.
HEADERS: list[dict[str, Any]] = [
    {
        "name": "Holdfast-User",
        "in": "header",
        "description": "The user that a service key acts for; without it, the org's owner.",
        "schema": {"type": "string", "pattern": f"^{CLIENT_ID}$", "examples": ["ana"]},
    },
    {
        "name": "Holdfast-Workspace",
        "in": "header",
        "description": "The active workspace; without it, `default` or the key's own. Unknown: 404.",
        "schema": {"type": "string", "pattern": f"^{CLIENT_ID}$", "examples": ["default"]},
    },
    {
        "name": "Idempotency-Key",
        "in": "header",
        "description": "The same key and request within 24 hours are answered with the first answer.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
    },
]

IF_NONE_MATCH: dict[str, Any] = {
    "name": "If-None-Match",
    "in": "header",
    "description": "An ETag that was read before: 304 where it is still this one.",
    "schema": {"type": "string"},
}
# Headers of answers.
REQUEST_ID: dict[str, Any] = {
    "x-request-id": {
        "description": "the request's id, as in the log",
        "schema": {"type": "string"},
    }
}
ETAG: dict[str, Any] = {
    "ETag": {"description": "the version, for If-Match", "schema": {"type": "string"}}
}


def install(app: FastAPI) -> None:
    """Have the app answer this document at /openapi.json."""

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = describe(app)
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]  # FastAPI's own way to replace it


def describe(app: FastAPI) -> dict[str, Any]:
    """The document."""
    document = get_openapi(
        title=app.title, version=app.version, description=app.description, routes=app.routes
    )
    components = document.setdefault("components", {})
    require_fields_of_answers(document)
    components.setdefault("schemas", {})["Problem"] = PROBLEM_SCHEMA
    for unused in ("HTTPValidationError", "ValidationError"):
        components["schemas"].pop(unused, None)
    components["securitySchemes"] = SECURITY_SCHEMES
    name_schemas(document)
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            describe_names(operation)
            _describe_operation(path, method, operation, document["components"]["schemas"])
    order(document)
    return document


def _describe_operation(
    path: str, method: str, operation: dict[str, Any], schemas: dict[str, Any]
) -> None:
    for parameter in operation.get("parameters", []):
        _describe_parameter(parameter)
    is_open = operation.pop("x-open", False) or not path.startswith("/api/")
    responses = operation["responses"]
    responses.pop("422", None)
    if is_open:
        operation.setdefault("security", [])
    else:
        _describe_credentials(method, operation)
    problems = problems_of(method, operation, is_open=is_open)
    operation["responses"] = {**responses, **problems}
    _add_examples(operation.get("requestBody", {}), schemas, example_to_send)
    for status, response in responses.items():
        if status.startswith("2"):
            _add_examples(response, schemas, example_of)
            headers = {**_answer_headers(response, schemas), **response.get("headers", {})}
            response["headers"] = headers
            if method == "get" and "ETag" in headers:
                _describe_not_modified(operation)


def _describe_not_modified(operation: dict[str, Any]) -> None:
    operation["responses"].setdefault(
        "304", {"description": "It has this ETag still.", "headers": ETAG}
    )
    names = {each["name"].lower() for each in operation["parameters"]}
    if "if-none-match" not in names:
        operation["parameters"] = [*operation["parameters"], IF_NONE_MATCH]


def _add_examples(
    body: dict[str, Any],
    schemas: dict[str, Any],
    make: Callable[[dict[str, Any], dict[str, Any]], Any],
) -> None:
    for media_type, content in body.get("content", {}).items():
        if media_type == "application/json" and "example" not in content:
            content["example"] = make(content.get("schema", {}), schemas)


def _answer_headers(response: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    """Every answer has an id; one that is an object with a version has its ETag."""
    schema = response.get("content", {}).get("application/json", {}).get("schema", {})
    schema = schemas.get(schema.get("$ref", "").rpartition("/")[2], schema)
    return {**REQUEST_ID, **(ETAG if "version" in schema.get("properties", {}) else {})}


def _describe_parameter(parameter: dict[str, Any]) -> None:
    """A parameter is a text or not there, never null; names that clients choose have one form everywhere."""
    schema = parameter["schema"]
    options = [each for each in schema.get("anyOf", []) if each.get("type") != "null"]
    if len(options) == 1 and len(schema["anyOf"]) == 2:
        del schema["anyOf"]
        parameter["schema"] = schema = {**options[0], **schema}
    if parameter["name"] in CLIENT_NAMES and "pattern" not in schema:
        schema["pattern"] = f"^{CLIENT_ID}$"


def _describe_credentials(method: str, operation: dict[str, Any]) -> None:
    """Who may call it, and the headers that go with that."""
    needed = ("session",) if method in SAFE_METHODS else ("session", "csrf")
    by_browser: dict[str, list[str]] = {name: [] for name in needed}
    by_key: list[dict[str, list[str]]] = [{"bearer": []}, {"api_key": []}]
    for_browsers_only = operation.pop(BROWSER_ONLY, False)
    operation["security"] = [by_browser] if for_browsers_only else [*by_key, by_browser]
    headers = HEADERS if method in ("post", "put") else HEADERS[:-1]
    operation["parameters"] = [*operation.get("parameters", []), *headers]
