"""Context for a model: what to have in mind for a turn, as one text."""

from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field

from holdfast.context import service
from holdfast.context.model import MAX_TOKENS, Context, MemoryPolicy
from holdfast.conversations.backends import Backends
from holdfast.edge import compact
from holdfast.edge.toolbox import READS, Call, Toolbox, Worded
from holdfast.edge.wire import plain
from holdfast.kernel.errors import AgentNotFound
from holdfast.kernel.tokens import Tokenizer
from holdfast_client.context import rendering

# A model that asks for a message wants what the archive has to say about it.
POLICY = MemoryPolicy(archival_mode="auto")


def make_box(backends: Backends) -> Toolbox:
    """The tools of a deployment: a context may read conversations, wherever they are kept."""
    box = Toolbox("core")

    @box.tool("Gather what to have in mind", READS)
    async def context(
        call: Call,
        message: Annotated[str, Field(description="What the user just said.")],
        max_tokens: Annotated[
            int | None, Field(ge=1, le=MAX_TOKENS, description="Of the whole answer.")
        ] = None,
        detail: Annotated[bool, Field(description="Whole objects.")] = False,
    ) -> Any:
        """Gather what memory holds for this turn: who the user is, what fits the message, what you have stored. Call it once,
        before you answer."""
        ask = service.Ask(
            message=message,
            agent_id=call.agent_id,
            policy=POLICY,
            max_tokens=max_tokens,
            given_to=call.session_id,
        )
        try:
            found = await service.assemble(backends, call.caller, ask)
        except AgentNotFound:
            # Nothing was stored for this agent yet: what there is about the user remains.
            ask = replace(ask, agent_id=None)
            found = await service.assemble(backends, call.caller, ask)
        return found if detail else _worded(found, max_tokens)

    return box


def _worded(found: Context, max_tokens: int | None) -> Worded:
    """The context as a prompt would have it. What stands around the parts costs tokens too: while that is too much, the least
    valuable goes."""
    text = _rendered(found)
    while max_tokens is not None and Tokenizer().count(text) > max_tokens:
        found = _shortened(found)
        text = _rendered(found)
    return Worded({"user_memory": found.user_memory.content, "data": _listed(found)}, text)


def _rendered(found: Context) -> str:
    parts = (
        found.user_memory.content,
        rendering.entries((each.key, each.content) for each in found.entries),
        rendering.reminders(each.content for each in found.system_reminders),
        rendering.recalled((each.text, each.when) for each in found.recalled),
    )
    return "\n".join(part for part in parts if part)


def _shortened(found: Context) -> Context:
    if found.entries:
        return replace(found, entries=found.entries[:-1])
    if found.recalled:
        return replace(found, recalled=found.recalled[:-1])
    if found.system_reminders:
        return replace(found, system_reminders=found.system_reminders[:-1])
    return replace(found, user_memory=replace(found.user_memory, content=""))


def _listed(found: Context) -> list[Any]:
    reminders = [
        compact.line(each.name, each.content, each.source.updated_at, "block_line")
        for each in found.system_reminders
    ]
    recalled = [compact.line(each.id, each.text, each.when, each.kind) for each in found.recalled]
    entries = [
        compact.line(each.id, each.content, each.updated_at, f"entry {each.key}")
        for each in found.entries
    ]
    listed: list[Any] = plain([*reminders, *recalled, *entries])
    return listed
