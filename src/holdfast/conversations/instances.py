"""The way in: which conversation an ask means, and whether the caller may use it."""

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
    """Which instance somebody asks for, and who they say they are."""

    resource_id: str
    key: str | None = None
    variables: Mapping[str, Any] | None = None
    agent_id: str | None = None
    project_id: str | None = None
    session_id: str | None = None

    def check(self) -> None:
        """Refuses a key that no conversation can have."""
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
    id: str
    key: str | None = None
    mode: Literal["read-write", "read-only"] = "read-write"


@dataclass(frozen=True, slots=True)
class _AccessRow:
    """All that decides: the resource (None for one that is not the org's own), what the agent refers to, and whose the
    session is that the key names (None where it names none)."""

    id: str | None
    config: dict[str, Any] | None
    revision: int | None
    created_at: datetime
    updated_at: datetime
    refers_to: list[dict[str, Any]] | None
    user_id: str | None
    agent_id: str | None

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


async def open_instance(
    backends: Backends, caller: Caller, ask: InstanceRequest, *, to_write: bool
) -> OpenInstance:
    """Resource, key and caller of an ask, once all of them may be used; what it names is registered by a write."""
    ask.check()
    names = ask.agent_id or ask.project_id or ask.session_id
    if not names and ask.key is not None:  # nothing but a look, in one round trip
        way = await backends.db.one(caller, _AccessRow, queries.read_access, **_asked(ask, caller))
        return _let_in(caller, ask, _known(way), ask.key, to_write=to_write)
    opened = backends.db.begin(caller) if to_write and names else backends.db.read(caller)
    async with opened as tx:
        way = _known(await tx.one(_AccessRow, queries.read_access, **_asked(ask, caller)))
        resource, speaking = way.resource(ask.resource_id), caller
        if ask.agent_id is not None:
            speaking = await places.enter_agent(tx, speaking, ask.agent_id, to_write=to_write)
        if ask.project_id is not None:
            speaking = await places.enter_project(tx, speaking, ask.project_id)
        key = ask.key
        if key is None:
            key = _resolve(ask, resource, way.references(ask.resource_id))
            named = replace(ask, key=key)
            way = _known(await tx.one(_AccessRow, queries.read_access, **_asked(named, caller)))
        found = _let_in(speaking, ask, way, key, to_write=to_write)
        if to_write and ask.session_id is not None:
            await _touch_session(tx, speaking, ask.session_id, found.instance)
    return found


def _asked(ask: InstanceRequest, caller: Caller) -> dict[str, str | None]:
    return {
        "resource_id": ask.resource_id,
        "speaking_agent": ask.agent_id or caller.agent_id,
        "key": ask.key,
    }


def _known(way: _AccessRow | None) -> _AccessRow:
    if way is None:
        raise NotFound("this org is gone")
    return way


def _let_in(
    caller: Caller, ask: InstanceRequest, way: _AccessRow, key: str, *, to_write: bool
) -> OpenInstance:
    """Refuses what this caller may not do here."""
    resource = way.resource(ask.resource_id)
    if to_write:
        _must_be_writable(way.references(ask.resource_id), key)
    if ask.resource_id == BUILT_IN and not caller.administers:
        _must_be_own_session(caller, way, key)
    return OpenInstance(caller, resource, Instance(ask.resource_id, key))


def _resolve(ask: InstanceRequest, resource: Resource, references: list[_Reference]) -> str:
    """The key that variables make: by the reference's template, else by the resource's."""
    templates = [reference.key for reference in references if reference.key is not None]
    template = templates[0] if templates else resource.default_key_template
    if template is None:
        raise Invalid.field("key", "is required: the resource has no default_key_template")
    return keys.resolve(template, ask.variables or {})


def _must_be_writable(references: list[_Reference], key: str) -> None:
    """A reference that names a key counts for that key before one that names none."""
    named = [r for r in references if r.key is not None and keys.matches(r.key, key)]
    modes = {r.mode for r in named or [r for r in references if r.key is None]}
    if modes == {"read-only"}:
        raise ScopeDenied("this agent's reference to the resource is read-only")


def _must_be_own_session(caller: Caller, way: _AccessRow, session_id: str) -> None:
    """A key of `sessions` is a session, and a session is its user's and its agent's."""
    mine = way.user_id is not None and way.user_id == caller.user_id
    agents = way.agent_id is not None and way.agent_id == caller.agent_id
    # A session that does not exist yet is nobody's.
    if not (mine or agents or way.user_id is None):
        raise NotFound(f"there is no session {session_id!r}")


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
        all_sessions=caller.administers,
    )
    if touched is None:
        raise NotFound(f"there is no session {session_id!r}")
    await tx.run(
        queries.link_session,
        session_id=session_id,
        resource_id=instance.resource_id,
        key=instance.key,
    )
