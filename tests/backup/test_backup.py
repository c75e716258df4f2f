"""A backup that is made while the service is written to holds all that was acknowledged before, and starts again."""

import json
import threading
import time
from datetime import UTC, datetime

import httpx
import psycopg
import pytest

from holdfast.engine import find_running
from tests import forked
from tests.conftest import free_port, scratch, serving
from tests.own_cluster import own_cluster

WRITERS = 4


def cli(*args, **env):
    return forked.run(["-m", "holdfast", *args], env={"PATH": "/usr/bin:/bin", **env}, timeout=300)


class Writer(threading.Thread):
    """Writes memories one after the other until it is told to end, and notes those that were acknowledged."""

    def __init__(self, url, key, number):
        super().__init__()
        self.url, self.key, self.number = url, key, number
        self.acknowledged = []
        self.failed = []
        self.ending = threading.Event()

    def run(self):
        with client_of(self.url, self.key) as client:
            while not self.ending.is_set():
                key = f"{self.number}-{len(self.acknowledged)}"
                reply = client.post("/memories", json={"key": key, "value": f"value of {key}"})
                (self.acknowledged if reply.status_code == 201 else self.failed).append(key)
                self.ending.wait(0.02)  # so that the backup is not what waits


def client_of(url, key):
    headers = {"Authorization": f"Bearer {key}"}
    return httpx.Client(base_url=f"{url}/api/v1", headers=headers, timeout=60)


def keys_of(client):
    found, after = set(), None
    while True:
        page = client.get(
            "/memories", params={"limit": 100} | ({"after_id": after} if after else {})
        )
        found |= {each["key"] for each in page.json()["data"]}
        if not page.json()["has_more"]:
            return found
        after = page.json()["last_id"]


def test_a_backup_under_load_restores_everything_that_was_acknowledged(data_dir):
    folder, restored_dir = scratch()
    backup = data_dir.parent / "kept.tar"
    env = {"HOLDFAST_DATA_DIR": str(data_dir)}
    with folder, serving(data_dir) as (ready, _):
        url, key = ready["url"], ready["api_key"]
        with client_of(url, key) as client:
            memory = client.post("/memories", json={"key": "first", "value": "with a file"}).json()
            asset = client.post(
                f"/memories/{memory['id']}/assets?name=f.bin", content=b"\x00\xff" * 999
            )
        writers = [Writer(url, key, number) for number in range(WRITERS)]
        for writer in writers:
            writer.start()
        try:
            while any(len(writer.acknowledged) < 5 for writer in writers):
                assert not any(writer.failed for writer in writers)
                time.sleep(0.02)
            before = {each for writer in writers for each in writer.acknowledged}
            done = cli("backup", str(backup), "--json", **env)
        finally:
            for writer in writers:
                writer.ending.set()
            for writer in writers:
                writer.join(60)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["kind"] == "base"
        assert not any(writer.failed for writer in writers)
        assert backup.stat().st_mode & 0o077 == 0
        again = cli("backup", str(backup), "--json", **env)
        assert (again.returncode, "there already" in again.stderr) == (1, True)
        # A folder that has a database is left alone.
        refused = cli("restore", str(backup), "--json", **env)
        assert refused.returncode != 0

        restoring = {"HOLDFAST_DATA_DIR": str(restored_dir)}
        done = cli("restore", str(backup), "--json", **restoring)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["assets"] == 1
        with serving(restored_dir) as (ready, _), client_of(ready["url"], key) as client:
            found = keys_of(client)
            assert before <= found
            everything = {each for writer in writers for each in writer.acknowledged}
            assert found <= everything | {
                "first",
                *(f"{n}-{len(w.acknowledged)}" for n, w in enumerate(writers)),
            }
            path = f"/memories/{memory['id']}/assets/{asset.json()['id']}"
            assert client.get(path).content == b"\x00\xff" * 999
            assert client.post("/recall", json={"query": "with a file"}).json()["data"]
            assert (
                client.post("/memories", json={"key": "new", "value": "goes on"}).status_code == 201
            )


