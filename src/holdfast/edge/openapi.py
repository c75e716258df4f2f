"""The OpenAPI document: what the framework derives, with the problems every operation may answer, and an example on each."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from holdfast.edge.problems import MEDIA_TYPE
from holdfast.edge.route import CLIENT_NAMES, COOKIE
from holdfast.kernel.errors import every_error
from holdfast.kernel.ids import CLIENT_ID

# In a route's openapi_extra: only a signed-in browser may call it.
BROWSER_ONLY = "x-browser-only"
SAFE_METHODS = ("get", "head")

# What any operation may answer besides its own success.
COMMON_PROBLEMS = (400, 401, 403, 404, 408, 409, 412, 413, 422, 423, 429, 431, 500, 503)

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

# What stands for a value of a type where a field gives no example of its own.
_SAMPLES: dict[str, Any] = {
    "string": "text",
    "integer": 1,
    "number": 0.5,
    "boolean": True,
    "null": None,
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
    schemas = components.setdefault("schemas", {})
    schemas["Problem"] = PROBLEM_SCHEMA
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    components["securitySchemes"] = SECURITY_SCHEMES
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            _describe_operation(path, method, operation, schemas)
    return document


def _describe_operation(
    path: str, method: str, operation: dict[str, Any], schemas: dict[str, Any]
) -> None:
    for parameter in operation.get("parameters", []):
        _describe_parameter(parameter)
    is_open = operation.pop("x-open", False) or path in ("/healthz", "/readyz", "/metrics")
    if not is_open:
        _describe_credentials(path, method, operation)
    responses = operation["responses"]
    responses.pop("422", None)
    for status in COMMON_PROBLEMS:
        responses.setdefault(
            str(status),
            {
                "description": _titles(status),
                "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
            },
        )
    bodies = [operation.get("requestBody", {})]
    bodies += [responses[status] for status in responses if status.startswith("2")]
    for body in bodies:
        for media_type, content in body.get("content", {}).items():
            if media_type == "application/json" and "example" not in content:
                content["example"] = example_of(content.get("schema", {}), schemas)


def _describe_parameter(parameter: dict[str, Any]) -> None:
    """A parameter is a text or not there, never null; names that clients choose have one form everywhere."""
    schema = parameter["schema"]
    options = [each for each in schema.get("anyOf", []) if each.get("type") != "null"]
    if len(options) == 1 and len(schema["anyOf"]) == 2:
        del schema["anyOf"]
        parameter["schema"] = schema = {**options[0], **schema}
    if parameter["name"] in CLIENT_NAMES and "pattern" not in schema:
        schema["pattern"] = f"^{CLIENT_ID}$"


def _describe_credentials(path: str, method: str, operation: dict[str, Any]) -> None:
    """Who may call it, and the headers that go with that."""
    needed = ("session",) if method in SAFE_METHODS else ("session", "csrf")
    by_browser: dict[str, list[str]] = {name: [] for name in needed}
    by_key: list[dict[str, list[str]]] = [{"bearer": []}, {"api_key": []}]
    if not path.startswith("/api/"):
        operation["security"] = by_key  # another's API, for keys alone
        return
    for_browsers_only = operation.pop(BROWSER_ONLY, False)
    operation["security"] = [by_browser] if for_browsers_only else [*by_key, by_browser]
    headers = HEADERS if method in ("post", "put") else HEADERS[:-1]
    operation["parameters"] = [*operation.get("parameters", []), *headers]


def _titles(status: int) -> str:
    return "; ".join(dict.fromkeys(e.title for e in every_error() if e.status == status))


def _stated_example(schema: dict[str, Any]) -> Any:
    """A value that the schema itself names; None where it names none."""
    for name in ("const", "default"):
        if schema.get(name) is not None:
            return schema[name]
    for name in ("examples", "enum"):
        if schema.get(name):
            return schema[name][0]
    return None


# Schemas that hold themselves (a filter in a filter) end here.
_MAX_EXAMPLE_DEPTH = 6


def example_of(schema: dict[str, Any], schemas: dict[str, Any], depth: int = 0) -> Any:
    """An example of a schema: the ones its fields give, put together."""
    if "$ref" in schema:
        return example_of(schemas[schema["$ref"].rpartition("/")[2]], schemas, depth)
    stated = _stated_example(schema)
    if stated is not None:
        return stated
    for union in ("anyOf", "oneOf", "allOf"):
        if union in schema:
            options = [each for each in schema[union] if each.get("type") != "null"]
            return example_of((options or schema[union])[0], schemas, depth)
    if schema.get("type") == "object":
        fields = schema.get("properties", {}).items() if depth < _MAX_EXAMPLE_DEPTH else ()
        return {name: example_of(field, schemas, depth + 1) for name, field in fields}
    if schema.get("type") == "array":
        items = [schema.get("items", {})] if depth < _MAX_EXAMPLE_DEPTH else []
        return [example_of(each, schemas, depth + 1) for each in items]
    if schema.get("format") == "date-time":
        return "2026-01-31T12:00:00.000000Z"
    return _SAMPLES.get(str(schema.get("type")))
