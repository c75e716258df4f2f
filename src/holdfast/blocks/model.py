"""What a block is, and how big it may be."""

from dataclasses import dataclass
from typing import Literal

from holdfast.blocks.lines import count_entries
from holdfast.kernel import limits
from holdfast.kernel.caller import Actor
from holdfast.kernel.clock import Instant

BlockType = Literal["core", "archival"]
BlockScope = Literal["user", "agent"]

MAX_CHARS: dict[BlockType, int] = {"core": 4_000, "archival": 8_000}
MAX_CORE_ENTRIES = 20
MAX_QUERY_CHARS = 4_000
DEFAULT_LINES, MAX_LINES = 10, 50


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
    created_at: Instant
    updated_at: Instant
    type: Literal["memory_block"] = "memory_block"


@dataclass(frozen=True, slots=True)
class BlockRevision:
    """A block as it stood after one change; of a removal, or once redacted, there is no content."""

    id: str
    version_id: str
    block_type: BlockType
    version: int
    action: str
    actor: Actor
    user_id: str | None  # the user that the actor acted for
    created_at: Instant
    request_id: str | None
    content: str | None
    entries: int | None
    characters: int | None
    type: Literal["memory_block_revision"] = "memory_block_revision"


@dataclass(frozen=True, slots=True)
class RecalledLine:
    """A line of an archive that a query found; without a query it has no score."""

    content: str
    score: float | None
    block_type: BlockType
    scope: BlockScope
    agent_id: str | None
    line_number: int
    updated_at: Instant


def check_content(block_type: BlockType, content: str) -> int:
    """The number of entries in a text that is to become a block; refused past the type's limits."""
    limits.storable(content, field="content")
    limits.at_most_chars(content, MAX_CHARS[block_type], what=f"the {block_type} block")
    entries = count_entries(content)
    if block_type == "core":
        limits.at_most(entries, MAX_CORE_ENTRIES, what="entries in the core block")
    return entries
