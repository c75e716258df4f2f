"""Context for a model: what to have in mind for a turn."""

from typing import Annotated

from pydantic import Field

from holdfast.context import service
from holdfast.context.model import MAX_TOKENS, Context, MemoryPolicy
from holdfast.conversations.backends import Backends
from holdfast.edge.toolbox import READS, Call, Toolbox
from holdfast.kernel.errors import AgentNotFound

# A model that asks for a message wants what the archive has to say about it.
POLICY = MemoryPolicy(archival_mode="auto")


def make_box(backends: Backends) -> Toolbox:
    """The tools of a deployment: a context may read conversations, wherever they are kept."""
    box = Toolbox()

    @box.tool("Gather what to have in mind", READS)
    async def context(
        call: Call,
        message: Annotated[
            str, Field(description="What the user just said.", examples=["What should I drink?"])
        ],
        max_tokens: Annotated[
            int | None,
            Field(
                ge=1,
                le=MAX_TOKENS,
                description="The least valuable goes first to stay within this.",
            ),
        ] = None,
    ) -> Context:
        """Gather what memory holds for this turn: what is known about the user, lines of the archive that fit the
        message, and the facts this agent has stored.

        Use it once at the start of a turn, before you answer. `dropped` says what did not fit.
        Example: context(message="What should I drink?", max_tokens=2000)
        """
        ask = service.Ask(
            message=message, agent_id=call.agent_id, policy=POLICY, max_tokens=max_tokens
        )
        try:
            return await service.assemble(backends, call.caller, ask)
        except AgentNotFound:
            # Nothing was stored for this agent yet: what there is about the user remains.
            ask = service.Ask(message=message, policy=POLICY, max_tokens=max_tokens)
            return await service.assemble(backends, call.caller, ask)

    return box
