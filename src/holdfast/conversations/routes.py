"""Memory resources and conversations over HTTP."""

import json
from datetime import datetime
from importlib.resources import files
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from pydantic import Field

from holdfast.conversations import resources, service
from holdfast.conversations.backends import Backends
from holdfast.conversations.entering import Ask
from holdfast.conversations.model import (
    MAX_READ,
    AppendResult,
    Cleared,
    FlushResult,
    Health,
    InstanceRow,
    Kept,
    Message,
    Messages,
    Popped,
    Stats,
    Strategy,
)
from holdfast.conversations.resource import RESOURCE_ID
from holdfast.conversations.rules import Validation, snake_case
from holdfast.conversations.yaml_lines import Document, read_yaml
from holdfast.edge.preconditions import IfMatch, set_etag
from holdfast.edge.route import ApiRoute, TheCaller
from holdfast.edge.wire import Body, as_wire, page_cursor
from holdfast.kernel.errors import Invalid, Malformed
from holdfast.kernel.ids import ClientId
from holdfast.kernel.limits import storable
from holdfast.kernel.pages import Cursor, Page

resources_router = APIRouter(
    route_class=ApiRoute, prefix="/memory-resources", tags=["memory resources"]
)
router = APIRouter(
    route_class=ApiRoute, prefix="/conversations/{resource_id}", tags=["conversations"]
)


def the_backends(request: Request) -> Backends:
    """What conversations of this app stand on."""
    backends: Backends = request.app.state.conversations
    return backends


TheBackends = Annotated[Backends, Depends(the_backends)]
TheCursor = Annotated[Cursor, Depends(page_cursor)]
ResourceId = Annotated[str, Path(pattern=rf"^{RESOURCE_ID}$")]

_EXAMPLE = {
    "resource": "memory",
    "id": "support",
    "type": "token_based",
    "max_tokens": 8000,
    "persistence": {"type": "postgres", "ttl": "30d"},
}
_RESOURCE_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": {"type": "object"}, "example": _EXAMPLE},
            "application/yaml": {"schema": {"type": "string"}},
        },
    }
}
_SHOWN: dict[str, Any] = {"content": {"application/json": {"example": {**_EXAMPLE, "revision": 1}}}}
_RESOURCE_ANSWER: dict[int | str, dict[str, Any]] = {200: _SHOWN}
_MADE_OR_CHANGED: dict[int | str, dict[str, Any]] = {
    200: _SHOWN,
    201: {"description": "Made.", **_SHOWN},
}


# --- memory resources ------------------------------------------------------------------------------------------------


@resources_router.get("", responses=_RESOURCE_ANSWER)
async def list_resources(
    cursor: TheCursor, caller: TheCaller, backends: TheBackends
) -> dict[str, Any]:
    """The org's memory resources, newest first."""
    page = await resources.list_resources(backends, caller, cursor)
    return {
        "data": [resources.as_wire(stored) for stored in page.data],
        "first_id": page.first_id,
        "last_id": page.last_id,
        "has_more": page.has_more,
    }


@resources_router.get(
    "/schema", responses={200: {"content": {"application/json": {"example": {}}}}}
)
async def get_schema() -> dict[str, Any]:
    """The JSON Schema of a memory resource, for editors."""
    schema: dict[str, Any] = json.loads(
        (files("holdfast.conversations") / "schema.json").read_text()
    )
    return schema


@resources_router.post("/validate", openapi_extra=_RESOURCE_BODY)
async def validate_resource(request: Request, caller: TheCaller, backends: TheBackends) -> Any:  # noqa: ARG001
    """Everything that is wrong with a resource (JSON) or a file of them (YAML, with lines), at once."""
    try:
        documents = await _documents(request)
    except Malformed:
        raise
    except Invalid as error:
        return _validation(Validation(False, error.errors))
    return _validation(resources.validate(backends, documents))


@resources_router.get("/{resource_id}", responses=_RESOURCE_ANSWER)
async def get_resource(
    resource_id: ResourceId, response: Response, caller: TheCaller, backends: TheBackends
) -> dict[str, Any]:
    """One memory resource."""
    stored = await resources.read_resource(backends, caller, resource_id)
    set_etag(response, stored.revision)
    return resources.as_wire(stored)


@resources_router.put("/{resource_id}", openapi_extra=_RESOURCE_BODY, responses=_MADE_OR_CHANGED)
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


@resources_router.delete("/{resource_id}", status_code=204)
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
    return {"valid": found.valid, "errors": errors}


# --- conversations ---------------------------------------------------------------------------------------------------


class Which(Body):
    """Which instance: its key, or the variables its key is made of."""

    key: str | None = Field(None, examples=["session:42"])
    variables: dict[str, Any] | None = Field(None, examples=[None])
    agent_id: ClientId | None = Field(None, examples=[None])

    def ask(self, resource_id: str) -> Ask:
        """As the service takes it."""
        return Ask(resource_id, self.key, self.variables, self.agent_id)


class Resolve(Body):
    """Variables for the key's template."""

    variables: dict[str, Any] = Field(examples=[{"session_id": "42"}])
    agent_id: ClientId | None = Field(None, examples=[None])


class Append(Which):
    """Messages to add: a text (one user message), one message, or up to 100."""

    messages: str | dict[str, Any] | list[str | dict[str, Any]] = Field(
        examples=[[{"role": "user", "content": "Hello"}]]
    )
    session_id: ClientId | None = Field(None, examples=[None])
    project_id: ClientId | None = Field(None, examples=[None])

    def ask(self, resource_id: str) -> Ask:
        """As the service takes it."""
        return Ask(
            resource_id, self.key, self.variables, self.agent_id, self.project_id, self.session_id
        )


class Write(Append):
    """Messages to put in the place of all."""


