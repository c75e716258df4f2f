"""Python processes for tests, forked from one that has loaded holdfast.

Loading the service takes two seconds of CPU, and the tests start some hundred processes. `popen` and `run` take what would
follow `python` on a command line (`-m module …`, `-c code …`, `script …`) and behave like those of `subprocess`. Each is still
a process of its own, with its own environment, that can be killed and waited for. `tests/cli/test_start.py` and the service of
the test run itself are started for real.
"""

import contextlib
import fcntl
import json
import os
import runpy
import secrets
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO, Any

MAX_REQUEST_BYTES = 1 << 20
# The environment variable that names the test run: the id of the process that began it, and something random.
RUN = "TESTS_FORKS_OF"
TAKEN = 3  # the exit code of a second process for one run
_forks: set[int] = set()  # of the process that forks: those that nobody has waited for yet


class Forked:
    """A started process; what `subprocess.Popen` offers, as far as the tests use it."""

    def __init__(self, pid: int, args: Sequence[str], pipes: list[IO[Any] | None]) -> None:
        self.pid, self.args = pid, args
        self.stdin, self.stdout, self.stderr = pipes
        self.returncode: int | None = None
        self._end = os.pidfd_open(pid)

    def poll(self) -> int | None:
        """The exit code, or None while it runs."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, once it has ended; that of a signal is negative."""
        if self.returncode is None:
            poll = select.poll()
            poll.register(self._end, select.POLLIN)
            if not poll.poll(None if timeout is None else timeout * 1000):
                raise subprocess.TimeoutExpired(self.args, timeout or 0)
            self.returncode = loaded().exit_code(self.pid)
            os.close(self._end)
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[Any, Any]:
        """End its input; everything it printed and complained of, once it has ended."""
        if self.stdin is not None:
            self.stdin.close()
        said: list[Any] = [None, None]

        def read(at: int, pipe: IO[Any]) -> None:
            with pipe:
                said[at] = pipe.read()

        readers = [
            threading.Thread(target=read, args=(at, pipe))
            for at, pipe in enumerate((self.stdout, self.stderr))
            if pipe is not None
        ]
        for reader in readers:
            reader.start()
        self.wait(timeout)
        for reader in readers:
            reader.join()
        return said[0], said[1]

    def send_signal(self, number: int) -> None:
        """Send it a signal unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def __enter__(self) -> "Forked":
        return self

    def __exit__(self, *_: object) -> None:
        for pipe in (self.stdin, self.stdout, self.stderr):
            if pipe is not None:
                pipe.close()
        self.wait()


class Loaded:
    """A connection to the process that has loaded holdfast, and forks when it is asked to."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket = _connected()

    def start(self, request: dict[str, Any], files: Sequence[int]) -> int:
        """The process id of a fork that has these standard files."""
        return self._ask(request, files)

    def exit_code(self, pid: int) -> int:
        """That of a fork which has ended."""
        return self._ask({"exit_code": pid}, ())

    def _ask(self, request: dict[str, Any], files: Sequence[int]) -> int:
        with self._lock:
            socket.send_fds(self._socket, [json.dumps(request).encode()], files)
            answer = self._socket.recv(MAX_REQUEST_BYTES)
        assert answer, "the process that forks has ended"
        return int(answer)


def _connected() -> socket.socket:
    """A connection to the process of this test run, which is started if there is none yet."""
    run = os.environ.setdefault(RUN, f"{os.getpid()}-{secrets.token_hex(8)}")
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    started: subprocess.Popen[bytes] | None = None
    while True:
        try:
            connection.connect(_address(run))
            return connection
        except ConnectionRefusedError:
            if started is None:
                started = subprocess.Popen(
                    [sys.executable, "-m", "tests.forked", run], cwd=Path(__file__).parents[1]
                )
            assert started.poll() in (None, TAKEN), "the process that forks did not start"
            time.sleep(0.02)


def _address(run: str) -> str:
    """Of a socket without a file, which Linux removes with its process."""
    return f"\0holdfast-tests-{run}"


@cache
def loaded() -> Loaded:
    """That of this process. All processes of a test run ask the same one, which ends with the run."""
    return Loaded()


def popen(
    args: Sequence[str | Path],
    *,
    stdin: int | None = None,
    stdout: Any = None,
    stderr: Any = None,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    text: bool = False,
) -> Forked:
    """Start Python with these arguments, as `subprocess.Popen([sys.executable, *args])` would."""
    ours: list[IO[Any] | None] = []
    theirs: list[int] = []
    to_close: list[int] = []
    for number, wanted in enumerate((stdin, stdout, stderr)):
        if wanted == subprocess.PIPE:
            ends = os.pipe()
            mine, its = (ends[1], ends[0]) if number == 0 else ends
            mode = ("w" if number == 0 else "r") + ("" if text else "b")
            ours.append(os.fdopen(mine, mode))
            theirs.append(its)
            to_close.append(its)
        else:
            ours.append(None)
            if wanted == subprocess.DEVNULL:
                to_close.append(os.open(os.devnull, os.O_RDWR))
                theirs.append(to_close[-1])
            else:
                theirs.append(number if wanted is None else _descriptor(wanted))
    words = [*map(str, args)]
    request = {"args": words, "env": dict(env or os.environ), "cwd": str(cwd or Path.cwd())}
    try:
        pid = loaded().start(request, theirs)
    finally:
        for descriptor in to_close:
            os.close(descriptor)
    return Forked(pid, words, ours)


