"""Streams of the providers and the proxy around their clients: what is stored, however a stream is read."""

from types import SimpleNamespace
from typing import Any

import pytest

from holdfast_client.wrap.openai import ChatReading
from holdfast_client.wrap.proxy import Proxy
from holdfast_client.wrap.streams import AsyncManager, AsyncStream, SyncManager, SyncStream


class Words:
    """A provider's stream of three chunks, sync and async; `breaks` fails after the first."""

    model = "m"

    def __init__(self, *, breaks: bool = False) -> None:
        self.left, self.breaks, self.closed = ["a", "b", "c"], breaks, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.breaks and len(self.left) == 2:
            raise ConnectionError("cut")
        if not self.left:
            raise StopIteration
        return {"choices": [{"delta": {"content": self.left.pop(0)}}]}

    def close(self):
        self.closed += 1


class AwaitedWords(Words):
    def __aiter__(self):
        return self

    async def __anext__(self):
        try:
            return super().__next__()
        except StopIteration:
            raise StopAsyncIteration from None

    async def close(self):
        super().close()


def test_a_stream_is_stored_once_however_it_is_read():
    stored: list[Any] = []
    stream = SyncStream(Words(), ChatReading(), stored.append)
    next(stream)
    assert stream.model == "m"  # everything else is the provider's
    assert len(list(stream)) == 2
    with pytest.raises(StopIteration):
        next(stream)
    stream.close()
    assert stored == [[{"role": "assistant", "content": "abc"}]]


def test_a_stream_that_breaks_is_stored_as_far_as_it_came_when_it_is_closed():
    stored: list[Any] = []
    words = Words(breaks=True)
    with (
        pytest.raises(ConnectionError),
        SyncStream(words, ChatReading(), stored.append) as stream,
    ):
        list(stream)
    assert (stored, words.closed) == ([[{"role": "assistant", "content": "a"}]], 1)


async def test_an_awaited_stream_is_stored_once_however_it_is_read():
    stored: list[Any] = []

    async def store(said):
        stored.append(said)

    stream = AsyncStream(AwaitedWords(), ChatReading(), store)
    await anext(stream)
    assert stream.model == "m"
    assert [each async for each in stream]
    with pytest.raises(StopAsyncIteration):
        await anext(stream)
    await stream.close()
    assert stored == [[{"role": "assistant", "content": "abc"}]]
    cut = AsyncStream(AwaitedWords(breaks=True), ChatReading(), store)
    with pytest.raises(ConnectionError):
        async with cut:
            async for _ in cut:
                pass
    assert stored[1:] == [[{"role": "assistant", "content": "a"}]]


class Manager:
    """What `messages.stream` of Anthropic's client gives; without a snapshot nothing arrived."""

    def __init__(self, **stream: Any) -> None:
        self.stream, self.left_with = SimpleNamespace(**stream), None

    def __enter__(self):
        return self.stream

    def __exit__(self, *error):
        self.left_with = error[0]
        return False

    async def __aenter__(self):
        return self.stream

    async def __aexit__(self, *error):
        return self.__exit__(*error)


async def test_of_a_managed_stream_what_arrived_is_stored_also_when_the_reader_fails():
    stored: list[Any] = []

    async def store(message):
        stored.append(message)

    manager = Manager(current_message_snapshot="half")
    with pytest.raises(KeyError), SyncManager(manager, stored.append):
        raise KeyError
    assert (stored, manager.left_with) == (["half"], KeyError)
    with SyncManager(Manager(), stored.append):
        pass

    async def made():
        return Manager(current_message_snapshot="whole")

    async with AsyncManager(made, store) as stream:
        assert stream.current_message_snapshot == "whole"

    async def empty():
        return Manager()

    async with AsyncManager(empty, store):
        pass
    assert stored == ["half", "whole"]


async def test_a_wrapped_client_is_entered_and_left_as_the_providers_own():
    entered: list[str] = []

    class Provider(Manager):
        name = "provider"

        def __enter__(self):
            entered.append("in")
            return self

        def __exit__(self, *error):
            entered.append("out")

        async def __aenter__(self):
            return self.__enter__()

    proxy = Proxy(Provider(), {"a.b": lambda: "replaced"})
    proxy._target.a = SimpleNamespace(b=lambda: "own", c=lambda: "own")
    with proxy as inside:
        assert inside is proxy
    async with proxy as inside:
        assert (inside.name, inside.a.b(), inside.a.c()) == ("provider", "replaced", "own")
    assert entered == ["in", "out"] * 2
    assert repr(proxy).startswith("holdfast_client.wrap(")
    with pytest.raises(AttributeError):
        _ = proxy.nothing
