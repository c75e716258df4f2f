"""remember, recall, forget and context: the four verbs."""

from typing import Annotated, Any, Literal

import typer

from holdfast.cli.exits import CommandError
from holdfast.cli.options import Agent, ApiKey, AsJson, Project, Session, Url, User, Workspace
from holdfast.cli.output import (
    cell,
    console,
    for_people,
    print_json,
    print_table,
    show,
    without_controls,
)
from holdfast.cli.remote import Remote
from holdfast.cli.texts import text_of
from holdfast_client.unified_recall import calls

# Characters of a line of hits: the least for a text, and what score, kind and gaps take.
MIN_TEXT, SCORE_AND_KIND = 20, 26
MEMORY_FIELDS = ("id", "key", "value", "scope", "created", "version", "updated_at")


def register(app: typer.Typer) -> None:
    """Add the four verbs."""
    app.command("remember")(remember)
    app.command("recall")(recall)
    app.command("forget")(forget)
    app.command("context")(context)


def remember(
    text: Annotated[str, typer.Argument(help="What to remember; - reads it from the input.")],
    key: Annotated[
        str | None,
        typer.Option("--key", help="Replaces what has this key. Else the text gives one."),
    ] = None,
    category: Annotated[str | None, typer.Option(help="fact, preference, … or your own.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="Repeatable.")] = None,
    scope: Annotated[
        Literal["global", "project", "agent"],
        typer.Option(help="For the user anywhere, a project, or an agent."),
    ] = "global",
    importance: Annotated[int | None, typer.Option(min=1, max=10)] = None,
    pinned: Annotated[bool | None, typer.Option("--pinned/--not-pinned")] = None,
    project: Project = None,
    agent: Agent = None,
    user: User = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Save a memory: a new one, or an update of the one with the same key.

    Example: holdfast remember "Ana takes her tea green" --key "ana's tea"
    """
    service = Remote(url, api_key, user=user, workspace=workspace, agent=agent, project=project)
    given = {"category": category, "tags": tag, "importance": importance, "pinned": pinned}
    options: Any = {name: value for name, value in given.items() if value not in (None, [])}
    saved = service.ask(calls.remember, text_of(text), key, scope=scope, **options)
    if for_people(as_json=as_json):
        saved = {name: saved[name] for name in MEMORY_FIELDS}
    show(saved, as_json=as_json)


def recall(
    query: Annotated[str, typer.Argument(help="What to look for.")],
    limit: Annotated[int, typer.Option(min=1, max=100)] = 10,
    kind: Annotated[
        list[str] | None,
        typer.Option(help="memory, entry, block_line, store_entry, … Repeatable; else every kind."),
    ] = None,
    mode: Annotated[
        Literal["hybrid", "lexical", "semantic"], typer.Option(help="By word, by meaning, or both.")
    ] = "hybrid",
    min_score: Annotated[float | None, typer.Option(min=0, max=1, help="Leave out less.")] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what each score is made of.")
    ] = False,
    agent: Agent = None,
    project: Project = None,
    session: Session = None,
    user: User = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Search every kind of memory, best results first.

    Example: holdfast recall "what does Ana drink?" --explain
    """
    service = Remote(
        url, api_key, user=user, workspace=workspace, agent=agent, project=project, session=session
    )
    options: Any = {"limit": limit, "mode": mode, "explain": explain}
    options |= {"kinds": kind} if kind else {}
    options |= {"min_score": min_score} if min_score is not None else {}
    found = service.ask(calls.recall, query, **options)["data"]
    if for_people(as_json=as_json):
        _show_found(found, explain=explain)
    else:
        print_json(found)


def _show_found(found: list[dict[str, Any]], *, explain: bool) -> None:
    if not found:
        console().print("Nothing fits.")
        return
    from rich.table import Table

    table = Table(box=None, header_style="bold")
    table.add_column("score")
    table.add_column("kind")
    names = [(each["id"], _name_of(each["object"])) for each in found]
    longest = max(len(name) for pair in names for name in pair)
    table.add_column("id and key", no_wrap=True, min_width=longest)
    table.add_column("text", min_width=MIN_TEXT, overflow="fold")
    for each, (hit_id, name) in zip(found, names, strict=True):
        text = cell(each["text"])
        if explain:
            parts = each["explain"]["parts"].items()
            text += "\n[dim]" + "  ".join(f"{name} {part:+.3f}" for name, part in parts) + "[/]"
        shown = f"{hit_id}\n[dim]{cell(name)}[/]" if name else hit_id
        table.add_row(f"{each['score']:.3f}", each["kind"], shown, text)
    print_table(table, longest + MIN_TEXT + SCORE_AND_KIND)


def _name_of(found: dict[str, Any] | None) -> str:
    """What the found object is called where it lies: its key, or its path in a store."""
    found = found or {}
    return str(found.get("key") or found.get("path") or "")


def forget(
    memory_id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="The memory, as recall shows it.")
    ] = None,
    query: Annotated[
        str | None, typer.Option("--query", help="Forget the memory that fits this best.")
    ] = None,
    agent: Agent = None,
    project: Project = None,
    user: User = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Stop recalling a memory from now on. Nothing is erased: its history stays and it can be restored.

    Example: holdfast forget memory_0198…
    """
    if (memory_id is None) == (query is None):
        raise CommandError("name a memory by its id, or by --query: one of the two")
    service = Remote(url, api_key, user=user, workspace=workspace, agent=agent, project=project)
    if query is not None:
        found = service.ask(calls.recall, query, kinds=["memory"], limit=1)["data"]
        if not found:
            raise CommandError("no memory fits this query; nothing was forgotten")
        memory_id = found[0]["id"]
    retired = service.ask(calls.forget, str(memory_id))
    if for_people(as_json=as_json):
        retired = {name: retired[name] for name in ("id", "key", "value", "valid_to")}
    show(retired, as_json=as_json)


def context(
    message: Annotated[str, typer.Argument(help="What the user says; - reads it from the input.")],
    max_tokens: Annotated[int | None, typer.Option(min=1, help="A budget for all of it.")] = None,
    agent: Agent = None,
    session: Session = None,
    user: User = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """What to put into a prompt for a message, part by part.

    Example: holdfast context "Book me a table" --agent support
    """
    from holdfast_client.context import calls as context_calls  # the other verbs need none of it

    service = Remote(url, api_key, user=user, workspace=workspace, agent=agent, session=session)
    found = service.ask(context_calls.assemble, text_of(message), max_tokens=max_tokens)
    if not for_people(as_json=as_json):
        print_json(found)
        return
    for title, text in _parts(found):
        if text:
            console().print(f"[bold]{title}[/]")
            console().print(without_controls(text), markup=False)
    console().print(f"[dim]{found['tokens']}[/]")


def _parts(found: dict[str, Any]) -> list[tuple[str, str]]:
    """The parts of a context that hold anything, as text."""
    lists = (
        ("reminders", [each["content"] for each in found.get("system_reminders") or []]),
        ("recalled", [each["text"] for each in found.get("recalled") or []]),
        ("messages", [f"{m['role']}: {m['content']}" for m in found.get("messages") or []]),
    )
    entries = found.get("entries") or []
    entries = entries.get("entries", []) if isinstance(entries, dict) else entries
    named = [f"{each['key']}: {each['content']}" for each in entries]
    return [
        ("user memory", found["user_memory"]["content"]),
        ("entries", "\n".join(named)),
        *((title, "\n".join(texts)) for title, texts in lists),
    ]
