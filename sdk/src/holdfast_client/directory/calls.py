"""The directory's operations."""

from collections.abc import Sequence

from holdfast_client.calls import Call, Query, at, delete, get, one, page_of, patch, post, put, raw
from holdfast_client.directory.model import (
    Agent,
    ApiKey,
    MemoryReference,
    Org,
    Project,
    Role,
    Session,
    User,
    Visibility,
    Workspace,
)
from holdfast_client.scope import Scope
from holdfast_client.values import UNSET, Page, Unset, given


def read_org(scope: Scope) -> Call[Org]:
    """The key's org and its settings."""
    return get(scope, "/org", one(Org))


def change_org(
    scope: Scope,
    *,
    name: str | Unset = UNSET,
    workspaces_enabled: bool | Unset = UNSET,
    review_extractions: bool | Unset = UNSET,
    llm_tokens_per_day: int | Unset | None = UNSET,
    language: str | Unset = UNSET,
    recall_weights: dict[str, float] | Unset | None = UNSET,
    redact_patterns: list[str] | Unset = UNSET,
    if_match: int | None = None,
) -> Call[Org]:
    """Change the given settings; None removes the token cap, or the org's own recall weights."""
    changes = given(
        name=name,
        workspaces_enabled=workspaces_enabled,
        review_extractions=review_extractions,
        llm_tokens_per_day=llm_tokens_per_day,
        language=language,
        recall_weights=recall_weights,
        redact_patterns=redact_patterns,
    )
    return patch(scope, "/org", one(Org), changes, if_match=if_match)


def list_workspaces(
    scope: Scope, *, limit: int = 20, after_id: str | None = None, before_id: str | None = None
) -> Call[Page[Workspace]]:
    """The org's workspaces, newest first."""
    page: Query = {"limit": limit, "after_id": after_id, "before_id": before_id}
    return get(scope, "/workspaces", page_of(Workspace), page)


def read_workspace(scope: Scope, workspace_id: str) -> Call[Workspace]:
    """One workspace."""
    return get(scope, at("workspaces", workspace_id), one(Workspace))


def put_workspace(
    scope: Scope, workspace_id: str, *, name: str | None = None, if_match: int | None = None
) -> Call[Workspace]:
    """Create a workspace, or change its name."""
    path = at("workspaces", workspace_id)
    return put(scope, path, one(Workspace), given(name=name), if_match=if_match)


def list_projects(
    scope: Scope, *, limit: int = 20, after_id: str | None = None, before_id: str | None = None
) -> Call[Page[Project]]:
    """The projects that the caller may see, newest first."""
    page: Query = {"limit": limit, "after_id": after_id, "before_id": before_id}
    return get(scope, "/projects", page_of(Project), page)


def read_project(scope: Scope, project_id: str) -> Call[Project]:
    """One project; a private one is NotFound for users who are not members."""
    return get(scope, at("projects", project_id), one(Project))


def put_project(
    scope: Scope,
    project_id: str,
    *,
    name: str | None = None,
    visibility: Visibility | None = None,
    workspace_id: str | None = None,
    if_match: int | None = None,
) -> Call[Project]:
    """Create a project, with its creator as a member, or change the given fields."""
    body = given(name=name, visibility=visibility, workspace_id=workspace_id)
    return put(scope, at("projects", project_id), one(Project), body, if_match=if_match)


def add_member(scope: Scope, project_id: str, user_id: str) -> Call[Project]:
    """Add a user to a project."""
    return put(scope, at("projects", project_id, "members", user_id), one(Project))


def remove_member(scope: Scope, project_id: str, user_id: str) -> Call[None]:
    """Remove a user from a project."""
    return delete(scope, at("projects", project_id, "members", user_id))


def list_agents(
    scope: Scope, *, limit: int = 20, after_id: str | None = None, before_id: str | None = None
) -> Call[Page[Agent]]:
    """The agents of the active workspace, newest first."""
    page: Query = {"limit": limit, "after_id": after_id, "before_id": before_id}
    return get(scope, "/agents", page_of(Agent), page)


def read_agent(scope: Scope, agent_id: str | None = None) -> Call[Agent]:
    """One agent of the active workspace: the given one, else the client's."""
    return get(scope, at("agents", scope.must_agent(agent_id)), one(Agent))


def put_agent(
    scope: Scope,
    agent_id: str | None = None,
    *,
    name: str | None = None,
    project_id: str | None = None,
    memory: Sequence[MemoryReference] | None = None,
    if_match: int | None = None,
) -> Call[Agent]:
    """Register an agent in the active workspace, or change the given fields."""
    body = given(name=name, project_id=project_id, memory=memory)
    path = at("agents", scope.must_agent(agent_id))
    return put(scope, path, one(Agent), body, if_match=if_match)


def list_users(
    scope: Scope, *, limit: int = 20, after_id: str | None = None, before_id: str | None = None
) -> Call[Page[User]]:
    """The org's users, newest first; a user key sees only its own user."""
    page: Query = {"limit": limit, "after_id": after_id, "before_id": before_id}
    return get(scope, "/users", page_of(User), page)


def export_user(scope: Scope, user_id: str) -> Call[bytes]:
    """Everything that is held about a person, as a zip."""
    return get(scope, at("users", user_id, "export"), raw)


def create_user(
    scope: Scope, user_id: str, *, email: str | None = None, role: Role = "member"
) -> Call[User]:
    """Register a user; Conflict if the id or the e-mail address is taken. For service keys and owners."""
    body = {"user_id": user_id, "role": role, **({} if email is None else {"email": email})}
    return post(scope, "/users", one(User), body, conflict_as=User)


def change_user(
    scope: Scope,
    user_id: str,
    *,
    email: str | Unset | None = UNSET,
    role: Role | Unset = UNSET,
    if_match: int | None = None,
) -> Call[User]:
    """Change a user's e-mail address (None removes it) or role; Conflict for the last owner. For service keys and owners."""
    body = given(email=email, role=role)
    return patch(scope, at("users", user_id), one(User), body, if_match=if_match, conflict_as=User)


def delete_user(scope: Scope, user_id: str, *, if_match: int | None = None) -> Call[None]:
    """Delete a user with their keys and sessions; their memory stays until they are erased. For service keys and owners."""
    return delete(scope, at("users", user_id), if_match=if_match, conflict_as=User)


def read_me(scope: Scope) -> Call[User]:
    """The user that this client acts for."""
    return get(scope, "/users/me", one(User))


def change_me(
    scope: Scope, *, insight_capture: bool | Unset = UNSET, if_match: int | None = None
) -> Call[User]:
    """Change the settings of the user that this client acts for."""
    changes = given(insight_capture=insight_capture)
    return patch(scope, "/users/me", one(User), changes, if_match=if_match)


def read_session(scope: Scope, session_id: str | None = None) -> Call[Session]:
    """One session: the given one, else the client's."""
    return get(scope, at("sessions", scope.must_session(session_id)), one(Session))


def list_keys(
    scope: Scope, *, limit: int = 20, after_id: str | None = None, before_id: str | None = None
) -> Call[Page[ApiKey]]:
    """API keys, newest first, without their secrets. Keys are made and revoked in a browser or on the command line."""
    page: Query = {"limit": limit, "after_id": after_id, "before_id": before_id}
    return get(scope, "/keys", page_of(ApiKey), page)
