"""stores: text at paths, with every version kept."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from holdfast.cli.exits import CommandError
from holdfast.cli.options import ApiKey, AsJson, Url, User, Workspace
from holdfast.cli.output import console, show, show_all
from holdfast.cli.remote import Remote
from holdfast.cli.texts import read_bytes, read_text, write_bytes
from holdfast_client.errors import NotFound
from holdfast_client.stores import calls

# On a terminal nobody reads further; a script asks for what it needs.
DEFAULT_LIMIT = 100

Store = Annotated[str, typer.Argument(metavar="STORE", help="A store's id, or its name.")]
At = Annotated[str, typer.Argument(metavar="PATH", help="Where the entry lies.")]
Limit = Annotated[int, typer.Option(min=1, help="At most this many.")]

stores_app = typer.Typer(help="Text at paths, with every version kept.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands of this face."""
    app.add_typer(stores_app, name="stores")


# --- stores ----------------------------------------------------------------------------------------------------------


@stores_app.command("create")
def create(
    name: str,
    description: Annotated[str, typer.Option(help="What it is for.")] = "",
    private: Annotated[
        bool, typer.Option("--private", help="For the user acted for alone.")
    ] = False,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="User and agent keys only read it.")
    ] = False,
    user: User = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Make a store.

    Example: holdfast stores create handbook --description "How we work"
    """
    service = Remote(url, api_key, user=user, workspace=workspace)
    made = service.ask(
        calls.create_store,
        name,
        description=description,
        visibility="private" if private else "org",
        read_only=read_only,
    )
    show(made, as_json=as_json)


@stores_app.command("list")
def list_stores(
    name: Annotated[str | None, typer.Option(help="How the name begins, in any case.")] = None,
    archived: Annotated[bool, typer.Option("--archived", help="Archived ones too.")] = False,
    limit: Limit = DEFAULT_LIMIT,
    user: User = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """The stores, newest first.

    Example: holdfast stores list --name handbook
    """
    service = Remote(url, api_key, user=user, workspace=workspace)
    rows = list(service.pages(calls.list_stores, limit=limit, name=name, include_archived=archived))
    columns = ["id", "name", "status", "visibility", "entry_count", "total_size", "updated_at"]
    show_all(rows, columns, as_json=as_json)


@stores_app.command("show")
def show_store(
    store: Store,
    user: User = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """A store, with the number and the size of what is in it.

    Example: holdfast stores show handbook
    """
    service = Remote(url, api_key, user=user, workspace=workspace)
    show(service.ask(calls.read_store, _store(service, store)), as_json=as_json)


@stores_app.command("archive")
def archive(
    store: Store,
    user: User = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Close a store to writing, for good.

    Example: holdfast stores archive handbook
    """
    service = Remote(url, api_key, user=user, workspace=workspace)
    show(service.ask(calls.archive_store, _store(service, store)), as_json=as_json)


# --- entries ---------------------------------------------------------------------------------------------------------


