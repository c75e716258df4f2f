"""Agents: registered in one workspace, perhaps in a project."""

from typing import Any

from psycopg.types.json import Jsonb

from holdfast.directory.model import (
    Agent,
)
from holdfast.directory.projects import visible_project
from holdfast.directory.rows import IfMatch, action_of, check_name, list_page
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.errors import (
    AgentNotFound,
    PreconditionFailed,
)
from holdfast.kernel.pages import Cursor, Page
from holdfast.kernel.places import agent_params, check_client_id
from holdfast.kernel.sql import load

queries = load(__file__, "queries.sql")


async def read_agent(db: Database, caller: Caller, agent_id: str) -> Agent:
    """One agent of the active workspace that the caller may name (MEM-002 otherwise)."""
    caller.speaking_as(agent_id)
    agent = await db.one(caller, Agent, queries.read_agent, id=agent_id, **agent_params(caller))
    if agent is None:
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
    """Register an agent in the active workspace, or change it. A field that is not given stays.

    For service keys and owners: an agent's references decide what it reads.
    """
    caller.must_administer("changing agents")
    check_client_id(agent_id, field="agent_id")
    check_name(name)
    async with db.begin(caller) as tx:
        if project_id is not None:
            await visible_project(tx, caller, project_id)
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
            if if_match is None:  # the id is taken, in a workspace that the caller does not see
                raise AgentNotFound(f"there is no agent {agent_id!r} in this workspace")
            raise PreconditionFailed("the agent changed since that ETag, or is not there")
        await tx.revise(
            "agent",
            agent.id,
            version=agent.version,
            action=action_of(agent.version),
            state={"name": agent.name, "project_id": agent.project_id, "memory": agent.memory},
        )
    return agent


async def list_agents(db: Database, caller: Caller, cursor: Cursor) -> Page[Agent]:
    """The agents of the active workspace, newest first; an agent's key sees its own."""
    return await list_page(
        db,
        caller,
        Agent,
        queries.list_agents,
        cursor,
        **agent_params(caller),
        only_agent=caller.agent_id,
    )
