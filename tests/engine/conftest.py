"""A data folder to each test, left as it was found: no process, no cluster, no changed parent."""

import contextlib
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import psycopg
import pytest

import holdfast
from holdfast.engine import Endpoints, Engine, binaries, leftovers, postmaster
from holdfast.engine.account import Account, account_for
from holdfast.engine.home import find_home

SERVE = """
import sys, time
from pathlib import Path
from holdfast.engine import Engine

print(Engine(Path(sys.argv[1])).start().pid, flush=True)
time.sleep(60)
"""


LIMIT_S = 150


@pytest.fixture(autouse=True)
def _bounded(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test waits for ever, whatever hangs."""
    monkeypatch.setattr(postmaster, "READY_WITHIN_S", 60)

    def give_up(*_: object) -> None:
        raise TimeoutError(f"the test took more than {LIMIT_S} seconds")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(LIMIT_S)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder that the tests of a file share, one engine after the other: a first start takes
    longest. For root it is out of the account's reach (pytest's own folders are closed), so that
    most tests also cover a cluster that lives elsewhere."""
    yield from _folder(tmp_path_factory.mktemp("shared") / "data")


@pytest.fixture
def new_dir(tmp_path: Path) -> Iterator[Path]:
    """A folder that is not there yet; for root, out of the account's reach."""
    yield from _folder(tmp_path / "data")


@pytest.fixture
def open_dir() -> Iterator[Path]:
    """A folder that is not there yet, which every account could reach."""
    with tempfile.TemporaryDirectory(dir="/tmp") as parent:
        Path(parent).chmod(0o755)
        yield from _folder(Path(parent, "data"))


def _folder(data_dir: Path) -> Iterator[Path]:
    wheel = Path(binaries.__file__).resolve()
    parents = {*data_dir.parents, *wheel.parents, *Path(sys.prefix).resolve().parents}
    before = {folder: _permissions(folder) for folder in parents}
    yield data_dir
    after = {folder: _permissions(folder) for folder in parents}
    if data_dir.exists():
        home = find_home(data_dir)
        left = leftovers.processes_of(home.pgdata)
        leftovers.end(left, leftovers.END_BACKEND)
        if home.cluster_dir != data_dir:
            shutil.rmtree(home.cluster_dir)
        shutil.rmtree(data_dir)
        assert not left, "the test left processes behind"
    assert after == before


def _permissions(folder: Path) -> tuple[int, int, int]:
    found = folder.stat()
    return stat.S_IMODE(found.st_mode), found.st_uid, found.st_gid


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Endpoints]]:
    """A data folder and its started engine, for tests that only look."""
    for data_dir in _folder(tmp_path_factory.mktemp("running") / "data"):
        engine = Engine(data_dir)
        yield data_dir, engine.start()
        engine.stop()


@pytest.fixture
def urls(running: tuple[Path, Endpoints]) -> Endpoints:
    return running[1]


@pytest.fixture
def engine(data_dir: Path) -> Iterator[Engine]:
    """On the shared folder, not started. The folder is left without a process."""
    engine = Engine(data_dir)
    yield engine
    engine.stop()
    assert not leftovers.processes_of(find_home(data_dir).pgdata)


@pytest.fixture
def new_engine(new_dir: Path) -> Iterator[Engine]:
    """On a new folder, not started."""
    engine = Engine(new_dir)
    yield engine
    engine.stop()


@pytest.fixture
def serve() -> Iterator[Callable[[Path], subprocess.Popen[str]]]:
    """Starts another process that runs an engine on a folder, as `holdfast serve` would."""
    started: list[subprocess.Popen[str]] = []

    def start(data_dir: Path) -> subprocess.Popen[str]:
        source = str(Path(holdfast.__file__).parents[1])
        process = subprocess.Popen(
            [sys.executable, "-c", SERVE, str(data_dir)],
            env={**os.environ, "PYTHONPATH": source},
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def identity(pgdata: Path) -> dict[str, object]:
    """What makes a process one of the account that runs the cluster."""
    account: Account = account_for(pgdata)
    if account.is_us:
        return {}
    return {"user": account.uid, "group": account.gid, "extra_groups": []}


def until(what: Callable[[], object], within_s: float = 60) -> None:
    """Wait until it is true; fail the test if that takes too long."""
    deadline = time.monotonic() + within_s
    while not what():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.005)


def ask(url: str, sql: str) -> list[tuple[object, ...]]:
    """The rows that a statement gives; none for one that gives no rows."""
    with psycopg.connect(url, connect_timeout=10) as connection:
        cursor = connection.execute(sql)  # type: ignore[arg-type]
        return cursor.fetchall() if cursor.description else []


def busy(url: str, sql: str) -> psutil.Process:
    """A backend in the middle of this statement, which a thread of ours waits for."""
    connection = psycopg.connect(url)
    backend = connection.info.backend_pid

    def wait() -> None:
        with contextlib.suppress(psycopg.OperationalError):
            connection.execute(sql)  # type: ignore[arg-type]

    threading.Thread(target=wait, daemon=True).start()
    activity = f"select state from pg_stat_activity where pid = {backend}"
    until(lambda: ask(url, activity) == [("active",)])
    return psutil.Process(backend)


def keep(url: str, rows: int = 1) -> None:
    """Commit a table of so many rows, in place of one that an earlier test kept."""
    ask(url, f"drop table if exists kept; create table kept as select generate_series(1, {rows})")


def kept(url: str) -> int:
    """How many rows are there."""
    ((rows,),) = ask(url, "select count(*) from kept")
    assert isinstance(rows, int)
    return rows