class Flush(Which):
    """How to flush."""

    strategy: Strategy | None = Field(None, examples=["simple_fifo"])
    dry_run: bool = False
    force: bool = False


class Clear(Which):
    """Yes, all of them."""

    confirm: bool = Field(False, examples=[True])
    backup: bool = False


class Restore(Which):
    """Which copy to bring back."""

    backup_id: str = Field(max_length=100, examples=["bak_0190f5fe7c00700080000000000000aa"])


def _asked(
    resource_id: ResourceId,
    key: Annotated[str | None, Query(description="the instance")] = None,
    variables: Annotated[str | None, Query(description="in place of key: a JSON object")] = None,
    agent_id: Annotated[ClientId | None, Query(description="speak as this agent")] = None,
) -> Ask:
    """An ask in a query."""
    given = None
    if variables is not None:
        try:
            given = json.loads(variables)
        except (ValueError, RecursionError):
            given = None
        if not isinstance(given, dict):
            raise Malformed.field("variables", "must be a JSON object")
    return Ask(resource_id, key, given, agent_id)


TheAsk = Annotated[Ask, Depends(_asked)]


@router.post("/resolve")
async def resolve(
    resource_id: ResourceId, body: Resolve, caller: TheCaller, backends: TheBackends
) -> dict[str, str]:
    """The key that variables make."""
    ask = Ask(resource_id, None, body.variables, body.agent_id)
    return {"key": await service.resolve(backends, caller, ask)}


@router.get("/read")
async def read(
    ask: TheAsk,
    caller: TheCaller,
    backends: TheBackends,
    limit: Annotated[int, Query(ge=1, le=MAX_READ)] = 50,
    offset: Annotated[int, Query(ge=0, le=2**53)] = 0,
    tail: Annotated[int | None, Query(ge=1, le=MAX_READ, description="the newest so many")] = None,
    include_flushed: Annotated[bool, Query(description="also what flushes took out")] = False,
) -> Messages:
    """Messages, oldest first."""
    found = await service.read(
        backends,
        caller,
        ask,
        limit=limit,
        offset=offset,
        tail=tail,
        include_flushed=include_flushed,
    )
    messages = [_message(kept, flushed_at) for kept, flushed_at in found.messages]
    return Messages(messages, found.total_count, found.has_more)


@router.post("/append")
async def append(
    resource_id: ResourceId, body: Append, caller: TheCaller, backends: TheBackends
) -> AppendResult:
    """Add messages, all or none."""
    return await service.append(backends, caller, body.ask(resource_id), body.messages)


@router.post("/write")
async def write(
    resource_id: ResourceId, body: Write, caller: TheCaller, backends: TheBackends
) -> AppendResult:
    """Put these messages in the place of all, atomically."""
    return await service.write(backends, caller, body.ask(resource_id), body.messages)


@router.post("/flush")
async def flush(
    resource_id: ResourceId, body: Flush, caller: TheCaller, backends: TheBackends
) -> FlushResult:
    """Bring the list down to its budget, or say what that would do."""
    return await service.flush(
        backends,
        caller,
        body.ask(resource_id),
        strategy=body.strategy,
        dry_run=body.dry_run,
        force=body.force,
    )


@router.post("/clear")
async def clear(
    resource_id: ResourceId, body: Clear, caller: TheCaller, backends: TheBackends
) -> Cleared:
    """Take all messages out, with a copy where one is asked for."""
    cleared, backup_id = await service.clear(
        backends, caller, body.ask(resource_id), confirm=body.confirm, backup=body.backup
    )
    return Cleared(cleared, backup_id)


@router.post("/restore")
async def restore(
    resource_id: ResourceId, body: Restore, caller: TheCaller, backends: TheBackends
) -> dict[str, int]:
    """Put the messages of a copy in the place of all."""
    restored, totals = await service.restore(
        backends, caller, body.ask(resource_id), body.backup_id
    )
    counts = {"total_count": totals.message_count, "token_count": totals.token_count}
    return {"restored": restored, **counts}


@router.post("/delete")
async def delete(
    resource_id: ResourceId, body: Which, caller: TheCaller, backends: TheBackends
) -> dict[str, bool]:
    """Remove the instance."""
    return {"deleted": await service.delete(backends, caller, body.ask(resource_id))}


@router.post("/pop")
async def pop(
    resource_id: ResourceId, body: Which, caller: TheCaller, backends: TheBackends
) -> Popped:
    """Take the newest message off."""
    taken, left = await service.pop(backends, caller, body.ask(resource_id))
    return Popped(None if taken is None else _message(taken), left)


@router.get("/stats")
async def stats(ask: TheAsk, caller: TheCaller, backends: TheBackends) -> Stats:
    """How full the instance is."""
    return await service.stats(backends, caller, ask)


@router.get("/health")
async def health(ask: TheAsk, caller: TheCaller, backends: TheBackends) -> Health:
    """Whether the instance can be written to, and will last."""
    return await service.health(backends, caller, ask)


@router.get("/instances")
async def instances(
    resource_id: ResourceId, cursor: TheCursor, caller: TheCaller, backends: TheBackends
) -> Page[InstanceRow]:
    """The instances of the resource, with their counts, newest first."""
    return await service.instances(backends, caller, resource_id, cursor)


def _message(kept: Kept, flushed_at: datetime | None = None) -> Message:
    draft = kept.draft
    return Message(
        id=draft.id,
        role=draft.role,
        content=draft.content,
        tokens=draft.tokens,
        created_at=draft.created_at,
        type=draft.type,
        name=draft.name,
        tool_calls=draft.tool_calls,
        tool_call_id=draft.tool_call_id,
        metadata=draft.metadata,
        flushed_at=flushed_at,
    )
