"""Memory resources over HTTP."""

import json
from datetime import datetime
from importlib.resources import files
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from pydantic import BaseModel

from holdfast.conversations.backends import Backends
from holdfast.conversations.resources import service as resources
from holdfast.conversations.resources.config import RESOURCE_ID
from holdfast.conversations.resources.rules import Validation, snake_case
from holdfast.conversations.resources.yaml import Document, read_yaml
from holdfast.edge.openapi import ETAG
from holdfast.edge.preconditions import IfMatch, set_etag
from holdfast.edge.route import ApiRoute, TheCaller
from holdfast.edge.wire import as_wire, named_page_cursor, page_cursor
from holdfast.kernel.errors import Invalid, Malformed
from holdfast.kernel.limits import storable
from holdfast.kernel.pages import Cursor, Page

router = APIRouter(route_class=ApiRoute, prefix="/memory-resources", tags=["memory resources"])


async def the_backends(request: Request) -> Backends:
    """What conversations of this app stand on."""
    backends: Backends = request.app.state.conversations
    return backends


TheBackends = Annotated[Backends, Depends(the_backends)]
TheCursor = Annotated[Cursor, Depends(page_cursor)]
TheNameCursor = Annotated[Cursor, Depends(named_page_cursor)]
ResourceId = Annotated[str, Path(pattern=rf"^{RESOURCE_ID}$")]

_EXAMPLE = {
    "resource": "memory",
    "id": "support",
    "type": "token_based",
    "max_tokens": 8000,
    "default_key_template": "session:{{.session_id}}",
    "persistence": {"type": "postgres", "ttl": "30d"},
}
_REQUIRED = ("resource", "id", "type", "persistence")


def _body(schema: dict[str, Any]) -> dict[str, Any]:
    """Describes the body: these operations read it themselves, since it may be YAML."""
    return {
        "requestBody": {
            "required": True,
            "description": "JSON, or YAML as `application/yaml`",
            "content": {"application/json": {"schema": schema, "example": _EXAMPLE}},
        }
    }


# All fields and the rules between them are at `/memory-resources/schema`.
_RESOURCE_BODY = _body({"type": "object", "required": [*_REQUIRED]})
_ANY_BODY = _body({"type": "object"})


class MemoryResource(BaseModel, extra="allow"):
    """A memory resource as its author wrote it, and its revision and times."""

    id: str
    revision: int
    created_at: datetime
    updated_at: datetime


class ResourceFault(BaseModel):
    """What is wrong with a field of a resource; in YAML, in which line."""

    field: str
    message: str
    line: int | None = None


class ResourceValidation(BaseModel):
    """The faults that were found; without faults, the resources with defaults filled in."""

    valid: bool
    errors: list[ResourceFault]
    resources: list[dict[str, Any]]


# These answers are made of the author's own fields, so the models only describe them.
_STAMPS = {"created_at": "2026-01-31T12:00:00.000000Z", "updated_at": "2026-01-31T12:00:00.000000Z"}
_SHOWN: dict[str, Any] = {
    "model": MemoryResource,
    "content": {"application/json": {"example": {**_EXAMPLE, "revision": 1, **_STAMPS}}},
    "headers": ETAG,
}
_RESOURCE_ANSWER: dict[int | str, dict[str, Any]] = {200: _SHOWN}
_MADE_OR_CHANGED: dict[int | str, dict[str, Any]] = {
    200: _SHOWN,
    201: {"description": "Made.", **_SHOWN},
}


@router.get(
    "",
    operation_id="conversations.list_resources",
    response_model=None,
    responses={200: {"model": Page[MemoryResource]}},
)
async def list_resources(
    cursor: TheNameCursor, caller: TheCaller, backends: TheBackends
) -> dict[str, Any]:
    """The org's memory resources, newest first."""
    page = await resources.list_resources(backends, caller, cursor)
    return {
        "data": [resources.as_wire(stored) for stored in page.data],
        "first_id": page.first_id,
        "last_id": page.last_id,
        "has_more": page.has_more,
    }


