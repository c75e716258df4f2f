"""Operations of several calls, written once for both clients: a generator that yields calls and receives their values.

def put(scope, store_id, path, content) -> Flow[StoreEntry]:
    try:
        return (yield create_entry(scope, store_id, path, content))
    except Conflict as conflict:
        ...
"""

from collections.abc import Callable, Coroutine, Generator
from typing import Any, Concatenate, ParamSpec, TypeVar

from holdfast_client.calls import Call
from holdfast_client.errors import HoldfastError
from holdfast_client.face import AsyncFace, AsyncSend, Face, Send, name_like
from holdfast_client.scope import Scope

P = ParamSpec("P")
T = TypeVar("T")

Flow = Generator[Call[Any], Any, T]


def run(flow: Flow[T], send: Send) -> T:
    """Send the calls of a flow; an error is raised inside the flow, which may handle it."""
    try:
        call = next(flow)
        while True:
            try:
                value = send(call)
            except HoldfastError as error:
                call = flow.throw(error)
            else:
                call = flow.send(value)
    except StopIteration as end:
        result: T = end.value
        return result


async def run_async(flow: Flow[T], send: AsyncSend) -> T:
    """As `run`, with an async client."""
    try:
        call = next(flow)
        while True:
            try:
                value = await send(call)
            except HoldfastError as error:
                call = flow.throw(error)
            else:
                call = flow.send(value)
    except StopIteration as end:
        result: T = end.value
        return result


def sync_flow(build: Callable[Concatenate[Scope, P], Flow[T]]) -> Callable[Concatenate[Face, P], T]:
    """Bind a flow as a method of the sync client."""

    def method(face: Face, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return run(build(face._scope, *args, **kwargs), face._send)

    name_like(method, build)
    return method


def awaited_flow(
    build: Callable[Concatenate[Scope, P], Flow[T]],
) -> Callable[Concatenate[AsyncFace, P], Coroutine[Any, Any, T]]:
    """Bind a flow as a method of the async client."""

    async def method(face: AsyncFace, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await run_async(build(face._scope, *args, **kwargs), face._send)

    name_like(method, build)
    return method
