"""sessions: the threads of a user's conversations."""

from typing import Annotated

import typer

from holdfast.cli.options import ApiKey, AsJson, Url, User, Workspace
from holdfast.cli.output import show
from holdfast.cli.remote import Remote
from holdfast_client.directory import calls

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
