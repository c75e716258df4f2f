"""sync: a folder of text files and a store, kept the same both ways."""

import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.exits import CommandError
from holdfast.cli.options import ApiKey, AsJson, Url, User, Workspace
from holdfast.cli.output import console, show
from holdfast.cli.remote import find_server
from holdfast_client.client import Client
from holdfast_client.errors import ConnectionFailed, HoldfastError
from holdfast_client.flows import run
from holdfast_client.named_stores import open_store
from holdfast_client.sync import SyncReport, sync_folder

WATCH_EVERY_S = 2.0


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("sync")(sync)


def sync(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder.")],
    store: Annotated[str, typer.Option(help="A store's id or name; a name that is new makes one.")],
    watch: Annotated[bool, typer.Option("--watch", help="Go on until Ctrl-C.")] = False,
    user: User = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Keep a folder of text files and a store the same, both ways; where both changed, both texts are kept.

    Example: holdfast sync ~/.claude/memory --store notes --watch
    """
    if not folder.is_dir():
        raise CommandError(f"{folder} is not a folder")
    with Client(*find_server(url, api_key)) as service:
        client = service.scope(user=user, workspace=workspace)
        store_id = _store_id(client, store)
        while True:
            try:
                report = _synced(client, store_id, folder)
            except (ConnectionFailed, HoldfastError) as error:
                if not watch:
                    raise
                console().print(f"not now: {error}")
            else:
                if not watch or report.changed or report.conflicts:
                    show(asdict(report), as_json=as_json)
            if not watch:
                return
            time.sleep(WATCH_EVERY_S)


def _synced(client: Client, store_id: str, folder: Path) -> SyncReport:
    try:
        return sync_folder(client.stores, store_id, folder)
    except ValueError as error:
        raise CommandError(str(error)) from None


def _store_id(client: Client, name: str) -> str:
    if name.startswith("memstore_"):
        return name
    named = [
        each for each in client.stores.list_stores(name=name, limit=100).data if each.name == name
    ]
    if len(named) > 1:
        ids = ", ".join(each.id for each in named)
        raise CommandError(f"several stores are named {name!r}: give the id, one of {ids}")
    if named:
        return named[0].id
    return run(open_store(client._scope, name, "Kept the same as a folder"), client.send)
