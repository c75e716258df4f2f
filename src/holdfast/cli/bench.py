"""bench: how long common calls take on this deployment."""

import asyncio
from typing import Annotated, Any

import typer

from holdfast.cli.output import AsJson, show_all
from holdfast.cli.progress import working

COLUMNS = ("call", "times", "p50_ms", "p95_ms", "per_second")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("bench")(bench_command)


def bench_command(
    times: Annotated[
        int, typer.Option(min=1, max=10_000, help="How often each call is made.")
    ] = 50,
    as_json: AsJson = False,
) -> None:
    """Measure how long remember, recall, context and a read take on this deployment, one call at a time.

    The calls go through the application in this process, in an org that is made for it and removed again.

    Example: holdfast bench --times 200
    """
    # The whole service: --help starts without it.
    from holdfast.cli.reach import reach_database
    from holdfast.kernel import logs
    from holdfast.measuring import measure
    from holdfast.settings import read_settings

    settings = read_settings()
    logs.configure("error")  # not a line for every request
    with working("Measuring"), reach_database(settings) as urls:
        found: list[dict[str, Any]] = asyncio.run(measure(settings, urls.app, urls.owner, times))
    show_all(found, COLUMNS, as_json=as_json)
