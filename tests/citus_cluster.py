"""A coordinator and two workers of Citus, where it is installed."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from holdfast.engine.binaries import Binaries
from tests.own_cluster import Cluster, own_cluster

SETTINGS = {
    "shared_preload_libraries": "citus",
    "max_prepared_transactions": "100",
    "citus.shard_count": "4",
    "citus.enable_statistics_collection": "off",
}
DATABASE = "holdfast"


def programs() -> Binaries:
    """The Postgres of the path, if Citus and pgvector are in it; else the test is skipped."""
    config = shutil.which("pg_config")
    if config is None:
        pytest.skip("no Postgres with Citus is installed: there is no pg_config")
    folder, share, version = (
        subprocess.run([config, flag], capture_output=True, text=True, check=True).stdout.strip()
        for flag in ("--bindir", "--sharedir", "--version")
    )
    for extension in ("citus", "vector"):
        if not (Path(share) / "extension" / f"{extension}.control").exists():
            pytest.skip(f"the Postgres in {folder} has no extension {extension}")
    return Binaries(Path(folder), version.split()[1])


@contextmanager
def citus_cluster(folder: Path, ports: list[int]) -> Iterator[list[Cluster]]:
    """The coordinator first. Each has the database with the extension; none has tables."""
    binaries = programs()
    with ExitStack() as running:
        nodes = []
        for port in ports:
            place = folder / str(port)
            place.mkdir(mode=0o711)
            node = running.enter_context(own_cluster(place, port, binaries, SETTINGS))
            node.execute(f"CREATE DATABASE {DATABASE}")
            node.execute("CREATE EXTENSION citus", database=DATABASE)
            nodes.append(node)
        coordinator, *workers = nodes
        coordinator.execute(
            f"SELECT citus_set_coordinator_host('127.0.0.1', {coordinator.port})",
            *(f"SELECT citus_add_node('127.0.0.1', {worker.port})" for worker in workers),
            database=DATABASE,
        )
        yield nodes
