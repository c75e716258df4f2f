"""Read, list and change what the directory holds."""

from typing import Any, TypeVar

import psycopg
from psycopg.types.json import Jsonb

from holdfast.directory.model import (
    MAX_NAME_CHARS,
    Agent,
    Org,
    Project,
    Session,
    User,
    Visibility,
    Workspace,
)
from holdfast.kernel import limits
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import (
    AgentNotFound,
    Conflict,
    Invalid,
    NotFound,
    PreconditionFailed,
    ScopeDenied,
)
from holdfast.kernel.pages import Cursor, HasId, Page
from holdfast.kernel.places import check_client_id
from holdfast.kernel.recall.language import reword
from holdfast.kernel.sql import Query, load

queries = load(__file__)

Row = TypeVar("Row", bound=HasId)
IfMatch = list[int] | None

DEFAULT_WORKSPACE = "default"


# --- the org ---------------------------------------------------------------------------------------------------------


async def create_org(db: Database, caller: Caller, name: str) -> Org:
    """A new tenant (`caller.org_id` names it) with its default workspace."""
    _check_name(name)
    async with db.begin(caller) as tx:
        org = await tx.one(Org, queries.create_org, name=name)
        if org is None:
            raise RuntimeError("the org was not returned")
        await tx.revise("org", org.id, version=1, action="created", state={"name": name})
        await _put_workspace(tx, DEFAULT_WORKSPACE, None, None)
    return org


async def read_org(db: Database, caller: Caller) -> Org:
    """The caller's org."""
    org = await db.one(caller, Org, queries.read_org)
    if org is None:
        raise NotFound("this org is gone")
    return org


async def change_org(
    db: Database, caller: Caller, changes: dict[str, Any], *, if_match: IfMatch = None
) -> Org:
    """Change the settings that are named in `changes`."""
    caller.must_administer("changing the org")
    _check_name(changes.get("name"))
    given: dict[str, Any] = dict.fromkeys(
        ("name", "workspaces_enabled", "review_extractions", "llm_tokens_per_day", "language")
    )
    weights = changes.get("recall_weights")
    async with db.begin(caller) as tx:
        language = None
        if changes.get("language") is not None:
            language = await tx.one(dict, queries.language_asked_for, language=changes["language"])
        if language is not None and not language["known"]:
            raise Invalid.field("language", "is not a text search language of this database")
        org = await tx.one(
            Org,
            queries.change_org,
            **{**given, **changes, "recall_weights": None if weights is None else Jsonb(weights)},
            set_llm_tokens_per_day="llm_tokens_per_day" in changes,
            set_recall_weights="recall_weights" in changes,
            if_match=if_match,
        )
        if org is None:
            raise PreconditionFailed("the org changed since that ETag")
        if language is not None and language["differs"]:
            await reword(tx)
        await tx.revise("org", org.id, version=org.version, action="updated", state=changes)
    return org


# --- workspaces ------------------------------------------------------------------------------------------------------


async def read_workspace(db: Database, caller: Caller, workspace_id: str) -> Workspace:
    """One workspace of the org."""
    workspace = await db.one(caller, Workspace, queries.read_workspace, id=workspace_id)
    if workspace is None:
        raise NotFound(f"there is no workspace {workspace_id!r}")
    return workspace


async def put_workspace(
    db: Database, caller: Caller, workspace_id: str, name: str | None, *, if_match: IfMatch = None
) -> Workspace:
    """Make a workspace, or name it anew."""
    caller.must_administer("changing workspaces")
    check_client_id(workspace_id, field="workspace_id")
    _check_name(name)
    async with db.begin(caller) as tx:
        return await _put_workspace(tx, workspace_id, name, if_match)


async def _put_workspace(
    tx: Tx, workspace_id: str, name: str | None, if_match: IfMatch
) -> Workspace:
    workspace = await tx.one(
        Workspace, queries.put_workspace, id=workspace_id, name=name, if_match=if_match
    )
    if workspace is None:
        raise PreconditionFailed("the workspace changed since that ETag")
    await tx.revise(
        "workspace",
        workspace.id,
        version=workspace.version,
        action=_action(workspace.version),
        state={"name": name},
    )
    return workspace


async def list_workspaces(db: Database, caller: Caller, cursor: Cursor) -> Page[Workspace]:
    """The org's workspaces, newest first."""
    return await _list(db, caller, Workspace, queries.list_workspaces, cursor)


# --- projects --------------------------------------------------------------------------------------------------------


async def read_project(db: Database, caller: Caller, project_id: str) -> Project:
    """One project that the caller may see."""
    async with db.read(caller) as tx:
        return await _visible_project(tx, caller, project_id)


