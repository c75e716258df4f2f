"""`Holdfast()`: opened, shared between processes, closed, killed. Processes of its own, so few tests that prove much."""

import asyncio
import json
import os
import signal
import subprocess
import threading
import time
from dataclasses import asdict
from pathlib import Path

import pytest

from holdfast.embedded.keeper import NOTE, read_note
from holdfast.embedded.keeping import OpenFailed
from holdfast.embedded.locks import keeper_lives
from holdfast.engine.leftovers import processes_of
from tests import forked
from tests.conftest import serving

pytest_plugins = ["pytester"]

OPENS = """
import sys
from holdfast import Holdfast
memory = Holdfast(sys.argv[1])
memory.remember(sys.argv[2], key=sys.argv[2])
print("open", flush=True)
sys.stdin.read()
memory.close()
"""


def opener(data_dir: Path, word: str) -> forked.Forked:
    """A process that opens the folder, remembers a word, and closes when its standard input ends."""
    return forked.popen(
        ["-c", OPENS, str(data_dir), word],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def wait_until_open(process: forked.Forked) -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == "open\n"


def wait_until_stopped(data_dir: Path) -> None:
    """Until the keeper is gone; then no Postgres of the folder may be left."""
    deadline = time.monotonic() + 60
    while keeper_lives(data_dir):
        assert time.monotonic() < deadline, "the keeper does not end"
        time.sleep(0.05)
    assert processes_of(data_dir / "postgres") == []


def test_processes_share_a_folder_and_leave_nothing_behind(data_dir: Path) -> None:
    """Two processes open a new folder at once; one is killed, the other goes on; when that is killed too, all is gone. The
    keeper itself may be killed: the next to open takes over."""
    one, other = opener(data_dir, "apples"), opener(data_dir, "pears")
    wait_until_open(one)
    wait_until_open(other)

    from holdfast import AsyncHoldfast, Holdfast

    with Holdfast(data_dir) as memory, Holdfast(data_dir) as again:
        one.kill()
        one.wait()
        assert {row.value for row in memory.memories.list().data} == {"apples", "pears"}
        assert again._sender.server == memory._sender.server

        tenant = memory.new_org("another tenant")
        assert tenant.memories.list().data == []
        with pytest.raises(ValueError, match="was opened"):
            memory.scope(user="ana").new_org("x")
        memory.scope(user="ana").close()  # does nothing

        noted = read_note(data_dir)
        assert noted is not None
        if os.fork() == 0:  # a child without our threads is told so, instead of waiting for ever
            try:
                memory.directory.read_org()
            except RuntimeError:
                os._exit(7)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.wait()[1]) == 7
    other.kill()
    other.wait()
    wait_until_stopped(data_dir)

    async def awaited() -> None:
        async with AsyncHoldfast(data_dir) as memory:
            assert len((await memory.memories.list()).data) == 2

    # In another thread: this test may itself run on a loop.
    thread = threading.Thread(target=lambda: asyncio.run(awaited()))
    thread.start()
    thread.join()

    # As a keeper that was killed leaves it: whoever opens the folder next waits for a keeper of its own.
    wait_until_stopped(data_dir)
    (data_dir / NOTE).write_text(json.dumps(asdict(noted)))
    third = opener(data_dir, "plums")
    wait_until_open(third)
    noted = read_note(data_dir)
    assert noted is not None
    os.kill(noted.pid, signal.SIGKILL)
    third.kill()
    third.wait()
    fourth = opener(data_dir, "figs")
    wait_until_open(fourth)
    fourth.communicate()
    assert fourth.returncode == 0
    wait_until_stopped(data_dir)


def test_a_running_serve_is_shared(data_dir: Path) -> None:
    from holdfast import Holdfast

    with serving(data_dir) as (ready, _), Holdfast(data_dir) as memory:
        assert memory._sender.server.url == ready["url"]
        memory.remember("Ana takes her tea green")
        assert [hit.text for hit in memory.recall("tea").data] == ["Ana takes her tea green"]
        with pytest.raises(OpenFailed, match="orgs create"):
            memory.new_org("x")
        assert not keeper_lives(data_dir)


def test_fixture_of_the_plugin(pytester: pytest.Pytester) -> None:
    pytester.makeconftest('pytest_plugins = ["holdfast.pytest_plugin"]')
    pytester.makepyfile(
        """
        def test_one(holdfast):
            holdfast.remember("apples")
            assert [row.value for row in holdfast.memories.list().data] == ["apples"]

        def test_two(holdfast):
            assert holdfast.memories.list().data == []
        """
    )
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", timeout=150)
    result.assert_outcomes(passed=2)
