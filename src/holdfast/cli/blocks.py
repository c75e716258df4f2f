"""blocks: a user's core and archival texts, from the command line. A client of the API."""

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from holdfast.cli.merge import marked, still_marked
from holdfast.cli.output import AsJson, show, show_all
from holdfast.cli.remote import Key, Url, call
from holdfast.kernel.errors import Conflict, HoldfastError, Invalid, NotFound

BlockType = Annotated[Literal["core", "archival"], typer.Argument(metavar="core|archival")]
Agent = Annotated[
    str | None,
    typer.Option("--agent", envvar="HOLDFAST_AGENT", help="The block with this agent."),
]
User = Annotated[
    str | None, typer.Option("--user", envvar="HOLDFAST_USER", help="Whose block it is.")
]

blocks_app = typer.Typer(help="What agents know about a user.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands of this face."""
    app.add_typer(blocks_app, name="blocks")


class _Block:
    """One block of the API: where it is, and as whom it is asked for."""

    def __init__(
        self, block_type: str, agent: str | None, user: str | None, url: str | None, key: str | None
    ) -> None:
        self.block_type = block_type
        self._url, self._key = url, key
        self._asked: dict[str, Any] = {
            "params": {"agent_id": agent} if agent else {},
            "headers": {"Holdfast-User": user} if user else {},
        }

    def ask(self, method: str, what: str = "", **more: Any) -> dict[str, Any]:
        path = f"/memory/blocks/{self.block_type}{what}"
        answer: dict[str, Any] = call(
            self._url, self._key, method, path, **self._asked, **more
        ).json()
        return answer

    def read(self) -> dict[str, Any] | None:
        """The block as it is; None where there is none."""
        try:
            return self.ask("GET")
        except NotFound:
            return None
        except HoldfastError as error:
            if error.code == "MEM-002":  # an agent nobody wrote to yet has no block either
                return None
            raise

    def write(self, content: str, expected_updated_at: str | None) -> dict[str, Any]:
        body = {"content": content, "expected_updated_at": expected_updated_at}
        return self.ask("PUT", json=body)


@blocks_app.command("get")
def get_block(
    block_type: BlockType,
    agent: Agent = None,
    user: User = None,
    text: Annotated[bool, typer.Option("--text", help="The text alone.")] = False,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """One block."""
    block = _Block(block_type, agent, user, url, key).ask("GET")
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
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Replace a block whole. Without --expected or --create, whatever it says now is replaced."""
    if create and expected is not None:
        raise Invalid("give --expected or --create, not both")
    block = _Block(block_type, agent, user, url, key)
    text = sys.stdin.read() if content == "-" else content
    if not create and expected is None:
        current = block.read()
        expected = current["updated_at"] if current else None
    show(block.write(text, expected), as_json=as_json)


@blocks_app.command("history")
def block_history(
    block_type: BlockType,
    agent: Agent = None,
    user: User = None,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Every version of a block, newest first."""
    data = _Block(block_type, agent, user, url, key).ask("GET", "/history")["data"]
    show_all(data, ["version", "action", "created_at", "actor", "content"], as_json=as_json)


@blocks_app.command("edit")
def edit_block(
    block_type: BlockType,
    agent: Agent = None,
    user: User = None,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Open a block in $EDITOR and write what you save. Where somebody wrote it meanwhile, both texts are shown to you,
    marked, to choose from."""
    block = _Block(block_type, agent, user, url, key)
    current = block.read()
    text = current["content"] if current else ""
    with _Draft(block_type, text) as draft:
        while True:
            text = draft.edit()
            if text == (current["content"] if current else ""):
                draft.done()
                typer.echo("nothing changed", err=True)
                return
            if still_marked(text):
                raise Invalid("the text still has conflict marks in it")
            try:
                written = block.write(text, current["updated_at"] if current else None)
            except Conflict:
                current = block.read()
                typer.echo("somebody wrote this block meanwhile: choose", err=True)
                draft.file.write_text(marked(text, current["content"] if current else ""))
                continue
            draft.done()
            show(written, as_json=as_json)
            return


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
            raise Invalid(f"there is no editor {editor!r}; set EDITOR") from None
        except subprocess.CalledProcessError as error:
            raise Invalid(f"the editor ended with {error.returncode}; nothing is written") from None
        return self.file.read_text()

    def done(self) -> None:
        """It is written: the file may go."""
        self._done = True
