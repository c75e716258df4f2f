"""What a crash leaves in a cluster's folder: told apart from what is alive, and ended.

A pid in a file proves nothing: the process may be gone, a zombie, or somebody else who was given
the same number. A process is of this cluster when it is a Postgres program whose working folder
is the cluster's (Postgres always works there), and nothing else is ever signalled.
"""

import contextlib
import hashlib
import itertools
import os
import signal
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from holdfast.engine.endpoints import PORT
from holdfast.engine.errors import EngineError

PROGRAMS = ("postgres", "initdb")

Steps = Sequence[tuple[signal.Signals, float]]
"""Signals in order, each with the seconds it is given to work."""

# Fast: connections are closed, everything is written. Immediate: recovery at the next start.
# Neither loses what was committed, and SIGKILL does not either.
STOP_POSTMASTER: Steps = ((signal.SIGINT, 30), (signal.SIGQUIT, 10), (signal.SIGKILL, 10))
STOP_RECOVERY: Steps = ((signal.SIGQUIT, 10), (signal.SIGKILL, 10))
END_BACKEND: Steps = ((signal.SIGQUIT, 5), (signal.SIGKILL, 10))
END_INITDB: Steps = ((signal.SIGKILL, 10),)

# Backends that lost their postmaster notice and leave; only one in a long query may not.
LEAVE_ALONE_S = 2.0


@dataclass(frozen=True, slots=True)
class PidFile:
    """What Postgres wrote about itself when it started."""

    pid: int
    socket_dir: Path


def cluster_name(pgdata: Path) -> str:
    """A name that the cluster's processes carry in their titles, where anybody can read it."""
    return f"holdfast-{hashlib.sha256(os.fsencode(pgdata)).hexdigest()[:12]}"


def live_postmaster(pgdata: Path) -> tuple[psutil.Process, PidFile] | None:
    """The running server of this very folder, if there is one."""
    noted = read_pid_file(pgdata)
    if noted is None:
        return None
    try:
        process = psutil.Process(noted.pid)
    except psutil.NoSuchProcess:
        return None
    return (process, noted) if _is_of(process, pgdata) else None


def read_pid_file(pgdata: Path) -> PidFile | None:
    """The server's own note; None where there is none, or only the beginning of one."""
    try:
        lines = (pgdata / "postmaster.pid").read_text().splitlines()
    except FileNotFoundError:
        return None
    if len(lines) < 5 or not lines[0].strip().isdigit():
        return None
    return PidFile(pid=int(lines[0]), socket_dir=Path(lines[4]))


def clear_leftovers(pgdata: Path, socket_dir: Path) -> None:
    """End whatever still runs in this folder, and remove its notes, so that a start can succeed.

    Only for the holder of the folder's lock: to anybody else these are not leftovers.
    """
    left = processes_of(pgdata)
    end([process for process in left if not _is_backend(process)], STOP_POSTMASTER)
    wait_until_gone(left, LEAVE_ALONE_S)
    end(left, END_BACKEND)
    if still := processes_of(pgdata):
        pids = ", ".join(str(process.pid) for process in still)
        raise EngineError(f"processes {pids} of {pgdata} do not end: end them and start again")
    # Postgres itself refuses to start while *any* process has the pid in these, even a zombie.
    (pgdata / "postmaster.pid").unlink(missing_ok=True)
    (socket_dir / f".s.PGSQL.{PORT}.lock").unlink(missing_ok=True)


def end_unfinished(folder: Path) -> None:
    """End an initdb, and the Postgres it drives, that outlived the process which began it."""
    end(processes_of(folder), END_INITDB)


def processes_of(folder: Path) -> list[psutil.Process]:
    """Every live Postgres process that works in this folder."""
    return [
        process
        for process in psutil.process_iter(["name"])
        if process.info["name"] in PROGRAMS and _is_of(process, folder)
    ]


def end(processes: Iterable[psutil.Process], steps: Steps) -> None:
    """Signal the processes, each time harder, until they are gone or the steps are used up."""
    left = list(processes)
    for number, patience_s in steps:
        left = [process for process in left if is_alive(process)]
        for process in left:
            # psutil compares the start time first, so a pid that was given away is left in peace.
            with contextlib.suppress(psutil.NoSuchProcess):
                process.send_signal(number)
        if wait_until_gone(left, patience_s):
            return


def wait_until_gone(processes: Iterable[psutil.Process], patience_s: float) -> bool:
    """Whether all of them went within the time. A zombie is gone: it holds nothing any more."""
    deadline = time.monotonic() + patience_s
    left = list(processes)
    while left := [process for process in left if is_alive(process)]:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def is_alive(process: psutil.Process) -> bool:
    """Whether it still runs, as the same process and not as a zombie."""
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _is_of(process: psutil.Process, folder: Path) -> bool:
    try:
        if process.name() not in PROGRAMS or process.status() == psutil.STATUS_ZOMBIE:
            return False
        try:
            return folder.samefile(process.cwd())
        except psutil.AccessDenied:
            # In a container root may not look into another account's process; titles are public.
            return _says_it_is_of(process.cmdline(), folder)
    except (psutil.Error, OSError):
        return False


def _says_it_is_of(title: list[str], folder: Path) -> bool:
    if ("-D", str(folder)) in itertools.pairwise(title):
        return True
    return " ".join(title).startswith(f"postgres: {cluster_name(folder)}: ")


def _is_backend(process: psutil.Process) -> bool:
    """Whether a postmaster started it: those, and only those, change their titles."""
    try:
        title = process.cmdline()
    except psutil.Error:
        return True
    return " ".join(title).startswith("postgres: ")
