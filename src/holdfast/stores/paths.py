"""Which paths there are, and how a listing by folders finds its way among them.

Paths compare bytewise, so everything below a folder is one range: from `folder/` up to, not including, `folder0`
(`0` is the character after `/`).
"""

import unicodedata
from dataclasses import dataclass

from holdfast.kernel import limits
from holdfast.kernel.errors import Invalid, LimitExceeded, Malformed

MAX_PATH_BYTES = 1024

# After every path: the greatest character there is, once more than a path has room for.
_AFTER_ALL = "\U0010ffff" * (MAX_PATH_BYTES // 4 + 1)
# Paths hold no control characters, so nothing lies between a path and the path with this appended.
_JUST_AFTER = "\x01"


def check_path(path: str, *, field: str = "path") -> None:
    """Refuse what is not a path; nothing about it is changed to make it one."""
    limits.storable(path, field=field)
    problem = _wrong_with(path)
    if problem is not None:
        raise Invalid.field(field, problem)
    limits.at_most_bytes(path, MAX_PATH_BYTES, what="the path")


def is_path(text: str) -> bool:
    """Whether an entry could lie at `text`."""
    try:
        check_path(text)
    except (Invalid, LimitExceeded):
        return False
    return True


def _wrong_with(path: str) -> str | None:
    if not path:
        return "may not be empty"
    if path.startswith("/"):
        return "is relative: it may not start with /"
    if any(unicodedata.category(char) == "Cc" for char in path):
        return "may not contain control characters"
    segments = path.split("/")
    if "" in segments:
        return "may not have an empty segment, nor end with /"
    if "." in segments or ".." in segments:
        return "may not have a segment . or .."
    if not unicodedata.is_normalized("NFC", path):
        return "must be in Unicode normalization form C"
    return None


@dataclass(frozen=True, slots=True)
class Span:
    """The paths a listing walks: from `start` up to, not including, `end`, in folders below `prefix`."""

    prefix: str
    start: str
    end: str


def span(path_prefix: str | None, after_path: str | None, depth: int) -> Span:
    """What to walk for a page: below `path_prefix` (whole segments), after `after_path`."""
    prefix = _folder(path_prefix)
    start, end = prefix, f"{prefix[:-1]}0" if prefix else _AFTER_ALL
    if after_path is not None:
        limits.storable(after_path, field="after_path")
        start = max(start, _resume(after_path, prefix, depth), key=str.encode)
    return Span(prefix, start, end)


def _folder(path_prefix: str | None) -> str:
    if not path_prefix:
        return ""
    folder = path_prefix.removesuffix("/")
    try:
        check_path(folder)
    except (Invalid, LimitExceeded) as error:
        raise Malformed.field("path_prefix", error.detail) from None
    return f"{folder}/"


def _resume(after_path: str, prefix: str, depth: int) -> str:
    """Where the walk goes on: past a whole folder when that folder was an item of its own."""
    if depth and after_path.startswith(prefix):
        below = after_path[len(prefix) :].split("/")
        if len(below) > depth:
            return f"{prefix}{'/'.join(below[:depth])}0"
    return f"{after_path}{_JUST_AFTER}"


def ancestors(path: str) -> list[str]:
    """Every path above `path`."""
    segments = path.split("/")
    return ["/".join(segments[:count]) for count in range(1, len(segments))]


def below(path: str) -> tuple[str, str]:
    """The range of everything below `path`: from, up to (not included)."""
    return f"{path}/", f"{path}0"
