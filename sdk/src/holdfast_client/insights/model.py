"""The values of insights."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Insight:
    """An observation about a user."""

    id: str
    type: Literal["insight"] = "insight"
    user_id: str
    category: str
    insight: str
    source: str
    confidence: float
    metadata: dict[str, Any]
    version: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredInsight(Insight):
    """The answer to a save that stored the insight."""

    stored: Literal[True] = True


@dataclass(frozen=True, slots=True)
class NotStored:
    """The answer to a save if the user has turned capture off."""

    stored: Literal[False] = False
    reason: Literal["capture_off"] = "capture_off"


@dataclass(frozen=True, slots=True)
class Wiped:
    """How many insights were erased."""

    deleted: int
