"""The directory over HTTP."""

from typing import Annotated, Literal, TypeVar

from fastapi import APIRouter, Depends, Response
from pydantic import Field, StringConstraints

from holdfast.directory import agents, orgs, projects, sessions, users, workspaces
from holdfast.directory.model import (
    MAX_REFERENCES,
    Agent,
    Org,
    Project,
    Session,
    User,
    Visibility,
    Workspace,
)
from holdfast.edge.preconditions import IfMatch, set_etag, set_etag_of_content
from holdfast.edge.route import ApiRoute, TheCaller, TheDatabase
from holdfast.edge.wire import Body, named_page_cursor
from holdfast.kernel.pages import Cursor, Page
from holdfast.kernel.patterns import MAX_PATTERN_CHARS, MAX_PATTERNS

router = APIRouter(route_class=ApiRoute, tags=["directory"])

TheCursor = Annotated[Cursor, Depends(named_page_cursor)]
Thing = TypeVar("Thing", Workspace, Project, Agent)
MAX_TOKENS_A_DAY = 10**15


Weight = Annotated[float | None, Field(ge=0, le=1)]


class RecallWeights(Body):
    """How much each part may add to a recall's score; what is left out keeps its default."""

    lexical: Weight = None
    semantic: Weight = None
    session: Weight = None
    temporal: Weight = None
    actor: Weight = None
    spoken_by_user: Weight = None
    preference: Weight = None
    recency: Weight = None
    importance: Weight = None
    pinned: Weight = None
    close_reading: Weight = None


class OrgChange(Body):
    """What to change about the org; a field that is left out stays."""

    name: str | None = Field(None, examples=["Acme"])
    workspaces_enabled: bool | None = None
    review_extractions: bool | None = None
    llm_tokens_per_day: int | None = Field(None, ge=0, le=MAX_TOKENS_A_DAY)
    language: str | None = Field(None, examples=["english"])
    redact_patterns: (
        Annotated[
            list[Annotated[str, StringConstraints(min_length=1, max_length=MAX_PATTERN_CHARS)]],
            Field(max_length=MAX_PATTERNS),
        ]
        | None
    ) = Field(
        None,
        description="RE2: masked in messages before anything learns from them",
        examples=[["ACME-\\d+"]],
    )
    recall_weights: RecallWeights | None = Field(None, examples=[{"recency": 0.1}])


class WorkspacePut(Body):
    """A workspace's name."""

    name: str | None = Field(None, examples=["Support"])


class ProjectPut(Body):
    """What a project is called, who sees it, where it lives."""

    name: str | None = Field(None, examples=["Apollo"])
    visibility: Visibility | None = Field(None, examples=["private"])
    workspace_id: str | None = None


class MemoryReference(Body):
    """A memory resource that an agent reads, and perhaps writes."""

    id: str = Field(pattern=r"^[A-Za-z0-9_-]{1,100}$", examples=["sessions"])
    key: str | None = Field(None, max_length=256)
    mode: Literal["read-write", "read-only"] = "read-write"


class AgentPut(Body):
    """What an agent is called, its project, its memory resources."""

    name: str | None = Field(None, examples=["Support bot"])
    project_id: str | None = None
    memory: list[MemoryReference] | None = Field(None, max_length=MAX_REFERENCES)


class MeChange(Body):
    """What a user decides about itself."""

    insight_capture: bool | None = Field(None, examples=[False])


@router.get("/org", operation_id="directory.read_org")
async def get_org(response: Response, caller: TheCaller, db: TheDatabase) -> Org:
    """The caller's org and its settings."""
    org = await orgs.read_org(db, caller)
    set_etag(response, org.version)
    return org


@router.patch("/org", operation_id="directory.change_org")
async def patch_org(
    body: OrgChange, if_match: IfMatch, response: Response, caller: TheCaller, db: TheDatabase
) -> Org:
    """Change the org's settings (service key, or an owner's browser session)."""
    changes = body.model_dump(exclude_unset=True)
    if changes.get("recall_weights"):
        changes["recall_weights"] = body.recall_weights.model_dump(exclude_none=True)  # type: ignore[union-attr]  # it was given
    org = await orgs.change_org(db, caller, changes, if_match=if_match)
    set_etag(response, org.version)
    return org


@router.get("/workspaces", operation_id="directory.list_workspaces")
async def list_workspaces(cursor: TheCursor, caller: TheCaller, db: TheDatabase) -> Page[Workspace]:
    """The org's workspaces, newest first."""
    return await workspaces.list_workspaces(db, caller, cursor)


@router.get("/workspaces/{workspace_id}", operation_id="directory.read_workspace")
async def get_workspace(
    workspace_id: str, response: Response, caller: TheCaller, db: TheDatabase
) -> Workspace:
    """One workspace."""
    workspace = await workspaces.read_workspace(db, caller, workspace_id)
    set_etag(response, workspace.version)
    return workspace


