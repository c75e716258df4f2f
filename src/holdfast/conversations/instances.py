"""Which instance a request means, who owns it, and whether the caller may use it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from holdfast.conversations import keys
from holdfast.conversations.backends import Backends
from holdfast.conversations.model import Instance
from holdfast.conversations.resources.config import BUILT_IN, Resource, built_in
from holdfast.conversations.resources.service import StoredResource
from holdfast.kernel import places
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Tx
from holdfast.kernel.errors import Invalid, NotFound, ScopeDenied
from holdfast.kernel.sql import load

queries = load(__file__)


@dataclass(frozen=True, slots=True)
class InstanceRequest:
    """Which instance a caller asks for, and the agent, project and session it names."""

    resource_id: str
    key: str | None = None
    variables: Mapping[str, Any] | None = None
    agent_id: str | None = None
    project_id: str | None = None
    session_id: str | None = None

    def check(self) -> None:
        """Refuse a key that no instance can have, and a key beside variables."""
        if self.key is None:
            return
        if self.variables is not None:
            raise Invalid.field("variables", "give a key or variables, not both")
        keys.check_key(self.key)


@dataclass(frozen=True, slots=True)
class OpenInstance:
    """An instance that the caller may use, its resource, and the caller as it acts here."""

    caller: Caller
    resource: Resource
    instance: Instance


@dataclass(frozen=True, slots=True)
class _Reference:
    """What an agent's directory entry says about a resource."""

    id: str
    key: str | None = None
    mode: Literal["read-write", "read-only"] = "read-write"


@dataclass(frozen=True, slots=True)
class _AccessRow:
    """What decides: the resource (None for one that is not the org's own), the agent's references, and the session."""

    id: str | None
    config: dict[str, Any] | None
    revision: int | None
    created_at: datetime
    updated_at: datetime
    refers_to: list[dict[str, Any]] | None
    workspaces_enabled: bool
    hides_session: bool

    def resource(self, resource_id: str) -> Resource:
        """The resource, built in or the org's own."""
        if resource_id == BUILT_IN:
            return built_in()
        if self.id is None or self.config is None or self.revision is None:
            raise NotFound(f"there is no memory resource {resource_id!r}")
        return StoredResource(
            self.id, self.config, self.revision, self.created_at, self.updated_at
        ).resource

    def references(self, resource_id: str) -> list[_Reference]:
        """What the agent's directory entry says about this resource."""
        given = self.refers_to or []
        return [_Reference(**each) for each in given if each.get("id") == resource_id]


def instance_for(
    caller: Caller, resource: Resource, key: str, *, workspaces_enabled: bool = False
) -> Instance:
    """The instance under a key that the caller means: the one of its user, else of its agent; of a shared resource the org's."""
    within = caller.workspace_id if workspaces_enabled else None
    if resource.shared:
        return Instance(resource.id, key, within=within)
    if caller.user_id is not None:
        return Instance(resource.id, key, user_id=caller.user_id, within=within)
    if caller.agent_id is not None:
        return Instance(resource.id, key, agent_id=caller.agent_id, within=within)
    raise ScopeDenied("a conversation belongs to a user or an agent: name one")


async def open_instance(
    backends: Backends, caller: Caller, request: InstanceRequest, *, to_write: bool
) -> OpenInstance:
    """Resource, key and caller of a request, once all of them may be used; a write registers the names it is the first to use."""
    request.check()
    names = request.agent_id or request.project_id or request.session_id
    if not names and request.key is not None:  # a single statement, in one round trip
        row = _found(
            await backends.db.one(
                caller, _AccessRow, queries.read_access, **_params(request, caller)
            )
        )
        return _open(backends, caller, request, row, request.key, to_write=to_write)
    opened = backends.db.begin(caller) if to_write and names else backends.db.read(caller)
    async with opened as tx:
        row = await _read_access(tx, request, caller)
        resource, acting = row.resource(request.resource_id), caller
        if request.agent_id is not None:
            acting = await places.enter_agent(tx, acting, request.agent_id, to_write=to_write)
        if request.project_id is not None:
            acting = await places.enter_project(tx, acting, request.project_id)
        key = request.key
        if key is None:
            key = _resolve(request, resource, row.references(request.resource_id))
            row = await _read_access(tx, replace(request, key=key), caller)
        found = _open(backends, acting, request, row, key, to_write=to_write)
        if to_write and request.session_id is not None:
            await _touch_session(tx, acting, request.session_id, found.instance)
    return found


async def owner_of(backends: Backends, caller: Caller, resource: Resource) -> Instance:
    """An instance with the caller's owner and any key, for a list of those that the caller sees."""
    request = InstanceRequest(resource.id)
    row = _found(
        await backends.db.one(caller, _AccessRow, queries.read_access, **_params(request, caller))
    )
    return instance_for(caller, resource, "", workspaces_enabled=row.workspaces_enabled)


async def _read_access(tx: Tx, request: InstanceRequest, caller: Caller) -> _AccessRow:
    return _found(await tx.one(_AccessRow, queries.read_access, **_params(request, caller)))


def _params(request: InstanceRequest, caller: Caller) -> dict[str, Any]:
    return {
        "resource_id": request.resource_id,
        "speaking_agent": request.agent_id or caller.agent_id,
        "key": request.key,
        **places.session_params(caller),
    }


def _found(row: _AccessRow | None) -> _AccessRow:
    if row is None:
        raise NotFound("this org is gone")
    return row


def _open(
    backends: Backends,
    caller: Caller,
    request: InstanceRequest,
    row: _AccessRow,
    key: str,
    *,
    to_write: bool,
) -> OpenInstance:
    """Refuse what this caller may not do here. A key of `sessions` is a session: another user's is not found."""
    resource = row.resource(request.resource_id)
    if to_write:
        _must_be_writable(row.references(request.resource_id), key)
    if row.hides_session and request.resource_id == BUILT_IN:  # only its keys are sessions
        raise NotFound(f"there is no session {key!r}")
    backends.remember(caller, resource, workspaces_enabled=row.workspaces_enabled)
    instance = instance_for(caller, resource, key, workspaces_enabled=row.workspaces_enabled)
    return OpenInstance(caller, resource, instance)


def _resolve(request: InstanceRequest, resource: Resource, references: list[_Reference]) -> str:
    """The key that variables make: by the reference's template, else by the resource's."""
    templates = [reference.key for reference in references if reference.key is not None]
    template = templates[0] if templates else resource.default_key_template
    if template is None:
        raise Invalid.field("key", "is required: the resource has no default_key_template")
    return keys.resolve(template, request.variables or {})


def _must_be_writable(references: list[_Reference], key: str) -> None:
    """A reference that names a key counts for that key before one that names none."""
    named = [r for r in references if r.key is not None and keys.matches(r.key, key)]
    modes = {r.mode for r in named or [r for r in references if r.key is None]}
    if modes == {"read-only"}:
        raise ScopeDenied("this agent's reference to the resource is read-only")


async def _touch_session(tx: Tx, caller: Caller, session_id: str, instance: Instance) -> None:
    places.check_client_id(session_id, field="session_id")
    touched = await tx.one(
        str,
        queries.touch_session,
        session_id=session_id,
        user_id=caller.user_id,
        agent_id=caller.agent_id,
        project_id=caller.project_id,
        workspace_id=caller.workspace_id,
        **places.session_params(caller),
    )
    if touched is None:
        raise NotFound(f"there is no session {session_id!r}")
    await tx.run(
        queries.link_session,
        session_id=session_id,
        resource_id=instance.resource_id,
        key=instance.key,
    )
