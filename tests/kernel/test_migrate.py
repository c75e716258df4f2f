"""Migrations."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest

from holdfast.kernel import migrate


@pytest.fixture
def empty_database(service):
    """A database of one's own in the test's cluster."""
    name = f"empty_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(service.owner_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return urlunsplit(urlsplit(service.owner_url)._replace(path=f"/{name}"))


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
    numbers = sorted(int(path.name[:4]) for path in migrate.MIGRATIONS.glob("*.sql"))
    assert numbers == list(range(1, len(numbers) + 1))
