"""The operations on memory resources and the conversations they configure.

An instance is named by its `key`, or by `variables` for the resource's key template. If a call gives neither, a client that is
bound to a session fills the template with its `session_id`. The acting agent is the one that the client is bound to.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from holdfast_client.calls import (
    Call,
    Query,
    ask,
    at,
    data_of,
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
    FoundText,
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

# A text (stored with the role `user`), or a message with at least `role` and `content`.
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
    """Create or change a memory resource, given as a mapping or as YAML text; `if_match` is its `revision`.

    Raises Invalid with every fault in `errors`, and Conflict if the change would move existing messages.
    """
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
    """Delete a memory resource; Conflict if it has instances, unless `force`, which deletes them too."""
    return delete(
        scope,
        at("memory-resources", resource_id),
        query={"force": force},
        if_match=if_match,
        conflict_as=MemoryResource,
    )


def validate_resource(scope: Scope, config: Mapping[str, Any] | str) -> Call[Validation]:
    """List every fault of a resource, or of YAML text with resources; nothing is stored."""
    return ask(scope, "/memory-resources/validate", one(Validation), _config(config))


def read_schema(scope: Scope) -> Call[dict[str, Any]]:
    """The JSON Schema of a memory resource."""
    return get(scope, "/memory-resources/schema", one(dict[str, Any]))


# --- conversations: reading ------------------------------------------------------------------------------------------


def resolve(
    scope: Scope, resource_id: str, variables: Variables, *, agent_id: str | None = None
) -> Call[str]:
    """The key that the resource's template gives for these variables."""
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
    """Messages, oldest first; `tail` is a number of newest messages, `include_flushed` adds flushed ones.

    An instance that does not exist is read as empty.
    """
    asked: Query = {
        **_in_query(scope, key, variables, agent_id),
        "limit": limit,
        "offset": offset,
        "tail": tail,
        "include_flushed": include_flushed,
    }
    return get(scope, _path(resource_id, "read"), one(Messages), asked)


def search(scope: Scope, query: str, *, limit: int = 10) -> Call[list[FoundText]]:
    """Summaries and flushed messages of the caller's conversations, best first."""
    body = given(query=query, kinds=["summary", "flushed"], limit=limit, **scope.place())
    return ask(scope, "/recall", data_of(FoundText), body)


def stats(
    scope: Scope,
    resource_id: str,
    *,
    key: str | None = None,
    variables: Variables | None = None,
    agent_id: str | None = None,
) -> Call[Stats]:
    """The counts and limits of an instance."""
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
    """Whether an instance can be written to and is persisted."""
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
    """Add up to 100 messages, all or none; a message whose `id` exists already is ignored.

    Raises LimitExceeded for a message that is larger than the whole budget.
    """
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
    """Replace all messages by these (up to 1,000)."""
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
    """Flush the list down to its budget; below the threshold only with `force`. A dry run only reports the result."""
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
    """Remove all messages; needs `confirm=True`. With `backup`, `restore` can bring them back."""
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
    """Replace all messages by those of a backup."""
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
    """Delete the instance; returns whether there was one."""
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
    """Remove and return the newest message."""
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
    """The fields of a body that name the instance and the acting agent."""
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
