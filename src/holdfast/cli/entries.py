"""entries: what an agent keeps between runs."""

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from holdfast.cli.options import ApiKey, AsJson, Newest, Url, User, Workspace
from holdfast.cli.output import show, show_all
from holdfast.cli.remote import Remote
from holdfast.cli.texts import read_bytes, text_of, write_bytes
from holdfast_client.entries import calls

Agent = Annotated[
    str, typer.Option("--agent", envvar="HOLDFAST_AGENT", help="Whose entries.", show_envvar=True)
]
Key = Annotated[str, typer.Argument(metavar="KEY")]
Run = Annotated[str | None, typer.Option("--run", help="The current run.")]
Category = Annotated[str | None, typer.Option(help="Only of this category.")]
Found = Annotated[
    Literal["agent", "user"] | None,
    typer.Option("--scope", help="Only the user's, or only others."),
]
Kept = Annotated[
    Literal["agent", "user"], typer.Option("--scope", help="user: only for the user acted for.")
]

entries_app = typer.Typer(help="What an agent keeps between runs.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands of this face."""
    app.add_typer(entries_app, name="entries")


@entries_app.command("list")
def list_entries(
    agent: Agent = "default",
    category: Category = None,
    tag: Annotated[list[str] | None, typer.Option(help="Repeatable; all must hold.")] = None,
    query: Annotated[str | None, typer.Option(help="Part of a key or content.")] = None,
    run: Run = None,
    limit: Annotated[int | None, typer.Option(min=1, max=100)] = None,
    user: User = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """An agent's entries and its workspace's, last stored first.

    Example: holdfast entries list --agent support --tag billing
    """
    service = Remote(url, api_key, user=user, workspace=workspace, agent=agent)
    page = service.ask(
        calls.list_entries, category=category, tags=tag or (), query=query, run_id=run, limit=limit
    )
    columns = ["key", "category", "content", "tags", "updated_at"]
    show_all(page["data"], columns, as_json=as_json)


@entries_app.command("get")
def get_entry(
    key: Key,
    agent: Agent = "default",
    run: Run = None,
    scope: Found = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="As a markdown page.")] = False,
    user: User = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """What is stored under a key.

    Example: holdfast entries get refund-limit --agent support
    """
    service = Remote(url, api_key, user=user, workspace=workspace, agent=agent)
    if markdown:
        sys.stdout.write(service.fetch(calls.recall_markdown, key, run_id=run, scope=scope))
        return
    show(service.ask(calls.recall, key, run_id=run, scope=scope), as_json=as_json)


@entries_app.command("set")
def set_entry(
    key: Key,
    content: Annotated[str, typer.Argument(help="What to remember; - reads it from the input.")],
    agent: Agent = "default",
    category: Annotated[str, typer.Option(help="core, daily, workspace, … or your own.")] = "core",
    tag: Annotated[list[str] | None, typer.Option(help="Repeatable.")] = None,
    run: Run = None,
    scope: Kept = "agent",
    expected_version: Annotated[
        int | None, typer.Option(min=0, help="Only over this version; 0: only if there is none.")
    ] = None,
    user: User = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Store a fact under a key, or refresh what is there.

    Example: holdfast entries set refund-limit "100 EUR without asking" --agent support
    """
    service = Remote(url, api_key, user=user, workspace=workspace, agent=agent)
    stored = service.ask(
        calls.store,
        key,
        text_of(content),
        category=category,
        tags=tag or (),
        scope=scope,
        run_id=run,
        expected_version=expected_version,
    )
    show(stored, as_json=as_json)


@entries_app.command("forget")
def forget_entry(
    key: Key,
    agent: Agent = "default",
    category: Category = None,
    run: Run = None,
    scope: Found = None,
    user: User = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Forget what is stored under a key; nothing there is no error.

    Example: holdfast entries forget refund-limit --agent support
    """
    service = Remote(url, api_key, user=user, workspace=workspace, agent=agent)
    forgotten = service.ask(calls.forget, key, category=category, run_id=run, scope=scope)
    show(forgotten, as_json=as_json)


@entries_app.command("history")
def entry_history(
    key: Key,
    agent: Agent = "default",
    limit: Newest = None,
    category: Category = None,
    run: Run = None,
    scope: Found = None,
    user: User = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """The versions under a key, newest first; also of what was forgotten, evicted or has expired.

    Example: holdfast entries history refund-limit --agent support
    """
    service = Remote(url, api_key, user=user, workspace=workspace, agent=agent)
    rows = service.pages(
        calls.history, key, limit=limit, category=category, run_id=run, scope=scope
    )
    columns = ["version", "action", "created_at", "actor", "content"]
    show_all([*rows], columns, as_json=as_json)


@entries_app.command("export")
def export_entries(
    file: Annotated[Path, typer.Argument(help="The zip to write; - is the output.")],
    agent: Agent = "default",
    scope: Kept = "agent",
    user: User = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Write an agent's own entries to a zip of markdown files.

    Example: holdfast entries export support.zip --agent support
    """
    archive = Remote(url, api_key, user=user, workspace=workspace, agent=agent).fetch(
        calls.export_entries, scope=scope
    )
    write_bytes(file, archive)
    if str(file) != "-":
        show({"file": str(file), "bytes": len(archive)}, as_json=as_json)


@entries_app.command("import")
def import_entries(
    file: Annotated[Path, typer.Argument(help="The zip to read; - is the input.")],
    agent: Agent = "default",
    scope: Kept = "agent",
    mode: Annotated[
        Literal["upsert", "replace"], typer.Option(help="replace also forgets what the zip lacks.")
    ] = "upsert",
    user: User = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Store what a zip of markdown files holds: all of it or nothing.

    Example: holdfast entries import support.zip --agent support
    """
    archive = read_bytes(file)
    service = Remote(url, api_key, user=user, workspace=workspace, agent=agent)
    show(service.ask(calls.import_entries, archive, mode=mode, scope=scope), as_json=as_json)
