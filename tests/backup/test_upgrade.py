"""The embedded database is moved to another major version of Postgres: with everything in it, after a backup."""

import asyncio
import json
import subprocess
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import psycopg
import pytest

from holdfast.app import make_app
from holdfast.backup import upgrade as upgrading
from holdfast.backup.archive import BackupError, open_backup, read_manifest
from holdfast.backup.service import restore
from holdfast.backup.upgrade import upgrade
from holdfast.bootstrap import create_org
from holdfast.deployment import Config
from holdfast.engine import Engine, EngineError, FolderInUse, create
from holdfast.engine import engine as engine_module
from holdfast.engine.binaries import Binaries
from holdfast.engine.create import major_of
from holdfast.kernel.db import Database
from holdfast.kernel.migrate import migrate
from holdfast.walls.specimens import ASKED, one_of_everything
from tests.backup.test_backup import cli
from tests.conftest import scratch


def other_version() -> Binaries | None:
    """A Postgres of another major version with pgvector, as a distribution installs it."""
    for folder in sorted(Path("/usr/lib/postgresql").glob("*/bin")):
        shared = subprocess.run(
            [folder / "pg_config", "--sharedir"], capture_output=True, text=True, check=False
        ).stdout.strip()
        if shared and (Path(shared) / "extension" / "vector.control").exists():
            return Binaries(folder, f"{folder.parent.name}.0")
    return None


@pytest.fixture
def old() -> Binaries:
    found = other_version()
    if found is None:
        pytest.skip("no other major version of Postgres with pgvector in /usr/lib/postgresql")
    return found


@pytest.fixture
def folder():
    kept, data_dir = scratch()
    with kept:
        yield data_dir


def contents(url: str, org_id: str) -> dict[str, list[str]]:
    """Every row of every table, as text."""
    with psycopg.connect(url) as connection:
        connection.execute("SELECT set_config('holdfast.org', %s, false)", [org_id])
        tables = connection.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
            # The backup is noted in the old cluster, and the usage of the last calls later than they.
            " AND relname NOT IN ('backups', 'usage_minutes')"
        ).fetchall()
        return {
            table: sorted(text for (text,) in connection.execute(f"SELECT t::text FROM {table} t"))
            for (table,) in tables
        }


@asynccontextmanager
async def client_of(url: str, key: str):
    app = make_app(Config(url, pool_size=4, embedder="none"), embedded=True)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(
            transport=httpx.ASGITransport(app),
            base_url="http://127.0.0.1/api/v1",
            headers={"Authorization": f"Bearer {key}"},
        ) as client,
    ):
        yield client


def make_old_folder(data_dir: Path, old: Binaries, monkeypatch: pytest.MonkeyPatch) -> Engine:
    """A running engine whose cluster the other version made, as the release before would have."""
    plain = [flag for flag in create.INITDB if "locale" not in flag]
    with monkeypatch.context() as as_before:
        as_before.setattr(create, "INITDB", (*plain, "--locale=C"))
        as_before.setattr(engine_module, "binaries_for", lambda _: old)
        engine = Engine(data_dir)
        migrate(engine.start().owner_url)
    return engine


