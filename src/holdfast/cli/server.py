"""serve, worker, migrate."""

import asyncio
import signal
from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.output import AsJson, show
from holdfast.cli.progress import working
from holdfast.cli.reach import reach_database
from holdfast.kernel import logs, migrate
from holdfast.settings import read_settings

DataDir = Annotated[Path | None, typer.Option(help="Where the embedded database lives.")]
DatabaseUrl = Annotated[str | None, typer.Option(help="A Postgres 15+ with pgvector.")]


def register(app: typer.Typer) -> None:
    """Add the commands that run the service."""
    app.command("serve")(serve_command)
    app.command("worker")(worker_command)
    app.command("migrate")(migrate_command)


def serve_command(
    host: Annotated[str | None, typer.Option(help="The address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="The port to listen on; 0: a free one.")] = None,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    replica_url: Annotated[
        str | None, typer.Option(help="A streaming replica of that Postgres, for reads.")
    ] = None,
    redis_url: Annotated[str | None, typer.Option(help="A Redis, for conversations.")] = None,
    processes: Annotated[int | None, typer.Option(help="API processes sharing the port.")] = None,
    worker: Annotated[bool | None, typer.Option(help="Run background jobs here too.")] = None,
    as_json: AsJson = False,
) -> None:
    """Start everything on one machine: embedded Postgres, schema, API, worker.

    Example: holdfast serve --port 8321 --data-dir ./memory
    """
    from holdfast.serve import serve  # the whole service: other commands start without it

    settings = read_settings(
        host=host,
        port=port,
        data_dir=data_dir,
        database_url=database_url,
        replica_url=replica_url,
        redis_url=redis_url,
        processes=processes,
        worker=worker,
    )
    serve(settings, as_json=as_json)


def worker_command(
    concurrency: Annotated[int, typer.Option(min=1, max=64, help="Jobs at a time.")] = 4,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Run background jobs, beside any number of `serve` and other workers.

    Example: holdfast worker --database-url postgresql://holdfast@db/holdfast --concurrency 4
    """
    from holdfast.deployment import config_of
    from holdfast.worker import keep_working

    settings = read_settings(data_dir=data_dir, database_url=database_url)
    logs.configure(settings.log_level)

    async def work(url: str) -> None:
        stop = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            # A second signal sets what is set already: it does not cut short what has begun.
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        await keep_working(lambda: None, stop, config_of(settings, url), concurrency)

    with reach_database(settings) as urls:
        asyncio.run(work(urls.app))


def migrate_command(
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    dry_run: Annotated[bool, typer.Option(help="Only say what would be applied.")] = False,
    on_citus: Annotated[
        bool, typer.Option("--citus", help="Distribute the tables by org over the nodes of Citus.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Update the database schema; safe while the service runs.

    Example: holdfast migrate --dry-run
    """
    settings = read_settings(data_dir=data_dir, database_url=database_url)
    with working("Reading the schema"), reach_database(settings, migrated=False) as urls:
        names = (
            migrate.pending(urls.owner, on_citus=on_citus)
            if dry_run
            else migrate.migrate(urls.owner, on_citus=on_citus)
        )
    show({"pending" if dry_run else "applied": names}, as_json=as_json)
