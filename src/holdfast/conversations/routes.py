"""Conversations over HTTP; memory resources are in resources/routes.py."""

import json
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from pydantic import Field, StrictBool

from holdfast.conversations import service
from holdfast.conversations.instances import InstanceRequest
from holdfast.conversations.keys import KEY
from holdfast.conversations.model import (
    MAX_READ,
    AppendResult,
    Cleared,
    FlushResult,
    Health,
    InstanceDeleted,
    InstanceRow,
    Message,
    Messages,
    Popped,
    Resolved,
    Restored,
    Stats,
    StoredMessage,
    Strategy,
)
from holdfast.conversations.resources.routes import ResourceId, TheBackends, TheCursor
from holdfast.edge.messages import Messages as MessagesIn
from holdfast.edge.route import ApiRoute, TheCaller
from holdfast.edge.wire import Body
from holdfast.kernel.errors import Malformed
from holdfast.kernel.ids import ClientId
from holdfast.kernel.pages import Page

router = APIRouter(
    route_class=ApiRoute, prefix="/conversations/{resource_id}", tags=["conversations"]
)

_KEY_FORM: dict[str, Any] = {"pattern": KEY}


class Which(Body):
    """Which instance: its key, or the variables its key is made of."""

    key: str | None = Field(None, examples=["session:42"], json_schema_extra=_KEY_FORM)
    variables: dict[str, Any] | None = Field(None, examples=[None])
    agent_id: ClientId | None = Field(None, examples=[None])

    def request(self, resource_id: str) -> InstanceRequest:
        """As the service takes it."""
        return InstanceRequest(resource_id, self.key, self.variables, self.agent_id)


class Resolve(Body):
    """Variables for the key's template."""

    variables: dict[str, Any] = Field(examples=[{"session_id": "42"}])
    agent_id: ClientId | None = Field(None, examples=[None])


class Append(Which):
    """Messages to add: a text (one user message), one message, or up to 100."""

    messages: MessagesIn = Field(examples=[[{"role": "user", "content": "Hello"}]])
    session_id: ClientId | None = Field(None, examples=[None])
    project_id: ClientId | None = Field(None, examples=[None])

    def request(self, resource_id: str) -> InstanceRequest:
        """As the service takes it."""
        return InstanceRequest(
            resource_id, self.key, self.variables, self.agent_id, self.project_id, self.session_id
        )


class Write(Append):
    """Messages to put in the place of all."""


class Flush(Which):
    """How to flush."""

    strategy: Strategy | None = Field(None, examples=["simple_fifo"])
    dry_run: StrictBool = False
    force: StrictBool = False


class Clear(Which):
    """Yes, all of them."""

    confirm: StrictBool = Field(False, examples=[True])
    backup: StrictBool = False


class Restore(Which):
    """Which copy to bring back."""

    backup_id: str = Field(max_length=100, examples=["bak_0190f5fe7c00700080000000000000aa"])


async def _requested(
    resource_id: ResourceId,
    key: Annotated[
        str | None,
        Query(description="the instance", examples=["session:42"], json_schema_extra=_KEY_FORM),
    ] = None,
    variables: Annotated[str | None, Query(description="in place of key: a JSON object")] = None,
    agent_id: Annotated[ClientId | None, Query(description="speak as this agent")] = None,
) -> InstanceRequest:
    """Which instance, in a query."""
    given = None
    if variables is not None:
        try:
            given = json.loads(variables)
        except (ValueError, RecursionError):
            given = None
        if not isinstance(given, dict):
            raise Malformed.field("variables", "must be a JSON object")
    return InstanceRequest(resource_id, key, given, agent_id)


TheRequest = Annotated[InstanceRequest, Depends(_requested)]


@router.post("/resolve", operation_id="conversations.resolve")
async def resolve(
    resource_id: ResourceId, body: Resolve, caller: TheCaller, backends: TheBackends
) -> Resolved:
    """The key that variables make."""
    request = InstanceRequest(resource_id, None, body.variables, body.agent_id)
    return Resolved(await service.resolve(backends, caller, request))


