"""Brings a database to the declared schema: migrations in order, each once; functions whenever their text changed.

What is declared (`Schema`):

- `migrations/functions.sql`: functions that tables use (in policies and triggers), made before the tables.
- `migrations/NNNN_room.sql`: tables, indexes, policies, grants, triggers. Plain SQL, forward only.
- `functions.sql` (or `NAME_functions.sql`) in a room's folder: every other function, in its one current text.

Each migration commits together with its record, and all functions commit together with theirs: a process that is killed
leaves either all of a step or nothing of it. An advisory lock, which Postgres releases when its holder dies, lets any
number of processes start at once. Decision 6 says why this is not a library.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import psycopg
from psycopg import sql

from holdfast.kernel import citus, prerequisites
from holdfast.kernel.session import DatabaseUnfit

PACKAGE = Path(__file__).parent.parent
MIGRATIONS = Path(__file__).with_name("migrations")

# Any number would do, as long as it is always this one.
_LOCK = 8_321_000_001

# A statement that waits for a table makes everybody behind it wait too: better to give up and be run again.
LOCK_TIMEOUT_S = 10.0
# How long one process waits for another one's migrations.
TURN_TIMEOUT_S = 600.0

_TOO_OLD = (
    "This database was made before the first release, whose schema is not upgraded:"
    " start with a new data folder or an empty database"
)


@dataclass(frozen=True, slots=True)
class SqlFile:
    """A file of SQL, and the name it is recorded under."""

    name: str
    text: str

    @property
    def digest(self) -> str:
        """Changes with the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Schema:
    """What a database should be."""

    base: SqlFile
    migrations: tuple[SqlFile, ...]
    functions: tuple[SqlFile, ...]

    @property
    def function_files(self) -> tuple[SqlFile, ...]:
        """Every file of functions, in the order in which they are applied."""
        return (self.base, *self.functions)


def declared() -> Schema:
    """The schema of this version, read from its files."""
    return Schema(
        base=_read(MIGRATIONS / "functions.sql"),
        migrations=tuple(
            SqlFile(path.stem, path.read_text()) for path in sorted(MIGRATIONS.glob("[0-9]*.sql"))
        ),
        functions=tuple(map(_read, sorted(_function_paths(), key=_place_in_order))),
    )


def _on_citus(schema: Schema) -> Schema:
    """The same schema with functions that Citus can plan."""

    def changed(file: SqlFile) -> SqlFile:
        return replace(file, text=citus.function_text(file.text))

    return replace(
        schema, base=changed(schema.base), functions=tuple(map(changed, schema.functions))
    )


def pending(owner_url: str, schema: Schema | None = None, *, on_citus: bool = False) -> list[str]:
    """The names of the migrations and files of functions that this database lacks, and on Citus the tables that are to be
    distributed."""
    schema = schema or declared()
    tables: list[str] = []
    with psycopg.connect(owner_url, autocommit=True) as connection:
        if on_citus:
            citus.check(connection)
        if on_citus or citus.is_distributed(connection):
            schema = _on_citus(schema)
            tables = citus.undistributed(connection)
        applied, functions = _applied_migrations(connection), _applied_functions(connection)
    return (
        [file.name for file in schema.migrations if file.name not in applied]
        + [file.name for file in schema.function_files if functions.get(file.name) != file.digest]
        + tables
    )


def migrate(
    owner_url: str,
    schema: Schema | None = None,
    *,
    lock_timeout_s: float = LOCK_TIMEOUT_S,
    on_citus: bool = False,
) -> list[str]:
    """Bring the schema up to date; the names of what was applied. Safe beside a running service, and twice.

    `on_citus` distributes the tables by org; a database that was distributed before stays so without being told."""
    schema = schema or declared()
    with psycopg.connect(owner_url, autocommit=True) as connection:
        prerequisites.check_server(connection)
        if on_citus:
            citus.check(connection)
        _take_turn(connection)
        _set_lock_timeout(connection, lock_timeout_s)
        prerequisites.create(connection)
        on_citus = on_citus or citus.is_distributed(connection)
        if on_citus:
            citus.prepare(connection)
            schema = _on_citus(schema)
        _create_records(connection)
        todo = _unapplied(connection, schema)
        functions = _applied_functions(connection)
        stale = [f.name for f in schema.function_files if functions.pop(f.name, "") != f.digest]
        with _explaining_locks(lock_timeout_s):
            if schema.base.name in stale:
                _apply_base(connection, schema.base)
            for file in todo:
                _apply_migration(connection, file)
            # A migration may have dropped a function that stood in its way; a file may be gone.
            if todo or stale or functions:
                _apply_functions(connection, schema)
            spread = citus.distribute(connection) if on_citus else []
        return [file.name for file in todo] + stale + spread


