"""Where a caller speaks from: agents, projects and sessions, entered before anything of theirs is touched.

The directory (../directory) keeps these names; every face needs only to enter them, by the same rules.
"""

from dataclasses import replace

from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Tx
from holdfast.kernel.errors import AgentNotFound, Invalid, NotFound
from holdfast.kernel.ids import CLIENT_ID, is_client_id
from holdfast.kernel.sql import load

queries = load(__file__, "places.sql")


def check_client_id(text: str, *, field: str) -> None:
    """Refuse what may not name a user, workspace, project, agent or session."""
    if not is_client_id(text):
        raise Invalid.field(field, f"must match {CLIENT_ID}")


async def enter_agent(tx: Tx, caller: Caller, agent_id: str, *, to_write: bool) -> Caller:
    """The caller, speaking for an agent of the active workspace.

    MEM-001 before looking when the key is another agent's. An agent nobody wrote to yet is registered by the first
    write; for a read it does not exist (MEM-002), and neither does one of another workspace.
    """
    speaking = caller.speaking_as(agent_id)
    check_client_id(agent_id, field="agent_id")
    if to_write:
        await tx.run(queries.register_agent, agent_id=agent_id, workspace_id=caller.workspace_id)
    workspace_id = await tx.one(str, queries.workspace_of_agent, agent_id=agent_id)
    if workspace_id != caller.workspace_id:
        raise AgentNotFound(f"there is no agent {agent_id!r} in this workspace")
    return speaking


async def enter_project(tx: Tx, caller: Caller, project_id: str) -> Caller:
    """The caller, speaking from a project it may see; NotFound otherwise."""
    found = await tx.one(
        str, queries.visible_project, project_id=project_id, user_id=caller.user_id
    )
    if found is None:
        raise NotFound(f"there is no project {project_id!r}")
    return replace(caller, project_id=project_id)
