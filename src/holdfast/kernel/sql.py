"""Loads the named queries of the .sql file beside you.

A file is a run of statements, each under a line `-- name: some_name`; comments below the name belong to the statement.
"""

import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

_name_line = re.compile(r"^-- name: (?P<name>[a-z][a-z0-9_]*)$", re.MULTILINE)


class Query:
    """One named statement."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text
        self.bytes = text.encode()

    def __repr__(self) -> str:
        return f"<Query {self.name}>"

    @cached_property
    def backwards(self) -> "Query":
        """The same statement walking its order the other way, for the page before a cursor."""
        return Query(f"{self.name}_backwards", re.sub(r"\bDESC\b", "ASC", self.text))


class Queries:
    """The statements of one file, by name."""

    def __init__(self, path: Path) -> None:
        text = path.read_text()
        starts = list(_name_line.finditer(text))
        ends = [start.start() for start in starts[1:]] + [len(text)]
        self._by_name: dict[str, Query] = {}
        for start, end in zip(starts, ends, strict=True):
            name = start["name"]
            if name in self._by_name:
                raise ValueError(f"{path.name}: {name} is there twice")
            self._by_name[name] = Query(name, text[start.end() : end].strip().rstrip(";"))

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
