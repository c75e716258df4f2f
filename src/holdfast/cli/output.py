"""What a command prints: a table on a terminal, JSON when piped or asked for."""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, is_dataclass
from datetime import datetime
from typing import Any

from holdfast.cli.options import AsJson

__all__ = ["AsJson", "for_people", "print_json", "show", "show_all"]

# Columns that other commands take as arguments: never cut, however narrow the terminal is.
WHOLE = frozenset({"id", "key", "path", "job_id", "org_id", "key_id", "resource_id", "session_id"})


def for_people(*, as_json: bool) -> bool:
    """Whether to print for a person: on a terminal, and JSON was not asked for."""
    return not as_json and sys.stdout.isatty()


def print_json(value: Any) -> None:
    """A value as one line of JSON."""
    print(json.dumps(_plain(value), ensure_ascii=False))


def show(value: Any, *, as_json: bool) -> None:
    """One object, a field per line."""
    if not for_people(as_json=as_json):
        print_json(value)
        return
    from rich.table import Table

    table = Table(show_header=False, box=None)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, field in _plain(value).items():
        table.add_row(f"[bold]{name}[/]", cell(field))
    console().print(table)


def show_all(
    values: Sequence[Any], columns: Sequence[str], *, as_json: bool, empty: str = "Nothing here."
) -> None:
    """Several objects as a table of these columns; ids and keys are shown whole."""
    rows = [_plain(value) for value in values]
    if not for_people(as_json=as_json):
        print_json(rows)
        return
    if not rows:
        console().print(empty)
        return
    from rich.table import Table

    table = Table(box=None, header_style="bold")
    widths = {name: max(len(str(row.get(name) or "")) for row in rows) for name in WHOLE}
    for name in columns:
        table.add_column(name, no_wrap=True, min_width=widths.get(name), overflow="ellipsis")
    for row in rows:
        table.add_row(*(cell(row.get(column)) for column in columns))
    screen = console()
    # Where the whole columns alone are wider than the terminal, lines run over it rather than lose an id.
    whole = sum(widths[name] + 2 for name in columns if name in WHOLE)
    screen.print(table, width=max(screen.width, whole + 2 * len(columns)), no_wrap=True, crop=False)


def console() -> Any:
    """The terminal. Made when it is needed: rich is slow to load."""
    from rich.console import Console

    return Console(highlight=False)


def cell(value: Any) -> str:
    """A value in a table. Stored text is shown as it is, never read as markup."""
    from rich.markup import escape

    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return escape(text.replace("\n", "⏎ "))


def _plain(value: Any) -> Any:
    """A value of the service or of the API as JSON has it."""
    if hasattr(value, "_asdict"):
        return _plain(value._asdict())
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value))
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, datetime):
        return value.isoformat(timespec="microseconds").replace("+00:00", "Z")
    return value
