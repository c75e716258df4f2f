"""Exit codes that scripts can use, and errors as one line."""

import sys
from typing import Any, NoReturn

# WRONG_COMMAND is the parser's own.
FAILED, WRONG_COMMAND, UNREACHABLE, NOT_FOUND, REFUSED = 1, 2, 3, 4, 5

_BY_CODE = {
    "MEM-003": UNREACHABLE,
    "connection_failed": UNREACHABLE,
    "unexpected_reply": UNREACHABLE,
    "not_found": NOT_FOUND,
    "MEM-002": NOT_FOUND,
    "invalid": FAILED,
}
# Errors without a code of the API, by class name: their modules are loaded only by the commands that raise them.
_BY_NAME = {
    "CommandError": FAILED,
    "Abort": FAILED,
    "UsageError": WRONG_COMMAND,
    "SettingsError": FAILED,
    "EngineError": FAILED,
    "DatabaseUnfit": FAILED,
    "TracingUnavailable": FAILED,
    "OperationalError": UNREACHABLE,
}


class CommandError(Exception):
    """What was typed cannot be done; the message says what would be right."""


def exit_code_of(error: BaseException) -> int | None:
    """The exit code of an error that a person can do something about; None for any other."""
    code = getattr(error, "code", None)
    if isinstance(code, str):
        return _BY_CODE.get(code, REFUSED)
    names = [kind.__name__ for kind in type(error).__mro__]
    return next((_BY_NAME[name] for name in names if name in _BY_NAME), None)


def leave(error: BaseException, code: int) -> NoReturn:
    """End the process with one line on standard error."""
    if (
        type(error).__name__ == "NoArgsIsHelpError"
    ):  # a group without a command: its message is the help
        print(error, file=sys.stderr)
    else:
        print(f"holdfast: {_in_words(error)}", file=sys.stderr)
    raise SystemExit(code)


def _in_words(error: Any) -> str:
    name = type(error).__name__
    if name == "OperationalError":
        return "the database cannot be reached; is its URL right? (holdfast doctor)"
    if name == "Abort":
        return "stopped before it was confirmed; nothing was changed"
    if hasattr(error, "format_message"):  # the parser's
        command = error.ctx.command_path if getattr(error, "ctx", None) else "holdfast"
        message = " ".join(error.format_message().split()).rstrip(".")
        return f"{message} ({command} --help)"
    return getattr(error, "detail", None) or str(error).strip()
