"""The values of a recall over every face."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from holdfast_client.memories.model import Explanation, Matched, Miss, RecallOptions

Kind = Literal["block_line", "entry", "memory", "node_item", "store_entry", "summary", "flushed"]


@dataclass(frozen=True, slots=True)
class RecalledThing:
    """A recalled object: its best passage, the object as its face returns it, and how it was found."""

    kind: Kind
    id: str
    text: str
    object: dict[str, Any]
    score: float
    matched: Matched
    explain: Explanation | None = None


@dataclass(frozen=True, slots=True)
class RecalledThings:
    """Recalled objects, best first; `misses` explains the ids of `ids` that are not in `data`."""

    data: list[RecalledThing]
    tokens: int
    misses: list[Miss]


class EveryRecallOptions(RecallOptions, total=False):
    """The options of a recall, its agent, project and session, and the kinds to search."""

    kinds: Sequence[Kind]
