"""What a face is made of: operations that are built from a scope, and sent.

A face's two classes are lists of its operations. Each is written once, as a function that builds a Call, and bound with
`sync` in one class and with `awaited` in the other; name, arguments, types and docstring are the function's own.
"""

import inspect
from collections.abc import Callable, Coroutine
from functools import update_wrapper
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, get_args

from holdfast_client.calls import Call
from holdfast_client.scope import Scope

P = ParamSpec("P")
T = TypeVar("T")


class Send(Protocol):
    """Sends a call and gives its answer."""

    def __call__(self, call: Call[T], /) -> T: ...


class AsyncSend(Protocol):
    """Sends a call and gives its answer, awaited."""

    async def __call__(self, call: Call[T], /) -> T: ...


class Face:
    """A face of a client: who asks, and how."""

    def __init__(self, send: Send, scope: Scope) -> None:
        self._send, self._scope = send, scope


class AsyncFace:
    """A face of an async client."""

    def __init__(self, send: AsyncSend, scope: Scope) -> None:
        self._send, self._scope = send, scope


def sync(build: Callable[Concatenate[Scope, P], Call[T]]) -> Callable[Concatenate[Face, P], T]:
    """The operation as a method that waits."""

    def method(face: Face, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return face._send(build(face._scope, *args, **kwargs))

    _name(method, build)
    return method


def awaited(
    build: Callable[Concatenate[Scope, P], Call[T]],
) -> Callable[Concatenate[AsyncFace, P], Coroutine[Any, Any, T]]:
    """The operation as a method to be awaited."""

    async def method(face: AsyncFace, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await face._send(build(face._scope, *args, **kwargs))

    _name(method, build)
    return method


def _name(method: Callable[..., Any], build: Callable[..., Any]) -> None:
    """Let `help` show a method as what it is: the function's words and arguments, self for its scope, the answer's type."""
    update_wrapper(method, build)
    of_build = inspect.signature(build)
    _, *others = of_build.parameters.values()
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    (answer,) = get_args(of_build.return_annotation)
    shown = of_build.replace(parameters=[own, *others], return_annotation=answer)
    vars(method)["__signature__"] = shown
