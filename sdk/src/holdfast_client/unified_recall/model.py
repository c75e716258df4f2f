"""What a recall over every face answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from holdfast_client.memories.model import Explanation, Matched, Miss, RecallOptions

Kind = Literal["block_line", "entry", "memory", "node_item", "store_entry", "summary", "flushed"]


@dataclass(frozen=True, slots=True)
class RecalledThing:
    """Something that was recalled: its best passage, itself as its face shows it, and how it was found."""

    kind: Kind
    id: str
    text: str
    object: dict[str, Any]
    score: float
    matched: Matched
    explain: Explanation | None = None


@dataclass(frozen=True, slots=True)
class RecalledThings:
    """What was recalled, best first; `misses` for the ids that were asked about and are not in `data`."""

    data: list[RecalledThing]
    tokens: int
    misses: list[Miss]


class EveryRecallOptions(RecallOptions, total=False):
    """How a recall looks, where from, and for what."""

    kinds: Sequence[Kind]
