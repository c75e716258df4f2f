"""Memory as tools of an agent, and as part of its instructions."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from pydantic_ai import FunctionToolset, RunContext, Tool

from holdfast_client.client import AsyncClient, Client
from holdfast_client.context.calls import assemble
from holdfast_client.context.model import Context
from holdfast_client.context.providers import for_this_turn, standing
from holdfast_client.errors import AgentNotFound, HoldfastError
from holdfast_client.flows import Flow
from holdfast_client.running import run_on
from holdfast_client.tools.definitions import TOOLS
from holdfast_client.tools.work import work

log = logging.getLogger("holdfast_client.pydantic_ai")


def memory_toolset(memory: Client | AsyncClient, *names: str) -> FunctionToolset[Any]:
    """The tools context, remember, recall and forget, or those named, in the scope of `memory`.

    What the model did wrong comes back to it as `{"error": …}`. KeyError for a name that is no tool.
    """
    known = {tool.name: tool for tool in TOOLS}
    chosen = [known[name] for name in names] or [tool for tool in TOOLS if tool.set == "core"]
    return FunctionToolset(
        [
            Tool.from_schema(_caller(memory, tool.name), tool.name, tool.description, tool.schema)
            for tool in chosen
        ]
    )


def memory_instructions(
    memory: Client | AsyncClient, *, max_tokens: int | None = None, strict: bool = False
) -> Callable[[RunContext[Any]], Awaitable[str]]:
    """Instructions with the context for a run's prompt: user memory, reminders, what recall finds, the agent's entries.

    Empty for a prompt without text. Earlier messages are not part of it: pass them as `message_history`, or load the
    conversation from a `HoldfastConversationStore`. If memory cannot be reached the run goes on without it and a warning is
    logged; with `strict` the error is raised.
    """

    def ask(message: str) -> Flow[Context]:
        try:
            found: Context = yield assemble(memory._scope, message, max_tokens=max_tokens)
        except AgentNotFound:  # nothing was written for this agent yet
            scope = replace(memory._scope, agent=None)
            found = yield assemble(scope, message, max_tokens=max_tokens)
        return found

    async def instructions(run: RunContext[Any]) -> str:
        prompt = run.prompt
        parts = [prompt] if isinstance(prompt, str) else [*(prompt or ())]
        message = "\n".join(part for part in parts if isinstance(part, str))
        if not message.strip():
            return ""
        try:
            found = await run_on(memory, ask(message))
        except HoldfastError as error:
            if strict:
                raise
            log.warning("no memory for this run: %s", error)
            return ""
        return "\n\n".join(text for text in (*standing(found), for_this_turn(found)) if text)

    return instructions


def _caller(memory: Client | AsyncClient, name: str) -> Callable[..., Awaitable[str]]:
    async def call(**arguments: Any) -> str:
        return await run_on(memory, work(memory._scope, name, arguments))

    return call
