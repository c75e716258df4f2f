"""One run of the server: started as our child, waited for until it answers, stopped in order."""

import contextlib
import os
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import psutil
import psycopg

from holdfast.engine.account import Account
from holdfast.engine.binaries import Binaries
from holdfast.engine.endpoints import Endpoints, Passwords, ask, endpoints
from holdfast.engine.errors import EngineError, EngineStartFailed
from holdfast.engine.leftovers import STOP_POSTMASTER, STOP_RECOVERY, end

# Recovery after a crash may have gigabytes of log to read; a process that lives is given time.
READY_WITHIN_S = 300
FULL_HOUSE = ("too many clients", "connection slots")
LOG_LIMIT_BYTES = 16 * 1024 * 1024
TAIL_BYTES = 4000


class Postmaster:
    """A server process of ours, from its start to its end."""

    def __init__(
        self,
        pgdata: Path,
        socket_dir: Path,
        log: Path,
        *,
        binaries: Binaries,
        account: Account,
        passwords: Passwords,
        flags: Mapping[str, str] | None = None,
    ) -> None:
        """Start the process. It is not ready yet: see `wait_until_ready`. `flags` are settings that come before those of the
        cluster's files."""
        options = [
            part for name, value in (flags or {}).items() for part in ("-c", f"{name}={value}")
        ]
        self._log = log
        self._started_at = time.monotonic()
        with _open_log(log) as output:
            self._log_start = os.lseek(output, 0, os.SEEK_END)
            self._process = binaries.spawn(
                "postgres",
                ("-D", str(pgdata), *options),
                account=account,
                cwd=pgdata,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        self._endpoints = endpoints(socket_dir, passwords, self._process.pid)

    @property
    def pid(self) -> int:
        """The process id of the postmaster."""
        return self._process.pid

    @property
    def lived_s(self) -> float:
        """The seconds since it was started."""
        return time.monotonic() - self._started_at

    def is_alive(self) -> bool:
        """Whether it runs; collects it if it died, so that it does not stay as a zombie."""
        return self._process.poll() is None

    def wait_until_ready(self, given_up: threading.Event) -> Endpoints:
        """Give the endpoints once a query is answered; raise if it died, took too long, or
        `given_up` was set meanwhile."""
        pause_s = 0.01
        while self.is_alive() and not given_up.is_set():
            try:
                ask(self._endpoints.app_url)
                return self._endpoints
            except psycopg.OperationalError as error:
                if self.lived_s > READY_WITHIN_S:
                    raise self._failed(f"Postgres did not answer: {error}") from error
            given_up.wait(pause_s)
            pause_s = min(pause_s * 1.5, 0.25)
        if given_up.is_set():
            raise self._failed("the engine was stopped while Postgres was starting")
        raise self._failed(f"Postgres ended with status {self._process.returncode} while starting")

    def stop(self) -> None:
        """End it, fast if it can be and hard if it must be, and collect it. Idempotent."""
        if self.is_alive():
            with contextlib.suppress(psutil.NoSuchProcess):
                # Postgres 18.6 never ends when asked for a fast shutdown during recovery. There
                # is nothing to write then: the next start begins the recovery again.
                steps = STOP_POSTMASTER if self._is_in_service() else STOP_RECOVERY
                end([psutil.Process(self.pid)], steps)
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            raise EngineError(f"process {self.pid} (postgres) does not end") from None

    def _is_in_service(self) -> bool:
        """Whether it answers, or would if it had a connection to spare."""
        try:
            ask(self._endpoints.app_url)
        except psycopg.OperationalError as error:
            return any(words in str(error) for words in FULL_HOUSE)
        return True

    def _failed(self, what: str) -> EngineStartFailed:
        with self._log.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(self._log_start, size - TAIL_BYTES))
            tail = file.read().decode(errors="replace").strip()
        return EngineStartFailed(f"{what} (see {self._log})", tail)


@contextlib.contextmanager
def _open_log(log: Path) -> Iterator[int]:
    """The log, to be written at its end. A long one is put aside first, and one such is kept."""
    with contextlib.suppress(FileNotFoundError):
        if log.lstat().st_size > LOG_LIMIT_BYTES:
            log.replace(log.with_suffix(".log.1"))
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(log, flags, 0o600)
    try:
        yield handle
    finally:
        os.close(handle)
