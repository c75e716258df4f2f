"""backup, restore: the whole deployment in one file. upgrade: the embedded database to a new major version."""

import asyncio
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from holdfast.backup.embedded import Replay
from holdfast.backup.service import back_up, restore
from holdfast.backup.upgrade import upgrade
from holdfast.cli.exits import CommandError
from holdfast.cli.output import AsJson, show
from holdfast.cli.progress import working
from holdfast.cli.reach import reach_database
from holdfast.cli.server import DatabaseUrl, DataDir
from holdfast.memories.assets.objects import ObjectStore
from holdfast.settings import read_settings


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("backup")(backup_command)
    app.command("restore")(restore_command)
    app.command("upgrade")(upgrade_command)


def backup_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write.")],
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    as_json: AsJson = False,
) -> None:
    """Back up database and assets into one file, while the service runs.

    Example: holdfast backup holdfast-2026-11-16.tar
    """
    settings = read_settings(data_dir=data_dir, database_url=database_url)
    file = file.expanduser().resolve()
    with working("Backing up"), reach_database(settings) as urls:
        made = asyncio.run(
            back_up(
                urls.owner,
                "base" if settings.database_url is None else "dump",
                ObjectStore(settings.assets),
                file,
            )
        )
    show({"file": str(file), "bytes": file.stat().st_size, **asdict(made)}, as_json=as_json)


def restore_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The backup to read.")],
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    wal: Annotated[
        Path | None,
        typer.Option("--wal", help="Also replay the archived log (HOLDFAST_WAL_ARCHIVE)."),
    ] = None,
    until: Annotated[
        datetime | None, typer.Option("--until", help="Stop the replay at this time (UTC).")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Restore a backup into an empty data folder, or into an empty database of yours.

    Example: holdfast restore holdfast-2026-11-16.tar --data-dir /srv/holdfast
    """
    settings = read_settings(data_dir=data_dir, database_url=database_url)
    if until is not None and wal is None:
        raise CommandError("--until needs the archived log: name its folder with --wal")
    at = None if until is None else until.replace(tzinfo=until.tzinfo or UTC)
    with working("Restoring"):
        restored = restore(
            file.expanduser(),
            data_dir=settings.data_dir,
            owner_url=settings.migration_url or settings.database_url,
            assets_at=settings.assets,
            replay=None if wal is None else Replay(wal.expanduser().resolve(), at),
        )
    show(restored, as_json=as_json)


def upgrade_command(
    backup: Annotated[
        Path | None,
        typer.Option("--backup", help="The file for the backup; by default in the data folder."),
    ] = None,
    programs: Annotated[
        Path | None,
        typer.Option("--programs", help="The folder of the old version's programs."),
    ] = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Move the embedded database to the installed major version of Postgres, after a backup. Stop `serve` first.

    Example: holdfast upgrade --backup /backups/before-19.tar --programs /usr/lib/postgresql/18/bin
    """
    settings = read_settings(data_dir=data_dir)
    if settings.database_url is not None:
        raise CommandError(
            "upgrade is for the embedded database: a Postgres of yours is upgraded with its own tools (pg_upgrade)"
        )
    with working("Upgrading"):
        done = upgrade(settings.data_dir, settings.assets, backup=backup, programs=programs)
    show(asdict(done), as_json=as_json)
