"""import --from: memory from other systems' exports, through a service."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

from holdfast.cli.exits import CommandError
from holdfast.cli.output import show
from holdfast.cli.remote import find_server
from holdfast_client.client import Client
from holdfast_client.importers import import_file


def import_foreign(
    source: str,
    file: Path,
    *,
    user: str | None,
    store: str | None,
    url: str | None,
    api_key: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Import an export of another system, with a progress bar on a terminal, and print the report."""
    if not file.exists():
        raise CommandError(f"{file} is not there")
    # A dry run asks nothing of a service, so it needs none.
    url, key = ("http://127.0.0.1:1", "none") if dry_run else find_server(url, api_key)
    with Client(url, key) as client, _bar(as_json) as bar:
        task = bar.add_task(f"import from {source}", total=None) if bar else None

        def progress(done: int, total: int) -> None:
            if bar is not None and task is not None:
                bar.update(task, completed=done, total=total)

        try:
            report = import_file(
                client, source, file, user=user, store=store, dry_run=dry_run, progress=progress
            )
        except (ValueError, OSError) as error:
            raise CommandError(str(error)) from None
    show(report.as_json(), as_json=as_json)


def _bar(as_json: bool) -> Any:
    if as_json:
        return nullcontext()
    from rich.console import Console
    from rich.progress import Progress

    return Progress(console=Console(stderr=True), transient=True)