@router.put(
    "/workspaces/{workspace_id}",
    operation_id="directory.put_workspace",
    responses={201: {"model": Workspace}},
)
async def put_workspace(
    workspace_id: str,
    body: WorkspacePut,
    if_match: IfMatch,
    response: Response,
    caller: TheCaller,
    db: TheDatabase,
) -> Workspace:
    """Create a workspace (201), or change its name."""
    workspace = await workspaces.put_workspace(
        db, caller, workspace_id, body.name, if_match=if_match
    )
    return _made_or_changed(response, workspace)


@router.get("/projects", operation_id="directory.list_projects")
async def list_projects(cursor: TheCursor, caller: TheCaller, db: TheDatabase) -> Page[Project]:
    """The projects that the caller may see, newest first."""
    return await projects.list_projects(db, caller, cursor)


@router.get("/projects/{project_id}", operation_id="directory.read_project")
async def get_project(
    project_id: str, response: Response, caller: TheCaller, db: TheDatabase
) -> Project:
    """One project; a private one is 404 for users who are not members."""
    project = await projects.read_project(db, caller, project_id)
    set_etag(response, project.version)
    return project


@router.put(
    "/projects/{project_id}",
    operation_id="directory.put_project",
    responses={201: {"model": Project}},
)
async def put_project(
    project_id: str,
    body: ProjectPut,
    if_match: IfMatch,
    response: Response,
    caller: TheCaller,
    db: TheDatabase,
) -> Project:
    """Create a project (201; its creator becomes a member), or change it."""
    project = await projects.put_project(
        db,
        caller,
        project_id,
        name=body.name,
        visibility=body.visibility,
        workspace_id=body.workspace_id,
        if_match=if_match,
    )
    return _made_or_changed(response, project)


@router.put("/projects/{project_id}/members/{user_id}", operation_id="directory.add_member")
async def put_member(
    project_id: str,
    user_id: str,
    if_match: IfMatch,
    response: Response,
    caller: TheCaller,
    db: TheDatabase,
) -> Project:
    """Add a user to a project; the ETag is the project's."""
    project = await projects.add_member(db, caller, project_id, user_id, if_match=if_match)
    set_etag(response, project.version)
    return project


@router.delete(
    "/projects/{project_id}/members/{user_id}",
    operation_id="directory.remove_member",
    status_code=204,
)
async def delete_member(
    project_id: str, user_id: str, if_match: IfMatch, caller: TheCaller, db: TheDatabase
) -> None:
    """Remove a user from a project; the ETag is the project's."""
    await projects.remove_member(db, caller, project_id, user_id, if_match=if_match)


@router.get("/agents", operation_id="directory.list_agents")
async def list_agents(cursor: TheCursor, caller: TheCaller, db: TheDatabase) -> Page[Agent]:
    """The agents of the active workspace, newest first."""
    return await agents.list_agents(db, caller, cursor)


@router.get("/agents/{agent_id}", operation_id="directory.read_agent")
async def get_agent(agent_id: str, response: Response, caller: TheCaller, db: TheDatabase) -> Agent:
    """One agent of the active workspace."""
    agent = await agents.read_agent(db, caller, agent_id)
    set_etag(response, agent.version)
    return agent


@router.put(
    "/agents/{agent_id}", operation_id="directory.put_agent", responses={201: {"model": Agent}}
)
async def put_agent(
    agent_id: str,
    body: AgentPut,
    if_match: IfMatch,
    response: Response,
    caller: TheCaller,
    db: TheDatabase,
) -> Agent:
    """Register an agent in the active workspace (201), or change it."""
    memory = None if body.memory is None else [ref.model_dump() for ref in body.memory]
    agent = await agents.put_agent(
        db,
        caller,
        agent_id,
        name=body.name,
        project_id=body.project_id,
        memory=memory,
        if_match=if_match,
    )
    return _made_or_changed(response, agent)


@router.get("/users", operation_id="directory.list_users")
async def list_users(cursor: TheCursor, caller: TheCaller, db: TheDatabase) -> Page[User]:
    """The org's users, newest first; callers that do not administer the org see only their own user."""
    return await users.list_users(db, caller, cursor)


@router.get("/users/me", operation_id="directory.read_me")
async def get_me(response: Response, caller: TheCaller, db: TheDatabase) -> User:
    """The user that the caller acts for."""
    user = await users.read_me(db, caller)
    set_etag(response, user.version)
    return user


@router.patch("/users/me", operation_id="directory.change_me")
async def patch_me(
    body: MeChange, if_match: IfMatch, response: Response, caller: TheCaller, db: TheDatabase
) -> User:
    """Change the settings of the user that the caller acts for."""
    user = await users.change_me(
        db, caller, insight_capture=body.insight_capture, if_match=if_match
    )
    set_etag(response, user.version)
    return user


@router.get("/sessions/{session_id}", operation_id="directory.read_session")
async def get_session(
    session_id: str, response: Response, caller: TheCaller, db: TheDatabase
) -> Session:
    """One session of the caller's user or agent."""
    session = await sessions.read_session(db, caller, session_id)
    set_etag_of_content(response, session)
    return session


def _made_or_changed(response: Response, thing: Thing) -> Thing:
    response.status_code = 201 if thing.version == 1 else 200
    set_etag(response, thing.version)
    return thing
