"""Who may export what."""

from pathlib import Path

from holdfast.conversations.backends import Backends
from holdfast.exchange.export import Export
from holdfast.exchange.importing import queries
from holdfast.exchange.tables import Chosen
from holdfast.kernel.caller import Caller
from holdfast.kernel.errors import AgentNotFound, NotFound
from holdfast.memories.assets.objects import ObjectStore


async def export(
    backends: Backends, assets: ObjectStore, caller: Caller, chosen: Chosen, path: Path
) -> dict[str, int]:
    """Write an export of what is chosen; how many lines each of its files has. NotFound for a person or an agent of whom
    nothing is kept."""
    if chosen.user_id is not None:
        must_be_allowed(caller, chosen.user_id)
        if not await backends.db.one(caller, bool, queries.is_known_user, user_id=chosen.user_id):
            raise NotFound("there is no such user")
    elif chosen.agent_id is not None and not await backends.db.one(
        caller, bool, queries.is_known_agent, agent_id=chosen.agent_id
    ):
        raise AgentNotFound("there is no such agent")
    return await Export(backends, assets, caller, chosen).write(path)


def must_be_allowed(caller: Caller, user_id: str) -> None:
    """A person exports what is theirs; service keys, and an owner with a fresh step-up, export anybody's. For others there is
    no such user."""
    if caller.credential in ("service", "operator") or (
        caller.credential in ("user", "session") and caller.user_id == user_id
    ):
        return
    if caller.credential == "session" and caller.owner:
        caller.must_have_stepped_up()
        return
    raise NotFound("there is no such user")
