"""A Postgres cluster of a test's own, whose superuser it is: roles and settings can be anything there."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from holdfast.engine.account import Account, account_for
from holdfast.engine.binaries import Binaries, binaries_for

# A UTF-8 locale, as docs/operations.md asks for.
INITDB = ("--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync")


@dataclass(frozen=True)
class Cluster:
    """A running server that trusts whoever is on this machine."""

    port: int
    account: Account
    binaries: Binaries
    process: "subprocess.Popen[bytes]"

    def url(self, role: str, database: str = "postgres") -> str:
        """The URL of a role and a database, neither of which needs to be there yet."""
        return f"postgresql://{role}@127.0.0.1:{self.port}/{database}"

    def execute(self, *statements: str, database: str = "postgres") -> None:
        """Run statements as the superuser."""
        with psycopg.connect(self.url("postgres", database), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())


@contextmanager
def own_cluster(
    folder: Path,
    port: int,
    binaries: Binaries | None = None,
    settings: Mapping[str, str] | None = None,
) -> Iterator[Cluster]:
    """Made in `folder` by the embedded programs, unless others are given; gone when the block ends."""
    account = account_for(folder / "none")
    binaries = binaries or binaries_for(account)
    pgdata = _closed_folder(folder / "pgdata", account)
    made, output = binaries.run(
        "initdb",
        ["-D", str(pgdata), "-U", "postgres", *INITDB],
        account=account,
        cwd=pgdata,
    )
    assert made == 0, output
    with _running(pgdata, port, binaries, account, settings or {}) as cluster:
        yield cluster


def copy_for_replica(primary: Cluster, folder: Path) -> Path:
    """The data folder of a new streaming replica of a running cluster."""
    pgdata = _closed_folder(folder / "replica", primary.account)
    made, output = primary.binaries.run(
        "pg_basebackup",
        ["-D", str(pgdata), "-d", primary.url("postgres"), "-R", "-X", "stream", "-c", "fast"],
        account=primary.account,
        cwd=pgdata,
    )
    assert made == 0, output
    return pgdata


@contextmanager
def running_replica(primary: Cluster, pgdata: Path, port: int) -> Iterator[Cluster]:
    """A replica that streams from a running cluster; it can be started again on the same folder."""
    with _running(pgdata, port, primary.binaries, primary.account, {}) as cluster:
        yield cluster


def _closed_folder(folder: Path, account: Account) -> Path:
    folder.mkdir(mode=0o700)
    if not account.is_us:
        os.chown(folder, account.uid, account.gid)
    return folder


@contextmanager
def _running(
    pgdata: Path, port: int, binaries: Binaries, account: Account, more: Mapping[str, str]
) -> Iterator[Cluster]:
    settings = {"port": port, "listen_addresses": "127.0.0.1", "unix_socket_directories": ""}
    settings |= {"fsync": "off", "shared_buffers": "32MB", **more}
    flags = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    with (pgdata.parent / f"{pgdata.name}.log").open("ab") as log:
        process = binaries.spawn(
            "postgres",
            ["-D", str(pgdata), *flags],
            account=account,
            cwd=pgdata,
            stdout=log,
            stderr=log,
        )
    try:
        cluster = Cluster(port, account, binaries, process)
        wait_until_it_answers(cluster.url("postgres"), process)
        yield cluster
    finally:
        process.send_signal(signal.SIGINT)  # a fast shutdown: it does not wait for its clients
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(20)


def wait_until_it_answers(url: str, process: "subprocess.Popen[bytes]") -> None:
    """Until a connection is accepted."""
    deadline = time.monotonic() + 60
    while True:
        try:
            psycopg.connect(url, connect_timeout=5).close()
            return
        except psycopg.OperationalError:
            assert process.poll() is None, "the server ended"
            assert time.monotonic() < deadline, "the server does not answer"
            time.sleep(0.05)
