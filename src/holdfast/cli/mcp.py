"""mcp: memory for a client on this machine, over standard input and output; and its entry in that client's settings."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import psycopg
import typer

from holdfast.bootstrap import bootstrap
from holdfast.cli.mcp_clients import CLIENTS, Target, entry_for, write_entry
from holdfast.cli.reach import Urls, reach_database
from holdfast.edge.tool_sets import chosen
from holdfast.kernel import logs
from holdfast.kernel.caller import Caller, operator
from holdfast.kernel.errors import Invalid, NotFound
from holdfast.kernel.places import check_client_id
from holdfast.local import find_service
from holdfast.settings import Settings, read_settings

mcp_app = typer.Typer(invoke_without_command=True)

User = Annotated[str | None, typer.Option(help="Act for this user instead of the owner.")]
Agent = Annotated[str | None, typer.Option(help="Act as this agent instead of `default`.")]
Tools = Annotated[
    str | None,
    typer.Option(help="Tool sets, with commas: core (the default), entries, blocks, … or all."),
]
Org = Annotated[str | None, typer.Option(help="The org's id; not needed where there is one.")]
Url = Annotated[
    str | None,
    typer.Option(envvar="HOLDFAST_URL", help="A service elsewhere; unset, the database itself."),
]
Key = Annotated[
    str | None,
    typer.Option("--api-key", "--key", envvar="HOLDFAST_API_KEY", help="The key for that service."),
]


SEVERAL_ORGS = "there are several orgs; choose one with --org (holdfast orgs list)"


def register(app: typer.Typer) -> None:
    """Add `mcp` and what is below it."""
    app.add_typer(mcp_app, name="mcp")


@mcp_app.callback()
def mcp_command(
    context: typer.Context,
    user: User = None,
    agent: Agent = None,
    org: Org = None,
    tools: Tools = None,
    url: Url = None,
    key: Key = None,
) -> None:
    """Speak MCP on standard input and output, for the owner and agent `default` unless told.

    Example: holdfast mcp --agent support --tools core,graph
    """
    if context.invoked_subcommand is not None:
        return
    from holdfast import stdio  # the whole service: other commands start without it

    for name, value in (("user", user), ("agent", agent)):
        if value is not None:
            check_client_id(value, field=name)
    sets = chosen(tools)
    settings = read_settings()
    # The client shows what is said on standard error: only what is wrong.
    logs.configure("error" if settings.log_level.lower() == "error" else "warning")
    if url is not None:
        place = stdio.Place(url, _key(settings, url, key), user, agent, tools)
        asyncio.run(stdio.on_service(place))
        return
    with reach_database(settings) as urls:
        asyncio.run(_on_database(settings, urls, org, user, agent, sets))


@mcp_app.command("install")
def install_command(
    client: Annotated[
        str, typer.Option(help=f"Which client: {', '.join(CLIENTS)}.")
    ] = "claude-desktop",
    write: Annotated[
        bool, typer.Option("--write", help="Write it into the client's settings; a copy is kept.")
    ] = False,
    user: User = None,
    agent: Agent = None,
    org: Org = None,
    tools: Tools = None,
    url: Url = None,
    key: Key = None,
) -> None:
    """Print what a client's settings need to start `holdfast mcp`, or write it there.

    Example: holdfast mcp install --client claude-code --write
    """
    if client not in CLIENTS:
        raise Invalid(f"there is no client {client!r}; choose one of: {', '.join(CLIENTS)}")
    chosen(tools)
    settings = read_settings()
    target = Target(
        data_dir=settings.data_dir,
        url=url,
        api_key=None if url is None else _key(settings, url, key),
        database_url=settings.database_url,
        migration_url=settings.migration_url,
    )
    if url is not None and org is not None:
        raise Invalid("--org goes with a database; a service knows the org by the key")
    if url is None:
        _check_org(settings, org)
    known = CLIENTS[client]
    entry = entry_for(known, target, {"user": user, "agent": agent, "org": org, "tools": tools})
    path = known.settings_file(Path.cwd())
    if not write:
        print(known.render(entry))
        typer.echo(f"This goes into {path} (--write puts it there).", err=True)
        return
    write_entry(known, path, entry, secret=target.has_secret)
    typer.echo(f"Written to {path}; restart {client} to use it.", err=True)


def _check_org(settings: Settings, org: str | None) -> None:
    """Refuse what could not start: no --org where there are several, or one that is not there.

    A data folder that is not there yet gets its first org when the command starts.
    """
    if settings.database_url is None and not settings.data_dir.exists():
        return
    with reach_database(settings) as urls:
        _chosen_org(urls, org)


async def _on_database(
    settings: Settings,
    urls: Urls,
    org: str | None,
    user: str | None,
    agent: str | None,
    tools: frozenset[str],
) -> None:
    from holdfast import stdio
    from holdfast.deployment import config_of, open_deployment

    async with open_deployment(config_of(settings, urls.app), max_size=4) as deployment:
        await bootstrap(deployment.db, urls.owner)  # only where there is no org yet
        await stdio.on_database(deployment, _caller(urls, org, user), agent, tools)


def _caller(urls: Urls, org: str | None, user: str | None) -> Caller:
    chosen_org = _chosen_org(urls, org)
    if chosen_org is None:
        raise RuntimeError("the first org was not made")
    caller = operator(chosen_org)
    return caller if user is None else replace(caller, user_id=user, user_is_new=True)


def _chosen_org(urls: Urls, org: str | None) -> str | None:
    """The named org, or the only one; None where there is none yet."""
    with psycopg.connect(urls.owner) as connection:
        known = [each for (each,) in connection.execute("SELECT org_id FROM orgs")]
    if org is None and len(known) > 1:
        raise Invalid(SEVERAL_ORGS)
    if org is not None and org not in known:
        raise NotFound(f"there is no org {org!r} here (holdfast orgs list)")
    return org or next(iter(known), None)


def _key(settings: Settings, url: str, key: str | None) -> str:
    local = find_service(settings.data_dir)
    if key is None and local is not None and local.url == url.rstrip("/"):
        return local.key
    if key is None:
        raise Invalid("no API key is known: give --api-key, or set HOLDFAST_API_KEY")
    return key
