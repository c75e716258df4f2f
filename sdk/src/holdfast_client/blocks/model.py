"""The values of blocks."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

BlockType = Literal["core", "archival"]
BlockScope = Literal["user", "agent"]


@dataclass(frozen=True, slots=True)
class Block:
    """One text about a user, for every agent (`user`) or for one of them (`agent`)."""

    id: str
    block_type: BlockType
    scope: BlockScope
    agent_id: str | None
    content: str
    entries: int
    characters: int
    version: int
    created_at: datetime
    updated_at: datetime
    type: Literal["memory_block"] = "memory_block"


@dataclass(frozen=True, slots=True)
class Actor:
    """Who made a change."""

    type: str
    id: str


@dataclass(frozen=True, slots=True)
class BlockRevision:
    """A block after one change; `content` is None for a deletion, or if it was redacted."""

    id: str
    version_id: str
    block_type: BlockType
    version: int
    action: str
    actor: Actor
    user_id: str | None  # the user that the actor acted for
    created_at: datetime
    request_id: str | None
    content: str | None
    entries: int | None
    characters: int | None
    type: Literal["memory_block_revision"] = "memory_block_revision"


@dataclass(frozen=True, slots=True)
class RecalledLine:
    """An archival line that a query found; `score` is None for an empty query."""

    content: str
    score: float | None
    block_type: BlockType
    scope: BlockScope
    agent_id: str | None
    line_number: int
    updated_at: datetime
