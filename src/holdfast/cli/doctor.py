"""doctor: checks every dependency, and the tenant isolation of this very deployment."""

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from typing import Annotated, NamedTuple

import psycopg
import redis
import typer

from holdfast.cli.output import AsJson, show_all
from holdfast.cli.progress import working
from holdfast.cli.reach import Urls, reach_database
from holdfast.kernel import durations, migrate, prerequisites
from holdfast.kernel.db import Database
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.jobs import QUEUE
from holdfast.settings import Settings, read_settings


class Finding(NamedTuple):
    """One thing that was looked at."""

    check: str
    ok: bool
    detail: str


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("doctor")(doctor_command)


def doctor_command(
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Without the walks over every route, which take a while."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check every dependency and both walls of this deployment; exit 1 when something is wrong.

    Two orgs are made, walked through with every operation as another org and as another user, and removed again.

    Example: holdfast doctor --quick
    """
    settings = read_settings()
    with working("Checking this deployment"):
        findings = [*_look(settings, quick=quick)]
    show_all([f._asdict() for f in findings], ["check", "ok", "detail"], as_json=as_json)
    if not all(f.ok for f in findings):
        raise typer.Exit(1)


def _look(settings: Settings, *, quick: bool) -> Iterator[Finding]:
    try:
        with reach_database(settings) as urls:
            yield from _database(urls, durations.seconds(settings.settle_after))
            if not quick:
                yield from _walks(settings, urls)
    except psycopg.OperationalError as error:
        where = "HOLDFAST_DATABASE_URL" if settings.database_url else "the embedded database"
        yield Finding("database", False, f"{where} cannot be reached: {str(error).strip()[:200]}")
    if settings.replica_url is not None and settings.database_url is not None:
        yield _replica(settings.database_url, settings.replica_url)
    if settings.redis_url is not None:
        yield _redis(settings.redis_url)


def _database(urls: Urls, settle_after_s: float) -> Iterator[Finding]:
    with psycopg.connect(urls.owner, autocommit=True) as connection:
        number = connection.info.server_version
        yield Finding(
            "postgres",
            number >= prerequisites.MIN_SERVER_VERSION,
            f"version {number // 10000}; 15 or later is needed",
        )
        available = {
            name for (name,) in connection.execute("SELECT name FROM pg_available_extensions")
        }
        for name in prerequisites.EXTENSIONS:
            found = name in available
            yield Finding(
                f"extension {name}", found, "available" if found else "install it on the server"
            )
        pending = migrate.pending(urls.owner)
        yield Finding(
            "schema",
            not pending,
            f"pending: {pending}; run holdfast migrate" if pending else "up to date",
        )
        if pending:
            return
        fsync = connection.execute(
            "SELECT current_setting('fsync'), current_setting('synchronous_commit')"
        ).fetchone()
        yield Finding(
            "durability",
            fsync is not None and "off" not in fsync,
            f"fsync, synchronous_commit: {fsync}",
        )
        yield _jobs(connection)
        yield _sessions(connection, settle_after_s)
        yield from _walls(connection)
    yield _isolation(urls)


def _jobs(connection: psycopg.Connection[tuple[object, ...]]) -> Finding:
    """Whether some worker moves every job on."""
    rows = connection.execute(
        "SELECT reason, count(*) FROM stuck_jobs(now() - interval '30 s', now() - interval '5 min')"
        " WHERE queue = %s GROUP BY reason",
        [QUEUE],
    )
    stuck = {str(reason): number for reason, number in rows}
    meanings = {
        "no_entry": "without a place in the queue",
        "no_worker": "left by a worker that died",
        "overdue": "waiting for more than 5 minutes",
    }
    found = [
        f"{stuck[reason]} {meaning}" for reason, meaning in meanings.items() if reason in stuck
    ]
    detail = f"{', '.join(found)}; a running worker takes them up (holdfast worker)"
    return Finding("jobs", not found, detail if found else "none is stuck")


def _sessions(connection: psycopg.Connection[tuple[object, ...]], settle_after_s: float) -> Finding:
    """Whether every session that has rested is learned from, or has a job that does it."""
    overdue = timedelta(seconds=settle_after_s) + timedelta(minutes=5)
    rows = connection.execute(
        "SELECT count(*) FROM rested_sessions(now() - %s::interval)", [overdue]
    )
    number = int(str((rows.fetchone() or (0,))[0]))
    detail = (
        f"{number} rested long ago and have no job; a running worker settles them (holdfast worker)"
    )
    return Finding("sessions", not number, detail if number else "every one that rests has a job")


def _walls(connection: psycopg.Connection[tuple[object, ...]]) -> Iterator[Finding]:
    role = connection.execute(
        "SELECT rolsuper OR rolbypassrls,"
        "       EXISTS (SELECT FROM pg_class c WHERE c.relowner = r.oid AND c.relkind = 'r')"
        "  FROM pg_roles r WHERE rolname = 'holdfast_app'"
    ).fetchone()
    yield Finding(
        "role", role == (False, False), "holdfast_app bypasses no policy and owns no table"
    )
    bare = connection.execute(
        "SELECT coalesce(string_agg(c.relname, ', '), '') FROM pg_class c"
        "  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'org_id' AND NOT a.attisdropped"
        " WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace"
        "   AND NOT (c.relrowsecurity AND c.relforcerowsecurity)"
        # Recall's index has no policy, since Postgres would not use it: it is closed to the role altogether.
        "   AND has_table_privilege('holdfast_app', c.oid, 'SELECT, INSERT, UPDATE, DELETE')"
    ).fetchone()
    missing = str(bare[0]) if bare else ""
    yield Finding(
        "row-level security",
        not missing,
        f"missing on {missing}" if missing else "forced on every table",
    )


def _walks(settings: Settings, urls: Urls) -> Iterator[Finding]:
    """Every operation, MCP tool and resource, as another org and as another user."""
    from holdfast.kernel import logs
    from holdfast.walls.probe import prove  # the whole service: a quick check starts without it

    logs.configure("error")  # not a line for every request of the walks

    for proof in asyncio.run(prove(settings, urls.app, urls.owner)):
        detail = f"{proof.requests} requests with another's ids found nothing"
        if proof.breaches:
            detail = f"{len(proof.breaches)} breaches, the first: {proof.breaches[0][:200]}"
        yield Finding(f"wall {proof.wall}", not proof.breaches, detail)


def _isolation(urls: Urls) -> Finding:
    """Write as one org, look as another and as none, take everything back."""
    with psycopg.connect(urls.app, prepare_threshold=None) as connection:
        try:
            connection.execute("SET LOCAL ROLE holdfast_app")
        except psycopg.Error as error:
            login = connection.info.user
            return Finding(
                "tenant isolation",
                False,
                f"{error.diag.message_primary}: GRANT holdfast_app TO {login}, or run holdfast migrate",
            )
        _enter(connection, "org_doctor_one")
        connection.execute(
            "INSERT INTO orgs (org_id, name, created_at, updated_at)"
            " VALUES ('org_doctor_one', 'a probe, rolled back', now(), now())"
        )
        _enter(connection, "org_doctor_two")
        seen = connection.execute("SELECT count(*) FROM orgs").fetchone()
        _enter(connection, "")
        try:
            connection.execute("SELECT count(*) FROM orgs")
            nameless = "a query without an org was answered"
        except psycopg.errors.InsufficientPrivilege:
            nameless = ""
        connection.rollback()
    if seen != (0,):
        return Finding("tenant isolation", False, f"another org's row was visible: {seen}")
    return Finding(
        "tenant isolation", not nameless, nameless or "one org's rows are not there for another"
    )


def _enter(connection: psycopg.Connection[tuple[object, ...]], org_id: str) -> None:
    connection.execute("SELECT set_config('holdfast.org', %s, true)", [org_id])


def _replica(url: str, replica_url: str) -> Finding:
    """Whether reads are answered by the replica: looked at as an API process does."""

    async def look() -> str | None:
        db = Database(url, min_size=1, max_size=1, replica_url=replica_url)
        async with db.opened():
            if db.replica is None:
                return "none is configured"
            async with db.replica.watched():
                return db.replica.trouble

    try:
        trouble = asyncio.run(look())
    except HoldfastError as error:
        trouble = error.detail
    return Finding("replica", trouble is None, trouble or "up to date; reads are answered by it")


def _redis(url: str) -> Finding:
    try:
        redis.Redis.from_url(url, socket_timeout=3).ping()
    except redis.RedisError as error:
        return Finding("redis", False, f"cannot be reached: {type(error).__name__}")
    return Finding("redis", True, "answers")
