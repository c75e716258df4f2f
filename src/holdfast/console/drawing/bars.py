"""Bars that are cut into parts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a bar: where it starts and how long it is, of 100; `colour` numbers the classes of the stylesheet."""

    name: str
    value: float
    start: float
    length: float
    colour: int


COLOURS = 10


def cut(
    parts: Iterable[tuple[str, float]], whole: float | None = None, *, known: Sequence[str] = ()
) -> list[Part]:
    """Parts side by side; `whole` is the length of the bar (default: all parts together). Parts of nothing are left out.

    A name among `known` has the same colour in every bar.
    """
    given = [(name, value) for name, value in parts if value > 0]
    total = max(whole or 0.0, sum(value for _, value in given)) or 1.0
    found, start = [], 0.0
    for index, (name, value) in enumerate(given):
        length = 100 * value / total
        place = known.index(name) if name in known else index
        found.append(Part(name, value, start, length, place % COLOURS + 1))
        start += length
    return found
