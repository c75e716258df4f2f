"""What a command says: a table on a terminal, JSON when piped or asked for."""

import json
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from holdfast.edge.wire import as_wire

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, also on a terminal.")]

console = Console()


def show(value: Any, *, as_json: bool) -> None:
    """One thing."""
    data = as_wire(value) if not isinstance(value, dict) else value
    if as_json or not sys.stdout.isatty():
        print(json.dumps(data))
        return
    table = Table(show_header=False, box=None)
    for name, field in data.items():
        table.add_row(f"[bold]{name}[/]", _cell(field))
    console.print(table)


def show_all(values: Sequence[Any], columns: Sequence[str], *, as_json: bool) -> None:
    """Several things, with the columns worth a terminal's width."""
    rows = [as_wire(value) for value in values]
    if as_json or not sys.stdout.isatty():
        print(json.dumps(rows))
        return
    table = Table(*columns, box=None, header_style="bold")
    for row in rows:
        table.add_row(*(_cell(row.get(column)) for column in columns))
    console.print(table)


def _cell(value: Any) -> str:
    """A value in a table; what looks like markup in it is somebody's text, and shown as it is."""
    if value is None:
        return ""
    return escape(value if isinstance(value, str) else json.dumps(value))
