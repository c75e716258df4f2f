"""What a database must have before its schema: the server's version, extensions, the service's role, the queue's tables.

Where the owner of the schema may not make them, an administrator does so beforehand: docs/operations.md lists the statements.
"""

from contextlib import suppress

import psycopg
from procrastinate.schema import SchemaManager

from holdfast.kernel.session import ROLE, DatabaseUnfit

EXTENSIONS = ("vector", "pg_trgm", "unaccent", "btree_gin")
MIN_SERVER_VERSION = 150000


def check_server(connection: psycopg.Connection) -> None:
    """Refuse a server that is too old, and a pooler in between: one that works by transactions would keep the lock that
    migrations take. A pooler gives its clients process ids of its own."""
    if connection.info.server_version < MIN_SERVER_VERSION:
        raise DatabaseUnfit("Postgres 15 or later is needed")
    if connection.execute("SELECT pg_backend_pid()").fetchone() != (connection.info.backend_pid,):
        raise DatabaseUnfit(
            "migrations need a connection of their own, and this one goes through a pooler:"
            " give the URL of Postgres itself as HOLDFAST_MIGRATION_URL"
        )


def create(connection: psycopg.Connection) -> None:
    """Make what is missing."""
    _create_extensions(connection)
    create_role(connection)
    _create_queue(connection)


def create_role(connection: psycopg.Connection) -> None:
    """Make the service's role, and let this login take it on."""
    _create_role(connection)
    _grant_role(connection)


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


def _create_role(connection: psycopg.Connection) -> None:
    """The role that the service works in. Roles are shared by all databases of a cluster."""
    if connection.execute("SELECT to_regrole(%s)", [ROLE]).fetchone() != (None,):
        return
    try:
        connection.execute(f"CREATE ROLE {ROLE} NOLOGIN")
    except (psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation):
        return  # made for another database at this moment
    except psycopg.errors.InsufficientPrivilege as error:
        raise DatabaseUnfit(
            f"the role {ROLE} cannot be created ({error.diag.message_primary}): as an administrator,"
            f' CREATE ROLE {ROLE} NOLOGIN; GRANT {ROLE} TO "{connection.info.user}"'
        ) from error


def _grant_role(connection: psycopg.Connection) -> None:
    """The owner's right to take on the role, which one who is no superuser does not have by creating it. Who may not
    grant it may not need it: a login of the service's own is checked when it connects."""
    right, how = "MEMBER", ""
    if connection.info.server_version >= 160000:
        right, how = "SET", " WITH INHERIT FALSE, SET TRUE"
    if connection.execute("SELECT pg_has_role(%s, %s)", [ROLE, right]).fetchone() != (True,):
        with suppress(psycopg.errors.InsufficientPrivilege):
            connection.execute(f"GRANT {ROLE} TO CURRENT_USER{how}")


def _create_queue(connection: psycopg.Connection) -> None:
    """The job queue's tables, as its library ships them; its upgrades come as numbered migrations of ours."""
    if connection.execute("SELECT to_regclass('procrastinate_jobs')").fetchone() != (None,):
        return
    connection.execute(SchemaManager.get_schema().encode())
