"""Bars that are cut into parts."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a bar: where it starts and how long it is, of 100; `colour` numbers the classes of the stylesheet."""

    name: str
    value: float
    start: float
    length: float
    colour: int


def cut(parts: Iterable[tuple[str, float]], whole: float | None = None) -> list[Part]:
    """Parts side by side; `whole` is the length of the bar (default: all parts together). Parts of nothing are left out."""
    given = [(name, value) for name, value in parts if value > 0]
    total = max(whole or 0.0, sum(value for _, value in given)) or 1.0
    found, start = [], 0.0
    for index, (name, value) in enumerate(given):
        length = 100 * value / total
        found.append(Part(name, value, start, length, index % 6 + 1))
        start += length
    return found
