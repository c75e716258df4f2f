"""Starting, stopping, and what a started engine is like."""

import os
import shutil
import signal
import stat
from pathlib import Path

import psutil
import psycopg
import pytest

from holdfast.engine import (
    Engine,
    EngineError,
    EngineStartFailed,
    FolderInUse,
    find_running,
    postmaster,
)
from holdfast.engine.home import find_home
from holdfast.engine.leftovers import processes_of

from .conftest import ask, busy, keep, kept, until


def test_the_first_start_gives_two_roles_of_which_none_is_mighty(urls):
    roles = ask(
        urls.owner_url,
        "select rolname, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb from pg_roles"
        " where rolname like 'holdfast%' order by 1",
    )
    assert roles == [
        ("holdfast_app", False, False, False, False),
        ("holdfast_owner", False, False, False, True),
    ]
    assert ask(urls.app_url, "select current_user, current_database()") == [
        ("holdfast_app", "holdfast")
    ]
    owned = "select count(*) from pg_shdepend where refobjid = '{}'::regrole and deptype = 'o'"
    assert ask(urls.owner_url, owned.format("holdfast_app")) == [(0,)]
    assert ask(
        urls.owner_url, "select datdba::regrole::text from pg_database where datname = 'holdfast'"
    ) == [("holdfast_owner",)]


def test_the_application_cannot_make_tables_and_the_owner_can(urls):
    ask(urls.owner_url, "create table t (v vector(3), words text)")

    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        ask(urls.app_url, "create table u ()")


def test_extensions_are_there_also_in_databases_made_later(urls):
    wanted = {"vector", "pg_trgm", "unaccent", "btree_gin"}
    extensions = "select extname from pg_extension"
    assert wanted <= {name for (name,) in ask(urls.owner_url, extensions)}

    with psycopg.connect(urls.owner_url, autocommit=True) as connection:
        connection.execute("create database scratch")
    scratch = urls.owner_url.replace("/holdfast?", "/scratch?")
    assert wanted <= {name for (name,) in ask(scratch, extensions)}


def test_words_are_found_without_their_typographic_marks(urls):
    (row,) = ask(urls.app_url, "select to_tsvector('simple', '“Thé” — l’été')::text, lower('ÉTÉ')")

    assert row == ("'l':2 'thé':1 'été':3", "été")


def test_nobody_gets_in_without_a_password_or_as_the_superuser(urls):
    password = urls.owner_url.split(":")[2].split("@")[0]

    for url in (
        urls.app_url.replace(urls.app_url.split(":")[2].split("@")[0], "wrong"),
        urls.owner_url.replace("holdfast_owner", "postgres"),
        urls.owner_url.replace(f"holdfast_owner:{password}", "postgres"),
    ):
        with pytest.raises(
            psycopg.OperationalError, match=r"authentication failed|rejects|no pg_hba"
        ):
            ask(url, "select 1")
    assert ask(urls.app_url, "show listen_addresses") == [("",)]


def test_a_write_is_durable_and_pages_are_checked(urls):
    for setting, value in {
        "fsync": "on",
        "synchronous_commit": "on",
        "full_page_writes": "on",
        "data_checksums": "on",
        "jit": "off",
        "TimeZone": "UTC",
        "max_connections": "200",
        "server_encoding": "UTF8",
    }.items():
        assert ask(urls.app_url, f"show {setting}") == [(value,)], setting


def test_stop_and_start_keep_the_data(data_dir):
    first = Engine(data_dir)
    urls = first.start()
    keep(urls.owner_url)
    first.stop()
    first.stop()
    assert not psutil.pid_exists(urls.pid)
    assert find_running(data_dir) is None

    again = first.start()
    try:
        assert again == first.start()
        assert kept(again.owner_url) == 1
    finally:
        first.stop()


def test_what_was_in_the_cache_is_noted_for_the_next_start(engine, data_dir):
    engine.start()
    noted = find_home(data_dir).pgdata / "autoprewarm.blocks"
    noted.unlink(missing_ok=True)
    engine.stop()
    blocks = int(noted.read_text().split(">>")[0].strip("<"))
    assert blocks > 100
    engine.start()


def test_a_second_engine_is_refused_by_name_of_the_first(data_dir, serve):
    holder = serve(data_dir)
    pid = int(holder.stdout.readline())

    with pytest.raises(FolderInUse) as refused:
        Engine(data_dir).start()

    assert refused.value.pid == holder.pid
    assert str(holder.pid) in str(refused.value)
    assert "\n" not in str(refused.value)
    found = find_running(data_dir)
    assert found is not None
    assert found.pid == pid
    holder.kill()
    holder.wait()
    taken_over = Engine(data_dir)
    taken_over.start()
    taken_over.stop()


def test_two_engines_in_one_process_do_not_share_a_folder(engine, data_dir):
    urls = engine.start()

    with pytest.raises(FolderInUse, match=str(os.getpid())):
        Engine(data_dir).start()

    assert ask(urls.app_url, "select 1") == [(1,)]


