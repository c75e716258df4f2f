"""A process that has loaded the command line, and forks for each command.

Loading the command line takes most of the time of a short command, and the tests run hundreds. Each still runs in a process
of its own, with its own environment, folder and files for input and output. `tests/cli/test_start.py` starts commands for real.

The process reads one JSON line per command and answers each with the exit code.
"""

import fcntl
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import traceback
from importlib import import_module
from pathlib import Path
from typing import Any

TIMEOUT_S = 60


class Preloaded:
    """Runs commands in forks of one loaded process."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.cli.preloaded"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(
        self, words: tuple[str, ...], env: dict[str, str], stdin: str | None
    ) -> tuple[int, str, str]:
        """The exit code of `holdfast …`, what it printed, what it complained of."""
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder, name) for name in ("stdin", "stdout", "stderr")]
            paths[0].write_text(stdin or "")
            code = self._ask(words, env, [*map(str, paths)])
            return code, paths[1].read_text(), paths[2].read_text()

    def run_in_terminal(
        self, columns: int, words: tuple[str, ...], env: dict[str, str]
    ) -> tuple[int, str]:
        """The exit code of `holdfast …` on a terminal so wide, and what it showed there."""
        terminal, end = os.openpty()
        fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        shown: list[bytes] = []
        reader = threading.Thread(target=_read_all, args=(terminal, shown))
        reader.start()
        try:
            code = self._ask(words, env, [os.devnull, os.ttyname(end), os.ttyname(end)])
        finally:
            os.close(end)
            reader.join(TIMEOUT_S)
            os.close(terminal)
        return code, b"".join(shown).decode().replace("\r\n", "\n")

    def _ask(self, words: tuple[str, ...], env: dict[str, str], files: list[str]) -> int:
        """The exit code of a command with these files as its input, output and errors."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        asked = {"words": words, "env": env, "cwd": str(Path.cwd()), "files": files}
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, "the process that runs commands has ended"
        return int(answer)

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(10)
        self._process.stdout.close()


def _read_all(terminal: int, shown: list[bytes]) -> None:
    """What is written to a terminal, until its other end is closed everywhere."""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # as Linux says that nobody has the other end open
            return
        if not part:
            return
        shown.append(part)


def _serve() -> None:
    from holdfast.cli.group import COMMANDS

    for group in COMMANDS.values():
        for command in group.values():
            import_module(f"holdfast.cli.{command.module}")
    import_module("holdfast.app")  # what `mcp` and `doctor` load
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            _run(json.loads(line))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _run(asked: dict[str, Any]) -> None:
    """Become the command, in the forked process."""
    from holdfast.cli import main

    for descriptor, path in enumerate(asked["files"]):
        flags = os.O_WRONLY | os.O_CREAT | os.O_NOCTTY if descriptor else os.O_RDONLY
        os.dup2(os.open(path, flags), descriptor)
    os.environ.clear()
    os.environ.update(asked["env"])
    os.chdir(asked["cwd"])
    sys.argv = ["holdfast", *asked["words"]]
    sys.stdin = open(0, closefd=False)  # noqa: SIM115  # the old one has read ahead
    signal.alarm(TIMEOUT_S)
    code = 0
    try:
        main()
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else int(left.code is not None)
    except BaseException:  # as the interpreter would
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    _serve()
