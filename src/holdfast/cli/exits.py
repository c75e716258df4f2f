"""Exit codes that scripts can use, and errors as one line."""

import sys
from typing import NoReturn

# 2 is the parser's own, for a wrong command.
FAILED, UNREACHABLE, NOT_FOUND, REFUSED = 1, 3, 4, 5

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
    text = getattr(error, "detail", None) or str(error).strip()
    if type(error).__name__ == "OperationalError":
        text = "the database cannot be reached; is its URL right? (holdfast doctor)"
    print(f"holdfast: {text}", file=sys.stderr)
    raise SystemExit(code)
