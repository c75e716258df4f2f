"""What a command prints: a table on a terminal, JSON when piped or asked for."""

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, is_dataclass
from datetime import datetime
from typing import Any

from holdfast.cli.options import AsJson

__all__ = ["AsJson", "for_people", "print_json", "show", "show_all"]

# Fields that other commands take as arguments: never cut, however narrow the terminal is.
_WHOLE, _WHOLE_ENDINGS = frozenset({"id", "key", "path"}), ("_id", "_path")
_GAP = 2  # what rich puts between two columns
_MIN_WIDTH = 4  # of a column that is cut
# Control characters of stored text, which could move the cursor or change colours, are shown as escapes.
_CONTROLS = {
    code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"
}


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

    fields = _plain(value)
    whole = max((_width(each) for name, each in fields.items() if is_whole(name)), default=0)
    table = Table(show_header=False, box=None)
    table.add_column(no_wrap=True)
    table.add_column(min_width=whole, overflow="fold")
    for name, field in fields.items():
        table.add_row(f"[bold]{name}[/]", cell(field))
    print_table(table, whole + max(map(len, fields)) + 2 * _GAP)


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
    natural = {name: max(len(name), *(_width(row.get(name)) for row in rows)) for name in columns}
    widths = _fit(natural, console().width - _GAP * len(columns))
    for name in columns:
        table.add_column(name, no_wrap=True, width=widths[name], overflow="ellipsis")
    for row in rows:
        table.add_row(*(cell(row.get(column)) for column in columns))
    print_table(table, sum(widths.values()) + _GAP * len(columns))


def _fit(natural: dict[str, int], room: int) -> dict[str, int]:
    """Widths of columns that fit into `room`, as far as ids, keys and paths stay whole: the widest others are cut."""
    room -= sum(width for name, width in natural.items() if is_whole(name))
    fitted = dict(natural)
    others = sorted((width, name) for name, width in natural.items() if not is_whole(name))
    for left, (width, name) in zip(range(len(others), 0, -1), others, strict=True):
        fitted[name] = min(width, max(room // left, _MIN_WIDTH))
        room -= fitted[name]
    return fitted


def is_whole(name: str) -> bool:
    """Whether a field is shown whole: an id, a key or a path."""
    return name in _WHOLE or name.endswith(_WHOLE_ENDINGS)


def print_table(table: Any, needed: int) -> None:
    """Print a table; where `needed` characters are more than the terminal has, lines run over rather than lose an id."""
    screen = console()
    screen.width = max(screen.width, needed)
    screen.print(table, no_wrap=True, crop=False)


def _width(value: Any) -> int:
    """The characters that a value takes in a cell."""
    from rich.cells import cell_len
    from rich.markup import render

    return 0 if value is None else cell_len(render(cell(value)).plain)


def console() -> Any:
    """The terminal. Made when it is needed: rich is slow to load."""
    from rich.console import Console

    # rich leaves bold and dim under NO_COLOR; a terminal that cannot show colours may not know those either.
    plain = bool(os.environ.get("NO_COLOR"))
    return Console(highlight=False, color_system=None if plain else "auto")


def cell(value: Any) -> str:
    """A value in a table. Stored text is shown as it is, never read as markup."""
    from rich.markup import escape

    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return escape(without_controls(text).replace("\n", "⏎ ").replace("\t", " "))


def without_controls(text: str) -> str:
    """Stored text for a terminal: control characters other than line ends and tabs as escapes."""
    return text.translate(_CONTROLS)


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
