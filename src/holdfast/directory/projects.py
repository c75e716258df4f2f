"""Projects: who is in them, who sees them, and from which workspace."""

from typing import Any

import psycopg

from holdfast.directory.model import (
    Project,
    Visibility,
)
from holdfast.directory.rows import IfMatch, action_of, check_name, list_page, refuse_agents
from holdfast.kernel import sight
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import (
    NotFound,
    PreconditionFailed,
    ScopeDenied,
)
from holdfast.kernel.pages import Cursor, Page
from holdfast.kernel.places import check_client_id
from holdfast.kernel.sql import load

queries = load(__file__, "queries.sql")


async def read_project(db: Database, caller: Caller, project_id: str) -> Project:
    """One project that the caller may see."""
    async with db.read(caller) as tx:
        return await visible_project(tx, caller, project_id)


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
    refuse_agents(caller, "changing projects")
    check_client_id(project_id, field="project_id")
    check_name(name)
    async with db.begin(caller) as tx:
        before = await tx.one(Project, queries.project_by_id, id=project_id)
        if before is not None:
            _must_belong(caller, await visible_project(tx, caller, project_id))
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
        return await _revised_project(tx, project_id, action_of(version))


async def list_projects(db: Database, caller: Caller, cursor: Cursor) -> Page[Project]:
    """The projects the caller may see, newest first."""
    return await list_page(
        db,
        caller,
        Project,
        queries.list_projects,
        cursor,
        **_sight(caller),
    )


async def add_member(
    db: Database, caller: Caller, project_id: str, user_id: str, *, if_match: IfMatch = None
) -> Project:
    """Add a user to a project; no change if the user is a member already."""
    check_client_id(user_id, field="user_id")
    async with db.begin(caller) as tx:
        await _belonging_project(tx, caller, project_id)
        await _touch(tx, project_id, if_match)
        await tx.run(queries.add_user, user_id=user_id)
        await tx.run(queries.add_member, id=project_id, user_id=user_id)
        return await _revised_project(tx, project_id, "member_added")


async def remove_member(
    db: Database, caller: Caller, project_id: str, user_id: str, *, if_match: IfMatch = None
) -> None:
    """Remove a user from a project; NotFound if the user is not a member."""
    async with db.begin(caller) as tx:
        project = await _belonging_project(tx, caller, project_id)
        if user_id not in project.members:
            raise NotFound(f"{user_id!r} is not a member")
        await _touch(tx, project_id, if_match)
        await tx.run(queries.remove_member, id=project_id, user_id=user_id)
        await _revised_project(tx, project_id, "member_removed")


async def _touch(tx: Tx, project_id: str, if_match: IfMatch) -> None:
    """Count a change of the members as one of the project."""
    if await tx.one(int, queries.touch_project, id=project_id, if_match=if_match) is None:
        raise PreconditionFailed("the project changed since that ETag")


async def _revised_project(tx: Tx, project_id: str, action: str) -> Project:
    project = await tx.one(Project, queries.project_by_id, id=project_id)
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


async def visible_project(tx: Tx, caller: Caller, project_id: str) -> Project:
    """One project of the active workspace that the caller may see; NotFound otherwise."""
    project = await tx.one(Project, queries.read_project, id=project_id, **_sight(caller))
    if project is None:
        raise NotFound(f"there is no project {project_id!r}")
    return project


def _sight(caller: Caller) -> dict[str, Any]:
    """An owner sees every project's directory entry, though not what a private one holds."""
    return {
        **sight.params(caller),
        "all_projects": caller.owner or caller.credential == "operator",
    }


async def _belonging_project(tx: Tx, caller: Caller, project_id: str) -> Project:
    refuse_agents(caller, "changing a project's members")
    project = await visible_project(tx, caller, project_id)
    _must_belong(caller, project)
    return project


def may_change(caller: Caller, project: Project) -> bool:
    """Whether a caller who sees a project may change it and its members."""
    return caller.administers or caller.user_id in project.members


def _must_belong(caller: Caller, project: Project) -> None:
    if not may_change(caller, project):
        raise ScopeDenied("only a member may change this project")
