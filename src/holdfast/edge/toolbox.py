"""What a room's tools.py fills: tools that a model calls, resources that a client reads. No word of the protocol in here.

A tool is a coroutine over values. Its docstring is read by a model (when to use it, one example), its signature becomes
the schema of its arguments, what it returns becomes the result, and a HoldfastError it raises an error the model can act on.
"""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from holdfast.edge.json_body import check_strings
from holdfast.edge.problems import invalid_from
from holdfast.edge.tool_sets import EVERY, ToolSet
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool, or one read of a resource: who asks, as which agent, of which database."""

    db: Database
    caller: Caller
    agent_id: str
    url: str = ""  # of this service, where it is known
    tools: frozenset[str] = EVERY  # the sets that the client chose
    session_id: str | None = None  # the MCP session that the client names


@dataclass(frozen=True, slots=True)
class Worded:
    """A result with words of its own; others say in words what they say in their structure."""

    structure: dict[str, Any]
    text: str


@dataclass(frozen=True, slots=True)
class Nature:
    """What a tool does to what is there. `idempotent`: calling it again with the same arguments changes nothing more."""

    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False


# Most are idempotent: what is there is passed over, a replacement is the same again, and a compare-and-set that won cannot
# win twice.
READS = Nature(read_only=True, idempotent=True)
ADDS = Nature(idempotent=True)  # and what was there stays as it was
REPLACES = Nature(destructive=True, idempotent=True)
DELETES = Nature(destructive=True, idempotent=True)
CHANGES = Nature(destructive=True)  # and again, if it is called again

# The argument that a connection with its agent in the URL does not have.
AGENT_ARGUMENT = "agent_id"


@dataclass(frozen=True)
class Tool:
    """A tool as a room wrote it."""

    name: str
    title: str
    nature: Nature
    function: Callable[..., Awaitable[Any]]
    tool_set: ToolSet = "core"

    @property
    def description(self) -> str:
        """When to use it, with an example."""
        return inspect.getdoc(self.function) or ""

    @cached_property
    def _arguments(self) -> type[BaseModel]:
        return _arguments_of(self.function, without=())

    @cached_property
    def _arguments_of_one_agent(self) -> type[BaseModel]:
        return _arguments_of(self.function, without=(AGENT_ARGUMENT,))

    def arguments(self, *, of_one_agent: bool) -> type[BaseModel]:
        """The form of its arguments; a connection of one agent cannot name another."""
        return self._arguments_of_one_agent if of_one_agent else self._arguments

    async def run(self, call: Call, given: Mapping[str, Any], *, of_one_agent: bool) -> Any:
        """Check the arguments and call it; Invalid names the argument that is wrong."""
        check_strings(given)
        try:
            checked = self.arguments(of_one_agent=of_one_agent).model_validate(given)
        except ValidationError as error:
            found = [{**each, "loc": ("body", *each["loc"])} for each in error.errors()]
            raise invalid_from(found) from None
        values = {name: getattr(checked, name) for name in type(checked).model_fields}
        return await self.function(call, **values)


@dataclass(frozen=True, slots=True)
class Listed:
    """A resource that can be read now; `path` goes behind its shelf's prefix."""

    path: str
    name: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Shelf:
    """Resources of one kind: `memory://{prefix}/{path}`, or `memory://{prefix}` alone where there is one."""

    prefix: str
    template: str | None  # what stands for the path, `{key}`; None where there is one
    name: str
    description: str
    media_type: str
    list: Callable[[Call, str | None], Awaitable[tuple[list[Listed], str | None]]]
    read: Callable[[Call, str], Awaitable[str]]


@dataclass
class Toolbox:
    """The tools and resources of one room; `tool_set` is that of its tools, unless one says otherwise."""

    tool_set: ToolSet = "core"
    tools: list[Tool] = field(default_factory=list)
    shelves: list[Shelf] = field(default_factory=list)

    def tool(
        self, title: str, nature: Nature, tool_set: ToolSet | None = None
    ) -> Callable[[Any], Any]:
        """Add a coroutine `(call, …)` as a tool under its own name."""

        def add(function: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
            named = tool_set or self.tool_set
            self.tools.append(Tool(function.__name__, title, nature, function, named))
            return function

        return add


def _arguments_of(function: Callable[..., Any], without: tuple[str, ...]) -> type[BaseModel]:
    """A form with a field for each argument after the call; what it does not have is refused."""
    hints = get_type_hints(function, include_extras=True)
    _, *parameters = inspect.signature(function).parameters.values()
    fields: dict[str, Any] = {
        each.name: (hints[each.name], ... if each.default is each.empty else each.default)
        for each in parameters
        if each.name not in without
    }
    return create_model(function.__name__, __config__=ConfigDict(extra="forbid"), **fields)