def test_a_running_engine_is_found_and_a_stopped_one_is_not(new_engine, new_dir):
    assert find_running(new_dir) is None
    assert not new_dir.exists()

    urls = new_engine.start()
    assert find_running(new_dir) == urls
    assert ask(find_running(new_dir).app_url, "select 1") == [(1,)]

    new_engine.stop()
    assert find_running(new_dir) is None


@pytest.mark.parametrize("name", ["x" * 120, "a, b 'c' \"d\" 100% ü"])
def test_a_folder_whose_name_will_not_do_for_a_socket(tmp_path, name):
    data_dir = tmp_path / name
    engine = Engine(data_dir)
    try:
        urls = engine.start()
        assert ask(urls.app_url, "select 1") == [(1,)]
        assert find_running(data_dir) == urls
        noted = data_dir / "socket"
        socket_dir = Path(noted.read_text()) if noted.exists() else find_home(data_dir).pgdata
        assert stat.S_IMODE(socket_dir.stat().st_mode) == 0o700
    finally:
        engine.stop()
        assert not processes_of(find_home(data_dir).pgdata)
        _forget(data_dir)
    assert not noted.exists()
    assert not list(socket_dir.glob(".s.*"))


def _forget(data_dir: Path) -> None:
    home = find_home(data_dir)
    if home.cluster_dir != data_dir:
        shutil.rmtree(home.cluster_dir)


def test_what_we_make_is_closed_to_others(running):
    data_dir, _ = running
    home = find_home(data_dir)
    assert stat.S_IMODE(data_dir.stat().st_mode) == 0o700
    assert stat.S_IMODE(home.pgdata.stat().st_mode) == 0o700
    files = [file for file in data_dir.iterdir() if file.is_file()]
    assert files
    for file in files:
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file


def test_the_server_does_not_see_our_environment(engine, monkeypatch):
    monkeypatch.setenv("HOLDFAST_BOOTSTRAP_KEY", "hf_secret")
    monkeypatch.setenv("PGPORT", "1")

    pid = engine.start().pid

    seen = psutil.Process(pid).environ()
    assert "PATH" in seen
    assert "hf_secret" not in seen.values()


def test_a_log_never_holds_what_was_written(engine, data_dir):
    urls = engine.start()
    ask(urls.owner_url, "create table named (name text primary key, n int)")
    ask(urls.owner_url, "insert into named values ('hunter2', 1)")
    for sql in (
        "insert into named values ('hunter2', 1)",
        "insert into named values ('a', 'hunter2')",
        "select hunter2",
    ):
        with pytest.raises(psycopg.Error, match="hunter2"):
            ask(urls.owner_url, sql)
    busy(urls.owner_url, "select pg_sleep(20), 'hunter2'").kill()

    log = data_dir / "postgres.log"
    until(lambda: "terminated by signal 9" in log.read_text())
    assert "hunter2" not in log.read_text()


def test_a_stop_during_recovery_does_not_wait_in_vain(engine, data_dir, monkeypatch):
    # A server in recovery never ends when it is asked to end in order: then this test would not end either.
    monkeypatch.setattr(postmaster, "STOP_POSTMASTER", ((signal.SIGINT, 3600),))
    urls = engine.start()
    log = data_dir / "postgres.log"
    earlier = log.read_text().count("reinitializing")
    busy(urls.owner_url, "select pg_sleep(20)").kill()
    until(lambda: log.read_text().count("reinitializing") > earlier)

    engine.stop()

    assert not psutil.pid_exists(urls.pid)


def test_lost_passwords_are_replaced(engine, data_dir):
    urls = engine.start()
    keep(urls.owner_url)
    engine.stop()
    (data_dir / "passwords.json").unlink()

    again = engine.start()

    assert again.owner_url != urls.owner_url
    assert kept(again.owner_url) == 1
    with pytest.raises(psycopg.OperationalError, match="authentication failed"):
        ask(urls.owner_url, "select 1")


def test_a_cluster_of_another_version_is_refused_and_left_alone(engine, data_dir):
    engine.start()
    engine.stop()
    version = find_home(data_dir).pgdata / "PG_VERSION"
    version.write_text("15\n")

    with pytest.raises(EngineError, match="made by Postgres 15 and this is 18"):
        engine.start()

    version.write_text("18\n")
    engine.start()


def test_a_start_that_fails_shows_the_log_and_lets_the_folder_go(engine, data_dir):
    engine.start()
    engine.stop()
    configuration = find_home(data_dir).pgdata / "postgresql.conf"
    good = configuration.read_text()
    configuration.write_text(good + "\nno_such_setting = 1\n")

    with pytest.raises(EngineStartFailed, match="no_such_setting") as failed:
        engine.start()
    assert "no_such_setting" in failed.value.log_tail

    configuration.write_text(good)
    other = Engine(data_dir)
    other.start()
    other.stop()
