"""Memory as tools of a model: schemas for OpenAI and Anthropic, and a dispatcher for the calls that the model makes.

    from holdfast_client import Client, tools

    memory = Client().scope(user="ana", agent="support")
    reply = OpenAI().chat.completions.create(model=…, messages=…, tools=tools.openai())
    for call in reply.choices[0].message.tool_calls or []:
        result = tools.dispatch(memory, call.function.name, call.function.arguments)

`tools.openai("entries")` gives the tools of an agent's entries instead (`memory_store`, `memory_recall`, `memory_list`,
`memory_forget`); names of sets and of tools can be combined. User, agent and session are the scope of `memory`: no argument that
a model supplies can change them.
"""

from collections.abc import Awaitable, Mapping
from typing import TYPE_CHECKING, Any, overload

from holdfast_client.flows import run, run_async
from holdfast_client.tools.definitions import TOOLS, Tool
from holdfast_client.tools.work import WORK, work

if TYPE_CHECKING:
    from holdfast_client.client import AsyncClient, Client

NAMES = tuple(tool.name for tool in TOOLS)
SETS = tuple(dict.fromkeys(tool.set for tool in TOOLS))


def openai(*names: str) -> list[dict[str, Any]]:
    """The tools for OpenAI's chat API: the set `core`, or the tools and sets that are named."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.schema,
            },
        }
        for tool in _chosen(names)
    ]


def anthropic(*names: str) -> list[dict[str, Any]]:
    """The tools for Anthropic's API: the set `core`, or the tools and sets that are named."""
    return [
        {"name": tool.name, "description": tool.description, "input_schema": tool.schema}
        for tool in _chosen(names)
    ]


@overload
def dispatch(memory: "Client", name: str, arguments: Mapping[str, Any] | str) -> str: ...


@overload
def dispatch(
    memory: "AsyncClient", name: str, arguments: Mapping[str, Any] | str
) -> Awaitable[str]: ...


def dispatch(
    memory: "Client | AsyncClient", name: str, arguments: Mapping[str, Any] | str
) -> str | Awaitable[str]:
    """Do what the model asked for; the answer as JSON text for the model. With an AsyncClient, await it.

    `arguments` may be the JSON text that OpenAI sends. What the model did wrong (a missing argument, an unknown id) is an answer
    too: `{"error": …}`. A tool that is not one of these raises KeyError.
    """
    if name not in WORK:
        raise KeyError(f"{name!r} is no memory tool; these are: {', '.join(NAMES)}")
    flow = work(memory._scope, name, arguments)
    if hasattr(memory, "__aenter__"):
        return run_async(flow, memory.send)  # type: ignore[arg-type]  # an AsyncClient
    return run(flow, memory.send)  # type: ignore[arg-type]  # a Client


def _chosen(names: tuple[str, ...]) -> list[Tool]:
    unknown = set(names) - {*NAMES, *SETS}
    if unknown:
        known = ", ".join((*SETS, *NAMES))
        raise KeyError(f"no such tool: {', '.join(sorted(unknown))}; there are {known}")
    chosen = set(names) or {"core"}
    return [tool for tool in TOOLS if chosen & {tool.name, tool.set}]


__all__ = ["NAMES", "SETS", "anthropic", "dispatch", "openai"]
