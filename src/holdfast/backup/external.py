"""Your own Postgres in a backup: what pg_dump writes, read by pg_restore."""

import shutil
import tarfile
from pathlib import Path

import psycopg

from holdfast.backup.archive import DATABASE, BackupError, part
from holdfast.backup.programs import run
from holdfast.kernel import prerequisites
from holdfast.kernel.migrate import migrate

DUMP = "dump"
_TABLES = (
    "SELECT count(*) FROM pg_class c WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace"
    " AND NOT EXISTS (SELECT FROM pg_depend e WHERE e.objid = c.oid AND e.deptype = 'e')"
)


def dump(owner_url: str, folder: Path) -> None:
    """Dump the database into a folder. Row-level security is forced on the owner too: the login must be a superuser or have
    BYPASSRLS, else pg_dump refuses rather than leave rows out."""
    with psycopg.connect(owner_url) as connection:
        row = connection.execute(
            "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
        ).fetchone()
    if row != (True,):
        raise BackupError(
            "this login cannot read every row: give HOLDFAST_MIGRATION_URL a role that is a superuser or has BYPASSRLS,"
            " or back the server up with its own tools"
        )
    run("pg_dump", ["--format=custom", f"--file={folder / DUMP}"], owner_url)


def add_dump(archive: tarfile.TarFile, folder: Path) -> None:
    """Put a dump into the backup."""
    archive.add(folder / DUMP, f"{DATABASE}/{DUMP}")


def restore_dump(archive: tarfile.TarFile, owner_url: str, folder: Path) -> None:
    """Read a dump into a database that has no tables of ours."""
    with psycopg.connect(owner_url, autocommit=True) as connection:
        if connection.execute(_TABLES).fetchone() != (0,):
            raise BackupError("this database has tables already: restore into an empty one")
        prerequisites.check_server(connection)
        prerequisites.create_role(connection)  # the dump grants to it, and holds no roles
    with (folder / DUMP).open("wb") as file:
        shutil.copyfileobj(part(archive, DUMP), file)
    arguments = ["--no-owner", "--no-comments", "--exit-on-error", str(folder / DUMP)]
    run("pg_restore", arguments, owner_url)
    migrate(owner_url)
