r"""The lines of a text. A line ends with `\n` or `\r\n`, and with nothing else that Unicode calls a line break."""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """One entry of a text: a line that is not blank, and its number from 1, blank lines counted."""

    number: int
    content: str


def entries_of(text: str) -> Iterator[Line]:
    """The entries of a text, from the top."""
    for number, line in enumerate(text.split("\n"), start=1):
        content = line.removesuffix("\r")
        if content.strip():
            yield Line(number, content)


def count_entries(text: str) -> int:
    """How many entries a text has."""
    return sum(1 for _ in entries_of(text))
