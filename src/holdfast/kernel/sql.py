"""Loads the named queries of the .sql file beside you.

A file is a run of statements, each under a line `-- name: some_name`; comments below the name belong to the statement.
A text that several statements share (a list of columns, say) stands once, under a line `-- fragment: some_name`, and is
written `{some_name}` where it is used. A fragment stands in the file itself, before its first use, or in a `fragments.sql`:
in the folder of the file, in a folder above it, or in kernel/ for all rooms.
"""

import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

_PACKAGE = Path(__file__).parent.parent
_SHARED = "fragments.sql"
_name_line = re.compile(r"^-- (?P<what>name|fragment): (?P<name>[a-z][a-z0-9_]*)$", re.MULTILINE)
_comment_line = re.compile(r"^\s*--.*\n?", re.MULTILINE)
# Statements that can change the result of a key's lookup, as the triggers of migrations/0003_access.sql have it; or that say so.
_changes_keys = re.compile(
    r"\b(?:UPDATE|DELETE FROM)\s+(?:api_keys|agents|workspaces|users)\b"
    r"|\bINSERT INTO\s+(?:api_keys|agents|workspaces|users)\b.*\bDO UPDATE\b"
    r"|\bINSERT INTO\s+users\s*\([^)]*\bowner\b"
    r"|^-- changes keys\b",
    re.DOTALL | re.MULTILINE,
)
_use_of_fragment = re.compile(r"\{([a-z][a-z0-9_]*)\}")


class Query:
    """One named statement."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text
        self.bytes = text.encode()
        self.changes_keys = bool(_changes_keys.search(text))

    def __repr__(self) -> str:
        return f"<Query {self.name}>"

    @cached_property
    def backwards(self) -> "Query":
        """The same statement walking its order the other way, for the page before a cursor."""
        return Query(f"{self.name}_backwards", re.sub(r"\bDESC\b", "ASC", self.text))


class Queries:
    """The statements of one file, by name."""

    def __init__(self, path: Path) -> None:
        fragments: dict[str, str] = {}
        for shared in _shared_files(path):
            _read(shared, fragments)
        self._by_name = _read(path, fragments)

    def __getattr__(self, name: str) -> Query:
        try:
            return self._by_name[name]
        except KeyError:
            raise AttributeError(f"no query is named {name}") from None

    def __iter__(self) -> Iterator[Query]:
        return iter(self._by_name.values())


def load(python_file: str, name: str = "queries.sql") -> Queries:
    """The queries of the file `name` in the folder of `python_file` (pass `__file__`)."""
    return Queries(Path(python_file).with_name(name))


def _shared_files(path: Path) -> list[Path]:
    """The files of fragments that a file may use: the kernel's, then those of its room, from the outermost folder in."""
    folders = [folder for folder in path.parents if _PACKAGE in folder.parents]
    shared = [folder / _SHARED for folder in (_PACKAGE / "kernel", *reversed(folders))]
    return [each for each in dict.fromkeys(shared) if each != path and each.exists()]


def _read(path: Path, fragments: dict[str, str]) -> dict[str, Query]:
    """The statements of a file with their fragments filled in; its own fragments are added to `fragments`."""
    text = path.read_text()
    starts = list(_name_line.finditer(text))
    ends = [start.start() for start in starts[1:]] + [len(text)]
    queries: dict[str, Query] = {}

    def expand(use: re.Match[str]) -> str:
        if use[1] not in fragments:
            raise ValueError(f"{path.name}: no fragment {use[1]} stands before its use")
        return fragments[use[1]]

    for start, end in zip(starts, ends, strict=True):
        name = start["name"]
        if name in queries or name in fragments:
            raise ValueError(f"{path.name}: {name} is there twice")
        body = _use_of_fragment.sub(expand, text[start.end() : end].strip().rstrip(";"))
        if start["what"] == "fragment":
            fragments[name] = _comment_line.sub("", body).strip()
        else:
            queries[name] = Query(name, body)
    return queries
