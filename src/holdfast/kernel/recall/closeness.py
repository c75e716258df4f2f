"""Close reading: each token of a query against the best token of a passage (late interaction), on bits.

A token is 64 bits, the signs of its vector. How alike two are is 1 − (differing bits) / 32, an estimate of the cosine between −1
and 1; a passage is as close as the tokens of the query are on average. Bits lose next to nothing in the ranking against
full vectors, and take 8 bytes a token.
"""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

HALF_BITS = 32.0


def closeness(query: bytes, passages: Sequence[bytes | None]) -> Floats | None:
    """How close each passage is to a query; NaN for one without tokens, None where none has any."""
    held = [tokens for tokens in passages if tokens]
    asked = np.frombuffer(query, dtype=np.uint64)
    if not held or not len(asked):
        return None
    joined = np.frombuffer(b"".join(held), dtype=np.uint64)
    starts = [0, *accumulate(len(tokens) // 8 for tokens in held[:-1])]
    apart = np.bitwise_count(asked[:, None] ^ joined)
    least = np.minimum.reduceat(apart, starts, axis=1)
    read: Floats = 1.0 - least.sum(axis=0) / len(asked) / HALF_BITS
    if len(held) == len(passages):
        return read
    close = np.full(len(passages), np.nan)
    close[[place for place, tokens in enumerate(passages) if tokens]] = read
    return close


def expected_closeness(similarity: Floats) -> Floats:
    """How close a passage of this cosine is on average, as measured over the tuning sets."""
    return 0.25 + 0.5 * similarity
