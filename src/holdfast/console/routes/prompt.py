"""The prompt preview: exactly what a model would get for a message, part by part, and what was left out."""

from dataclasses import dataclass

from fastapi import APIRouter, Response

from holdfast.console.drawing import bars
from holdfast.console.fields import Fields
from holdfast.console.visit import PageRoute, TheVisit
from holdfast.context import service
from holdfast.context.model import MAX_TOKENS, ArchivalMode, Context, ConversationName, MemoryPolicy
from holdfast.directory import agents
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.pages import Cursor
from holdfast_client.context import rendering

router = APIRouter(route_class=PageRoute, include_in_schema=False)

MAX_SHOWN_CHARS = 25_000
MODES: tuple[ArchivalMode, ...] = ("auto", "tool_only", "off")
WHY = {
    "max_tokens": "they do not fit the budget",
    "budget_bytes": "they do not fit the hydration's budget of bytes",
    "window": "the conversation is longer than a context looks back",
    "unresolved": "the agent refers to a resource whose key this message does not give",
}


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a prompt, as text."""

    name: str
    tokens: int
    text: str

    @property
    def shown(self) -> str:
        """As much of the text as a page shows."""
        return self.text[:MAX_SHOWN_CHARS]


@router.get("/prompt", response_model=None)
async def prompt(visit: TheVisit) -> Response:
    """The form, and what it asks for."""
    known = await agents.list_agents(visit.db, visit.caller, Cursor(100))
    context, problem = None, None
    if visit.query.text("message") is not None or visit.query.text("agent_id") is not None:
        try:
            context = await service.assemble(visit.backends, visit.caller, _ask(visit.query))
        except HoldfastError as error:
            if error.status >= 500:
                raise
            problem = error.detail
    return visit.page(
        "prompt.html",
        agents=known.data,
        modes=MODES,
        context=context,
        problem=problem,
        parts=[] if context is None else _parts(context),
        parts_bar=[] if context is None else _bar(context, visit.query),
        why=WHY,
    )


def _ask(query: Fields) -> service.Ask:
    resource_id, key = query.text("resource_id"), query.text("key")
    return service.Ask(
        message=query.raw("message"),
        agent_id=query.name("agent_id"),
        session_id=query.name("session_id"),
        policy=MemoryPolicy(archival_mode=query.choice("archival", MODES) or "auto"),
        conversation=ConversationName(resource_id, key) if resource_id and key else None,
        max_tokens=query.number("max_tokens", 1, MAX_TOKENS),
    )


def _parts(context: Context) -> list[Part]:
    """The parts in the order in which they stand in a prompt."""
    tokens = context.tokens
    said = "\n".join(f"{each.role}: {each.content}" for each in context.messages)
    entries = rendering.entries((each.key, each.content) for each in context.entries)
    recalled = rendering.recalled((each.text, each.when) for each in context.recalled)
    reminders = rendering.reminders(each.content for each in context.system_reminders)
    return [
        Part("User memory", tokens.user_memory, context.user_memory.content),
        Part("Agent entries", tokens.entries, entries),
        Part("Conversation", tokens.messages, said),
        Part("Recalled for this message", tokens.recalled, recalled),
        Part("Reminders for this message", tokens.system_reminders, reminders),
    ]


def _bar(context: Context, query: Fields) -> list[bars.Part]:
    shares = [(part.name, float(part.tokens)) for part in _parts(context)]
    return bars.cut(shares, whole=query.number("max_tokens", 1, MAX_TOKENS))
