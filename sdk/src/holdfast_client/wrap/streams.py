"""Streamed replies: what was received is stored when the stream ends or is closed."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

from holdfast_client.wrap.dialect import Reading


class SyncStream:
    """A provider's stream of events."""

    def __init__(self, stream: Any, reading: Reading, store: Callable[[Any], None]) -> None:
        self._stream, self._reading, self._store = stream, reading, store
        self._stored = False

    def __iter__(self) -> Iterator[Any]:
        for event in self._stream:
            self._reading.add(event)
            yield event
        self._finish()

    def __next__(self) -> Any:
        try:
            event = next(self._stream)
        except StopIteration:
            self._finish()
            raise
        self._reading.add(event)
        return event

    def __enter__(self) -> "SyncStream":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Close the stream; what was received of the reply is stored."""
        self._stream.close()
        self._finish()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _finish(self) -> None:
        if not self._stored:
            self._stored = True
            self._store(self._reading.said())


class AsyncStream:
    """A provider's async stream of events."""

    def __init__(
        self, stream: Any, reading: Reading, store: Callable[[Any], Awaitable[None]]
    ) -> None:
        self._stream, self._reading, self._store = stream, reading, store
        self._stored = False

    async def __aiter__(self) -> AsyncIterator[Any]:
        async for event in self._stream:
            self._reading.add(event)
            yield event
        await self._finish()

    async def __anext__(self) -> Any:
        try:
            event = await anext(self._stream)
        except StopAsyncIteration:
            await self._finish()
            raise
        self._reading.add(event)
        return event

    async def __aenter__(self) -> "AsyncStream":
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the stream; what was received of the reply is stored."""
        await self._stream.close()
        await self._finish()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    async def _finish(self) -> None:
        if not self._stored:
            self._stored = True
            await self._store(self._reading.said())


class SyncManager:
    """`with client.messages.stream(…) as stream`."""

    def __init__(self, manager: Any, store: Callable[[Any], None]) -> None:
        self._manager, self._store = manager, store
        self._stream: Any = None

    def __enter__(self) -> Any:
        self._stream = self._manager.__enter__()
        return self._stream

    def __exit__(self, *error: Any) -> Any:
        result = self._manager.__exit__(*error)
        if (received := _received(self._stream)) is not None:
            self._store(received)
        return result


class AsyncManager:
    """`async with client.messages.stream(…) as stream`."""

    def __init__(
        self, manager: Callable[[], Awaitable[Any]], store: Callable[[Any], Awaitable[None]]
    ) -> None:
        self._make, self._store = manager, store
        self._manager: Any = None
        self._stream: Any = None

    async def __aenter__(self) -> Any:
        self._manager = await self._make()
        self._stream = await self._manager.__aenter__()
        return self._stream

    async def __aexit__(self, *error: Any) -> Any:
        result = await self._manager.__aexit__(*error)
        if (received := _received(self._stream)) is not None:
            await self._store(received)
        return result


def _received(stream: Any) -> Any:
    """The message as far as it arrived; None if nothing did."""
    try:
        return stream.current_message_snapshot
    except (AssertionError, AttributeError):
        return None
