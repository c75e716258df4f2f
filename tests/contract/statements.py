"""Reading SQL as text: which tables a statement names, and whether it compares their org."""

import re
from collections.abc import Iterator

from holdfast.kernel.distribution import DISTRIBUTED

_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_LITERAL = re.compile(r"'(?:[^']|'')*'")
_TABLES = "|".join(sorted(DISTRIBUTED, key=len, reverse=True))
_REFERENCE = re.compile(
    rf"\b(?P<how>FROM|JOIN|UPDATE|INTO|USING)\s+(?:ONLY\s+)?(?P<table>{_TABLES})\b"
    r"(?:\s+(?:AS\s+)?(?P<alias>[a-z_][a-z0-9_]*\b))?"
)
_COLUMNS = re.compile(r"\s*(?:AS\s+\w+\s*)?\(([^)]*)\)\s*(?P<rest>\w+)?")


def bare(text: str) -> str:
    """Without comments and without what stands between quotes."""
    return _LITERAL.sub("''", _COMMENT.sub(" ", text))


def around(text: str, place: int) -> str:
    """The innermost brackets around a place, or the whole text."""
    start, depth = place, 0
    while start > 0 and depth >= 0:
        start -= 1
        depth += {")": 1, "(": -1}.get(text[start], 0)
    if depth >= 0:
        return text
    end, depth = place, 0
    while end < len(text) and depth >= 0:
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        end += 1
    return text[start + 1 : end - 1]


def without_org(text: str) -> Iterator[str]:
    """The tables that a statement reads or changes without comparing `org_id`, and those it inserts into without one."""
    text = bare(text)
    for found in _REFERENCE.finditer(text):
        table, alias = found["table"], found["alias"]
        if found["how"] == "INTO":
            columns = _COLUMNS.match(text, found.end("table"))
            if columns is None or "org_id" not in columns[1]:
                yield f"INSERT INTO {table}"
            continue
        name = alias if alias in _aliases_of(text, table) else None
        if not _compares_org(around(text, found.start()), name, table):
            yield f"{found['how']} {table}"


def copied(text: str) -> Iterator[str]:
    """The tables that rows of a query are inserted into with neither RETURNING nor ON CONFLICT: Citus would COPY them."""
    text = bare(text)
    for found in _REFERENCE.finditer(text):
        if found["how"] != "INTO":
            continue
        columns = _COLUMNS.match(text, found.end("table"))
        if columns is None or columns["rest"] not in ("SELECT", "WITH"):
            continue
        statement = around(text, found.start())
        if "RETURNING" not in statement and "ON CONFLICT" not in statement:
            yield found["table"]


def _aliases_of(text: str, table: str) -> set[str]:
    return {
        found["alias"]
        for found in _REFERENCE.finditer(text)
        if found["table"] == table and found["alias"] and not found["alias"].isupper()
    }


def _compares_org(block: str, alias: str | None, table: str) -> bool:
    name = alias or table
    forms = [rf"\b{name}\.org_id\s*=", rf"=\s*{name}\.org_id\b", r"USING\s*\(org_id\b"]
    if alias is None:
        forms += [r"(?<![\w.])org_id\s*=", r"=\s*org_id\b"]
    return any(re.search(form, block) for form in forms)
