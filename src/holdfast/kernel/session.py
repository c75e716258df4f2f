"""What the service expects of a connection: that it can work as `holdfast_app`, and whether a pooler is in between."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psycopg

from holdfast.kernel.connection import Connection
from holdfast.kernel.sql import load

queries = load(__file__, "session.sql")

ROLE = "holdfast_app"
# Statements that a connection keeps prepared. There are several hundred, some with more than one list of parameter types; with
# psycopg's default of 100 a mixed load would prepare the frequent ones again and again.
MAX_PREPARED = 400


class DatabaseUnfit(Exception):
    """This Postgres cannot be used as it is; the message says what is in the way and what to do."""


async def enter_service(connection: Connection) -> bool:
    """Check a new connection: its transactions can take on the service's role, which bypasses no policy. True where a
    pooler is in between, so that nothing may be left in the session.

    Behind a pooler statements are not prepared: psycopg numbers them by connection, a pooler hands one server connection
    to many clients, and one client would run what another had prepared under the same number.
    """
    try:
        async with connection.pipeline():
            await connection.execute(queries.assume_role.bytes)
            cursor = await connection.execute(queries.read_session.bytes)
        row = await cursor.fetchone()
    except (psycopg.errors.InsufficientPrivilege, psycopg.errors.InvalidParameterValue) as error:
        raise DatabaseUnfit(
            f"the login {connection.info.user!r} cannot work as {ROLE} ({error.diag.message_primary}):"
            f' run holdfast migrate, or as an administrator GRANT {ROLE} TO "{connection.info.user}"'
        ) from error
    role, bypasses, backend_pid, connection.on_citus = row or (None, True, 0, False)
    if role != ROLE or bypasses:
        raise DatabaseUnfit(
            f"{role} would bypass row-level security: ALTER ROLE {ROLE} NOSUPERUSER NOBYPASSRLS"
        )
    pooled: bool = backend_pid != connection.info.backend_pid
    if pooled:
        connection.prepare_threshold = None
    connection.prepared_max = MAX_PREPARED
    return pooled


@asynccontextmanager
async def one_transaction(connection: Connection) -> AsyncIterator[None]:
    """A pipeline, whose statements Postgres runs in one implicit transaction. Citus sends settings along to its workers in an
    explicit one only."""
    if not connection.on_citus:
        async with connection.pipeline():
            yield
        return
    try:
        async with connection.pipeline():
            await connection.execute("BEGIN")
            yield
            await connection.execute("COMMIT")
    except BaseException:
        if not connection.closed:
            await connection.rollback()
        raise