@router.get(
    "/schema",
    operation_id="conversations.read_schema",
    responses={200: {"content": {"application/json": {"example": {}}}}},
)
async def get_schema() -> dict[str, Any]:
    """The JSON Schema of a memory resource, for editors."""
    schema: dict[str, Any] = json.loads(
        (files("holdfast.conversations.resources") / "schema.json").read_text()
    )
    return schema


@router.post(
    "/validate",
    operation_id="conversations.validate_resource",
    openapi_extra=_ANY_BODY,
    response_model=None,
    responses={200: {"model": ResourceValidation}},
)
async def validate_resource(request: Request, caller: TheCaller, backends: TheBackends) -> Any:  # noqa: ARG001
    """Everything that is wrong with a resource (JSON) or a file of them (YAML, with lines), at once."""
    try:
        documents = await _documents(request)
    except Malformed:
        raise
    except Invalid as error:
        return _validation(Validation(False, error.errors))
    return _validation(resources.validate(backends, documents))


@router.get(
    "/{resource_id}",
    operation_id="conversations.read_resource",
    response_model=None,
    responses=_RESOURCE_ANSWER,
)
async def get_resource(
    resource_id: ResourceId, response: Response, caller: TheCaller, backends: TheBackends
) -> dict[str, Any]:
    """One memory resource."""
    stored = await resources.read_resource(backends, caller, resource_id)
    set_etag(response, stored.revision)
    return resources.as_wire(stored)


@router.put(
    "/{resource_id}",
    operation_id="conversations.put_resource",
    openapi_extra=_RESOURCE_BODY,
    response_model=None,
    responses=_MADE_OR_CHANGED,
)
async def put_resource(
    resource_id: ResourceId,
    request: Request,
    if_match: IfMatch,
    response: Response,
    caller: TheCaller,
    backends: TheBackends,
) -> dict[str, Any]:
    """Make a memory resource (201), or change it; 422 with everything that is wrong with it."""
    documents = await _documents(request)
    if len(documents) != 1:
        raise Invalid(f"send one resource; there are {len(documents)}")
    stored = await resources.put_resource(
        backends, caller, resource_id, documents[0], if_match=if_match
    )
    response.status_code = 201 if stored.created_at == stored.updated_at else 200
    set_etag(response, stored.revision)
    return resources.as_wire(stored)


@router.delete("/{resource_id}", operation_id="conversations.delete_resource", status_code=204)
async def delete_resource(
    resource_id: ResourceId,
    if_match: IfMatch,
    caller: TheCaller,
    backends: TheBackends,
    force: Annotated[bool, Query(description="delete its instances too")] = False,
) -> None:
    """Delete a memory resource; 409 when it has instances, unless `force`."""
    await resources.delete_resource(backends, caller, resource_id, force=force, if_match=if_match)


async def _documents(request: Request) -> list[Document]:
    """The body: one resource as JSON, or YAML (by its content type, or as the only field `yaml`)."""
    body = await request.body()
    kind = request.headers.get("content-type", "")
    if "yaml" in kind or kind.startswith("text/plain"):
        try:
            text = body.decode()
        except UnicodeDecodeError:
            raise Malformed("the body is not UTF-8") from None
        storable(text, field="body")
        return read_yaml(text)
    data = await request.json() if body else None
    if isinstance(data, dict) and set(data) == {"yaml"} and isinstance(data["yaml"], str):
        return read_yaml(data["yaml"])
    try:
        return [Document(snake_case(data), {})]
    except RecursionError:
        raise Malformed("the body is nested too deeply") from None


def _validation(found: Validation) -> dict[str, Any]:
    errors = [{k: v for k, v in as_wire(e).items() if k != "line" or v} for e in found.errors]
    return {"valid": found.valid, "errors": errors, "resources": found.resources}
