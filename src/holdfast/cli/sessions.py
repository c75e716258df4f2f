"""sessions: the threads of a user's conversations."""

from typing import Annotated

import typer

from holdfast.cli.options import ApiKey, AsJson, Url, User, Workspace
from holdfast.cli.output import show, show_all
from holdfast.cli.proposals import COLUMNS as PROPOSAL_COLUMNS
from holdfast.cli.remote import Remote
from holdfast_client.directory import calls
from holdfast_client.learning import calls as learning

sessions_app = typer.Typer(help="Sessions of a user's conversations.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(sessions_app, name="sessions")


@sessions_app.callback()
def sessions() -> None:
    """Sessions of a user's conversations."""


@sessions_app.command("show")
def show_session(
    session_id: Annotated[str, typer.Argument(metavar="SESSION")],
    user: User = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """One session: its user, agent, project and last activity.

    Example: holdfast sessions show call-42 --user ana
    """
    service = Remote(url, api_key, user=user, workspace=workspace)
    show(service.ask(calls.read_session, session_id), as_json=as_json)


@sessions_app.command("settle")
def settle_session(
    session_id: Annotated[str, typer.Argument(metavar="SESSION")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the proposals, change nothing.")
    ] = False,
    user: User = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Learn from what is new in a session now, instead of after a rest.

    Example: holdfast sessions settle call-42 --user ana --dry-run
    """
    service = Remote(url, api_key, user=user, workspace=workspace)
    settling = service.ask(learning.settle_session, session_id, dry_run=dry_run)
    if dry_run:
        show_all(settling["proposals"], PROPOSAL_COLUMNS, as_json=as_json)
    else:
        show(settling, as_json=as_json)