async def put_project(
    db: Database,
    caller: Caller,
    project_id: str,
    *,
    name: str | None = None,
    visibility: Visibility | None = None,
    workspace_id: str | None = None,
    if_match: IfMatch = None,
) -> Project:
    """Make a project, its maker a member, or change one that the caller looks after or is a member of."""
    _refuse_agents(caller, "changing projects")
    check_client_id(project_id, field="project_id")
    _check_name(name)
    async with db.begin(caller) as tx:
        before = await tx.one(Project, queries.read_project, id=project_id)
        if before is not None:
            _must_belong(caller, before)
        try:
            version = await tx.one(
                int,
                queries.put_project,
                id=project_id,
                name=name,
                visibility=visibility,
                workspace_id=workspace_id,
                active_workspace_id=caller.workspace_id,
                if_match=if_match,
            )
        except psycopg.errors.ForeignKeyViolation:
            raise NotFound(f"there is no workspace {workspace_id!r}") from None
        if version is None:
            raise PreconditionFailed("the project changed since that ETag")
        if before is None and caller.user_id is not None:
            await tx.run(queries.add_user, user_id=caller.user_id)
            await tx.run(queries.add_member, id=project_id, user_id=caller.user_id)
        return await _revised_project(tx, project_id, _action(version))


async def list_projects(db: Database, caller: Caller, cursor: Cursor) -> Page[Project]:
    """The projects the caller may see, newest first."""
    return await _list(
        db,
        caller,
        Project,
        queries.list_projects,
        cursor,
        all_projects=caller.administers,
        user_id=caller.user_id,
    )


async def add_member(db: Database, caller: Caller, project_id: str, user_id: str) -> Project:
    """Let a user into a project; one who is in already stays."""
    check_client_id(user_id, field="user_id")
    async with db.begin(caller) as tx:
        await _belonging_project(tx, caller, project_id)
        await tx.run(queries.add_user, user_id=user_id)
        await tx.run(queries.add_member, id=project_id, user_id=user_id)
        await tx.run(queries.touch_project, id=project_id)
        return await _revised_project(tx, project_id, "member_added")


async def remove_member(db: Database, caller: Caller, project_id: str, user_id: str) -> None:
    """Take a user out of a project; one who is not in it is not found."""
    async with db.begin(caller) as tx:
        project = await _belonging_project(tx, caller, project_id)
        if user_id not in project.members:
            raise NotFound(f"{user_id!r} is not a member")
        await tx.run(queries.remove_member, id=project_id, user_id=user_id)
        await tx.run(queries.touch_project, id=project_id)
        await _revised_project(tx, project_id, "member_removed")


async def _revised_project(tx: Tx, project_id: str, action: str) -> Project:
    project = await tx.one(Project, queries.read_project, id=project_id)
    if project is None:
        raise NotFound(f"there is no project {project_id!r}")
    await tx.revise(
        "project",
        project.id,
        version=project.version,
        action=action,
        state={
            "name": project.name,
            "visibility": project.visibility,
            "workspace_id": project.workspace_id,
            "members": project.members,
        },
    )
    return project


async def _visible_project(tx: Tx, caller: Caller, project_id: str) -> Project:
    project = await tx.one(Project, queries.read_project, id=project_id)
    if project is None or not (
        caller.administers or project.visibility == "team" or caller.user_id in project.members
    ):
        raise NotFound(f"there is no project {project_id!r}")
    return project


async def _belonging_project(tx: Tx, caller: Caller, project_id: str) -> Project:
    _refuse_agents(caller, "changing a project's members")
    project = await _visible_project(tx, caller, project_id)
    _must_belong(caller, project)
    return project


def _must_belong(caller: Caller, project: Project) -> None:
    if caller.administers or caller.user_id in project.members:
        return
    if project.visibility == "private":
        raise NotFound(f"there is no project {project.id!r}")
    raise ScopeDenied("only a member may change this project")


# --- agents ----------------------------------------------------------------------------------------------------------


async def read_agent(db: Database, caller: Caller, agent_id: str) -> Agent:
    """One agent of the active workspace (MEM-002 otherwise)."""
    caller.speaking_as(agent_id)
    agent = await db.one(caller, Agent, queries.read_agent, id=agent_id)
    if agent is None or agent.workspace_id != caller.workspace_id:
        raise AgentNotFound(f"there is no agent {agent_id!r} in this workspace")
    return agent