# --- one at a time ---------------------------------------------------------------------------------------------------


def _take_turn(connection: psycopg.Connection) -> None:
    _set_lock_timeout(connection, TURN_TIMEOUT_S)
    try:
        connection.execute("SELECT pg_advisory_lock(%s)", [_LOCK])
    except psycopg.errors.LockNotAvailable as error:
        raise DatabaseUnfit(
            f"another process has been migrating this database for {TURN_TIMEOUT_S:.0f} s;"
            " nothing was changed by this one"
        ) from error


def _set_lock_timeout(connection: psycopg.Connection, seconds: float) -> None:
    connection.execute("SELECT set_config('lock_timeout', %s, false)", [f"{int(seconds * 1000)}ms"])


@contextmanager
def _explaining_locks(seconds: float) -> Iterator[None]:
    try:
        yield
    except psycopg.errors.LockNotAvailable as error:
        raise DatabaseUnfit(
            f"a migration waited {seconds:g} s for a lock that another transaction holds"
            f" ({error.diag.message_primary}); that step was rolled back:"
            " end the long transaction (see pg_stat_activity) and run holdfast migrate again"
        ) from error


# --- migrations ------------------------------------------------------------------------------------------------------


def _unapplied(connection: psycopg.Connection, schema: Schema) -> list[SqlFile]:
    """The migrations to come. One that was changed after it was applied cannot be applied again."""
    applied = _applied_migrations(connection)
    if not applied and connection.execute("SELECT to_regclass('orgs')").fetchone() != (None,):
        raise DatabaseUnfit(_TOO_OLD)
    for file in schema.migrations:
        if applied.get(file.name, file.digest) != file.digest:
            raise DatabaseUnfit(
                f"migration {file.name} was changed after it was applied here. {_TOO_OLD}"
            )
    return [file for file in schema.migrations if file.name not in applied]


def _apply_migration(connection: psycopg.Connection, file: SqlFile) -> None:
    with connection.transaction():
        connection.execute(file.text.encode())
        _record_migration(connection, file)


def _record_migration(connection: psycopg.Connection, file: SqlFile) -> None:
    connection.execute(
        "INSERT INTO schema_migrations (name, digest) VALUES (%s, %s)", [file.name, file.digest]
    )


# --- functions -------------------------------------------------------------------------------------------------------


def _function_paths() -> Iterator[Path]:
    for path in PACKAGE.rglob("*functions.sql"):
        if path.parent != MIGRATIONS:
            yield path


def _place_in_order(path: Path) -> tuple[bool, Path, bool, str]:
    """The kernel first, since rooms use its functions; a room's functions.sql before its other files."""
    of_kernel = Path(__file__).parent in path.parents
    return not of_kernel, path.parent, path.name != "functions.sql", path.name


def _read(path: Path) -> SqlFile:
    return SqlFile(path.relative_to(PACKAGE).as_posix(), path.read_text())


def _apply_base(connection: psycopg.Connection, base: SqlFile) -> None:
    """Make what tables use, before they are made. The record follows with that of the other functions."""
    with connection.transaction():
        connection.execute(base.text.encode())