@router.get("/read", operation_id="conversations.read")
async def read(
    request: TheRequest,
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
        request,
        limit=limit,
        offset=offset,
        tail=tail,
        include_flushed=include_flushed,
    )
    messages = [_message(kept, flushed_at) for kept, flushed_at in found.messages]
    return Messages(messages, found.total_count, found.has_more)


@router.post("/append", operation_id="conversations.append")
async def append(
    resource_id: ResourceId, body: Append, caller: TheCaller, backends: TheBackends
) -> AppendResult:
    """Add messages, all or none."""
    return await service.append(backends, caller, body.request(resource_id), body.messages)


@router.post("/write", operation_id="conversations.write")
async def write(
    resource_id: ResourceId, body: Write, caller: TheCaller, backends: TheBackends
) -> AppendResult:
    """Put these messages in the place of all, atomically."""
    return await service.write(backends, caller, body.request(resource_id), body.messages)


@router.post("/flush", operation_id="conversations.flush")
async def flush(
    resource_id: ResourceId, body: Flush, caller: TheCaller, backends: TheBackends
) -> FlushResult:
    """Bring the list down to its budget, or say what that would do."""
    return await service.flush(
        backends,
        caller,
        body.request(resource_id),
        strategy=body.strategy,
        dry_run=body.dry_run,
        force=body.force,
    )


@router.post("/clear", operation_id="conversations.clear")
async def clear(
    resource_id: ResourceId, body: Clear, caller: TheCaller, backends: TheBackends
) -> Cleared:
    """Take all messages out, with a copy where one is asked for."""
    cleared, backup_id = await service.clear(
        backends, caller, body.request(resource_id), confirm=body.confirm, backup=body.backup
    )
    return Cleared(cleared, backup_id)


@router.post("/restore", operation_id="conversations.restore")
async def restore(
    resource_id: ResourceId, body: Restore, caller: TheCaller, backends: TheBackends
) -> Restored:
    """Put the messages of a copy in the place of all."""
    restored, totals = await service.restore(
        backends, caller, body.request(resource_id), body.backup_id
    )
    return Restored(restored, totals.message_count, totals.token_count)


@router.post("/delete", operation_id="conversations.delete")
async def delete(
    resource_id: ResourceId, body: Which, caller: TheCaller, backends: TheBackends
) -> InstanceDeleted:
    """Remove the instance."""
    return InstanceDeleted(await service.delete(backends, caller, body.request(resource_id)))


@router.post("/pop", operation_id="conversations.pop")
async def pop(
    resource_id: ResourceId, body: Which, caller: TheCaller, backends: TheBackends
) -> Popped:
    """Take the newest message off."""
    taken, left = await service.pop(backends, caller, body.request(resource_id))
    return Popped(None if taken is None else _message(taken), left)


@router.get("/stats", operation_id="conversations.stats")
async def stats(request: TheRequest, caller: TheCaller, backends: TheBackends) -> Stats:
    """How full the instance is."""
    return await service.stats(backends, caller, request)


@router.get("/health", operation_id="conversations.health")
async def health(request: TheRequest, caller: TheCaller, backends: TheBackends) -> Health:
    """Whether the instance can be written to, and will last."""
    return await service.health(backends, caller, request)


@router.get("/instances", operation_id="conversations.list_instances")
async def instances(
    resource_id: ResourceId,
    cursor: TheCursor,
    caller: TheCaller,
    backends: TheBackends,
    every_owner: Annotated[
        bool, Query(alias="all", description="those of every owner (service keys)")
    ] = False,
) -> Page[InstanceRow]:
    """The instances of the resource that the caller sees, with their owners and counts, newest first."""
    return await service.instances(backends, caller, resource_id, cursor, every_owner=every_owner)


def _message(kept: StoredMessage, flushed_at: datetime | None = None) -> Message:
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
