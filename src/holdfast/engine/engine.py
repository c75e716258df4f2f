"""The engine: a data folder in, a live Postgres out, for as long as it is wanted."""

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psycopg

from holdfast.engine.account import account_for, can_reach
from holdfast.engine.binaries import binaries_for
from holdfast.engine.create import (
    check_cluster,
    check_no_upgrade_was_cut_short,
    create_cluster,
    prepare_cluster,
)
from holdfast.engine.endpoints import (
    Endpoints,
    ask,
    endpoints,
    read_or_make_passwords,
    read_passwords,
)
from holdfast.engine.errors import EngineError, EngineStartFailed
from holdfast.engine.files import write_private
from holdfast.engine.home import (
    Home,
    drop_socket_dir,
    find_home,
    make_data_dir,
    settle_home,
    settle_log_archive,
    settle_socket_dir,
)
from holdfast.engine.leftovers import clear_leftovers, live_postmaster
from holdfast.engine.lock import FolderLock
from holdfast.engine.postmaster import Postmaster
from holdfast.engine.tuning import FILE as TUNING_FILE
from holdfast.engine.tuning import settings

log = logging.getLogger(__name__)

# What Postgres says when something of the last run still holds the folder. We end all that we can
# see before a start; what we cannot see (an exiting process, its shared memory) takes a moment.
PASSING_TROUBLES = ("pre-existing shared memory block", "lock file")
TROUBLES_PASS_WITHIN_S = 30.0

LOOK_EVERY_S = 0.2
LONGEST_PAUSE_S = 30.0
STEADY_AFTER_S = 60.0


