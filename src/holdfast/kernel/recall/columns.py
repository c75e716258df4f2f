"""Candidates turned over: what each is ranked by, on arrays with a place for each."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from holdfast.kernel.recall.closeness import closeness, expected_closeness
from holdfast.kernel.recall.model import Kind

Floats = npt.NDArray[np.float64]

HALF = 18.0


class Fields(NamedTuple):
    """The candidates turned over: each field with the values of all, as many as there are candidates."""

    kind: tuple[Kind, ...]
    object_id: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    session_id: tuple[str | None, ...]
    actor: tuple[str | None, ...]
    at: tuple[datetime, ...]
    updated_s: tuple[float, ...]
    importance: tuple[int, ...]
    pinned: tuple[bool, ...]
    lexical: tuple[float, ...]
    rank: tuple[float, ...]
    similarity: tuple[float | None, ...]
    terms: tuple[list[str], ...]
    whole: tuple[bool, ...]
    embedded: tuple[bool, ...]
    tokens: tuple[bytes | None, ...]
    scope_size: tuple[float, ...]
    preference: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Sessions:
    """Which candidates are of one session, by a number for each; those outside of sessions share one, and are `alone`."""

    numbers: npt.NDArray[np.int64]
    count: int
    alone: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, session_ids: Sequence[str | None]) -> "Sessions":
        """The sessions in the order in which they come."""
        known: dict[str | None, int] = {}
        numbers = np.array([known.setdefault(each, len(known)) for each in session_ids])
        return cls(numbers, len(known), numbers == known.get(None, -1))

    def best(self, scores: Floats) -> Floats:
        """For each candidate the best of these scores in its session; none is below 0."""
        highest: Floats = np.zeros(self.count)
        np.maximum.at(highest, self.numbers, scores)
        return highest.take(self.numbers)


@dataclass(frozen=True, slots=True)
class Columns:
    """What the candidates are ranked by, a row for each."""

    fields: Fields
    sessions: Sessions
    lexical: Floats  # saturated BM25
    similarity: Floats  # 0 where there is no vector
    compared: npt.NDArray[np.bool_]  # it has a vector, and so has the query

    @classmethod
    def of(cls, candidates: Sequence[tuple[Any, ...]], *, semantic: bool) -> "Columns":
        """Of candidates; `semantic`: whether the query has a vector."""
        fields = Fields(*zip(*candidates, strict=True))
        # None becomes NaN, which fmax passes over.
        similarity = np.fmax(np.array(fields.similarity, dtype=np.float64), 0.0)
        compared = np.array(fields.embedded, np.bool_) & semantic
        lexical = saturated(np.array(fields.lexical))
        return cls(fields, Sessions.of(fields.session_id), lexical, similarity, compared)

    @property
    def expected(self) -> Floats:
        """How close each is likely to be, as far as that can be said before it is read closely."""
        return expected_closeness(self.similarity)

    def read_closely(self, tokens: bytes) -> Floats | None:
        """How close each is to the tokens of a query; None where none has tokens. One that has a vector but no tokens is taken for
        as close as its like are."""
        read = closeness(tokens, self.fields.tokens)
        if read is None or all(self.fields.tokens):
            return read
        return np.where(np.isnan(read), self.expected, read)


def saturated(bm25: Floats) -> Floats:
    """BM25 between 0 and 1."""
    return bm25 / (bm25 + HALF)
