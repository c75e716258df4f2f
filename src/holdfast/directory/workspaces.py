"""Workspaces: parts of an org, each with agents, projects and stores of its own."""

from holdfast.directory.model import (
    Workspace,
)
from holdfast.directory.rows import IfMatch, action_of, check_name, list_page
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import (
    NotFound,
    PreconditionFailed,
)
from holdfast.kernel.pages import Cursor, Page
from holdfast.kernel.places import check_client_id
from holdfast.kernel.sql import load

queries = load(__file__, "queries.sql")


DEFAULT_WORKSPACE = "default"


async def read_workspace(db: Database, caller: Caller, workspace_id: str) -> Workspace:
    """One workspace of the org."""
    workspace = await db.one(caller, Workspace, queries.read_workspace, id=workspace_id)
    if workspace is None:
        raise NotFound(f"there is no workspace {workspace_id!r}")
    return workspace


async def put_workspace(
    db: Database, caller: Caller, workspace_id: str, name: str | None, *, if_match: IfMatch = None
) -> Workspace:
    """Create a workspace, or change its name."""
    caller.must_administer("changing workspaces")
    check_client_id(workspace_id, field="workspace_id")
    check_name(name)
    async with db.begin(caller) as tx:
        return await write_workspace(tx, workspace_id, name, if_match)


async def write_workspace(
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
        action=action_of(workspace.version),
        state={"name": name},
    )
    return workspace


async def list_workspaces(db: Database, caller: Caller, cursor: Cursor) -> Page[Workspace]:
    """The org's workspaces, newest first."""
    return await list_page(db, caller, Workspace, queries.list_workspaces, cursor)
