"""A proxy that cuts connections in the middle of requests and answers: what the client repeats is never applied twice."""

import random
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import pytest

from holdfast_client import AsyncClient, Client, ConnectionFailed


@dataclass
class Proxy:
    """A TCP proxy; `cut` says for the next connections after how many bytes of which direction they are cut."""

    url: str = ""
    cuts: list[tuple[str, int]] = field(default_factory=list)
    cut: int = 0


@contextmanager
def proxy(target: str) -> Iterator[Proxy]:
    where = urlsplit(target)
    listener = socket.create_server(("127.0.0.1", 0))
    made = Proxy(f"http://127.0.0.1:{listener.getsockname()[1]}")

    def carry(
        source: socket.socket, sink: socket.socket, budget: int | None, both: list[socket.socket]
    ) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if budget is not None and len(data) >= budget:
                    sink.sendall(data[:budget])
                    made.cut += 1
                    break
                sink.sendall(data)
                budget = None if budget is None else budget - len(data)
        for each in both:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def accept() -> None:
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                server = socket.create_connection((where.hostname, where.port))
                direction, size = made.cuts.pop(0) if made.cuts else ("none", 0)
                for name, source, sink in (("up", client, server), ("down", server, client)):
                    budget = size if name == direction else None
                    threading.Thread(
                        target=carry, args=(source, sink, budget, [client, server]), daemon=True
                    ).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    yield made
    listener.close()


@pytest.mark.parametrize("cut", [("up", 40), ("up", 400), ("down", 1), ("down", 60)])
async def test_a_write_that_lost_its_connection_is_applied_once(org, cut) -> None:
    with proxy(org.url) as between:
        between.cuts = [cut]
        with Client(between.url, org.key) as client:
            client.memories.save("k", "first", tags=["x"])
            assert between.cut == 1
            assert [row.version for row in client.memories.list().data] == [1]
            assert len(client.memories.history(client.memories.list().data[0].id).data) == 1
        between.cuts = [cut]
        async with AsyncClient(between.url, org.key) as client:
            await client.conversations.append("sessions", ["one", "two"], key="s1")
        between.cuts = [cut, cut]
        with Client(between.url, org.key) as client:
            client.stores.create("once")
            assert [
                each.content for each in client.conversations.read("sessions", key="s1").data
            ] == ["one", "two"]
            assert [store.name for store in client.stores.list_stores().data] == ["once"]


async def test_random_cuts_during_many_writes(org) -> None:
    """Every acknowledged write is there once; one that failed after all repeats is there once or not at all."""
    chance = random.Random(7)
    with proxy(org.url) as between:
        acknowledged, failed = [], []
        for number in range(30):
            between.cuts = [
                (chance.choice(["up", "down"]), chance.randint(1, 700))
                for _ in range(chance.randint(0, 3))
            ]
            key = f"k{number}"
            try:
                if number % 2:
                    with Client(between.url, org.key, max_retries=2) as client:
                        client.scope(agent="bot").entries.store(key, "v", expected_version=0)
                else:
                    async with AsyncClient(between.url, org.key, max_retries=2) as client:
                        bot = client.scope(agent="bot")
                        await bot.entries.store(key, "v", expected_version=0)
                acknowledged.append(key)
            except ConnectionFailed:
                failed.append(key)
        assert between.cut > 10
    with Client(org.url, org.key) as client:
        kept = {entry.key: entry.version for entry in client.scope(agent="bot").entries.list().data}
    assert set(acknowledged) <= set(kept) <= {*acknowledged, *failed}
    assert set(kept.values()) == {1}


async def test_what_cannot_be_repeated_is_not(org) -> None:
    """A PATCH has no idempotency key: a lost answer is an error, and the caller reads again."""
    with proxy(org.url) as between, Client(org.url, org.key) as direct:
        saved = direct.memories.save("k", "v")
        between.cuts = [("down", 1)]
        with Client(between.url, org.key) as client, pytest.raises(ConnectionFailed):
            client.memories.change(saved.id, importance=9)
        assert direct.memories.get(saved.id).version == 2
