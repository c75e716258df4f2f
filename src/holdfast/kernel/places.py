"""Checks the agent, project or session that a call names, and adds it to the caller's names.

The directory (../directory) manages these objects; faces only enter them, by the rules here.
"""

from dataclasses import dataclass, replace
from typing import Any

from holdfast.kernel import sight
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Tx
from holdfast.kernel.errors import AgentNotFound, Invalid, NotFound
from holdfast.kernel.ids import CLIENT_ID, is_client_id
from holdfast.kernel.sql import load

queries = load(__file__, "places.sql")


@dataclass(frozen=True, slots=True)
class Session:
    """A session that a caller may speak from: its agent, and its project where that counts."""

    agent_id: str | None
    project_id: str | None


def check_client_id(text: str, *, field: str) -> None:
    """Refuse what may not name a user, workspace, project, agent or session."""
    if not is_client_id(text):
        raise Invalid.field(field, f"must match {CLIENT_ID}")


async def enter_agent(tx: Tx, caller: Caller, agent_id: str, *, to_write: bool) -> Caller:
    """The caller, speaking for an agent of the active workspace.

    MEM-001 before looking when the key is another agent's. An agent nobody wrote to yet is registered by the first
    write; for a read it does not exist (MEM-002), and neither does one of another workspace, or one of a private
    project that the user is no member of.
    """
    speaking = caller.speaking_as(agent_id)
    check_client_id(agent_id, field="agent_id")
    seen = await _agent_seen(tx, caller, agent_id)
    if seen is None and to_write:
        await tx.run(queries.register_agent, agent_id=agent_id, workspace_id=caller.workspace_id)
        # Asked again: another transaction may have registered it in another workspace at this moment.
        seen = await _agent_seen(tx, caller, agent_id)
    if not seen:
        raise AgentNotFound(f"there is no agent {agent_id!r} in this workspace")
    return speaking


async def _agent_seen(tx: Tx, caller: Caller, agent_id: str) -> bool | None:
    return await tx.one(bool, queries.agent_seen, agent_id=agent_id, **agent_params(caller))


def agent_params(caller: Caller) -> dict[str, Any]:
    """The parameters by which a statement decides whether the caller may name an agent."""
    any_agent = caller.credential in ("service", "operator", "agent", "job")
    return {**sight.params(caller), "any_agent": any_agent}


async def enter_project(tx: Tx, caller: Caller, project_id: str) -> Caller:
    """The caller, speaking from a project of the active workspace that it may see; NotFound otherwise."""
    found = await tx.one(
        str, queries.visible_project, project_id=project_id, **sight.params(caller)
    )
    if found is None:
        raise NotFound(f"there is no project {project_id!r}")
    return replace(caller, project_id=project_id)


async def enter_session(tx: Tx, caller: Caller, session_id: str, *, to_write: bool) -> Caller:
    """The caller, speaking from a session: for its agent and from its project.

    A session nobody named yet is registered by the first write, with the caller's user and the agent and project it
    speaks for; for a read it does not exist. Neither does a session of another user than the one acted for.
    """
    check_client_id(session_id, field="session_id")
    session = await _visible_session(tx, caller, session_id)
    if session is None and to_write:
        await tx.run(
            queries.register_session,
            session_id=session_id,
            user_id=caller.user_id,
            agent_id=caller.agent_id,
            project_id=caller.project_id,
            workspace_id=caller.workspace_id,
        )
        session = await _visible_session(tx, caller, session_id)
    if session is None:
        raise NotFound(f"there is no session {session_id!r}")
    return speaking_in(caller, session_id, session)


def speaking_in(caller: Caller, session_id: str, session: Session) -> Caller:
    """The caller, speaking for the session's agent and from its project; refused where it named others."""
    for named, its, what in (
        (caller.agent_id, session.agent_id, "agent"),
        (caller.project_id, session.project_id, "project"),
    ):
        if named is not None and its is not None and named != its:
            raise Invalid.field(
                "session_id", f"this session is of another {what} than the one named"
            )
    return replace(
        caller,
        session_id=session_id,
        agent_id=session.agent_id or caller.agent_id,
        project_id=session.project_id or caller.project_id,
    )


async def _visible_session(tx: Tx, caller: Caller, session_id: str) -> Session | None:
    return await tx.one(
        Session,
        queries.visible_session,
        session_id=session_id,
        **session_params(caller),
    )


def session_params(caller: Caller) -> dict[str, Any]:
    """The parameters of `sees_session` in SQL."""
    return {
        **sight.params_of_key(caller),
        "any_agent": caller.credential in ("service", "operator"),
    }
