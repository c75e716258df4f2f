"""mcp: memory for a client on this machine, over standard input and output; and its entry in that client's settings."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import psycopg
import typer

from holdfast.bootstrap import bootstrap
from holdfast.cli.mcp_clients import CLIENTS, entry_for, write_entry
from holdfast.cli.reach import Urls, reach_database
from holdfast.kernel import logs
from holdfast.kernel.caller import Caller, operator
from holdfast.kernel.db import Database
from holdfast.kernel.embed import Embedders
from holdfast.kernel.errors import Invalid
from holdfast.kernel.places import check_client_id
from holdfast.kernel.recall import vectors
from holdfast.local import find_service
from holdfast.settings import Settings, read_settings

mcp_app = typer.Typer(help="Memory for MCP clients.", invoke_without_command=True)

User = Annotated[str | None, typer.Option(help="Act for this user instead of the owner.")]
Agent = Annotated[str | None, typer.Option(help="Act as this agent instead of `default`.")]
Org = Annotated[str | None, typer.Option(help="The org's id; not needed where there is one.")]
Url = Annotated[
    str | None,
    typer.Option(envvar="HOLDFAST_URL", help="A service elsewhere; unset, the database itself."),
]
Key = Annotated[
    str | None,
    typer.Option(envvar="HOLDFAST_API_KEY", help="The key for that service."),
]


def register(app: typer.Typer) -> None:
    """Add `mcp` and what is below it."""
    app.add_typer(mcp_app, name="mcp")


@mcp_app.callback()
def mcp_command(
    context: typer.Context,
    user: User = None,
    agent: Agent = None,
    org: Org = None,
    url: Url = None,
    key: Key = None,
) -> None:
    """Speak MCP on standard input and output, for the owner and agent `default` unless told."""
    if context.invoked_subcommand is not None:
        return
    from holdfast import stdio  # the whole service: other commands start without it

    for name, value in (("user", user), ("agent", agent)):
        if value is not None:
            check_client_id(value, field=name)
    settings = read_settings()
    # The client shows what is said on standard error: only what is wrong.
    logs.configure("error" if settings.log_level.lower() == "error" else "warning")
    if url is not None:
        place = stdio.Place(url, _key(settings, url, key), user, agent)
        asyncio.run(stdio.on_service(place))
        return
    with reach_database(settings) as urls:
        asyncio.run(_on_database(settings, urls, org, user, agent))


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
) -> None:
    """Print what a client's settings need to start `holdfast mcp`, or write it there."""
    if client not in CLIENTS:
        raise Invalid(f"there is no client {client!r}; choose one of: {', '.join(CLIENTS)}")
    target = CLIENTS[client]
    entry = entry_for(target, read_settings(), {"user": user, "agent": agent, "org": org})
    path = target.settings_file(Path.cwd())
    if not write:
        print(target.render(entry))
        typer.echo(f"This goes into {path} (--write puts it there).", err=True)
        return
    write_entry(target, path, entry)
    typer.echo(f"Written to {path}; restart {client} to use it.", err=True)


async def _on_database(
    settings: Settings, urls: Urls, org: str | None, user: str | None, agent: str | None
) -> None:
    from holdfast import stdio

    embedders = Embedders(settings.embedder, settings.embedder_key)
    db = Database(urls.app, min_size=1, max_size=4, embedders=embedders)
    await db.open()
    try:
        await vectors.start(db)
        await bootstrap(db, urls.owner)  # only where there is no org yet
        await stdio.on_database(settings, urls.app, db, _caller(urls, org, user), agent)
    finally:
        await db.close()


def _caller(urls: Urls, org: str | None, user: str | None) -> Caller:
    if org is None:
        with psycopg.connect(urls.owner) as connection:
            found = connection.execute("SELECT org_id FROM orgs LIMIT 2").fetchall()
        if len(found) != 1:
            raise Invalid("there are several orgs; choose one with --org (holdfast orgs list)")
        [(org,)] = found
    caller = operator(org)
    return caller if user is None else replace(caller, user_id=user, user_is_new=True)


def _key(settings: Settings, url: str, key: str | None) -> str:
    local = find_service(settings.data_dir)
    if key is None and local is not None and local.url == url.rstrip("/"):
        return local.key
    if key is None:
        raise Invalid("no API key is known: give --key, or set HOLDFAST_API_KEY")
    return key
