"""The files of the database, after rows were deleted: no text of theirs may stay in them.

Postgres leaves a deleted row in its file until the space is used again, an index leaves its keys, the planner's statistics hold
samples, and the write-ahead log holds every row as it was written. So each table that may have held something is written
anew (VACUUM FULL, which rebuilds its indexes), the statistics are taken anew, and the log is cut after a checkpoint.

VACUUM FULL locks one table at a time against all others while it copies the table. It copies what a transaction older than
the deletion may still read: those are waited for first.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import psycopg
from psycopg import sql

from holdfast.kernel.errors import BackendUnavailable

Progress = Callable[[int, int], Awaitable[None]]

OLD_TRANSACTIONS_END_WITHIN_S = 120.0
LOCK_TIMEOUT_S = 2.0
LOCK_TRIES = 30
_POLL_S = 0.2

# Samples of every column, taken by ANALYZE.
STATISTICS = "pg_catalog.pg_statistic"

_OLD_READERS = b"""
SELECT count(*) FROM pg_stat_activity
 WHERE pid <> pg_backend_pid() AND datname = current_database() AND backend_type = 'client backend'
   AND backend_xmin IS NOT NULL AND age(backend_xmin) > age(%s::text::xid)
"""

# Of Postgres 18. Before it, only a superuser can.
_CLEAR_SAMPLES = b"""
SELECT pg_clear_attribute_stats(n.nspname, c.relname, a.attname, false)
  FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
 WHERE c.oid = %s::regclass
"""


async def rewrite(owner_url: str, tables: Sequence[str], progress: Progress) -> dict[str, Any]:
    """Write the tables anew and cut the log; what was done, and what this login may not do.

    Raises BackendUnavailable, to be tried again later, while an old transaction or a lock stands in the way.
    """
    skipped: list[str] = []
    try:
        async with await psycopg.AsyncConnection.connect(
            owner_url, autocommit=True, application_name="holdfast erasure"
        ) as connection:
            sees_others = await _one(
                connection, b"SELECT pg_has_role('pg_read_all_stats', 'USAGE')"
            )
            await _wait_for_old_readers(connection)
            every = [*tables, STATISTICS]
            for number, table in enumerate(every):
                await progress(number, len(every))
                if not await _rewrite_table(connection, table):
                    skipped.append(table)
            log = await _cut_log(connection)
    except psycopg.OperationalError as error:
        raise BackendUnavailable("the database went away while its files were rewritten") from error
    return {
        "rewritten": len(every) - len(skipped),
        "not_permitted": skipped,
        "waited_for_old_transactions": bool(sees_others),
        "log": log,
    }


async def _wait_for_old_readers(connection: psycopg.AsyncConnection) -> None:
    """Until every transaction began after now. A login that may not see others' transactions cannot wait for them, and the
    receipt says so."""
    horizon = await _one(connection, b"SELECT pg_snapshot_xmax(pg_current_snapshot())::xid::text")
    deadline = time.monotonic() + OLD_TRANSACTIONS_END_WITHIN_S
    while await _one(connection, _OLD_READERS, horizon):
        if time.monotonic() > deadline:
            raise BackendUnavailable(
                "a transaction that is older than the erasure is still open (see pg_stat_activity): "
                "the files are rewritten when it has ended"
            )
        await asyncio.sleep(_POLL_S)


async def _rewrite_table(connection: psycopg.AsyncConnection, table: str) -> bool:
    """Whether it was rewritten; False where this login may not."""
    refused: list[str] = []

    def note(diagnostic: psycopg.errors.Diagnostic) -> None:
        if diagnostic.severity_nonlocalized == "WARNING":
            refused.append(diagnostic.message_primary or "")

    name = sql.Identifier(*table.split("."))
    connection.add_notice_handler(note)
    await connection.execute(f"SET lock_timeout = '{LOCK_TIMEOUT_S:g}s'".encode())
    try:
        for _ in range(LOCK_TRIES):
            try:
                await connection.execute(sql.SQL("VACUUM (FULL, ANALYZE) {}").format(name))
                is_forgotten = await _forget_samples(connection, table)
            except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected):
                await asyncio.sleep(_POLL_S)
                continue
            return is_forgotten and not refused
        raise BackendUnavailable(
            f"the table {table} is locked by others; its file is rewritten later"
        )
    finally:
        connection.remove_notice_handler(note)


async def _forget_samples(connection: psycopg.AsyncConnection, table: str) -> bool:
    """Drop the samples of a table that is empty now: ANALYZE takes none there, and leaves those that it took before. False where this
    login may not.
    """
    if await _one(connection, b"SELECT pg_relation_size(%s::regclass)", table):
        return True
    if await _one(connection, b"SELECT to_regproc('pg_clear_attribute_stats') IS NOT NULL"):
        await connection.execute(_CLEAR_SAMPLES, [table])
    elif await _one(connection, b"SELECT rolsuper FROM pg_roles WHERE rolname = current_user"):
        await connection.execute(b"DELETE FROM pg_statistic WHERE starelid = %s::regclass", [table])
    else:
        return False
    return True


async def _cut_log(connection: psycopg.AsyncConnection) -> str:
    """Begin a new file of the write-ahead log, and have those before it removed; a word on how that went."""
    try:
        await connection.execute("SELECT pg_switch_wal()")
        await connection.execute("CHECKPOINT")
    except psycopg.errors.InsufficientPrivilege:
        return (
            "not cut: this login may not; it holds what was written until its files are used again"
        )
    if await _one(connection, b"SELECT current_setting('wal_recycle')") == "on":
        return "checkpointed; its old files are used again (wal_recycle is on)"
    return "removed up to the checkpoint"


async def _one(connection: psycopg.AsyncConnection, query: bytes, *params: Any) -> Any:
    row = await (await connection.execute(query, params)).fetchone()
    return None if row is None else row[0]
