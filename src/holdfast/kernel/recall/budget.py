"""What fits: the best first, within a number of results and of tokens."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from holdfast.kernel import tokens

T = TypeVar("T")


def fitting(
    ranked: Iterable[T], text_of: Callable[[T], str], *, limit: int, max_tokens: int | None
) -> tuple[list[T], int]:
    """As many as fit, best first, and their tokens. One that is too long makes room for a shorter one after it."""
    taken: list[T] = []
    used = 0
    for each in ranked:
        if len(taken) == limit:
            break
        size = tokens.count(text_of(each))
        if max_tokens is not None and used + size > max_tokens:
            continue
        taken.append(each)
        used += size
    return taken, used
