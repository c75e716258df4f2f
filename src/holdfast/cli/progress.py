"""A bar while a command works: on standard error, and only where a person looks at it."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def working(on: str) -> Iterator[None]:
    """Show what is worked on and for how long, until the block ends; nothing is left of it then."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        progress.add_task(on, total=None)
        yield
