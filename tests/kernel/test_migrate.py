"""Migrations and functions: applied once, together with their record, to what the files declare."""

import re
import signal
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest

from holdfast.kernel import migrate
from holdfast.kernel.migrate import SqlFile
from tests import forked
from tests.kernel.catalog import OUR_FUNCTIONS, catalog_of

DECLARED = migrate.declared()
LAST = DECLARED.functions[-1]


@pytest.fixture
def make_database(service):
    """Makes databases of one's own in the test's cluster."""

    def make():
        name = f"empty_{uuid.uuid4().hex[:8]}"
        with psycopg.connect(service.owner_url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return urlunsplit(urlsplit(service.owner_url)._replace(path=f"/{name}"))

    return make


@pytest.fixture
def empty_database(make_database):
    return make_database()


def with_functions(text):
    """The declared schema with more in its last file of functions."""
    return replace(DECLARED, functions=(*DECLARED.functions[:-1], SqlFile(LAST.name, text)))


def test_a_migrated_database_has_nothing_pending_and_migrating_again_does_nothing(service):
    assert migrate.pending(service.owner_url) == []
    assert migrate.migrate(service.owner_url) == []


def test_any_number_may_migrate_at_once_beside_the_running_service(service):
    with ThreadPoolExecutor(6) as pool:
        applied = list(pool.map(lambda _: migrate.migrate(service.owner_url), range(6)))
    assert applied == [[]] * 6


def test_six_at_once_bring_up_an_empty_database_once(empty_database):
    with ThreadPoolExecutor(6) as pool:
        applied = list(pool.map(lambda _: migrate.migrate(empty_database), range(6)))
    assert sum(bool(names) for names in applied) == 1
    assert migrate.pending(empty_database) == []


def test_migrations_are_numbered_without_a_gap():
    numbers = [int(file.name[:4]) for file in DECLARED.migrations]
    assert numbers == list(range(1, len(numbers) + 1))


# --- functions -------------------------------------------------------------------------------------------------------


def test_every_function_of_the_database_stands_in_exactly_one_file(owner_connection):
    made = re.compile(r"^CREATE OR REPLACE (?:FUNCTION|PROCEDURE) (\w+)\(", re.MULTILINE)
    written = Counter(name for file in DECLARED.function_files for name in made.findall(file.text))
    there = owner_connection.execute(f"SELECT proname FROM pg_proc p WHERE {OUR_FUNCTIONS}")
    assert written == Counter(name for (name,) in there)
    assert max(written.values()) == 1


def test_no_migration_holds_a_function():
    for file in DECLARED.migrations:
        assert not re.search(r"CREATE (OR REPLACE )?(FUNCTION|PROCEDURE)", file.text), file.name


def test_the_kernels_functions_come_before_those_of_the_rooms():
    names = [file.name for file in DECLARED.functions]
    of_kernel = [name.startswith("kernel/") for name in names]
    assert of_kernel == sorted(of_kernel, reverse=True)
    assert names[0] == "kernel/functions.sql"


OLDER = """
CREATE OR REPLACE FUNCTION gone(a integer) RETURNS integer LANGUAGE sql RETURN a;
CREATE OR REPLACE FUNCTION other_result(a integer) RETURNS integer LANGUAGE sql RETURN gone(a);
CREATE OR REPLACE FUNCTION other_parameters(a integer) RETURNS integer LANGUAGE sql RETURN other_result(a);
CREATE OR REPLACE FUNCTION less_open() RETURNS integer LANGUAGE sql SECURITY DEFINER RETURN 1;
GRANT EXECUTE ON FUNCTION less_open TO holdfast_app;
"""

NEWER = """
CREATE OR REPLACE FUNCTION other_result(a integer) RETURNS text LANGUAGE sql RETURN a::text;
CREATE OR REPLACE FUNCTION other_parameters(a integer, b integer DEFAULT 1) RETURNS text
    LANGUAGE sql RETURN other_result(a + b);
CREATE OR REPLACE FUNCTION less_open() RETURNS integer LANGUAGE sql RETURN 1;
REVOKE ALL ON FUNCTION less_open, other_parameters FROM PUBLIC;
"""


def test_a_database_that_had_other_functions_ends_as_a_fresh_one(make_database):
    upgraded, fresh = make_database(), make_database()
    schema = with_functions(LAST.text + NEWER)
    assert LAST.name in migrate.migrate(upgraded, with_functions(LAST.text + OLDER))
    assert migrate.migrate(upgraded, schema) == [LAST.name]
    assert migrate.migrate(upgraded, schema) == []
    migrate.migrate(fresh, schema)
    assert catalog_of(upgraded) == catalog_of(fresh)
    # And back to what is declared, where all of these are gone.
    assert migrate.pending(upgraded) == [LAST.name]
    migrate.migrate(upgraded)
    migrate.migrate(fresh)
    assert catalog_of(upgraded) == catalog_of(fresh)
    with psycopg.connect(upgraded) as connection:
        assert connection.execute(
            "SELECT count(*) FROM pg_proc WHERE proname IN"
            " ('gone', 'other_result', 'other_parameters', 'less_open')"
        ).fetchone() == (0,)


def test_functions_applied_in_two_versions_end_as_those_applied_at_once(make_database):
    upgraded, fresh = make_database(), make_database()
    migrate.migrate(upgraded, replace(DECLARED, functions=DECLARED.functions[:1]))
    migrate.migrate(upgraded)
    migrate.migrate(fresh)
    assert catalog_of(upgraded) == catalog_of(fresh)


def test_replacing_a_function_keeps_its_identity(empty_database):
    """So a call that was planned before and runs afterwards still finds it."""
    migrate.migrate(empty_database)
    query = "SELECT 'recall_candidates'::regproc::oid, 'sees'::regproc::oid"
    with psycopg.connect(empty_database, autocommit=True) as connection:
        before = connection.execute(query).fetchone()
        migrate.migrate(empty_database, with_functions(LAST.text + "\n-- changed\n"))
        assert connection.execute(query).fetchone() == before


def test_a_file_of_functions_that_left_takes_its_functions_along(empty_database):
    extra = SqlFile("room/functions.sql", OLDER)
    migrate.migrate(empty_database, replace(DECLARED, functions=(*DECLARED.functions, extra)))
    migrate.migrate(empty_database)
    with psycopg.connect(empty_database) as connection:
        found = connection.execute("SELECT to_regprocedure('gone(integer)')").fetchone()
    assert found == (None,)


def test_functions_with_an_error_change_nothing_and_are_tried_again(empty_database):
    migrate.migrate(empty_database)
    before = catalog_of(empty_database)
    broken = with_functions(LAST.text + OLDER + "CREATE OR REPLACE FUNCTION broken() RETURN;")
    with pytest.raises(psycopg.errors.SyntaxError):
        migrate.migrate(empty_database, broken)
    assert catalog_of(empty_database) == before
    assert migrate.pending(empty_database) == []
    assert migrate.pending(empty_database, broken) == [LAST.name]


def test_a_migration_may_drop_a_function_that_stands_in_its_way(empty_database):
    migrate.migrate(empty_database)
    text = "DROP FUNCTION recall_learn, recall_unlearn; ALTER TABLE recall_vocabulary ALTER lexeme TYPE varchar;"
    later = replace(DECLARED, migrations=(*DECLARED.migrations, SqlFile("9999_later", text)))
    assert migrate.migrate(empty_database, later) == ["9999_later"]
    with psycopg.connect(empty_database) as connection:
        assert connection.execute("SELECT 'recall_learn'::regproc").fetchone()


# --- interrupted -----------------------------------------------------------------------------------------------------

# What is killed stands between the statements of a step and its record.
KILLED_AT = """
import os, signal, sys
from holdfast.kernel import migrate
url, name, nth = sys.argv[1], sys.argv[2], int(sys.argv[3])
record, calls = getattr(migrate, name), 0

def die(*arguments):
    global calls
    calls += 1
    if calls == nth:
        os.kill(os.getpid(), signal.SIGKILL)
    return record(*arguments)

setattr(migrate, name, die)
migrate.migrate(url)
"""


def test_a_process_killed_between_a_step_and_its_record_leaves_a_database_that_migrates(
    make_database,
):
    for function, nth in [
        ("_record_migration", 1),
        ("_record_migration", 4),
        ("_record_functions", 1),
        ("_record_functions", 3),
    ]:
        url = make_database()
        killed = forked.run(["-c", KILLED_AT, url, function, str(nth)])
        assert killed.returncode == -signal.SIGKILL
        assert migrate.pending(url)
        migrate.migrate(url)
        assert migrate.pending(url) == []


def test_a_migration_waits_for_a_lock_only_so_long_and_says_what_to_do(empty_database):
    migrate.migrate(empty_database)
    later = replace(
        DECLARED,
        migrations=(
            *DECLARED.migrations,
            SqlFile("9999_later", "ALTER TABLE orgs ADD COLUMN later text;"),
        ),
    )
    with psycopg.connect(empty_database) as reader:
        reader.execute("LOCK TABLE orgs IN ACCESS SHARE MODE")
        with pytest.raises(
            migrate.DatabaseUnfit, match=r"waited 0\.1 s for a lock.*holdfast migrate"
        ):
            migrate.migrate(empty_database, later, lock_timeout_s=0.1)
    assert migrate.migrate(empty_database, later) == ["9999_later"]


def test_a_migration_that_was_changed_after_it_was_applied_is_refused(empty_database):
    migrate.migrate(empty_database)
    first, *others = DECLARED.migrations
    changed = replace(DECLARED, migrations=(SqlFile(first.name, first.text + "--"), *others))
    with pytest.raises(migrate.DatabaseUnfit, match="0001_kernel was changed after it was applied"):
        migrate.migrate(empty_database, changed)


def test_a_database_from_before_the_records_is_refused(empty_database):
    with psycopg.connect(empty_database) as connection:
        connection.execute("CREATE TABLE orgs (org_id text)")
    with pytest.raises(migrate.DatabaseUnfit, match="before the first release"):
        migrate.migrate(empty_database)