class Engine:
    """Owns the Postgres of one data folder, from `start` to `stop`.

    The methods block; async code calls them through `asyncio.to_thread`. They may be called from
    several threads: they take turns, except that `stop` cuts short a start that is waiting.
    """

    def __init__(self, data_dir: Path) -> None:
        """Name the folder; nothing is touched before `start`."""
        self._data_dir = data_dir.expanduser().resolve()
        self._turn = threading.RLock()
        self._stopping = threading.Event()
        self._locks: list[FolderLock] = []
        self._home: Home | None = None
        self._server: Postmaster | None = None
        self._endpoints: Endpoints | None = None
        self._watcher: threading.Thread | None = None

    def start(self) -> Endpoints:
        """Take the folder, make the cluster if there is none, and give a server that answers.

        A server that a crash left behind is ended first. Raises `FolderInUse` while another live
        engine has the folder. Once started, it gives the same endpoints again.
        """
        with self._turn:
            if self._endpoints is not None:
                return self._endpoints
            try:
                self._home = self._take_folder()
                self._endpoints = self._launch(self._home)
            except BaseException as error:
                self._let_go()
                if isinstance(error, OSError):
                    raise EngineError(f"cannot use the data folder: {error}") from error
                raise
            return self._endpoints

    def stop(self) -> None:
        """Shut down in order, wait for it, and let the folder go. Idempotent."""
        self._stopping.set()
        watcher = self._watcher
        if watcher is not None and watcher is not threading.current_thread():
            watcher.join()
        with self._turn:
            self._watcher = None
            self._let_go()
            self._stopping.clear()

    def watch(self, on_restart: Callable[[Endpoints], None] | None = None) -> None:
        """From now until `stop`, start the server again whenever it dies, and say so.

        `on_restart` is called in the watching thread. A server that dies again and again is given
        longer and longer pauses, up to half a minute.
        """
        with self._turn:
            if self._server is None:
                raise EngineError("there is no server to watch: call start first")
            if self._watcher is not None:
                raise EngineError("this engine is watched already")
            self._watcher = threading.Thread(
                target=self._keep_alive, args=(on_restart,), name="holdfast-engine", daemon=True
            )
            self._watcher.start()

    def _take_folder(self) -> Home:
        make_data_dir(self._data_dir)
        self._locks.append(FolderLock(self._data_dir))
        home = settle_home(self._data_dir)
        if home.cluster_dir != home.data_dir:
            # A copy of the data folder names the same cluster, and has a lock file of its own.
            self._locks.append(FolderLock(home.cluster_dir))
        return home

    def _launch(self, home: Home) -> Endpoints:
        """Bring the cluster of a folder that we hold to the point where it answers."""
        account = account_for(home.pgdata)
        if not (account.is_us or can_reach(account, home.cluster_dir)):
            raise EngineError(
                f"the account that owns {home.pgdata} cannot enter {home.cluster_dir} any more: "
                f"move the data folder back, or open the folders above it to that account"
            )
        binaries = binaries_for(account)
        passwords = read_or_make_passwords(home.passwords)
        if not home.pgdata.exists():
            check_no_upgrade_was_cut_short(home)
            create_cluster(home, binaries, account, passwords)
        check_cluster(home.pgdata, binaries)
        socket_dir = settle_socket_dir(home, account)
        log_archive = settle_log_archive(home, account)
        deadline = time.monotonic() + TROUBLES_PASS_WITHIN_S
        while True:
            try:
                clear_leftovers(home.pgdata, socket_dir)
                prepare_cluster(home.pgdata, binaries, account, passwords)
                tuned = settings(
                    home.pgdata,
                    socket_dir,
                    log_archive,
                    can_prewarm=binaries.has_library("pg_prewarm"),
                )
                write_private(home.pgdata / TUNING_FILE, tuned, account)
                server = Postmaster(
                    home.pgdata,
                    socket_dir,
                    home.log,
                    binaries=binaries,
                    account=account,
                    passwords=passwords,
                )
                return self._wait_for(server)
            except EngineStartFailed as error:
                if not _will_pass(error) or time.monotonic() > deadline:
                    raise
                self._stopping.wait(0.5)

    def _wait_for(self, server: Postmaster) -> Endpoints:
        """Make this the engine's server once it answers; one that does not is ended."""
        try:
            ready = server.wait_until_ready(self._stopping)
        except BaseException:
            server.stop()
            raise
        self._server = server
        return ready

    def _let_go(self) -> None:
        if self._server is not None:
            self._server.stop()
            self._server = None
        self._endpoints = None
        if self._home is not None:
            drop_socket_dir(self._home)
            self._home = None
        while self._locks:
            self._locks.pop().release()

    def _keep_alive(self, on_restart: Callable[[Endpoints], None] | None) -> None:
        pause_s = 0.0
        while not self._stopping.wait(LOOK_EVERY_S):
            server = self._server
            if server is None:
                continue
            if server.is_alive():
                pause_s = 0.0 if server.lived_s > STEADY_AFTER_S else pause_s
                continue
            log.error("postgres (pid %d) died; starting it again", server.pid)
            if self._stopping.wait(pause_s):
                return
            pause_s = min(max(1.0, pause_s * 2), LONGEST_PAUSE_S)
            restarted = self._restart(server)
            if restarted is not None and on_restart is not None:
                try:
                    on_restart(restarted)
                except Exception:  # the watch must go on
                    log.exception("what was to follow the restart of postgres failed")

    def _restart(self, dead: Postmaster) -> Endpoints | None:
        """Start anew; None where that failed, which is logged, and tried again later."""
        with self._turn:
            if self._stopping.is_set() or self._home is None or self._server is not dead:
                return None
            try:
                self._endpoints = self._launch(self._home)
            except (EngineError, OSError):
                log.exception("postgres could not be started again")
                return None
            return self._endpoints


def find_running(data_dir: Path) -> Endpoints | None:
    """The server that runs on this data folder and answers, whoever started it; else None.

    For the command line beside a running `serve`. Changes nothing, not even a missing folder.
    """
    try:
        home = find_home(data_dir.expanduser().resolve())
        passwords = read_passwords(home.passwords)
        found = live_postmaster(home.pgdata)
    except PermissionError as error:
        raise EngineError(
            f"{error.filename} is closed to this account: run the command as the one that serves"
        ) from error
    if passwords is None or found is None:
        return None
    process, noted = found
    if not noted.socket_dir.is_absolute():
        return None  # it is starting, and has not written down yet where it will answer
    running = endpoints(noted.socket_dir, passwords, process.pid)
    try:
        ask(running.app_url)
    except psycopg.OperationalError:
        return None
    return running


def _will_pass(error: EngineStartFailed) -> bool:
    return any(trouble in error.log_tail for trouble in PASSING_TROUBLES)
