"""The harness on a Postgres of another installation, as a deployment of several machines would have it.

`HOLDFAST_TEST_POSTGRES` names the folder of its programs (`/usr/lib/postgresql/15/bin`), or is `embedded` for those of the
embedded database. A cluster of its own is made with them; the schema's owner is no superuser; the service has a login of its
own, through pgbouncer in transaction mode; two `serve` and two `worker` run on it. Requests of a test go to the two in turn.

    make test-engine POSTGRES=/usr/lib/postgresql/15/bin
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import cycle
from pathlib import Path
from typing import Any

import httpx
import pytest

from holdfast.engine.account import account_for
from holdfast.engine.binaries import Binaries, binaries_for
from holdfast.kernel.migrate import migrate
from tests.own_cluster import Cluster, own_cluster, wait_until_it_answers

VARIABLE = "HOLDFAST_TEST_POSTGRES"
# Folders whose tests run on any Postgres: those of every face and of what all faces share.
FOLDERS = frozenset(
    {
        "access", "anthropic_api", "blocks", "context", "contract", "conversations", "directory", "entries", "exchange",
        "mem0_api", "memories", "operations", "stores", "unified_recall",
    }
)  # fmt: skip
# Fixtures of tests that have a data folder or a cluster of their own: they say nothing of the one here.
OWN = frozenset({"data_dir", "cluster", "pair"})


def mark(items: list[pytest.Item], tests: Path) -> None:
    """Give the marker `engine` to the tests that run on any Postgres."""
    for item in items:
        inside = item.path.relative_to(tests).parts if item.path.is_relative_to(tests) else ("",)
        # Messages that are kept in one API process are not there for the other, nor are its metrics.
        of_one_process = "in_memory" in item.name or "counted" in item.name
        of_one_process = of_one_process or item.path.name in (
            "test_metrics.py",
            "test_counts.py",
            "test_stats.py",
        )
        of_one_process = of_one_process or item.get_closest_marker("one_process") is not None
        own = OWN & set(getattr(item, "fixturenames", ()))
        if inside[0] in FOLDERS and not own and not of_one_process:
            item.add_marker(pytest.mark.engine)


@contextmanager
def deployment(
    folder: Path, port: int, pooler_port: int, serve: Callable[..., Any], redis_url: str
) -> Iterator[dict[str, Any]]:
    """The fields of the harness's Service, while everything runs."""
    with ExitStack() as running:
        cluster = running.enter_context(own_cluster(folder, port, _programs(folder), CLUSTER))
        cluster.execute(
            "CREATE ROLE owner LOGIN NOSUPERUSER NOBYPASSRLS CREATEROLE CREATEDB",
            "CREATE ROLE service LOGIN NOSUPERUSER NOBYPASSRLS",
            "CREATE DATABASE holdfast OWNER owner",
            # As for the embedded database's owner, for erasures.
            "GRANT pg_checkpoint, pg_read_all_stats TO owner",
            "GRANT EXECUTE ON FUNCTION pg_switch_wal() TO owner",
        )
        cluster.execute("CREATE EXTENSION vector", database="holdfast")
        owner_url = cluster.url("owner", "holdfast")
        migrate(owner_url)
        cluster.execute("GRANT holdfast_app TO service")
        running.enter_context(_pooler(cluster, folder, pooler_port))
        url = f"postgresql://service@127.0.0.1:{pooler_port}/holdfast"
        env = {
            "HOLDFAST_DATABASE_URL": url,
            "HOLDFAST_MIGRATION_URL": owner_url,
            "HOLDFAST_REDIS_URL": redis_url,
        }
        data_dir = folder / "data"
        ready = [
            running.enter_context(
                serve(data_dir, "--no-worker", first_start=True, fork=False, **env)
            )[0]
            for _ in range(2)
        ]
        for number in range(2):
            running.enter_context(_worker(data_dir, env, folder / f"worker-{number}.log"))
        yield {
            "url": ready[0]["url"],
            "second_url": ready[1]["url"],
            "data_dir": str(data_dir),
            "pid": ready[0]["pid"],
            "api_key": ready[0]["api_key"],
            "app_url": url,
            "owner_url": owner_url,
            "redis_url": redis_url,
        }


CLUSTER = {"max_connections": "200", "autovacuum_naptime": "5s", "shared_buffers": "128MB"}


def _programs(folder: Path) -> Binaries:
    """The Postgres that is asked for. What is missing is said, and nothing is run."""
    named = os.environ[VARIABLE]
    if named == "embedded":
        return binaries_for(account_for(folder / "none"))
    program = Path(named) / "postgres"
    if not program.exists():
        pytest.exit(f"{VARIABLE}: there is no {program}", 0)
    words = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    share = subprocess.run(
        [Path(named) / "pg_config", "--sharedir"], capture_output=True, text=True, check=False
    ).stdout.strip()
    if share and not (Path(share) / "extension" / "vector.control").exists():
        pytest.exit(f"{VARIABLE}: the Postgres in {named} has no pgvector", 0)
    return Binaries(Path(named), words.stdout.split()[2])


@contextmanager
def _pooler(cluster: Cluster, folder: Path, port: int) -> Iterator[None]:
    program = shutil.which("pgbouncer") or shutil.which("/usr/sbin/pgbouncer")
    if program is None:
        pytest.exit("pgbouncer is not installed (Debian: apt-get install pgbouncer)", 0)
    settings = folder / "pgbouncer.ini"
    settings.write_text(
        f"[databases]\nholdfast = user=service host=127.0.0.1 port={cluster.port}\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
        "auth_type = any\npool_mode = transaction\ndefault_pool_size = 20\nmax_client_conn = 500\n"
    )
    settings.chmod(0o644)
    identity: dict[str, Any] = {}
    if not cluster.account.is_us:
        identity = {"user": cluster.account.uid, "group": cluster.account.gid}
    with (folder / "pgbouncer.log").open("wb") as log:
        process = subprocess.Popen([program, str(settings)], stdout=log, stderr=log, **identity)
    try:
        wait_until_it_answers(f"postgresql://service@127.0.0.1:{port}/holdfast", process)
        yield
    finally:
        process.terminate()
        process.wait(20)


@contextmanager
def _worker(data_dir: Path, env: dict[str, str], log: Path) -> Iterator[None]:
    with log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "holdfast", "worker"],
            stdout=output,
            stderr=output,
            env={**os.environ, "HOLDFAST_DATA_DIR": str(data_dir), **env},
        )
    try:
        yield
    finally:
        process.terminate()
        process.wait(60)


class InTurn(httpx.AsyncHTTPTransport):
    """Sends the requests of one client to several API processes in turn."""

    def __init__(self, *urls: str) -> None:
        super().__init__()
        self._ports = cycle([httpx.URL(url).port for url in urls])

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        request.url = request.url.copy_with(port=next(self._ports))
        return await super().handle_async_request(request)