def _descriptor(file: Any) -> int:
    return file if isinstance(file, int) else int(file.fileno())


def run(
    args: Sequence[str | Path],
    *,
    input: str = "",  # as subprocess names it
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    timeout: float = 240,
) -> subprocess.CompletedProcess[str]:
    """Run Python with these arguments to its end, and keep what it printed."""
    with tempfile.TemporaryFile("w+") as stdin, tempfile.TemporaryFile("w+") as out:
        stdin.write(input)
        stdin.seek(0)
        with tempfile.TemporaryFile("w+") as err:
            process = popen(args, stdin=stdin.fileno(), stdout=out, stderr=err, env=env, cwd=cwd)
            try:
                code = process.wait(timeout)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                raise
            out.seek(0)
            err.seek(0)
            return subprocess.CompletedProcess(process.args, code, out.read(), err.read())


def run_in_terminal(
    columns: int, args: Sequence[str | Path], *, env: Mapping[str, str], timeout: float = 240
) -> tuple[int, str]:
    """The exit code of Python with these arguments on a terminal so wide, and what it showed there."""
    terminal, end = os.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    shown: list[bytes] = []
    reader = threading.Thread(target=_read_all, args=(terminal, shown))
    reader.start()
    try:
        process = popen(args, stdin=subprocess.DEVNULL, stdout=end, stderr=end, env=env)
        code = process.wait(timeout)
    finally:
        os.close(end)
        reader.join(timeout)
        os.close(terminal)
    return code, b"".join(shown).decode().replace("\r\n", "\n")


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


def _serve(run: str) -> None:
    """Fork for each request until the process that began the test run has ended."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        listening.bind(_address(run))
    except OSError:  # another process of the run was faster
        sys.exit(TAKEN)
    listening.listen(64)
    _load()
    first = os.pidfd_open(int(run.partition("-")[0]))
    poll = select.poll()
    for each in (first, listening.fileno()):
        poll.register(each, select.POLLIN)
    asking: dict[int, socket.socket] = {}
    while True:
        for ready, _ in poll.poll():
            if ready == first:
                return _end_forks()
            if ready == listening.fileno():
                connection, _ = listening.accept()
                asking[connection.fileno()] = connection
                poll.register(connection, select.POLLIN)
                continue
            with contextlib.suppress(ConnectionError):  # the one who asks has ended meanwhile
                if _answer(asking[ready], (listening, *asking.values())):
                    continue
            poll.unregister(ready)
            asking.pop(ready).close()


def _end_forks() -> None:
    """Ask what a run that was broken off has left running to end."""
    for each in _forks:
        os.kill(each, signal.SIGTERM)  # it is this process' child until it is waited for


def _load() -> None:
    """Import what the processes to come import, and read what they read when they start."""
    from holdfast.cli.group import COMMANDS

    for group in COMMANDS.values():
        for command in group.values():
            import_module(f"holdfast.cli.{command.module}")
    for module in ("app", "edge.mcp_http", "worker"):
        import_module(f"holdfast.{module}")
    import_module("holdfast_minilm.embedder")
    import_module("holdfast.kernel.tokens").Tokenizer().count("")


def _answer(asking: socket.socket, sockets: Sequence[socket.socket]) -> bool:
    """Do what one request says; False once nobody asks any more."""
    message, files, _, _ = socket.recv_fds(asking, MAX_REQUEST_BYTES, 3)
    if not message:
        return False
    request = json.loads(message)
    if "exit_code" in request:
        _, status = os.waitpid(request["exit_code"], 0)
        _forks.discard(request["exit_code"])
        asking.send(str(os.waitstatus_to_exitcode(status)).encode())
        return True
    child = os.fork()
    if child == 0:
        for each in sockets:
            each.close()
        _become(request, files)
    _forks.add(child)
    for each in files:
        os.close(each)
    asking.send(str(child).encode())
    return True


def _become(request: dict[str, Any], files: Sequence[int]) -> None:
    """Run the Python program that was asked for, in the forked process."""
    for descriptor, file in enumerate(files):
        os.dup2(file, descriptor)
    for file in files:
        os.close(file)
    os.environ.clear()
    os.environ.update(request["env"])
    os.chdir(request["cwd"])
    sys.stdin = open(0, closefd=False)  # noqa: SIM115  # the old one has its own buffer
    code = 0
    try:
        _run_main(request["args"])
    except SystemExit as left:
        if isinstance(left.code, str):
            print(left.code, file=sys.stderr)
        code = left.code if isinstance(left.code, int) else int(left.code is not None)
    except KeyboardInterrupt:
        code = -signal.SIGINT
    except BaseException:  # as the interpreter would
        traceback.print_exc()
        code = 1
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    _exit(code)


def _run_main(args: Sequence[str]) -> None:
    match args:
        case ["-m", module, *rest]:
            sys.argv = [module, *rest]
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        case ["-c", code, *rest]:
            sys.argv = ["-c", *rest]
            exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})
        case [script, *rest]:
            sys.argv = [script, *rest]
            runpy.run_path(script, run_name="__main__")


def _exit(code: int) -> None:
    import atexit

    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    _serve(sys.argv[1])
