"""hooks: memory in coding agents."""

import json
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from holdfast.cli.exits import CommandError
from holdfast.cli.mcp_clients import keep_first_backup, replace_file
from holdfast.hooks.agents import AGENTS, configured

hooks_app = typer.Typer(help="Memory in coding agents.", no_args_is_help=True)

AgentName = Annotated[str, typer.Argument(metavar="AGENT", help=f"One of {', '.join(AGENTS)}.")]
Project = Annotated[
    Path | None,
    typer.Option("--project", help="Into this folder's settings instead of the user's."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the settings, change nothing.")]


def register(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(hooks_app, name="hooks")


@hooks_app.callback()
def hooks() -> None:
    """Memory in coding agents."""


@hooks_app.command("install")
def install(agent: AgentName, project: Project = None, dry_run: DryRun = False) -> None:
    """Have a coding agent read memory when a session starts and a prompt is sent, and write its turns.

    Installing again changes nothing; other hooks stay. The service is found as by every other command.

    Example: holdfast hooks install claude-code
    """
    command = shlex.join([sys.executable, "-m", "holdfast.hooks", agent])
    _configure(agent, project, command, dry_run=dry_run)


@hooks_app.command("remove")
def remove(agent: AgentName, project: Project = None, dry_run: DryRun = False) -> None:
    """Take Holdfast's hooks out of a coding agent's settings again; other hooks stay.

    Example: holdfast hooks remove claude-code
    """
    _configure(agent, project, None, dry_run=dry_run)


def _configure(name: str, project: Path | None, command: str | None, *, dry_run: bool) -> None:
    agent = AGENTS.get(name)
    if agent is None:
        raise CommandError(
            f"{name!r} is no agent that is known here; these are: {', '.join(AGENTS)}"
        )
    path = (project or Path.home()).joinpath(*agent.settings)
    text = json.dumps(configured(agent, _read(path), command), indent=2) + "\n"
    if dry_run:
        sys.stdout.write(text)
        return
    if path.exists():
        keep_first_backup(path)
    replace_file(path.resolve(), text, secret=False)
    typer.echo(f"{'installed in' if command else 'removed from'} {path}")


def _read(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    try:
        present = json.loads(path.read_text() or "{}")
    except ValueError:
        present = None
    if not isinstance(present, dict) or not isinstance(present.get("hooks", {}), dict):
        raise CommandError(f"{path} is not plain JSON with hooks; nothing was changed")
    return present
