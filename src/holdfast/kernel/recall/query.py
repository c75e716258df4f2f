"""The words that every face's recall shares: what may be asked, and how a result says why it is there."""

from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.kernel import limits
from holdfast.kernel.errors import Invalid
from holdfast.kernel.recall.model import MAX_QUERY_CHARS, Hit

MAX_IDS = 100
MAX_TOKENS = 1_000_000


@dataclass(frozen=True, slots=True)
class Matched:
    """Which arms found it, and by which words of the query."""

    arms: list[str]
    terms: list[str]

    @classmethod
    def of(cls, hit: Hit) -> "Matched":
        """How a hit was found."""
        return cls(list(hit.arms), list(hit.terms))


@dataclass(frozen=True, slots=True)
class Explanation:
    """What the score is made of: the parts sum to the total."""

    parts: dict[str, float]
    total: float

    @classmethod
    def of(cls, hit: Hit) -> "Explanation":
        """What a hit's score is made of."""
        return cls(dict(hit.parts), hit.score)


def check_query(text: str, *, field: str) -> None:
    """Refuse a query that asks for nothing, or is too long."""
    if not text.strip():
        raise Invalid.field(field, "may not be blank")
    limits.at_most_chars(text, MAX_QUERY_CHARS, what=field)


def check_ids(ids: Sequence[str]) -> None:
    """Refuse to explain more than a page can show."""
    limits.at_most(len(ids), MAX_IDS, what="ids to explain")
