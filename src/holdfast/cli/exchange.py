"""export, import: an org, a person or an agent as a zip of JSON lines, with access to the database.

`import --from` goes through a service instead: the service's own code is loaded only by what needs it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from holdfast.cli.exits import CommandError
from holdfast.cli.options import ApiKey, Url
from holdfast.cli.output import AsJson, show
from holdfast.cli.progress import working

if TYPE_CHECKING:
    from holdfast.deployment import Deployment


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("export")(export_command)
    app.command("import")(import_command)


def export_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The zip to write.")],
    whole_org: Annotated[bool, typer.Option("--org", help="The whole org (the default).")] = False,
    user: Annotated[str | None, typer.Option("--user", help="What is held about a person.")] = None,
    agent: Annotated[str | None, typer.Option("--agent", help="What an agent keeps.")] = None,
    org: Annotated[
        str | None, typer.Option("--org-id", help="The org's id; not needed where there is one.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Export an org, a person or an agent with every version; credentials do not travel.

    Example: holdfast export --user ana ana.zip
    """
    if whole_org + (user is not None) + (agent is not None) > 1:
        raise CommandError("name one of --org, --user and --agent")
    if file.exists():
        raise CommandError(f"{file} is there already: choose another name")
    from holdfast.cli.admin import caller_of
    from holdfast.exchange import service
    from holdfast.exchange.tables import Chosen

    caller, unfinished = (
        caller_of(org, option="--org-id"),
        file.with_name(f".{file.name}.unfinished"),
    )

    async def run(deployment: "Deployment") -> dict[str, int]:
        return await service.export(
            deployment.conversations, deployment.assets, caller, Chosen(user, agent), unfinished
        )

    try:
        with working("Exporting"):
            lines = _with_deployment(run)
        unfinished.rename(file)
    finally:
        unfinished.unlink(missing_ok=True)
    show({"file": str(file), "lines": {k: n for k, n in lines.items() if n}}, as_json=as_json)


def import_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The zip to read.")],
    org: Annotated[
        str | None, typer.Option("--org", help="The org's id; not needed where there is one.")
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            help="An export of another system: chatgpt, claude, letta, markdown, mcp, mem0 or zep. Goes through a service.",
        ),
    ] = None,
    user: Annotated[str | None, typer.Option("--user", help="With --from: for this user.")] = None,
    store: Annotated[
        str | None, typer.Option("--store", help="With --from markdown: into this store.")
    ] = None,
    url: Url = None,
    api_key: ApiKey = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would change.")] = False,
    as_json: AsJson = False,
) -> None:
    """Import an export: all of it or nothing. Of what is there already, the newer version wins.

    With --from, what is there already stays as it is, so that an import can be run again.

    Example: holdfast import ana.zip --dry-run
    """
    if source is not None:
        from holdfast.cli.foreign import import_foreign

        import_foreign(
            source,
            file,
            user=user,
            store=store,
            url=url,
            api_key=api_key,
            dry_run=dry_run,
            as_json=as_json,
        )
        return
    from holdfast.cli.admin import caller_of
    from holdfast.exchange.importing import Import
    from holdfast.unified_recall.documents import READERS

    caller = caller_of(org)

    async def run(deployment: "Deployment") -> dict[str, Any]:
        importing = Import(deployment.conversations, deployment.assets, caller, READERS)
        return asdict(await importing.read(file, dry_run=dry_run))

    with working("Importing"):
        report = _with_deployment(run)
    show(report, as_json=as_json)


def _with_deployment(work: Callable[["Deployment"], Awaitable[dict[str, Any]]]) -> dict[str, Any]:
    from holdfast.cli.reach import reach_database
    from holdfast.deployment import config_of, open_deployment
    from holdfast.kernel import logs
    from holdfast.settings import read_settings

    settings = read_settings()
    logs.configure("warning")

    async def run(app_url: str) -> dict[str, Any]:
        async with open_deployment(config_of(settings, app_url)) as deployment:
            return await work(deployment)

    with reach_database(settings) as urls:
        return asyncio.run(run(urls.app))
