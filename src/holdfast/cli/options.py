"""Options that mean the same on every command."""

from typing import Annotated

import typer

Url = Annotated[
    str | None,
    typer.Option("--url", envvar="HOLDFAST_URL", help="The URL of the service."),
]
ApiKey = Annotated[
    str | None,
    typer.Option("--api-key", envvar="HOLDFAST_API_KEY", help="The API key.", show_envvar=True),
]
User = Annotated[
    str | None,
    typer.Option("--user", envvar="HOLDFAST_USER", help="Act for this user (service keys)."),
]
Workspace = Annotated[
    str | None,
    typer.Option("--workspace", envvar="HOLDFAST_WORKSPACE", help="The active workspace."),
]
Agent = Annotated[
    str | None,
    typer.Option("--agent", envvar="HOLDFAST_AGENT", help="Speak for this agent."),
]
Project = Annotated[str | None, typer.Option("--project", help="Speak from this project.")]
Session = Annotated[str | None, typer.Option("--session", help="Speak from this session.")]
Newest = Annotated[
    int | None, typer.Option("--limit", min=1, help="Only the newest so many; all if not given.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, also on a terminal.")]
