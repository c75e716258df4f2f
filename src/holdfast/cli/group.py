"""The group of all commands, each loaded when it is called."""

import importlib
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperGroup

from holdfast import __version__


class Entry(NamedTuple):
    """Where a command stands, and its line in the help."""

    module: str
    help: str


# In the order of the help: what people want first.
COMMANDS: dict[str, dict[str, Entry]] = {
    "Memory": {
        "remember": Entry("verbs", "Save a memory."),
        "recall": Entry("verbs", "Find what fits a query, of everything remembered."),
        "forget": Entry("verbs", "Stop recalling a memory; its history stays."),
        "context": Entry("verbs", "What to put into a prompt for a message."),
    },
    "The five faces": {
        "memories": Entry("memories", "List and show memories."),
        "blocks": Entry("blocks", "What agents know about a user: get, set, edit, history."),
        "entries": Entry("entries", "What an agent keeps between runs: get, set, list, forget."),
        "conversations": Entry("conversations", "Message lists: read, append, stats, flush."),
        "resources": Entry("resources", "Memory resources from YAML files: validate, diff, apply."),
        "stores": Entry("stores", "Text at paths, with every version kept."),
        "sync": Entry("sync", "Keep a folder and a store the same, both ways."),
    },
    "What happened": {
        "sessions": Entry("sessions", "Sessions of a user's conversations."),
        "jobs": Entry("jobs", "Background jobs: list, show, retry, cancel, revert."),
        "proposals": Entry(
            "proposals", "What learning proposes: list, show, edit, accept, reject."
        ),
        "hygiene": Entry("hygiene", "How clean memory is: duplicates, contradictions and more."),
        "consolidate": Entry("hygiene", "Merge, supersede, retire and move what memory holds."),
        "extract": Entry(
            "proposals", "Learn from messages in a file, or show what would be learned."
        ),
    },
    "The service": {
        "serve": Entry("server", "Start everything on one machine."),
        "demo": Entry("demo", "Fill an org with the conversations of an invented person."),
        "worker": Entry("server", "Do background jobs, beside any number of `serve`."),
        "migrate": Entry("server", "Bring the schema up to date."),
        "doctor": Entry("doctor", "Check every dependency and both walls of this deployment."),
        "bench": Entry("bench", "Measure how long common calls take on this deployment."),
        "reembed": Entry("reembed", "Change the embedding model while the service runs."),
        "mcp": Entry("mcp", "Memory for MCP clients, over standard input and output."),
        "hooks": Entry("hooks", "Memory in coding agents: install, remove."),
    },
    "Administration (with access to the database)": {
        "orgs": Entry("admin", "Orgs."),
        "keys": Entry("admin", "API keys."),
        "users": Entry("admin", "People."),
        "projects": Entry("admin", "Projects and their members."),
        "workspaces": Entry("admin", "Workspaces."),
        "agents": Entry("admin", "Agents."),
        "backup": Entry("backup", "Back up database and assets while the service runs."),
        "restore": Entry("backup", "Restore a backup into an empty folder or database."),
        "upgrade": Entry(
            "backup", "Move the embedded database to a new major version of Postgres."
        ),
        "export": Entry("exchange", "Write an org, a person or an agent into a zip."),
        "import": Entry("exchange", "Read such a zip."),
        "erase": Entry("erase", "Erase a person for good, or check the receipt of that."),
    },
}

EXAMPLES = """\
Examples:
  holdfast serve
  holdfast remember "Ana takes her tea green" --key "ana's tea"
  holdfast recall "what does Ana drink?"
  holdfast context "Book me a table" --agent support

A command that talks to a service finds it by --url and --api-key, by HOLDFAST_URL and HOLDFAST_API_KEY, or beside a
running `holdfast serve`. `holdfast COMMAND --help` says more.
"""


class Commands(TyperGroup):
    """All commands; a module is imported when one of its commands is named."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002  (the base class's signature)
        """Every name, in the order of the help."""
        return [name for entries in COMMANDS.values() for name in entries]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002  (the base class's signature)
        """The command, from its module."""
        for entries in COMMANDS.values():
            if cmd_name in entries:
                return load(entries[cmd_name].module, cmd_name)
        return None

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002  (the base class's signature)
        """The names with their lines, without importing any of them."""
        formatter.write("Usage: holdfast [OPTIONS] COMMAND [ARGS]...\n\n")
        formatter.write("One memory service for AI agents.\n\n")
        formatter.write("Options:\n  --version             Print the version.\n")
        formatter.write("  --install-completion  Complete commands in this shell.\n")
        formatter.write("  --show-completion     Print the script that does so.\n")
        formatter.write("  --help                Show this.\n\n")
        for title, entries in COMMANDS.items():
            formatter.write(f"{title}:\n")
            for name, entry in entries.items():
                formatter.write(f"  {name:<14} {entry.help}\n")
            formatter.write("\n")
        formatter.write(EXAMPLES)


def load(module: str, name: str) -> Any:
    """One command of a module of this package."""
    loaded = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
    importlib.import_module(f"holdfast.cli.{module}").register(loaded)
    return typer.main.get_group(loaded).commands[name]


app = typer.Typer(
    name="holdfast",
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=True,
)


def _print_version(asked: bool) -> None:
    if asked:
        print(f"holdfast {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """One memory service for AI agents."""
