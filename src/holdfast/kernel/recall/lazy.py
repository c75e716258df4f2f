"""Hits and the parts of their scores, made only where somebody takes them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import overload

import numpy as np
import numpy.typing as npt

from holdfast.kernel.recall.model import Hit


class LazyHits(Sequence[Hit]):
    """Hits by their candidates, each made when somebody takes it: of a hundred, ten or twelve are shown."""

    __slots__ = ("_made", "_places")

    def __init__(self, places: Sequence[int], made: Callable[[int], Hit]) -> None:
        self._places = places
        self._made = made

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, at: int) -> Hit: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Hit]: ...
    def __getitem__(self, at: int | slice) -> Hit | Sequence[Hit]:
        if isinstance(at, slice):
            return LazyHits(self._places[at], self._made)
        return self._made(self._places[at])

    def __iter__(self) -> Iterator[Hit]:
        return map(self._made, self._places)


class LazyParts(Mapping[str, float]):
    """The parts of one score, taken out of the columns only where somebody asks for them."""

    __slots__ = ("_columns", "_place")

    def __init__(self, columns: Mapping[str, npt.NDArray[np.float64]], place: int) -> None:
        self._columns = columns
        self._place = place

    def __getitem__(self, name: str) -> float:
        return self._made()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._made())

    def __len__(self) -> int:
        return len(self._made())

    def _made(self) -> dict[str, float]:
        parts = {name: float(column[self._place]) for name, column in self._columns.items()}
        return {name: part for name, part in parts.items() if part}
