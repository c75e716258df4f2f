"""A Postgres cluster of a test's own, whose superuser it is: roles and settings can be anything there."""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from holdfast.engine.account import Account, account_for
from holdfast.engine.binaries import binaries_for


@dataclass(frozen=True)
class Cluster:
    """A running server that trusts whoever is on this machine."""

    port: int
    account: Account

    def url(self, role: str, database: str = "postgres") -> str:
        """The URL of a role and a database, neither of which needs to be there yet."""
        return f"postgresql://{role}@127.0.0.1:{self.port}/{database}"

    def execute(self, *statements: str, database: str = "postgres") -> None:
        """Run statements as the superuser."""
        with psycopg.connect(self.url("postgres", database), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())


@contextmanager
def own_cluster(folder: Path, port: int) -> Iterator[Cluster]:
    """Made in `folder` by the embedded programs; gone when the block ends."""
    account = account_for(folder / "none")
    binaries = binaries_for(account)
    pgdata = folder / "pgdata"
    pgdata.mkdir(mode=0o700)
    if not account.is_us:
        os.chown(pgdata, account.uid, account.gid)
    made, output = binaries.run(
        "initdb",
        ["-D", str(pgdata), "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--no-sync"],
        account=account,
        cwd=pgdata,
    )
    assert made == 0, output
    settings = {"port": port, "listen_addresses": "127.0.0.1", "unix_socket_directories": ""}
    settings |= {"fsync": "off", "shared_buffers": "32MB"}
    flags = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    with (folder / "postgres.log").open("wb") as log:
        process = binaries.spawn(
            "postgres",
            ["-D", str(pgdata), *flags],
            account=account,
            cwd=pgdata,
            stdout=log,
            stderr=log,
        )
    try:
        cluster = Cluster(port, account)
        wait_until_it_answers(cluster.url("postgres"), process)
        yield cluster
    finally:
        process.terminate()
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
