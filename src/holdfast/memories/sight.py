"""Who sees which memory.

The rule itself is SQL (`memory_contexts`, `sees_memory` and `active_workspace` in functions.sql) and stands
in the WHERE of every query; here a caller enters the place it speaks from, and becomes the parameters of that rule.
"""

from typing import Any

from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Tx
from holdfast.kernel.errors import Invalid
from holdfast.kernel.places import enter_agent, enter_project, enter_session
from holdfast.kernel.sight import must_act_as_agent
from holdfast.memories.model import Place, Scope


async def enter(tx: Tx, caller: Caller, place: Place, *, to_write: bool) -> Caller:
    """The caller, speaking from the place that the call names; each name is checked before it adds anything."""
    if place.project_id is not None:
        caller = await enter_project(tx, caller, place.project_id)
    if place.agent_id is not None:
        caller = await enter_agent(tx, caller, place.agent_id, to_write=to_write)
    if place.session_id is not None:
        caller = await enter_session(tx, caller, place.session_id, to_write=to_write)
    return caller


def sight(caller: Caller) -> dict[str, Any]:
    """What the rule of sight asks about a caller, as parameters of a query."""
    return {
        "by_user": caller.user_id,
        "by_agent": caller.agent_id,
        "by_project": caller.project_id,
        "by_workspace": caller.workspace_id,
    }


def must_change(caller: Caller, scope: Scope) -> None:
    """Refuse (MEM-001) to let a user change what an agent shares; who does not see a memory finds none to change."""
    if scope == "agent":
        must_act_as_agent(caller, "changing an agent's shared memory")


def context_id(caller: Caller, scope: Scope) -> str:
    """Whose a memory of this scope becomes when the caller saves it: the user's, the project's or the agent's."""
    if scope == "global":
        return caller.must_be_user()
    found = caller.project_id if scope == "project" else caller.agent_id
    if found is None:
        raise Invalid.field(
            f"{scope}_id",
            f"a memory of scope {scope!r} needs its {scope}_id, or a session that has one",
        )
    return found