@stores_app.command("ls")
def ls(
    store: Store,
    prefix: Annotated[str | None, typer.Argument(help="Only below this folder.")] = None,
    depth: Annotated[int, typer.Option(min=0, help="Roll up what lies deeper; 0: nothing.")] = 0,
    limit: Limit = DEFAULT_LIMIT,
    user: User = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """What lies in a store, by path.

    Example: holdfast stores ls handbook notes --depth 1
    """
    service = Remote(url, api_key, user=user, workspace=workspace)
    store_id = _store(service, store)
    filters = {"path_prefix": prefix, "depth": depth}
    rows = list(service.pages(calls.list_entries, store_id, limit=limit, **filters))
    show_all(rows, ["path", "size", "version", "updated_at"], as_json=as_json)


@stores_app.command("cat")
def cat(
    store: Store,
    path: At,
    user: User = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """An entry's content, byte for byte.

    Example: holdfast stores cat handbook notes/refunds.md
    """
    service = Remote(url, api_key, user=user, workspace=workspace)
    entry = service.ask(calls.read_entry_at, _store(service, store), path)
    if as_json:
        show(entry, as_json=True)
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(entry["content"].encode())


@stores_app.command("put")
def put(
    store: Store,
    path: At,
    file: Annotated[
        Path | None, typer.Argument(help="What to write; the standard input if left out.")
    ] = None,
    version: Annotated[
        int | None, typer.Option(min=1, help="Only if the entry is still at this version.")
    ] = None,
    user: User = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Write a text at a path: a new entry, or a new version of the one that is there.

    Example: holdfast stores put handbook notes/refunds.md refunds.md
    """
    service = Remote(url, api_key, user=user, workspace=workspace)
    store_id, content = _store(service, store), read_text(file)
    try:
        there = service.ask(calls.read_entry_at, store_id, path)
    except NotFound:
        entry = service.ask(calls.create_entry, store_id, path, content)
    else:
        current = version or there["version"]
        entry = service.ask(calls.update_entry, store_id, there["id"], content, version=current)
    entry.pop("content")
    show(entry, as_json=as_json)


@stores_app.command("rm")
def rm(
    store: Store,
    path: At,
    version: Annotated[
        int | None, typer.Option(min=1, help="Only if the entry is still at this version.")
    ] = None,
    user: User = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
) -> None:
    """Delete an entry; its versions stay.

    Example: holdfast stores rm handbook notes/refunds.md
    """
    service = Remote(url, api_key, user=user, workspace=workspace)
    store_id = _store(service, store)
    entry = service.ask(calls.read_entry_at, store_id, path)
    service.ask(calls.delete_entry, store_id, entry["id"], version=version)


# --- versions --------------------------------------------------------------------------------------------------------


@stores_app.command("versions")
def versions(
    store: Store,
    path: Annotated[str | None, typer.Argument(help="Only of what lay at this path.")] = None,
    action: Annotated[str | None, typer.Option(help="created, updated or deleted.")] = None,
    limit: Limit = 20,
    user: User = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """The versions of a store's entries, newest first.

    Example: holdfast stores versions handbook notes/refunds.md
    """
    service = Remote(url, api_key, user=user, workspace=workspace)
    store_id = _store(service, store)
    filters = {"path": path, "action": action}
    rows = list(service.pages(calls.list_versions, store_id, limit=limit, **filters))
    columns = ["id", "entry_path", "version", "action", "size", "redacted", "created_at"]
    show_all(rows, columns, as_json=as_json)


@stores_app.command("diff")
def diff(
    store: Store,
    since: Annotated[str, typer.Argument(metavar="FROM", help="A version or a time.")],
    until: Annotated[str, typer.Argument(metavar="TO", help="A version or a time.")],
    user: User = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """What changed between two versions or two times, as a unified diff.

    Example: holdfast stores diff handbook 2026-01-01T00:00:00Z 2026-02-01T00:00:00Z
    """
    service = Remote(url, api_key, user=user, workspace=workspace)
    changed = service.ask(calls.diff, _store(service, store), since, until)
    if as_json:
        show(changed, as_json=True)
        return
    for file in changed["files"]:
        text = file["diff"] or f"# {file['action']}: {file['path']}\n"
        console().print(text, end="", markup=False, highlight=False, soft_wrap=True)


# --- zip in and out --------------------------------------------------------------------------------------------------


@stores_app.command("export")
def export(
    store: Store,
    file: Annotated[Path, typer.Argument(help="Where to write the zip; - for standard output.")],
    user: User = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
) -> None:
    """Write a store to a zip: files at their paths, and a manifest with their metadata.

    Example: holdfast stores export handbook handbook.zip
    """
    service = Remote(url, api_key, user=user, workspace=workspace)
    write_bytes(file, service.fetch(calls.export_store, _store(service, store)))


@stores_app.command("import")
def import_zip(
    store: Store,
    file: Annotated[Path, typer.Argument(help="The zip; - for standard input.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Also delete what is not in it.")
    ] = False,
    user: User = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Write every file of a zip to its path, or nothing of it.

    Example: holdfast stores import handbook handbook.zip
    """
    service = Remote(url, api_key, user=user, workspace=workspace)
    mode: Any = "replace" if replace else "upsert"
    done = service.ask(calls.import_store, _store(service, store), read_bytes(file), mode=mode)
    show(done, as_json=as_json)


# --- what they share -------------------------------------------------------------------------------------------------


def _store(service: Remote, named: str) -> str:
    """The id of a store that was named by id, or by a name that only one has."""
    if named.startswith("memstore_"):
        return named
    pages = service.pages(calls.list_stores, limit=None, name=named, include_archived=True)
    found = [store["id"] for store in pages if store["name"] == named]
    if not found:
        raise NotFound(f"there is no store {named!r} (holdfast stores list)")
    if len(found) > 1:
        raise CommandError(f"{len(found)} stores are called {named!r}; name one by its id")
    return str(found[0])
