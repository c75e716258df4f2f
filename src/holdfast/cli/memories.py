"""memories: list and show rows."""

from typing import Annotated, Any, Literal

import typer

from holdfast.cli.options import Agent, ApiKey, AsJson, Project, Session, Url, User, Workspace
from holdfast.cli.output import show, show_all
from holdfast.cli.remote import Remote
from holdfast_client.memories import calls

memories_app = typer.Typer(help="List and show memories.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands of this face."""
    app.add_typer(memories_app, name="memories")


@memories_app.command("list")
def list_memories(
    scope: Annotated[Literal["global", "project", "agent"] | None, typer.Option()] = None,
    category: Annotated[str | None, typer.Option(help="Only of this category.")] = None,
    tag: Annotated[str | None, typer.Option(help="Only with this tag.")] = None,
    include_expired: Annotated[
        bool, typer.Option("--include-expired", help="Also what is past its time.")
    ] = False,
    include_superseded: Annotated[
        bool, typer.Option("--include-superseded", help="Also what was replaced.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, help="At most this many.")] = 100,
    agent: Agent = None,
    project: Project = None,
    session: Session = None,
    user: User = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Memories, newest first.

    Example: holdfast memories list --category preference
    """
    service = Remote(
        url, api_key, user=user, workspace=workspace, agent=agent, project=project, session=session
    )
    given = {"scope": scope, "category": category, "tag": tag}
    filters: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    filters |= {"include_expired": True} if include_expired else {}
    filters |= {"include_superseded": True} if include_superseded else {}
    rows = list(service.pages(calls.list_memories, limit=limit, **filters))
    show_all(rows, ["id", "key", "value", "category", "updated_at"], as_json=as_json)


@memories_app.command("show")
def show_memory(
    memory_id: Annotated[str, typer.Argument(metavar="ID")],
    history: Annotated[bool, typer.Option("--history", help="Every version instead.")] = False,
    agent: Agent = None,
    project: Project = None,
    user: User = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """One memory with its sources, or its history.

    Example: holdfast memories show memory_0198… --history
    """
    service = Remote(url, api_key, user=user, workspace=workspace, agent=agent, project=project)
    if history:
        versions = [*service.pages(calls.history, memory_id, include_expired=True, limit=None)]
        columns = ["version", "action", "actor", "user_id", "created_at", "value"]
        show_all(versions, columns, as_json=as_json)
        return
    show(service.ask(calls.read_memory, memory_id, include_expired=True), as_json=as_json)
