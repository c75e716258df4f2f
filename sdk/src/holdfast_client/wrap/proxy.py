"""The wrapped client: every attribute of the provider's client, with its model calls replaced."""

import asyncio
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from holdfast_client.errors import HoldfastError
from holdfast_client.scope import Scope
from holdfast_client.wrap.anthropic import Messages
from holdfast_client.wrap.dialect import Dialect
from holdfast_client.wrap.memory import Turn
from holdfast_client.wrap.openai import ChatCompletions, Responses
from holdfast_client.wrap.streams import AsyncManager, AsyncStream, SyncManager, SyncStream

if TYPE_CHECKING:
    from holdfast_client.client import AsyncClient, Client

T = TypeVar("T")
Replacements = Mapping[str, Callable[..., Any]]


class Proxy:
    """Delegates to a provider's object; `replacements` are dotted names below it."""

    def __init__(self, target: Any, replacements: Replacements) -> None:
        self._target, self._replacements = target, replacements

    def __getattr__(self, name: str) -> Any:
        if name in self._replacements:
            return self._replacements[name]
        below = {
            path.removeprefix(f"{name}."): made
            for path, made in self._replacements.items()
            if path.startswith(f"{name}.")
        }
        found = getattr(self._target, name)
        return Proxy(found, below) if below else found

    def __repr__(self) -> str:
        return f"holdfast_client.wrap({self._target!r})"

    def __enter__(self) -> "Proxy":
        self._target.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._target.__exit__(*error)

    async def __aenter__(self) -> "Proxy":
        await self._target.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._target.__aexit__(*error)


def wrap(client: "Client", provider: T, scope: Scope, *, max_tokens: int | None, strict: bool) -> T:
    """A provider's client on a sync memory client; an async provider waits for memory in a thread."""
    if _is_async(provider):

        async def ask(call: Any) -> Any:
            return await asyncio.to_thread(client.send, call)

        return _proxy(provider, lambda dialect: _Async(dialect, scope, max_tokens, strict, ask))
    return _proxy(provider, lambda dialect: _Sync(dialect, scope, max_tokens, strict, client.send))


def wrap_async(
    client: "AsyncClient", provider: T, scope: Scope, *, max_tokens: int | None, strict: bool
) -> T:
    """A provider's async client on an async memory client."""
    if not _is_async(provider):
        raise TypeError(
            "AsyncClient.wrap takes an async client, such as AsyncOpenAI(); use Client.wrap for this one"
        )
    return _proxy(provider, lambda dialect: _Async(dialect, scope, max_tokens, strict, client.send))


def _proxy(provider: T, around: Callable[[Dialect], "_Around"]) -> T:
    replacements: dict[str, Callable[..., Any]] = {}
    for path, dialect in (
        ("chat.completions.create", ChatCompletions()),
        ("responses.create", Responses()),
    ):
        original = _at(provider, path)
        if original is not None:
            replacements[path] = around(dialect).create(original)
    if not replacements and (create := _at(provider, "messages.create")) is not None:
        replacements["messages.create"] = around(Messages()).create(create)
        stream = _at(provider, "messages.stream")
        if stream is not None:
            replacements["messages.stream"] = around(Messages()).stream(stream)
    if not replacements:
        raise TypeError(
            f"{type(provider).__name__} is neither a client of OpenAI's API nor of Anthropic's"
        )
    return Proxy(provider, replacements)  # type: ignore[return-value]  # it has every attribute of the provider's


def _at(provider: Any, path: str) -> Any:
    for name in path.split("."):
        provider = getattr(provider, name, None)
    return provider


def _is_async(provider: Any) -> bool:
    create = _at(provider, "chat.completions.create") or _at(provider, "messages.create")
    return inspect.iscoroutinefunction(inspect.unwrap(create)) if create else False


class _Around(ABC):
    """Makes the replacements for one API."""

    def __init__(
        self,
        dialect: Dialect,
        scope: Scope,
        max_tokens: int | None,
        strict: bool,
        ask: Callable[..., Any],
    ) -> None:
        self.dialect, self.scope, self.ask = dialect, scope, ask
        self.max_tokens, self.strict = max_tokens, strict

    def turn(self, request: Mapping[str, Any]) -> Turn:
        return Turn(
            self.scope,
            self.dialect,
            request,
            self.dialect.asked(request),
            self.max_tokens,
            self.strict,
        )

    @abstractmethod
    def create(self, original: Callable[..., Any]) -> Callable[..., Any]: ...

    @abstractmethod
    def stream(self, original: Callable[..., Any]) -> Callable[..., Any]: ...


class _Sync(_Around):
    """For sync providers."""

    def create(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def create(**request: Any) -> Any:
            turn = self.turn(request)
            reply = original(**self.before(turn))
            if request.get("stream"):
                return SyncStream(
                    reply, self.dialect.reading(), lambda said: self.after(turn, said)
                )
            self.after(turn, self.dialect.said(reply))
            return reply

        return create

    def stream(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def stream(**request: Any) -> Any:
            turn = self.turn(request)
            manager = original(**self.before(turn))
            return SyncManager(manager, lambda reply: self.after(turn, self.dialect.said(reply)))

        return stream

    def before(self, turn: Turn) -> dict[str, Any]:
        """The request with the context in it; unchanged if memory fails."""
        call = turn.context_call()
        try:
            return dict(turn.request) if call is None else turn.extended(self.ask(call))
        except HoldfastError as error:
            turn.failed("no context for this call", error)
            return dict(turn.request)

    def after(self, turn: Turn, said: Any) -> None:
        """Store the new messages and the reply."""
        call = turn.append_call(said)
        try:
            if call is not None:
                self.ask(call)
        except HoldfastError as error:
            turn.failed("this turn was not stored", error)


class _Async(_Around):
    """For async providers."""

    def create(self, original: Callable[..., Any]) -> Callable[..., Any]:
        async def create(**request: Any) -> Any:
            turn = self.turn(request)
            reply = await original(**await self.before(turn))
            if request.get("stream"):
                return AsyncStream(
                    reply, self.dialect.reading(), lambda said: self.after(turn, said)
                )
            await self.after(turn, self.dialect.said(reply))
            return reply

        return create

    def stream(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def stream(**request: Any) -> Any:
            turn = self.turn(request)

            async def manager() -> Any:
                return original(**await self.before(turn))

            return AsyncManager(manager, lambda reply: self.after(turn, self.dialect.said(reply)))

        return stream

    async def before(self, turn: Turn) -> dict[str, Any]:
        """The request with the context in it; unchanged if memory fails."""
        call = turn.context_call()
        try:
            return dict(turn.request) if call is None else turn.extended(await self.ask(call))
        except HoldfastError as error:
            turn.failed("no context for this call", error)
            return dict(turn.request)

    async def after(self, turn: Turn, said: Any) -> None:
        """Store the new messages and the reply."""
        call = turn.append_call(said)
        try:
            if call is not None:
                await self.ask(call)
        except HoldfastError as error:
            turn.failed("this turn was not stored", error)
