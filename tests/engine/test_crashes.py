"""What is left after a crash is recognised, ended and taken over; nothing else is touched."""

import os
import signal
import subprocess
import threading
from pathlib import Path

import psutil
import pytest

from holdfast.engine import Engine, EngineError, find_running, leftovers
from holdfast.engine.create import UNFINISHED
from holdfast.engine.home import find_home
from holdfast.engine.leftovers import processes_of, read_pid_file

from .conftest import ask, busy, identity, keep, kept, until


def test_a_killed_postmaster_is_started_again_with_every_committed_row(engine):
    urls = engine.start()
    restarted: list[int] = []
    engine.watch(lambda new: restarted.append(new.pid))
    keep(urls.owner_url, 1000)

    for times in (1, 2):
        os.kill(restarted[-1] if restarted else urls.pid, signal.SIGKILL)
        until(lambda times=times: len(restarted) == times)
        assert kept(urls.owner_url) == 1000

    assert urls.pid not in restarted
    assert engine.start().pid == restarted[-1]


def test_the_watch_outlives_a_listener_that_fails_and_ends_with_stop(engine, data_dir):
    urls = engine.start()
    seen: list[int] = []

    def fail(new):
        seen.append(new.pid)
        raise RuntimeError("the listener's own trouble")

    engine.watch(fail)
    os.kill(urls.pid, signal.SIGKILL)
    until(lambda: len(seen) == 1)
    os.kill(seen[0], signal.SIGKILL)
    until(lambda: len(seen) == 2)

    engine.stop()

    assert find_running(data_dir) is None
    assert not processes_of(find_home(data_dir).pgdata)
    assert not [t for t in threading.enumerate() if t.name == "holdfast-engine"]


def test_there_is_nothing_to_watch_before_the_start(engine):
    with pytest.raises(EngineError, match="call start first"):
        engine.watch()


def test_the_server_of_a_killed_process_is_taken_over(engine, data_dir, serve):
    killed = serve(data_dir)
    orphan = int(killed.stdout.readline())
    keep(find_running(data_dir).owner_url)
    killed.kill()
    killed.wait()
    assert leftovers.is_alive(psutil.Process(orphan))

    urls = engine.start()

    assert urls.pid != orphan
    assert not psutil.pid_exists(orphan) or not leftovers.is_alive(psutil.Process(orphan))
    assert kept(urls.owner_url) == 1


def test_a_backend_that_does_not_notice_is_ended(engine):
    urls = engine.start()
    keep(urls.owner_url)
    # A loop that never waits never learns that its postmaster is gone.
    backend = busy(urls.owner_url, "do $$ begin loop end loop; end $$")
    os.kill(urls.pid, signal.SIGKILL)
    until(lambda: not leftovers.is_alive(psutil.Process(urls.pid)))
    assert leftovers.is_alive(backend)

    engine.watch()

    until(lambda: engine.start().pid != urls.pid)
    assert not leftovers.is_alive(backend)
    assert kept(engine.start().owner_url) == 1


def _leave_a_note(pgdata: Path, pid: int) -> None:
    """As a server with this pid would have left it, had it been killed."""
    lines = [
        str(pid),
        str(pgdata),
        "1700000000",
        "5432",
        str(pgdata),
        "",
        "  1234  5678",
        "ready   ",
    ]
    (pgdata / "postmaster.pid").write_text("\n".join(lines) + "\n")
    (pgdata / ".s.PGSQL.5432.lock").write_text("\n".join(lines) + "\n")


def test_a_pid_that_now_belongs_to_a_stranger(engine, data_dir):
    engine.start()
    engine.stop()
    pgdata = find_home(data_dir).pgdata
    # Of the same account: only such a one makes Postgres itself refuse to start.
    stranger = subprocess.Popen(["sleep", "60"], **identity(pgdata))
    try:
        _leave_a_note(pgdata, stranger.pid)
        assert find_running(data_dir) is None

        urls = engine.start()

        assert ask(urls.app_url, "select 1") == [(1,)]
        assert stranger.poll() is None
        engine.stop()
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_the_pid_of_another_cluster_s_server(engine, data_dir, open_dir):
    other = Engine(open_dir)
    theirs = other.start()
    try:
        engine.start()
        engine.stop()
        _leave_a_note(find_home(data_dir).pgdata, theirs.pid)
        assert find_running(data_dir) is None

        engine.start()

        assert ask(theirs.app_url, "select 1") == [(1,)]
        assert find_running(open_dir) == theirs
    finally:
        other.stop()


def test_the_pid_of_a_zombie(engine, data_dir):
    engine.start()
    engine.stop()
    pgdata = find_home(data_dir).pgdata
    zombie = subprocess.Popen(["true"], **identity(pgdata))
    until(lambda: psutil.Process(zombie.pid).status() == psutil.STATUS_ZOMBIE)
    try:
        _leave_a_note(pgdata, zombie.pid)
        assert find_running(data_dir) is None

        urls = engine.start()

        assert ask(urls.app_url, "select 1") == [(1,)]
        assert psutil.Process(zombie.pid).status() == psutil.STATUS_ZOMBIE
    finally:
        zombie.wait()


def test_a_note_cut_short_is_no_note(engine, data_dir):
    engine.start()
    engine.stop()
    pgdata = find_home(data_dir).pgdata
    for note in ("", "12", "not a pid\n"):
        (pgdata / "postmaster.pid").write_text(note)

        assert read_pid_file(pgdata) is None
        assert find_running(data_dir) is None
        engine.start()
        engine.stop()


def test_a_first_start_killed_half_way_begins_anew(new_engine, new_dir, serve):
    killed = serve(new_dir)
    until(lambda: _unfinished(new_dir, "*/PG_VERSION"))
    killed.kill()
    killed.wait()
    home = find_home(new_dir)
    assert not home.pgdata.exists()
    (half,) = home.cluster_dir.glob(f"{UNFINISHED}*")

    urls = new_engine.start()

    assert ask(urls.app_url, "select 1") == [(1,)]
    assert not list(home.cluster_dir.glob(f"{UNFINISHED}*"))
    assert not processes_of(half)


def _unfinished(data_dir: Path, what: str) -> list[Path]:
    if not data_dir.exists():
        return []
    found = find_home(data_dir).cluster_dir.glob(what)
    return [path for path in found if path.parent.name.startswith(UNFINISHED)]


def test_processes_are_recognised_where_we_may_not_look_into_them(engine, data_dir, monkeypatch):
    engine.start()
    pgdata = find_home(data_dir).pgdata
    # The backend of the last question may still be leaving.
    until(lambda: not [p for p in processes_of(pgdata) if "holdfast_app" in " ".join(p.cmdline())])
    seen = {process.pid for process in processes_of(pgdata)}
    assert len(seen) > 4

    def denied(self):
        raise psutil.AccessDenied(self.pid)

    monkeypatch.setattr(psutil.Process, "cwd", denied)

    assert {process.pid for process in processes_of(pgdata)} == seen
    assert processes_of(pgdata.parent / "other") == []
    assert find_running(data_dir) is not None
