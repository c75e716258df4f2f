"""What memories add to the kernel's rule of sight: the place that a call names, and the audience of a saved memory."""

from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Tx
from holdfast.kernel.errors import Invalid
from holdfast.kernel.places import enter_agent, enter_project, enter_session
from holdfast.kernel.sight import Audience, must_act_as_agent
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


def must_change(caller: Caller, scope: Scope) -> None:
    """Refuse (MEM-001) a user's change of a memory that an agent shares; agent keys and service keys pass."""
    if scope == "agent":
        must_act_as_agent(caller, "changing an agent's shared memory")


def audience_for(caller: Caller, scope: Scope) -> Audience:
    """Who sees a memory of this scope once the caller saved it; refused where the caller lacks the name."""
    if scope == "global":
        return Audience(user_id=caller.must_be_user())
    found = caller.project_id if scope == "project" else caller.agent_id
    if found is None:
        raise Invalid.field(
            f"{scope}_id",
            f"a memory of scope {scope!r} needs its {scope}_id, or a session that has one",
        )
    return Audience(project_id=found) if scope == "project" else Audience(agent_id=found)
