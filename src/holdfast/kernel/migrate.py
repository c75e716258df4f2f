"""Applies migrations/ in order, once.

The files are plain SQL, forward only, each written so that the previous version of the service keeps working while it
runs: add, backfill, then remove. yoyo reads and records them; an advisory lock (released by Postgres itself when its
holder dies) lets any number of processes start at once.
"""

import logging
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
from procrastinate.schema import SchemaManager
from yoyo import get_backend, read_migrations

MIGRATIONS = Path(__file__).with_name("migrations")

# Any number would do, as long as it is always this one.
_LOCK = 8_321_000_001

EXTENSIONS = ("vector", "pg_trgm", "unaccent", "btree_gin")
MIN_SERVER_VERSION = 150000


class DatabaseUnfit(Exception):
    """This Postgres cannot hold the schema; the message says what it lacks."""


def pending(owner_url: str) -> list[str]:
    """The names of the migrations that this database has not seen."""
    with get_backend(_for_yoyo(owner_url)) as backend:
        return [migration.id for migration in backend.to_apply(read_migrations(str(MIGRATIONS)))]


def migrate(owner_url: str) -> list[str]:
    """Bring the schema up to date; the names of what was applied. Safe beside a running service, and twice."""
    with psycopg.connect(owner_url, autocommit=True) as lock:
        if lock.info.server_version < MIN_SERVER_VERSION:
            raise DatabaseUnfit("Postgres 15 or later is needed")
        lock.execute("SELECT pg_advisory_lock(%s)", [_LOCK])
        _create_extensions(lock)
        _create_queue(lock)
        # yoyo keeps a lock table of its own, which a killed process would leave locked: ours is enough.
        logging.getLogger("yoyo.migrations").setLevel(logging.WARNING)
        with get_backend(_for_yoyo(owner_url)) as backend:
            todo = backend.to_apply(read_migrations(str(MIGRATIONS)))
            backend.apply_migrations(todo)
            return [migration.id for migration in todo]


def _create_extensions(connection: psycopg.Connection) -> None:
    have = {name for (name,) in connection.execute("SELECT extname FROM pg_extension")}
    for name in EXTENSIONS:
        if name in have:
            continue
        try:
            connection.execute(f"CREATE EXTENSION IF NOT EXISTS {name}")  # a constant of ours
        except (psycopg.errors.FeatureNotSupported, psycopg.errors.InsufficientPrivilege) as error:
            raise DatabaseUnfit(
                f"the extension {name} cannot be created ({error.diag.message_primary});"
                " holdfast doctor lists what is missing"
            ) from error


def _create_queue(connection: psycopg.Connection) -> None:
    """The job queue's tables, as its library ships them; its upgrades come as numbered migrations of ours."""
    if connection.execute("SELECT to_regclass('procrastinate_jobs')").fetchone() != (None,):
        return
    connection.execute(SchemaManager.get_schema().encode())


def _for_yoyo(url: str) -> str:
    """yoyo picks psycopg 3 by the scheme."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(scheme="postgresql+psycopg"))
