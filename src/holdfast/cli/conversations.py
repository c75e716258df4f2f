"""conversations: message lists."""

from typing import Annotated, Any

import typer

from holdfast.cli.options import Agent, ApiKey, AsJson, Url, User, Workspace
from holdfast.cli.output import for_people, print_json, show, show_all
from holdfast.cli.remote import Remote
from holdfast.cli.texts import text_of
from holdfast_client.conversations import calls

ResourceId = Annotated[str, typer.Argument(metavar="RESOURCE", help="The memory resource.")]
InstanceKey = Annotated[str, typer.Argument(metavar="KEY", help="The key of the list.")]

conversations_app = typer.Typer(help="Message lists.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands of this face."""
    app.add_typer(conversations_app, name="conversations")


@conversations_app.command("list")
def list_(
    resource_id: ResourceId,
    every_owner: Annotated[
        bool, typer.Option("--all", help="Those of every owner; needs a service key.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, help="At most this many.")] = 100,
    user: User = None,
    agent: Agent = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """The lists of a resource, newest first.

    Example: holdfast conversations list support --user ana
    """
    service = Remote(url, api_key, user=user, workspace=workspace, agent=agent)
    rows = list(
        service.pages(calls.list_instances, resource_id, limit=limit, every_owner=every_owner)
    )
    columns = ["key", "user_id", "agent_id", "message_count", "token_count", "updated_at"]
    show_all(rows, columns, as_json=as_json)


@conversations_app.command("read")
def read(
    resource_id: ResourceId,
    instance: InstanceKey,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="At most this many.")] = 50,
    offset: Annotated[int, typer.Option(min=0, help="Skip so many of the oldest.")] = 0,
    tail: Annotated[int | None, typer.Option(min=1, max=1000, help="The newest so many.")] = None,
    include_flushed: Annotated[
        bool, typer.Option("--include-flushed", help="Also what flushes took out.")
    ] = False,
    user: User = None,
    agent: Agent = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Messages, oldest first.

    Example: holdfast conversations read support session:call-42 --tail 5
    """
    service = Remote(url, api_key, user=user, workspace=workspace, agent=agent)
    found = service.ask(
        calls.read,
        resource_id,
        key=instance,
        limit=limit,
        offset=offset,
        tail=tail,
        include_flushed=include_flushed,
    )
    if not for_people(as_json=as_json):
        print_json(found)
        return
    show_all(found["messages"], ["role", "content", "tokens", "created_at"], as_json=False)


@conversations_app.command("append")
def append(
    resource_id: ResourceId,
    instance: InstanceKey,
    content: Annotated[str, typer.Argument(help="The text; - reads it from standard input.")],
    role: Annotated[str, typer.Option(help="user, assistant, system or tool.")] = "user",
    user: User = None,
    agent: Agent = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Add a message.

    Example: holdfast conversations append support session:call-42 "Where is my order?"
    """
    service = Remote(url, api_key, user=user, workspace=workspace, agent=agent)
    message: Any = {"role": role, "content": text_of(content)}
    show(service.ask(calls.append, resource_id, [message], key=instance), as_json=as_json)


@conversations_app.command("stats")
def stats(
    resource_id: ResourceId,
    instance: InstanceKey,
    user: User = None,
    agent: Agent = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """How full a list is.

    Example: holdfast conversations stats support session:call-42
    """
    service = Remote(url, api_key, user=user, workspace=workspace, agent=agent)
    show(service.ask(calls.stats, resource_id, key=instance), as_json=as_json)


@conversations_app.command("flush")
def flush(
    resource_id: ResourceId,
    instance: InstanceKey,
    strategy: Annotated[str | None, typer.Option(help="In place of the resource's own.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what it would do.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Also below the threshold.")] = False,
    user: User = None,
    agent: Agent = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Bring a list down to its budget.

    Example: holdfast conversations flush support session:call-42 --dry-run
    """
    service = Remote(url, api_key, user=user, workspace=workspace, agent=agent)
    chosen: Any = {} if strategy is None else {"strategy": strategy}
    done = service.ask(
        calls.flush, resource_id, key=instance, dry_run=dry_run, force=force, **chosen
    )
    show(done, as_json=as_json)
