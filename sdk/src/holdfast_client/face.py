"""Turns functions that build Calls into methods of the sync and the async client.

Each operation is written once, as a function from a scope and arguments to a Call. A face has two classes: one binds its
functions with `sync`, the other with `awaited`. The methods have the names, arguments, types and docstrings of the functions.
"""

import inspect
from collections.abc import Callable, Coroutine
from functools import update_wrapper
from importlib import import_module
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, get_args

from holdfast_client.calls import Call
from holdfast_client.scope import Scope

P = ParamSpec("P")
T = TypeVar("T")


class Send(Protocol):
    """A function that sends a call and returns its value."""

    def __call__(self, call: Call[T], /) -> T: ...


class AsyncSend(Protocol):
    """An async function that sends a call and returns its value."""

    async def __call__(self, call: Call[T], /) -> T: ...


class Face:
    """A face of the sync client: a scope and a function that sends calls."""

    def __init__(self, send: Send, scope: Scope) -> None:
        self._send, self._scope = send, scope


class AsyncFace:
    """A face of the async client: a scope and a function that sends calls."""

    def __init__(self, send: AsyncSend, scope: Scope) -> None:
        self._send, self._scope = send, scope


def sync(build: Callable[Concatenate[Scope, P], Call[T]]) -> Callable[Concatenate[Face, P], T]:
    """Bind an operation as a method of the sync client."""

    def method(face: Face, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return face._send(build(face._scope, *args, **kwargs))

    name_like(method, build)
    return method


def awaited(
    build: Callable[Concatenate[Scope, P], Call[T]],
) -> Callable[Concatenate[AsyncFace, P], Coroutine[Any, Any, T]]:
    """Bind an operation as a method of the async client."""

    async def method(face: AsyncFace, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await face._send(build(face._scope, *args, **kwargs))

    name_like(method, build)
    return method


class Later:
    """A method whose operation stands in a module that is loaded at its first use; `bind` is `sync` or `awaited`."""

    def __init__(self, bind: Callable[..., Any], module: str, name: str) -> None:
        self._bind, self._module, self._name = bind, module, name

    def __get__(self, face: Any, kind: type) -> Any:
        build = getattr(import_module(f"holdfast_client.{self._module}"), self._name)
        return self._bind(build).__get__(face, kind)


def name_like(method: Callable[..., Any], build: Callable[..., Any]) -> None:
    """Give the method the function's name, docstring and signature, with `self` for the scope and the value's type."""
    update_wrapper(method, build)
    of_build = inspect.signature(build)
    _, *others = of_build.parameters.values()
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    answer = get_args(of_build.return_annotation)[-1]  # of Call[T], or of a flow of calls
    shown = of_build.replace(parameters=[own, *others], return_annotation=answer)
    vars(method)["__signature__"] = shown
