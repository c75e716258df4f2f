"""kill -9 again and again: `python -m bench.kill_rounds [--rounds 100]`.

Each round starts a service on the same folder, lets several clients write memories, entries and messages, kills the service and its
Postgres with SIGKILL after a random number of writes, starts it again, and reads back whatever was acknowledged. Printed are the writes that
were acknowledged, those that were lost (there must be none), and the time until the service answered again. Only processes
that were started here are killed.
"""

import argparse
import asyncio
import json
import os
import random
import statistics
import sys
import tempfile
import time
from asyncio.subprocess import Process
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psutil

from bench.harness import console, progress_bar

WRITERS = 8
# A round ends when so many writes were acknowledged, or after so long.
WRITES = (1, 400)
LIVES_S = 20.0


@dataclass(slots=True)
class Kept:
    """What was acknowledged: paths that must answer, and the text that must be in the answer."""

    reads: list[tuple[str, str]] = field(default_factory=list)


async def start(data_dir: Path) -> tuple[Process, dict[str, str]]:
    """A service on the folder, once it is ready."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "holdfast", "serve", "--json", "--port", "0"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={**os.environ, "HOLDFAST_DATA_DIR": str(data_dir), "HOLDFAST_LOG_LEVEL": "error"},
    )
    line = await process.stdout.readline() if process.stdout else b""
    if not line:
        raise SystemExit("the service did not start again")
    return process, json.loads(line)


def kill_all(pid: int) -> None:
    """The service and every process below it, its database too."""
    top = psutil.Process(pid)
    for process in (*top.children(recursive=True), top):
        try:
            process.kill()
        except psutil.NoSuchProcess:
            continue


def client(url: str, key: str) -> httpx.AsyncClient:
    """A client of the service."""
    headers = {"Authorization": f"Bearer {key}"}
    return httpx.AsyncClient(base_url=f"{url}/api/v1", headers=headers, timeout=10)


async def write(url: str, key: str, name: str, kept: Kept) -> None:
    """One client: writes until the service is gone."""
    async with client(url, key) as http:
        for number in range(100_000):
            text = f"{name}-{number}"
            try:
                reply = await _write_one(http, number, text, name)
            except httpx.HTTPError:
                return
            if reply is not None:
                kept.reads.append(reply)


async def _write_one(
    http: httpx.AsyncClient, number: int, text: str, name: str
) -> tuple[str, str] | None:
    """Write one thing; where it can be read, if it was acknowledged."""
    match number % 3:
        case 0:
            reply = await http.post("/memories", json={"key": text, "value": text})
            return (f"/memories/{reply.json()['id']}", text) if reply.is_success else None
        case 1:
            path = f"/agents/killed/entries/{text}"
            reply = await http.put(path, json={"content": text, "scope": "user"})
            return (f"{path}?scope=user", text) if reply.is_success else None
        case _:
            body = {"key": name, "messages": [text]}
            reply = await http.post("/conversations/sessions/append", json=body)
            read = f"/conversations/sessions/read?key={name}&limit=1000"
            return (read, text) if reply.is_success else None


async def _until_written(kept: Kept, writes: int) -> None:
    deadline = time.monotonic() + LIVES_S
    while len(kept.reads) < writes and time.monotonic() < deadline:
        await asyncio.sleep(0.002)


async def lost(url: str, key: str, reads: Sequence[tuple[str, str]]) -> list[str]:
    """What was acknowledged and is not there."""
    gone, answers = [], dict[str, str]()
    async with client(url, key) as http:
        for path, text in reads:
            if path not in answers:
                answers[path] = (await http.get(path)).text
            if text not in answers[path]:
                gone.append(f"{path}: {text}")
    return gone


async def main(rounds: int, seed: int) -> int:
    """All rounds; the number of acknowledged writes that were lost."""
    chance = random.Random(seed)
    acknowledged, missing, recoveries = 0, list[str](), list[float]()
    with (
        tempfile.TemporaryDirectory(prefix="holdfast-kill-", ignore_cleanup_errors=True) as folder,
        progress_bar() as bar,
    ):
        Path(folder).chmod(0o711)
        data_dir = Path(folder) / "data"
        process, ready = await start(data_dir)
        key, task = ready["api_key"], bar.add_task("rounds", total=rounds)
        for number in range(rounds):
            kept = Kept()
            names = [f"r{number}w{writer}" for writer in range(WRITERS)]
            writing = [asyncio.create_task(write(ready["url"], key, n, kept)) for n in names]
            await _until_written(kept, chance.randint(*WRITES))
            kill_all(process.pid)
            await asyncio.gather(*writing)
            await process.wait()
            began = time.monotonic()
            process, ready = await start(data_dir)
            recoveries.append(time.monotonic() - began)
            missing += await lost(ready["url"], key, kept.reads)
            acknowledged += len(kept.reads)
            bar.advance(task)
        process.terminate()
        await process.wait()
    console.print(
        f"{rounds} rounds of kill -9 (seed {seed}): {acknowledged:,} writes acknowledged, {len(missing)} lost;"
        f" answered again after {statistics.median(recoveries):.1f} s (median), {max(recoveries):.1f} s (longest)"
    )
    for line in missing[:20]:
        console.print(f"  lost: {line}")
    return len(missing)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    sys.exit(1 if asyncio.run(main(given.rounds, given.seed)) else 0)