async def test_everything_is_there_after_the_upgrade_and_a_backup_beside_it(
    folder, old, monkeypatch
):
    engine = make_old_folder(folder, old, monkeypatch)
    running = engine.start()
    async with Database(running.app_url, min_size=1, max_size=1).opened() as db:
        org_id, key = await create_org(db, "before")
    async with client_of(running.app_url, key) as client:
        await one_of_everything(client, client)
    before = contents(running.owner_url, org_id)
    assert len(before["revisions"]) > 10
    with pytest.raises(FolderInUse):
        upgrade(folder, str(folder / "assets"), programs=old.bin_dir)
    engine.stop()

    # The new version says what to do, and touches nothing.
    with pytest.raises(EngineError, match=f"made by Postgres {old.major}.*holdfast upgrade"):
        Engine(folder).start()
    missing = cli("upgrade", "--programs", str(folder), HOLDFAST_DATA_DIR=str(folder))
    assert missing.returncode == 1
    assert f"the programs of Postgres {old.major} are needed" in missing.stderr

    # Whatever fails on the way leaves the old cluster in its place.
    with monkeypatch.context() as broken:
        broken.setattr(upgrading, "_must_equal", _differ)
        with pytest.raises(BackupError, match="differs"):
            await asyncio.to_thread(
                upgrade,
                folder,
                str(folder / "assets"),
                backup=folder.parent / "a.tar",
                programs=old.bin_dir,
            )
    assert major_of(folder / "postgres") == old.major
    with monkeypatch.context() as broken:
        broken.setattr(upgrading, "start_once", _differ)
        with pytest.raises(BackupError, match="differs"):
            await asyncio.to_thread(
                upgrade,
                folder,
                str(folder / "assets"),
                backup=folder.parent / "b.tar",
                programs=old.bin_dir,
            )
    assert major_of(folder / "postgres") == old.major
    # One that was killed between its two renames is taken up again; until then no empty cluster is made.
    (folder / "postgres").rename(folder / f"postgres.{old.major}")
    with pytest.raises(EngineError, match="an upgrade was cut short"):
        Engine(folder).start()

    backup = folder.parent / "before.tar"
    done = cli("upgrade", "--backup", str(backup), "--programs", str(old.bin_dir), "--json", HOLDFAST_DATA_DIR=str(folder))  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert (said["from_major"], said["backup"]) == (old.major, str(backup))
    assert said["rows"] > 10
    left = {path.name for path in folder.iterdir()}
    assert not {name for name in left if name.startswith(("upgrade-", "postgres."))} - {
        "postgres.log"
    }

    engine = Engine(folder)
    try:
        running = engine.start()
        assert contents(running.owner_url, org_id) == before
        with psycopg.connect(running.owner_url) as connection:
            roles = connection.execute(
                "SELECT rolname, rolsuper OR rolbypassrls FROM pg_roles WHERE rolname LIKE 'holdfast%' ORDER BY 1"
            ).fetchall()
        assert roles == [("holdfast_app", False), ("holdfast_owner", False)]
        async with client_of(running.app_url, key) as client:
            found = await client.post("/recall", json={"query": ASKED})
            assert found.json()["data"]
            made = await client.post("/memories", json={"key": "new", "value": "goes on"})
            assert made.status_code == 201
    finally:
        engine.stop()

    again = cli("upgrade", "--json", HOLDFAST_DATA_DIR=str(folder))
    assert (again.returncode, json.loads(again.stdout)["backup"]) == (0, None)
    # The backup is of the old version, and a restore with this one says so.
    with open_backup(backup) as archive:
        assert str(read_manifest(archive).postgres) == old.major
    with pytest.raises(BackupError, match=f"made by Postgres {old.major}"):
        restore(backup, data_dir=folder.parent / "other", owner_url=None, assets_at=str(folder / "assets"))  # fmt: skip


def _differ(*_: object) -> None:
    raise BackupError("the new cluster differs")


def test_a_folder_without_a_database_and_your_own_postgres_are_refused(tmp_path):
    nothing = cli("upgrade", HOLDFAST_DATA_DIR=str(tmp_path / "none"))
    assert (nothing.returncode, "there is no data folder" in nothing.stderr) == (1, True)
    empty = cli("upgrade", HOLDFAST_DATA_DIR=str(tmp_path))
    assert (empty.returncode, "there is no database" in empty.stderr) == (1, True)
    own = cli("upgrade", HOLDFAST_DATABASE_URL="postgresql://db.internal/holdfast")
    assert (own.returncode, "its own tools" in own.stderr) == (1, True)


def test_a_cluster_of_a_later_version_is_left_alone(tmp_path):
    pgdata = tmp_path / "postgres"
    pgdata.mkdir()
    (pgdata / "PG_VERSION").write_text("99\n")
    with pytest.raises(BackupError, match="99, which is newer"):
        upgrade(tmp_path, str(tmp_path / "assets"))
    assert (pgdata / "PG_VERSION").read_text() == "99\n"
    (pgdata / "PG_VERSION").write_text("9\n")
    with pytest.raises(
        BackupError,
        match=r"programs of Postgres 9 are needed once more, and none were found.*--programs",
    ):
        upgrade(tmp_path, str(tmp_path / "assets"))
