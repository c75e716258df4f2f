"""The command line: `holdfast`.

`serve`, `worker`, `migrate`, `doctor` run the service; `orgs`, `keys`, `users`, `projects`, `workspaces`, `agents` administer
it with access to the database; each face adds its own group, as a client of the API.
"""

import sys

import psycopg
import typer

from holdfast.cli import (
    admin,
    blocks,
    conversations,
    doctor,
    entries,
    mcp,
    memories,
    reembed,
    server,
    stores,
)
from holdfast.engine import EngineError
from holdfast.kernel.errors import (
    AgentNotFound,
    BackendUnavailable,
    HoldfastError,
    Invalid,
    NotFound,
)
from holdfast.kernel.session import DatabaseUnfit

app = typer.Typer(
    name="holdfast",
    help="One memory service for AI agents.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
server.register(app)
doctor.register(app)
admin.register(app)
blocks.register(app)
conversations.register(app)
entries.register(app)
mcp.register(app)
memories.register(app)
reembed.register(app)
stores.register(app)

# Exit codes that scripts can use; 2 is the parser's own, for a wrong command.
FAILED, UNREACHABLE, NOT_FOUND, REFUSED = 1, 3, 4, 5


def main() -> None:
    """Run a command; an error is one line that says what to do next."""
    try:
        app()
    except HoldfastError as error:
        _leave(error.detail, _exit_code(error))
    except (EngineError, DatabaseUnfit) as error:
        _leave(str(error), FAILED)
    except psycopg.OperationalError:
        _leave("the database cannot be reached; is its URL right? (holdfast doctor)", UNREACHABLE)


def _exit_code(error: HoldfastError) -> int:
    match error:
        case BackendUnavailable():
            return UNREACHABLE
        case NotFound() | AgentNotFound():
            return NOT_FOUND
        case Invalid():
            return FAILED
        case _:
            return REFUSED


def _leave(text: str, code: int) -> None:
    print(f"holdfast: {text}", file=sys.stderr)
    raise SystemExit(code)
