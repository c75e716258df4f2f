"""entries: what an agent stored, from the command line. A client of the API."""

import sys
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import quote

import typer

from holdfast.cli.output import AsJson, show, show_all
from holdfast.cli.remote import Key, Url, call
from holdfast.kernel.errors import Invalid

Agent = Annotated[
    str, typer.Option("--agent", envvar="HOLDFAST_AGENT", help="Whose entries.", show_envvar=True)
]
Run = Annotated[str | None, typer.Option("--run", help="The current run.")]
Category = Annotated[str | None, typer.Option(help="Only of this category.")]

entries_app = typer.Typer(help="What an agent keeps between events.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands of this face."""
    app.add_typer(entries_app, name="entries")


def _path(agent: str, *parts: str) -> str:
    """A path under an agent. Dots are encoded too: a key `..` is not a step up."""
    encoded = (quote(part, safe="").replace(".", "%2E") for part in parts[1:])
    return "/".join((f"/agents/{quote(agent, safe='')}/{parts[0]}", *encoded))


@entries_app.command("list")
def list_entries(
    agent: Agent = "default",
    category: Category = None,
    tag: Annotated[list[str] | None, typer.Option(help="Repeatable; all must hold.")] = None,
    query: Annotated[str | None, typer.Option(help="Part of a key or content.")] = None,
    run: Run = None,
    limit: Annotated[int | None, typer.Option(min=1, max=100)] = None,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """An agent's entries and its workspace's, last stored first."""
    asked = {"category": category, "tag": tag, "query": query, "run_id": run, "limit": limit}
    params = {name: value for name, value in asked.items() if value}
    page = call(url, key, "GET", _path(agent, "entries"), params=params).json()
    show_all(page["data"], ["key", "category", "content", "tags", "updated_at"], as_json=as_json)


@entries_app.command("get")
def get_entry(
    name: Annotated[str, typer.Argument(metavar="KEY")],
    agent: Agent = "default",
    run: Run = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="As a markdown page.")] = False,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """What is stored under a key."""
    headers = {"Accept": "text/markdown"} if markdown else {}
    params = {"run_id": run} if run else {}
    answer = call(url, key, "GET", _path(agent, "entries", name), params=params, headers=headers)
    if markdown:
        sys.stdout.write(answer.text)
        return
    show(answer.json(), as_json=as_json)


@entries_app.command("set")
def set_entry(
    name: Annotated[str, typer.Argument(metavar="KEY")],
    content: Annotated[str, typer.Argument(help="What to remember; - reads it from the input.")],
    agent: Agent = "default",
    category: Annotated[str, typer.Option(help="core, daily, workspace, … or your own.")] = "core",
    tag: Annotated[list[str] | None, typer.Option(help="Repeatable.")] = None,
    run: Run = None,
    expected_version: Annotated[
        int | None, typer.Option(min=0, help="Only over this version; 0: only if there is none.")
    ] = None,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Store a fact under a key, or refresh what is there."""
    text = sys.stdin.read() if content == "-" else content
    body = {
        "content": text,
        "category": category,
        "tags": tag or [],
        "run_id": run,
        "expected_version": expected_version,
    }
    show(call(url, key, "PUT", _path(agent, "entries", name), json=body).json(), as_json=as_json)


@entries_app.command("forget")
def forget_entry(
    name: Annotated[str, typer.Argument(metavar="KEY")],
    agent: Agent = "default",
    category: Category = None,
    run: Run = None,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Forget what is stored under a key; nothing there is no error."""
    asked = {"category": category, "run_id": run}
    params = {name: value for name, value in asked.items() if value}
    answer = call(url, key, "DELETE", _path(agent, "entries", name), params=params)
    show(answer.json(), as_json=as_json)


@entries_app.command("export")
def export_entries(
    file: Annotated[Path, typer.Argument(help="The zip to write; - is the output.")],
    agent: Agent = "default",
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Write an agent's own entries to a zip of markdown files."""
    archive = call(url, key, "GET", _path(agent, "entries-export")).content
    if str(file) == "-":
        sys.stdout.buffer.write(archive)
        return
    try:
        file.write_bytes(archive)
    except OSError as error:
        raise Invalid(f"{file} cannot be written: {error.strerror}") from None
    show({"file": str(file), "bytes": len(archive)}, as_json=as_json)


@entries_app.command("import")
def import_entries(
    file: Annotated[Path, typer.Argument(help="The zip to read; - is the input.")],
    agent: Agent = "default",
    mode: Annotated[
        Literal["upsert", "replace"], typer.Option(help="replace also forgets what the zip lacks.")
    ] = "upsert",
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Store what a zip of markdown files holds: all of it or nothing."""
    try:
        archive = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    except OSError as error:
        raise Invalid(f"{file} cannot be read: {error.strerror}") from None
    answer = call(
        url, key, "POST", _path(agent, "entries-import"), params={"mode": mode}, content=archive
    )
    show(answer.json(), as_json=as_json)
