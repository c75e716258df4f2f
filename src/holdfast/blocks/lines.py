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


def edit_line(text: str, old_line: str | None, new_line: str | None) -> str | None:
    """The text with one line added (no `old_line`), replaced, or removed (no `new_line`); every other line stays as it is.
    None where `old_line` is not there, or there more than once."""
    if old_line is None:
        between = "" if not text or text.endswith("\n") else "\n"
        return f"{text}{between}{new_line}"
    lines = text.split("\n")
    found = [number for number, line in enumerate(lines) if line.removesuffix("\r") == old_line]
    if len(found) != 1:
        return None
    [at] = found
    ending = "\r" if lines[at].endswith("\r") else ""
    lines[at : at + 1] = [] if new_line is None else [f"{new_line}{ending}"]
    return "\n".join(lines)
