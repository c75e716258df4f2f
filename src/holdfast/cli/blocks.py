"""blocks: a user's core and archival texts."""

import os
import shlex
import subprocess
import sys
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from holdfast.cli.exits import CommandError
from holdfast.cli.merge import marked, still_marked
from holdfast.cli.options import ApiKey, AsJson, Newest, Url, User, Workspace
from holdfast.cli.output import show, show_all
from holdfast.cli.remote import Remote
from holdfast.cli.texts import text_of
from holdfast_client.blocks import calls
from holdfast_client.errors import Conflict, NotFound

BlockType = Annotated[Literal["core", "archival"], typer.Argument(metavar="core|archival")]
Agent = Annotated[
    str | None,
    typer.Option("--agent", envvar="HOLDFAST_AGENT", help="The block with this agent."),
]
blocks_app = typer.Typer(help="What agents know about a user.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands of this face."""
    app.add_typer(blocks_app, name="blocks")


def _read(service: Remote, block_type: Any) -> dict[str, Any] | None:
    """The block as it is; None where there is none, or where nobody wrote to the agent yet."""
    try:
        block: dict[str, Any] = service.ask(
            calls.read_block, block_type, agent_id=service.scope.agent
        )
    except NotFound:
        return None
    return block


def _write(
    service: Remote, block_type: Any, content: str, expected_updated_at: str | None
) -> dict[str, Any]:
    expected = None if expected_updated_at is None else _instant(expected_updated_at)
    written: dict[str, Any] = service.ask(
        calls.write_block,
        block_type,
        content,
        expected_updated_at=expected,
        agent_id=service.scope.agent,
    )
    return written


def _instant(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise CommandError(f"{text!r} is no time; give the block's updated_at as shown") from None


@blocks_app.command("get")
def get_block(
    block_type: BlockType,
    agent: Agent = None,
    user: User = None,
    text: Annotated[bool, typer.Option("--text", help="The text alone.")] = False,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """One block.

    Example: holdfast blocks get core --agent support --text
    """
    service = Remote(url, api_key, user=user, workspace=workspace, agent=agent)
    block = service.ask(calls.read_block, block_type, agent_id=service.scope.agent)
    if text:
        sys.stdout.write(block["content"])
        return
    show(block, as_json=as_json)


@blocks_app.command("set")
def set_block(
    block_type: BlockType,
    content: Annotated[str, typer.Argument(help="The whole new text; - reads it from the input.")],
    agent: Agent = None,
    user: User = None,
    expected: Annotated[
        str | None,
        typer.Option("--expected", metavar="UPDATED_AT", help="Only over the block of this stamp."),
    ] = None,
    create: Annotated[bool, typer.Option("--create", help="Only if there is none yet.")] = False,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Replace a whole block; with --expected or --create, only if it is still as expected.

    Example: holdfast blocks set core "Prefers green tea" --create
    """
    if create and expected is not None:
        raise CommandError("give --expected or --create, not both")
    service = Remote(url, api_key, user=user, workspace=workspace, agent=agent)
    text = text_of(content)
    if not create and expected is None:
        current = _read(service, block_type)
        expected = current["updated_at"] if current else None
    show(_write(service, block_type, text, expected), as_json=as_json)


@blocks_app.command("history")
def block_history(
    block_type: BlockType,
    limit: Newest = None,
    agent: Agent = None,
    user: User = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """The versions of a block, newest first: all of them, or the newest --limit.

    Example: holdfast blocks history core --limit 5
    """
    service = Remote(url, api_key, user=user, workspace=workspace, agent=agent)
    rows = service.pages(calls.history, block_type, agent_id=service.scope.agent, limit=limit)
    columns = ["version", "action", "created_at", "actor", "content"]
    show_all([*rows], columns, as_json=as_json)


@blocks_app.command("edit")
def edit_block(
    block_type: BlockType,
    add: Annotated[str | None, typer.Option("--add", help="Add this line.")] = None,
    replace: Annotated[
        str | None, typer.Option("--replace", metavar="LINE", help="Replace this line; see --with.")
    ] = None,
    by: Annotated[str | None, typer.Option("--with", help="The new line for --replace.")] = None,
    remove: Annotated[str | None, typer.Option("--remove", help="Remove this line.")] = None,
    agent: Agent = None,
    user: User = None,
    workspace: Workspace = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Open a block in $EDITOR and write what you save. If it was changed meanwhile, the editor shows both texts, marked.

    With --add, --replace or --remove one line is changed, and no editor is opened.
    Example: holdfast blocks edit core --replace "Lives in Porto" --with "Lives in Lisbon"
    """
    service = Remote(url, api_key, user=user, workspace=workspace, agent=agent)
    line = _line_edit(add, replace, by, remove)
    if line is not None:
        old_line, new_line = line
        edited = service.ask(
            calls.edit_line,
            block_type,
            old_line=old_line,
            new_line=new_line,
            agent_id=service.scope.agent,
        )
        show(edited, as_json=as_json)
        return
    current = _read(service, block_type)
    text = current["content"] if current else ""
    with _Draft(block_type, text) as draft:
        while True:
            text = draft.edit()
            if text == (current["content"] if current else ""):
                draft.done()
                typer.echo("nothing changed", err=True)
                return
            if still_marked(text):
                raise CommandError("the text still has conflict marks in it")
            try:
                stamp = current["updated_at"] if current else None
                written = _write(service, block_type, text, stamp)
            except Conflict:
                current = _read(service, block_type)
                typer.echo("somebody wrote this block meanwhile: choose", err=True)
                draft.file.write_text(marked(text, current["content"] if current else ""))
                continue
            draft.done()
            show(written, as_json=as_json)
            return


def _line_edit(
    add: str | None, replace: str | None, by: str | None, remove: str | None
) -> tuple[str | None, str | None] | None:
    """The old and the new line of an edit by options; None where no option names a line."""
    if (replace is None) != (by is None):
        raise CommandError("--replace and --with go together")
    given = [
        (old, new)
        for old, new in ((None, add), (replace, by), (remove, None))
        if old is not None or new is not None
    ]
    if len(given) > 1:
        raise CommandError("give one of --add, --replace and --remove")
    return given[0] if given else None


class _Draft:
    """A file to edit; it stays, and its place is told, when what is in it could not be written."""

    def __init__(self, block_type: str, text: str) -> None:
        handle, name = tempfile.mkstemp(prefix=f"holdfast-{block_type}-", suffix=".txt")
        os.close(handle)
        self.file, self._done = Path(name), False
        self.file.write_text(text)

    def __enter__(self) -> "_Draft":
        return self

    def __exit__(self, *_: object) -> None:
        if self._done:
            self.file.unlink(missing_ok=True)
        else:
            typer.echo(f"your text is in {self.file}", err=True)

    def edit(self) -> str:
        """What the editor leaves in the file."""
        editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
        try:
            subprocess.run([*shlex.split(editor), str(self.file)], check=True)  # noqa: S603
        except FileNotFoundError:
            raise CommandError(f"there is no editor {editor!r}; set EDITOR") from None
        except subprocess.CalledProcessError as error:
            raise CommandError(
                f"the editor ended with {error.returncode}; nothing is written"
            ) from None
        return self.file.read_text()

    def done(self) -> None:
        """It is written: the file may go."""
        self._done = True