def _apply_functions(connection: psycopg.Connection, schema: Schema) -> None:
    """Make the functions what the files say, in one transaction: new, changed, and gone.

    CREATE OR REPLACE keeps a function's identity, so calls that run meanwhile do not notice. It cannot change a
    result type or the name of a parameter, and two functions that differ in their parameters only are ambiguous to GRANT:
    then those of the rooms are dropped first and made anew.
    """
    try:
        with connection.transaction():
            _replace_functions(connection, schema)
    except (psycopg.errors.InvalidFunctionDefinition, psycopg.errors.AmbiguousFunction):
        with connection.transaction():
            _drop_functions(connection, _recorded(connection, but_not_of=schema.base.name))
            _replace_functions(connection, schema)


def _replace_functions(connection: psycopg.Connection, schema: Schema) -> None:
    before = _recorded(connection)
    _reset_grants(connection, before)
    connection.execute("DELETE FROM schema_functions")
    made: set[str] = set()
    for file in schema.function_files:
        had = _versions(connection)
        connection.execute(file.text.encode())
        new = {name for name, version in _versions(connection).items() if had.get(name) != version}
        _record_functions(connection, file, new)
        made |= new
    _drop_functions(connection, before - made)


def _versions(connection: psycopg.Connection) -> dict[str, str]:
    """Where each function's row lies in the catalogue: replacing a function moves its row."""
    return dict(
        connection.execute(
            "SELECT p.oid::regprocedure::text, p.ctid::text FROM pg_proc p"
            " WHERE p.pronamespace = 'public'::regnamespace"
        ).fetchall()
    )


def _reset_grants(connection: psycopg.Connection, signatures: set[str]) -> None:
    """CREATE OR REPLACE keeps grants: without this, one that left its file would stay."""
    if found := signatures & _versions(connection).keys():
        routines = _listed(found)
        connection.execute(
            sql.SQL("REVOKE ALL ON ROUTINE {} FROM PUBLIC, holdfast_app").format(routines)
        )
        connection.execute(sql.SQL("GRANT EXECUTE ON ROUTINE {} TO PUBLIC").format(routines))


def _drop_functions(connection: psycopg.Connection, signatures: set[str]) -> None:
    if signatures:
        connection.execute(sql.SQL("DROP ROUTINE IF EXISTS {}").format(_listed(signatures)))


def _listed(signatures: set[str]) -> sql.SQL:
    return sql.SQL(", ".join(sorted(signatures)))  # as Postgres itself wrote them, quoted


# --- the records -----------------------------------------------------------------------------------------------------


def _create_records(connection: psycopg.Connection) -> None:
    connection.execute(
        "CREATE TABLE IF NOT EXISTS schema_migrations ("
        " name text PRIMARY KEY, digest text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());"
        "CREATE TABLE IF NOT EXISTS schema_functions ("
        " file text PRIMARY KEY, digest text NOT NULL, signatures text[] NOT NULL)"
    )


def _applied_migrations(connection: psycopg.Connection) -> dict[str, str]:
    """The digest of each migration that was applied, by name."""
    return _records(connection, "schema_migrations", "name")


def _applied_functions(connection: psycopg.Connection) -> dict[str, str]:
    """The digest of each file of functions as it was applied, by name."""
    return _records(connection, "schema_functions", "file")


def _records(connection: psycopg.Connection, table: str, key: str) -> dict[str, str]:
    if connection.execute("SELECT to_regclass(%s)", [table]).fetchone() == (None,):
        return {}
    query = sql.SQL("SELECT {}, digest FROM {}").format(sql.Identifier(key), sql.Identifier(table))
    return dict(connection.execute(query).fetchall())


def _record_functions(connection: psycopg.Connection, file: SqlFile, signatures: set[str]) -> None:
    connection.execute(
        "INSERT INTO schema_functions (file, digest, signatures) VALUES (%s, %s, %s)",
        [file.name, file.digest, sorted(signatures)],
    )


def _recorded(connection: psycopg.Connection, *, but_not_of: str | None = None) -> set[str]:
    """The functions that we made, by signature."""
    rows = connection.execute(
        "SELECT unnest(signatures) FROM schema_functions WHERE file IS DISTINCT FROM %s",
        [but_not_of],
    )
    return {signature for (signature,) in rows}
