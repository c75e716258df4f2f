"""Vectors in half precision, as pgvector's `halfvec` sends and receives them.

A query's vector goes to Postgres as it is, without a text that one side writes and the other reads (a tenth of a millisecond of a
recall). Arrays of vectors, which saves send, go as texts: a binary array would have to name the type's number in that database.
"""

from collections.abc import Sequence
from functools import cache
from struct import pack
from typing import Any

import numpy as np
import numpy.typing as npt
import psycopg
from psycopg.adapt import Dumper
from psycopg.pq import Format

Numbers = npt.NDArray[np.float32]

# What a text keeps: half precision has three digits.
DIGITS = 5


class HalfVector(bytes):
    """The message of a `halfvec`: how many numbers, two empty bytes, the numbers."""

    @classmethod
    def of(cls, row: Sequence[float] | Numbers) -> "HalfVector":
        """A row of numbers in half precision."""
        return cls(pack(">HH", len(row), 0) + np.asarray(row, dtype=">f2").tobytes())

    @property
    def numbers(self) -> Numbers:
        """The numbers, to compute with."""
        return np.frombuffer(self, dtype=">f2", offset=4).astype(np.float32)

    @property
    def text(self) -> str:
        """As `halfvec` reads it: `[12345e-5,…]`. Whole numbers are written in half the time that fractions take."""
        scaled: list[int] = np.rint(self.numbers * 10**DIGITS).astype(np.int64).tolist()
        return _form(len(scaled)) % tuple(scaled)


@cache
def _form(dimensions: int) -> str:
    """Filled in at once, in half the time that one number after another takes."""
    return f"[{','.join([f'%de-{DIGITS}'] * dimensions)}]"


class _HalfVectorDumper(Dumper):
    """Sends the message itself. The type is left open: its number differs from database to database, and the function that is
    called says which it is."""

    format = Format.BINARY
    oid = 0

    def dump(self, obj: HalfVector) -> bytes:
        return obj


def install(connection: psycopg.AsyncConnection[Any]) -> None:
    """Have a connection send vectors so."""
    connection.adapters.register_dumper(HalfVector, _HalfVectorDumper)
