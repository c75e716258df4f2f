"""What the clients cost: importing the client, opening an embedded instance, a call in process against one over HTTP, a hook.

Processor time is that of the child process, so that other work on the machine changes it less than the time that passes.
"""

import asyncio
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.harness import Bench, console
from holdfast import Holdfast
from holdfast_client import Client

ROUNDS = 9
CALLS = 100
OPENED = "import sys, time; begun = time.perf_counter(); from holdfast import Holdfast; Holdfast(sys.argv[1]).recall('tea', limit=1); print(time.perf_counter() - begun)"
HOOKS = {
    "session start": {"hook_event_name": "SessionStart", "source": "startup"},
    "prompt": {"hook_event_name": "UserPromptSubmit", "prompt": "which tea does Ana take?"},
    "stop": {"hook_event_name": "Stop", "stop_hook_active": False},
    "session end": {"hook_event_name": "SessionEnd", "reason": "other"},
}


async def run(bench: Bench) -> None:
    """Print the figures of docs/python.md, docs/embedded.md and docs/coding-agents.md."""
    await asyncio.to_thread(_run, bench)


def _run(bench: Bench) -> None:
    for name, code in (
        ("python itself", "pass"),
        ("import httpx", "import httpx"),
        ("import holdfast_client", "import holdfast_client"),
    ):
        _print(name, [_child(["-c", code]) for _ in range(ROUNDS)])
    with tempfile.TemporaryDirectory() as place:
        env = {**os.environ, "HOLDFAST_URL": bench.url, "HOLDFAST_API_KEY": bench.key}
        for name, event in HOOKS.items():
            sent = json.dumps(
                {"session_id": "bench", "transcript_path": None, "cwd": place, **event}
            )
            command = ["-m", "holdfast.hooks", "claude-code"]
            _print(f"hook: {name}", [_child(command, env, sent) for _ in range(ROUNDS)])
        folder = str(Path(place) / "data")
        _print("Holdfast(), first start", [_child(["-c", OPENED, folder])])
        _print("Holdfast(), used folder", [_child(["-c", OPENED, folder]) for _ in range(3)])
        with Holdfast(folder) as inside, Client(bench.url, bench.key) as outside:
            _calls(inside, outside)


def _calls(inside: Client, outside: Client) -> None:
    """The same calls in turn, so that other work on the machine slows down both alike."""
    calls: dict[str, Callable[[Client, int], object]] = {
        "directory.read_org()": lambda client, _: client.directory.read_org(),
        "remember(…)": lambda client, n: client.remember(f"Ana's tea number {n} is green"),
        'recall("tea", limit=3)': lambda client, _: client.recall("tea", limit=3),
    }
    for name, call in calls.items():
        took: dict[Client, list[float]] = {inside: [], outside: []}
        for number in range(CALLS):
            for client, times in took.items():
                begun = time.perf_counter()
                call(client, number)
                times.append(time.perf_counter() - begun)
        own, http = (statistics.median(times) * 1000 for times in took.values())
        console.print(f"{name:26} in process {own:5.1f} ms, HTTP {http:5.1f} ms, {own / http:.2f}")


def _child(
    command: list[str], env: dict[str, str] | None = None, sent: str = ""
) -> tuple[float, float]:
    """Processor time and time passed, in milliseconds."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [sys.executable, *command],
        input=sent,
        env=env,
        text=True,
        stdout=subprocess.DEVNULL,
        check=True,
    )
    after, passed = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - begun
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used * 1000, passed * 1000


def _print(name: str, took: list[tuple[float, float]]) -> None:
    used, passed = (statistics.median(each) for each in zip(*took, strict=True))
    shortest = min(each for _, each in took)
    console.print(
        f"{name:26} {used:5.0f} ms of processor time, {passed:5.0f} ms passed, at least {shortest:.0f}"
    )
