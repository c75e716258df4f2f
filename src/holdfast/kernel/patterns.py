"""Patterns that clients give: RE2, whose time is linear in the text whatever the pattern."""

from typing import Any

import re2

MAX_PATTERNS = 100
MAX_PATTERN_CHARS = 1_000


def compile_pattern(pattern: str) -> Any:
    """The pattern, compiled; ValueError says what is wrong with it."""
    options = re2.Options()
    options.log_errors = False  # it would write the pattern to standard error
    try:
        compiled = re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0] if error.args else "it cannot be read"
        raise ValueError(reason.decode() if isinstance(reason, bytes) else str(reason)) from None
    if compiled.search("") is not None:
        raise ValueError("it matches the empty text, and would match everywhere")
    return compiled
