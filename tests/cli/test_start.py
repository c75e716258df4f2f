"""How commands start: only what they need is loaded."""

import shlex
import subprocess
import sys

import pytest

from holdfast import __version__
from holdfast.cli.group import COMMANDS, load

SERVER = ("holdfast.kernel", "holdfast.edge", "holdfast.settings", "fastapi", "pydantic", "psycopg")  # fmt: skip
# Print bytes, a file or nothing.
WITHOUT_JSON = {("stores", "export"), ("stores", "rm")}
ADMINISTRATION = {"server", "doctor", "reembed", "mcp", "admin", "backup"}


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
    unwanted = (*SERVER, "httpx.", "holdfast_client")
    assert [
        each for each in modules if each.startswith(unwanted) and each != "httpx._main"
    ] == []  # httpx._main is the name that main() closes


def test_client_commands_load_no_server_code():
    modules = {entry.module for entries in COMMANDS.values() for entry in entries.values()}
    imports = "\n".join(f"import holdfast.cli.{name}" for name in modules - ADMINISTRATION)
    assert [each for each in loaded_by(imports) if each.startswith(SERVER)] == []


def test_a_client_command_loads_no_heavy_library():
    """What takes most of the CPU time of a start: measured, `recall` took 570 ms with these and 180 ms without."""
    modules = loaded_by(
        "import holdfast.cli, contextlib, io, sys\n"
        "sys.argv = ['holdfast', 'recall', 'tea', '--url', 'http://127.0.0.1:9', '--api-key', 'none']\n"
        "with contextlib.redirect_stderr(io.StringIO()), contextlib.suppress(SystemExit):\n"
        "    holdfast.cli.main()\n"
        "for name in holdfast.lean_imports.UNUSED: assert sys.modules.pop(name) is None"
    )
    heavy = (*SERVER, "trio", "rich", "pygments", "click", "markdown_it", "mcp", "opentelemetry")
    heavy += ("asyncio",)
    assert "httpx" in modules
    assert [each for each in modules if each.split(".")[0] in heavy] == []
    assert len(modules) < 600


@pytest.mark.parametrize(
    ("name", "entry"), [pair for entries in COMMANDS.values() for pair in entries.items()]
)
def test_every_command_of_the_help_is_there(name, entry):
    assert load(entry.module, name).name == name


def leaves(command, path):
    """The commands below a command that do something, with their names."""
    if hasattr(command, "commands"):
        for name, each in command.commands.items():
            yield from leaves(each, (*path, name))
    if not hasattr(command, "commands") or command.invoke_without_command:
        yield path, command


LEAVES = [
    pytest.param(path, command, id=" ".join(path))
    for entries in COMMANDS.values()
    for name, entry in entries.items()
    for path, command in leaves(load(entry.module, name), (name,))
]


@pytest.mark.parametrize(("path", "command"), LEAVES)
def test_every_command_has_an_example_that_it_could_read(path, command):
    examples = [
        shlex.split(line.partition("Example:")[2])
        for line in (command.help or "").splitlines()
        if "Example:" in line
    ]
    assert examples
    options = {name for each in command.params for name in (*each.opts, *each.secondary_opts)}
    flags = {
        name for each in command.params if getattr(each, "is_flag", False) for name in each.opts
    }
    places = [each for each in command.params if each.param_type_name == "argument"]
    for words in examples:
        assert tuple(words[: len(path) + 1]) == ("holdfast", *path)
        given = words[len(path) + 1 :]
        named = [word for word in given if word.startswith("--")]
        assert set(named) <= options
        positional = len(given) - len(named) - len([n for n in named if n not in flags])
        assert sum(each.required for each in places) <= positional
        assert positional <= len(places) or any(each.nargs != 1 for each in places)


@pytest.mark.parametrize(("path", "command"), LEAVES)
def test_every_command_that_talks_to_a_service_takes_the_same_options(path, command):
    """--url with HOLDFAST_URL, --api-key with HOLDFAST_API_KEY, --json; `mcp` speaks MCP alone."""
    by_name = {name: each for each in command.params for name in each.opts}
    assert ("--url" in by_name) == ("--api-key" in by_name)
    if "--url" in by_name and path[0] != "mcp" and path not in WITHOUT_JSON:
        assert by_name["--url"].envvar == "HOLDFAST_URL"
        assert by_name["--api-key"].envvar == "HOLDFAST_API_KEY"
        assert "--json" in by_name


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_shown_and_installed_for_each_shell(holdfast, tmp_path, shell):
    """Shown: a script that names our completion variable. Installed: the same, where that shell reads it."""
    env = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / ".config")}
    env |= {"SHELL": f"/bin/{shell}", "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    code, script, err = holdfast("--show-completion", shell, **env)
    assert (code, err) == (0, "")
    assert "_HOLDFAST_COMPLETE" in script
    code, said, err = holdfast("--install-completion", shell, **env)
    assert code == 0, err
    assert shell in said
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any("_HOLDFAST_COMPLETE" in path.read_text() for path in written)


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("holdfast rem", {"remember"}),
        ("holdfast jobs re", {"retry", "revert"}),
        ("holdfast recall --api", {"--api-key"}),
    ],
)
def test_completion_offers_commands_and_options(holdfast, typed, offered):
    words = typed.split()
    code, out, _ = holdfast(
        _HOLDFAST_COMPLETE="complete_bash",
        COMP_WORDS=typed,
        COMP_CWORD=str(len(words) - 1),
    )
    assert code == 0
    assert offered <= set(out.split())


def test_the_version_is_printed(holdfast):
    assert holdfast("--version") == (0, f"holdfast {__version__}\n", "")


def test_an_unknown_command_is_the_parsers_error(holdfast):
    code, _, err = holdfast("rememver")
    assert code == 2
    assert "rememver" in err


def test_a_command_without_a_service_says_what_to_give(holdfast, tmp_path):
    code, _, err = holdfast("recall", "tea", HOLDFAST_DATA_DIR=str(tmp_path))
    assert (code, err) == (1, "holdfast: no service is known: give --url, or set HOLDFAST_URL\n")
