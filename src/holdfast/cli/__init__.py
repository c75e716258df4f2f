"""The command line: `holdfast`.

Every command is loaded when it is called: `COMMANDS` names its module and the line that `--help` shows. Commands for
people and scripts (remember, recall, blocks, …) are clients: they go through holdfast-client and import no server code.
`serve`, `worker`, `migrate`, `mcp` and the administration work with the service's own code and its database.
"""

import gc

from holdfast.cli.exits import exit_code_of, leave
from holdfast.cli.group import app
from holdfast.lean_imports import skip_unused

__all__ = ["app", "main"]

# Loading the service makes hundreds of thousands of objects that stay. Looking for garbage among them took a sixth of the time
# that a start takes; processes that answer requests set limits of their own (api.py).
gc.set_threshold(200_000, 50, 50)


def main() -> None:
    """Run a command; an error is one line that says what to do next."""
    skip_unused()
    try:
        code = app(prog_name="holdfast", standalone_mode=False)
    except Exception as error:  # those without an exit code are raised again
        code = exit_code_of(error)
        if code is None:  # a defect of ours: with its traceback
            raise
        leave(error, code)
    raise SystemExit(code or 0)  # a code is that of a `typer.Exit`
