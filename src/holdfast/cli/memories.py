"""remember and recall, from the command line. A client of the API."""

import hashlib
import json
import sys
from typing import Annotated, Any, Literal

import typer
from rich.table import Table
from rich.text import Text

from holdfast.cli.output import AsJson, console, show
from holdfast.cli.remote import Key, Url, call

# `remember --key` is the memory's own, so the API key has another name here.
ApiKey = Annotated[
    str | None,
    typer.Option("--api-key", envvar="HOLDFAST_API_KEY", help="The API key.", show_envvar=True),
]
Agent = Annotated[
    str | None,
    typer.Option(
        "--agent", envvar="HOLDFAST_AGENT", help="Speak for this agent.", show_envvar=True
    ),
]
Project = Annotated[str | None, typer.Option("--project", help="Speak from this project.")]
User = Annotated[
    str | None,
    typer.Option("--user", envvar="HOLDFAST_USER", help="Whose memory; else the key's own user's."),
]

MEMORY_COLUMNS = ("id", "key", "value", "scope", "created", "version", "updated_at")


def register(app: typer.Typer) -> None:
    """Add the commands of this face."""
    app.command("remember")(remember)
    app.command("recall")(recall)


def remember(
    text: Annotated[str, typer.Argument(help="What to remember; - reads it from the input.")],
    name: Annotated[
        str | None,
        typer.Option("--key", help="Replaces what has this key. Else the text gives one."),
    ] = None,
    category: Annotated[str | None, typer.Option(help="fact, preference, … or your own.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="Repeatable.")] = None,
    scope: Annotated[
        Literal["global", "project", "agent"],
        typer.Option(help="For the user anywhere, a project, or an agent."),
    ] = "global",
    project: Project = None,
    agent: Agent = None,
    user: User = None,
    importance: Annotated[int | None, typer.Option(min=1, max=10)] = None,
    pinned: Annotated[bool | None, typer.Option("--pinned/--not-pinned")] = None,
    url: Url = None,
    key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Save a memory: a new one, or in place of what was remembered under its key."""
    value = sys.stdin.read() if text == "-" else text
    details = {"category": category, "tags": tag, "importance": importance, "pinned": pinned}
    place = {"project_id": project, "agent_id": agent}
    body = {"key": name or _key_of(value), "value": value, "scope": scope}
    body |= _given({**details, **place})
    saved = call(url, key, "POST", "/memories", json=body, headers=_acting_for(user)).json()
    if as_json or not sys.stdout.isatty():
        show(saved, as_json=True)
        return
    show({name: saved[name] for name in MEMORY_COLUMNS}, as_json=False)


def recall(
    query: Annotated[str, typer.Argument(help="What to look for.")],
    limit: Annotated[int, typer.Option(min=1, max=100)] = 10,
    kind: Annotated[
        list[str] | None,
        typer.Option(help="memory, entry, block_line, store_entry, … Repeatable; else every kind."),
    ] = None,
    agent: Agent = None,
    project: Project = None,
    user: User = None,
    mode: Annotated[
        Literal["hybrid", "lexical", "semantic"], typer.Option(help="By word, by meaning, or both.")
    ] = "hybrid",
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what each score is made of.")
    ] = False,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """What fits a query best, of everything that is remembered."""
    body = {"query": query, "limit": limit, "mode": mode, "explain": explain}
    body |= _given({"kinds": kind, "agent_id": agent, "project_id": project})
    found = call(url, key, "POST", "/recall", json=body, headers=_acting_for(user)).json()
    if as_json or not sys.stdout.isatty():
        print(json.dumps(found["data"]))
        return
    _show_found(found["data"], explain=explain)


def _show_found(found: list[dict[str, Any]], *, explain: bool) -> None:
    if not found:
        console.print("Nothing fits.")
        return
    table = Table("score", "kind", "text", box=None, header_style="bold")
    for each in found:
        # As plain text: what somebody remembered is not ours to read as markup.
        text = Text(each["text"])
        if explain:
            text.append(f"\n{_parts(each['explain']['parts'])}", style="dim")
        table.add_row(f"{each['score']:.3f}", each["kind"], text)
    console.print(table)


def _parts(parts: dict[str, float]) -> str:
    return "  ".join(f"{name} {part:+.3f}" for name, part in parts.items())


def _key_of(value: str) -> str:
    """As the Python client has it: the same text is remembered once."""
    return f"text-{hashlib.sha256(value.encode()).hexdigest()[:16]}"


def _given(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None and value != []}


def _acting_for(user: str | None) -> dict[str, str]:
    return {} if user is None else {"Holdfast-User": user}
