"""The operations on memory resources and the conversations they configure.

An instance is named by its `key`, or by the `variables` that the resource's key template is filled with. A client that is
bound to a session fills it with `session_id` where a call gives neither, and speaks as the agent it is bound to.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from holdfast_client.calls import (
    Call,
    Query,
    ask,
    at,
    delete,
    field_of,
    get,
    one,
    page_of,
    post,
    put,
)
from holdfast_client.conversations.model import (
    AppendResult,
    Cleared,
    FlushResult,
    Health,
    InstanceRow,
    MemoryResource,
    Messages,
    Popped,
    Restored,
    Stats,
    Strategy,
    Validation,
)
from holdfast_client.scope import Scope
from holdfast_client.values import UNSET, Page, Unset, given, to_json

# A text (one message of the user), or a message: at least its `role` and `content`.
Said = str | Mapping[str, Any]
Variables = Mapping[str, Any]


# --- memory resources ------------------------------------------------------------------------------------------------


def list_resources(
    scope: Scope, *, limit: int = 20, after_id: str | None = None, before_id: str | None = None
) -> Call[Page[MemoryResource]]:
    """The org's memory resources, newest first."""
    page: Query = {"limit": limit, "after_id": after_id, "before_id": before_id}
    return get(scope, "/memory-resources", page_of(MemoryResource), page)


def read_resource(scope: Scope, resource_id: str) -> Call[MemoryResource]:
    """One memory resource."""
    return get(scope, at("memory-resources", resource_id), one(MemoryResource))


def put_resource(
    scope: Scope, resource_id: str, config: Mapping[str, Any] | str, *, if_match: int | None = None
) -> Call[MemoryResource]:
    """Make a memory resource, or change it: its fields, or a text of YAML. Invalid, with everything that is wrong in
    `errors`; Conflict where it would move messages that are there already. `if_match` is its `revision`."""
    return put(
        scope,
        at("memory-resources", resource_id),
        one(MemoryResource),
        _config(config),
        if_match=if_match,
        conflict_as=MemoryResource,
    )


def delete_resource(
    scope: Scope, resource_id: str, *, force: bool = False, if_match: int | None = None
) -> Call[None]:
    """Delete a memory resource; Conflict when it has instances, unless `force`, which deletes them too."""
    return delete(
        scope,
        at("memory-resources", resource_id),
        query={"force": force},
        if_match=if_match,
        conflict_as=MemoryResource,
    )


def validate_resource(scope: Scope, config: Mapping[str, Any] | str) -> Call[Validation]:
    """Everything that is wrong with a resource, or with a text of YAML that holds some; nothing is kept."""
    return ask(scope, "/memory-resources/validate", one(Validation), _config(config))


def read_schema(scope: Scope) -> Call[dict[str, Any]]:
    """The JSON Schema of a memory resource."""
    return get(scope, "/memory-resources/schema", one(dict[str, Any]))


# --- conversations: looking ------------------------------------------------------------------------------------------


def resolve(
    scope: Scope, resource_id: str, variables: Variables, *, agent_id: str | None = None
) -> Call[str]:
    """The key that variables make."""
    body = given(variables=variables, agent_id=agent_id or scope.agent)
    return ask(scope, _path(resource_id, "resolve"), field_of("key", str), body)


def read(
    scope: Scope,
    resource_id: str,
    *,
    key: str | None = None,
    variables: Variables | None = None,
    limit: int = 50,
    offset: int = 0,
    tail: int | None = None,
    include_flushed: bool = False,
    agent_id: str | None = None,
) -> Call[Messages]:
    """Messages, oldest first; `tail` is for the newest so many, `include_flushed` also for what flushes took out. An
    instance that does not exist reads as empty."""
    asked: Query = {
        **_in_query(scope, key, variables, agent_id),
        "limit": limit,
        "offset": offset,
        "tail": tail,
        "include_flushed": include_flushed,
    }
    return get(scope, _path(resource_id, "read"), one(Messages), asked)


def stats(
    scope: Scope,
    resource_id: str,
    *,
    key: str | None = None,
    variables: Variables | None = None,
    agent_id: str | None = None,
) -> Call[Stats]:
    """How full the instance is."""
    asked = _in_query(scope, key, variables, agent_id)
    return get(scope, _path(resource_id, "stats"), one(Stats), asked)


def health(
    scope: Scope,
    resource_id: str,
    *,
    key: str | None = None,
    variables: Variables | None = None,
    agent_id: str | None = None,
) -> Call[Health]:
    """Whether the instance can be written to, and will last."""
    asked = _in_query(scope, key, variables, agent_id)
    return get(scope, _path(resource_id, "health"), one(Health), asked)


def list_instances(
    scope: Scope,
    resource_id: str,
    *,
    every_owner: bool = False,
    limit: int = 20,
    after_id: str | None = None,
    before_id: str | None = None,
) -> Call[Page[InstanceRow]]:
    """The instances of a resource with their owners and counts, newest first; `every_owner` needs a service key."""
    page: Query = {
        "limit": limit,
        "after_id": after_id,
        "before_id": before_id,
        "all": every_owner or None,
    }
    return get(scope, _path(resource_id, "instances"), page_of(InstanceRow), page)