def test_a_dump_of_your_own_postgres_is_restored_into_an_empty_database(tmp_path_factory):
    folder, data_dir = scratch()
    with folder, own_cluster(data_dir.parent, free_port()) as cluster:
        cluster.execute("CREATE DATABASE one", "CREATE DATABASE two", "CREATE ROLE plain LOGIN")
        at = {
            name: {"HOLDFAST_DATABASE_URL": cluster.url("postgres", name)}
            for name in ("one", "two")
        }
        places = {"HOLDFAST_DATA_DIR": str(data_dir), "HOLDFAST_EMBEDDER": "none"}
        backup = data_dir.parent / "dump.tar"
        assert cli("migrate", **at["one"], **places).returncode == 0
        made = json.loads(cli("orgs", "create", "acme", "--json", **at["one"], **places).stdout)
        done = cli("backup", str(backup), "--json", **at["one"], **places)
        assert done.returncode == 0, done.stderr
        refused = cli("restore", str(backup), **at["one"], **places)
        assert (refused.returncode, "empty one" in refused.stderr) == (1, True)
        done = cli("restore", str(backup), "--json", **at["two"], **places)
        assert done.returncode == 0, done.stderr
        listed = json.loads(cli("orgs", "list", "--json", **at["two"], **places).stdout)
        assert [org["org_id"] for org in listed] == [made["org_id"]]

        plain = {"HOLDFAST_DATABASE_URL": cluster.url("plain", "one")}
        refused = cli("backup", str(data_dir.parent / "x.tar"), **plain, **places)
        assert refused.returncode != 0
        embedded = cli("restore", str(backup), HOLDFAST_DATA_DIR=str(data_dir / "new"))
        assert (embedded.returncode, "this is a dump" in embedded.stderr) == (1, True)


def test_an_archived_log_is_replayed_up_to_a_moment(data_dir):
    """Typer reads times to the second: what is written in one second is restored together."""
    folder, restored_dir = scratch()
    archive, backup = data_dir.parent / "archived log", data_dir.parent / "kept.tar"
    with folder:
        with serving(data_dir, HOLDFAST_WAL_ARCHIVE=str(archive)) as (ready, _):
            key = ready["api_key"]
            with client_of(ready["url"], key) as client:

                def save(name):
                    reply = client.post("/memories", json={"key": name, "value": name})
                    assert reply.status_code == 201

                save("before")
                done = cli("backup", str(backup), HOLDFAST_DATA_DIR=str(data_dir))
                assert done.returncode == 0, done.stderr
                save("between")
                time.sleep(1.1)  # the clock is what is asked for
                moment = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S")
                time.sleep(1.1)
                save("after")
            running = find_running(data_dir)
            with psycopg.connect(running.owner_url, autocommit=True) as connection:
                connection.execute("SELECT pg_switch_wal()")
        assert list(archive.iterdir())
        done = cli(
            *("restore", str(backup), "--wal", str(archive), "--until", moment, "--json"),
            HOLDFAST_DATA_DIR=str(restored_dir),
        )
        assert done.returncode == 0, done.stderr
        with serving(restored_dir) as (ready, _), client_of(ready["url"], key) as client:
            assert keys_of(client) == {"before", "between"}
    alone = cli("restore", str(backup), "--until", moment)
    assert (alone.returncode, "--wal" in alone.stderr) == (1, True)


@pytest.mark.parametrize("content", [b"no tar", b""])
def test_what_is_no_backup_is_refused(tmp_path, content):
    (tmp_path / "file").write_bytes(content)
    done = cli("restore", str(tmp_path / "file"), HOLDFAST_DATA_DIR=str(tmp_path / "data"))
    assert done.returncode == 1
    assert "backup" in done.stderr
    assert not (tmp_path / "data").exists()