async def put_agent(
    db: Database,
    caller: Caller,
    agent_id: str,
    *,
    name: str | None = None,
    project_id: str | None = None,
    memory: list[dict[str, Any]] | None = None,
    if_match: IfMatch = None,
) -> Agent:
    """Register an agent in the active workspace, or change it. A field that is not given stays."""
    _refuse_agents(caller, "changing agents")
    check_client_id(agent_id, field="agent_id")
    _check_name(name)
    async with db.begin(caller) as tx:
        if project_id is not None:
            await _visible_project(tx, caller, project_id)
        agent = await tx.one(
            Agent,
            queries.put_agent,
            id=agent_id,
            name=name,
            workspace_id=caller.workspace_id,
            project_id=project_id,
            memory=None if memory is None else Jsonb(memory),
            if_match=if_match,
        )
        if agent is None:
            there = await tx.one(Agent, queries.read_agent, id=agent_id)
            if there is not None and there.workspace_id != caller.workspace_id:
                raise AgentNotFound(f"there is no agent {agent_id!r} in this workspace")
            raise PreconditionFailed("the agent changed since that ETag")
        await tx.revise(
            "agent",
            agent.id,
            version=agent.version,
            action=_action(agent.version),
            state={"name": agent.name, "project_id": agent.project_id, "memory": agent.memory},
        )
    return agent


async def list_agents(db: Database, caller: Caller, cursor: Cursor) -> Page[Agent]:
    """The agents of the active workspace, newest first; an agent's key sees its own."""
    return await _list(
        db,
        caller,
        Agent,
        queries.list_agents,
        cursor,
        workspace_id=caller.workspace_id,
        only_agent=caller.agent_id,
    )


# --- users and sessions ----------------------------------------------------------------------------------------------


async def read_me(db: Database, caller: Caller) -> User:
    """The user the caller acts for."""
    user = await db.one(caller, User, queries.read_user, id=caller.must_be_user())
    if user is None:
        raise NotFound("this user has written nothing yet")
    return user


async def change_me(
    db: Database, caller: Caller, *, insight_capture: bool | None, if_match: IfMatch = None
) -> User:
    """Change the settings of the user the caller acts for."""
    user_id = caller.must_be_user()
    async with db.begin(caller) as tx:
        user = await tx.one(
            User,
            queries.change_user,
            id=user_id,
            insight_capture=insight_capture,
            if_match=if_match,
        )
        if user is None:
            raise PreconditionFailed("the user changed since that ETag")
        await _revise_user(tx, user)
    return user


async def put_user(
    db: Database,
    caller: Caller,
    user_id: str,
    *,
    email: str | None = None,
    owner: bool | None = None,
    password_hash: str | None = None,
) -> User:
    """Register a person, or change how they sign in. What is not given stays."""
    caller.must_administer("changing users")
    check_client_id(user_id, field="user_id")
    async with db.begin(caller) as tx:
        try:
            user = await tx.one(
                User,
                queries.put_user,
                id=user_id,
                email=email.strip().lower() if email else None,
                owner=owner,
                password_hash=password_hash,
            )
        except psycopg.errors.UniqueViolation:
            raise Conflict("another user of the org has this e-mail address") from None
        if user is None:
            raise RuntimeError("the user was not returned")
        await _revise_user(tx, user)
        tx.on_commit(db.keyring.forget)  # a key may speak for the org's owner
    return user


async def list_users(db: Database, caller: Caller, cursor: Cursor) -> Page[User]:
    """The org's users, newest first; one who does not look after the org sees itself."""
    return await _list(
        db,
        caller,
        User,
        queries.list_users,
        cursor,
        only_user=None if caller.administers else caller.must_be_user(),
    )


async def read_session(db: Database, caller: Caller, session_id: str) -> Session:
    """One session of the caller's user or agent."""
    session = await db.one(
        caller,
        Session,
        queries.read_session,
        id=session_id,
        user_id=caller.user_id,
        agent_id=caller.agent_id,
        all_sessions=caller.administers,
    )
    if session is None:
        raise NotFound(f"there is no session {session_id!r}")
    return session


async def _revise_user(tx: Tx, user: User) -> None:
    await tx.revise(
        "user",
        user.id,
        version=user.version,
        action=_action(user.version),
        state={"email": user.email, "owner": user.owner, "insight_capture": user.insight_capture},
    )


# --- what they share -------------------------------------------------------------------------------------------------


async def _list(
    db: Database,
    caller: Caller,
    row_type: type[Row],
    query: Query,
    cursor: Cursor,
    **params: Any,
) -> Page[Row]:
    """A page of names that clients chose: they are in order of their making, with the id of one as cursor."""
    back = cursor.before_id is not None
    rows = await db.all(
        caller,
        row_type,
        query.backwards if back else query,
        after_id=cursor.after_id,
        before_id=cursor.before_id,
        limit=cursor.limit + 1,
        **params,
    )
    return Page.of(rows, cursor)


def _action(version: int) -> str:
    return "created" if version == 1 else "updated"


def _check_name(name: str | None) -> None:
    if name is None:
        return
    if not name.strip():
        raise Invalid.field("name", "may not be blank")
    limits.at_most_chars(name, MAX_NAME_CHARS, what="the name")


def _refuse_agents(caller: Caller, what: str) -> None:
    if caller.credential == "agent":
        raise ScopeDenied(f"{what} is not for an agent's key")