# --- conversations: changing -----------------------------------------------------------------------------------------


def append(
    scope: Scope,
    resource_id: str,
    messages: Said | Sequence[Said],
    *,
    key: str | None = None,
    variables: Variables | None = None,
    session_id: str | None = None,
    project_id: str | None = None,
    agent_id: str | None = None,
) -> Call[AppendResult]:
    """Add messages (up to 100), all or none; one whose `id` is there already is ignored. LimitExceeded for a message that
    no budget could hold."""
    body = {
        "messages": to_json(messages),
        **_in_body(scope, key, variables, agent_id),
        **_session(scope, session_id, project_id),
    }
    return post(scope, _path(resource_id, "append"), one(AppendResult), body)


def write(
    scope: Scope,
    resource_id: str,
    messages: Said | Sequence[Said],
    *,
    key: str | None = None,
    variables: Variables | None = None,
    session_id: str | None = None,
    project_id: str | None = None,
    agent_id: str | None = None,
) -> Call[AppendResult]:
    """Put these messages (up to 1,000) in the place of all."""
    body = {
        "messages": to_json(messages),
        **_in_body(scope, key, variables, agent_id),
        **_session(scope, session_id, project_id),
    }
    return post(scope, _path(resource_id, "write"), one(AppendResult), body)


def flush(
    scope: Scope,
    resource_id: str,
    *,
    key: str | None = None,
    variables: Variables | None = None,
    strategy: Strategy | Unset = UNSET,
    dry_run: bool = False,
    force: bool = False,
    agent_id: str | None = None,
) -> Call[FlushResult]:
    """Bring the list down to its budget; below the threshold only by `force`. A dry run says what that would do."""
    body = {
        **given(strategy=strategy, dry_run=dry_run, force=force),
        **_in_body(scope, key, variables, agent_id),
    }
    send = ask if dry_run else post
    return send(scope, _path(resource_id, "flush"), one(FlushResult), body)


def clear(
    scope: Scope,
    resource_id: str,
    *,
    confirm: bool,
    key: str | None = None,
    variables: Variables | None = None,
    backup: bool = False,
    agent_id: str | None = None,
) -> Call[Cleared]:
    """Take all messages out, which `confirm=True` says is meant; with `backup`, `restore` brings them back."""
    which = _in_body(scope, key, variables, agent_id)
    body = {"confirm": confirm, "backup": backup, **which}
    return post(scope, _path(resource_id, "clear"), one(Cleared), body)


def restore(
    scope: Scope,
    resource_id: str,
    backup_id: str,
    *,
    key: str | None = None,
    variables: Variables | None = None,
    agent_id: str | None = None,
) -> Call[Restored]:
    """Put the messages of a copy in the place of all."""
    body = {"backup_id": backup_id, **_in_body(scope, key, variables, agent_id)}
    return post(scope, _path(resource_id, "restore"), one(Restored), body)


def delete_instance(
    scope: Scope,
    resource_id: str,
    *,
    key: str | None = None,
    variables: Variables | None = None,
    agent_id: str | None = None,
) -> Call[bool]:
    """Remove the instance: whether there was one."""
    body = _in_body(scope, key, variables, agent_id)
    return post(scope, _path(resource_id, "delete"), field_of("deleted", bool), body)


def pop(
    scope: Scope,
    resource_id: str,
    *,
    key: str | None = None,
    variables: Variables | None = None,
    agent_id: str | None = None,
) -> Call[Popped]:
    """Take the newest message off."""
    body = _in_body(scope, key, variables, agent_id)
    return post(scope, _path(resource_id, "pop"), one(Popped), body)


# --- small things ----------------------------------------------------------------------------------------------------


def _path(resource_id: str, operation: str) -> str:
    return at("conversations", resource_id, operation)


def _config(config: Mapping[str, Any] | str) -> Mapping[str, Any]:
    return {"yaml": config} if isinstance(config, str) else config


def _in_body(
    scope: Scope, key: str | None, variables: Variables | None, agent_id: str | None
) -> dict[str, Any]:
    """Which instance, and which agent asks."""
    if key is None and variables is None and scope.session is not None:
        variables = {"session_id": scope.session}
    return given(key=key, variables=variables, agent_id=agent_id or scope.agent)


def _in_query(
    scope: Scope, key: str | None, variables: Variables | None, agent_id: str | None
) -> dict[str, str | None]:
    which = _in_body(scope, key, variables, agent_id)
    if which["variables"] is not None:
        which["variables"] = json.dumps(which["variables"])
    return which


def _session(scope: Scope, session_id: str | None, project_id: str | None) -> dict[str, Any]:
    return given(session_id=session_id or scope.session, project_id=project_id or scope.project)
