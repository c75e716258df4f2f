"""How commands start: only what they need is loaded."""

import subprocess
import sys

import pytest

from holdfast import __version__
from holdfast.cli.group import COMMANDS, load

SERVER = ("holdfast.kernel", "holdfast.edge", "holdfast.settings", "fastapi", "pydantic", "psycopg")  # fmt: skip
ADMINISTRATION = {"server", "doctor", "reembed", "mcp", "admin", "backup", "exchange"}


def loaded_by(code):
    """The modules that a piece of code loads."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(*sorted(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_help_loads_no_command_and_no_library_but_typer():
    modules = loaded_by(
        "import holdfast.cli, contextlib, io, sys\n"
        "sys.argv = ['holdfast', '--help']\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        "    holdfast.cli.main()"
    )
    assert [
        each for each in modules if each.startswith((*SERVER, "httpx", "holdfast_client"))
    ] == []


def test_client_commands_load_no_server_code():
    modules = {entry.module for entries in COMMANDS.values() for entry in entries.values()}
    imports = "\n".join(f"import holdfast.cli.{name}" for name in modules - ADMINISTRATION)
    assert [each for each in loaded_by(imports) if each.startswith(SERVER)] == []


@pytest.mark.parametrize(
    ("name", "entry"), [pair for entries in COMMANDS.values() for pair in entries.items()]
)
def test_every_command_of_the_help_is_there(name, entry):
    assert load(entry.module, name).name == name


def test_the_version_is_printed(holdfast):
    assert holdfast("--version") == (0, f"holdfast {__version__}\n", "")


def test_an_unknown_command_is_the_parsers_error(holdfast):
    code, _, err = holdfast("rememver")
    assert code == 2
    assert "rememver" in err


def test_a_command_without_a_service_says_what_to_give(holdfast, tmp_path):
    code, _, err = holdfast("recall", "tea", HOLDFAST_DATA_DIR=str(tmp_path))
    assert (code, err) == (1, "holdfast: no service is known: give --url, or set HOLDFAST_URL\n")
