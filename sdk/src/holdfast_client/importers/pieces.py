"""What an export holds, in one form for all formats."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class MemoryPiece:
    """A fact; `key` is the same each time the export is read."""

    key: str
    text: str
    user: str | None = None
    agent: str | None = None
    tags: tuple[str, ...] = ()
    valid_from: str | None = None
    valid_to: str | None = None


@dataclass(frozen=True, slots=True)
class MessagePiece:
    """A message of a conversation."""

    session: str
    id: str
    role: str
    text: str
    user: str | None = None
    created_at: str | None = None


@dataclass(frozen=True, slots=True)
class EntityPiece:
    """A node with what is said about it."""

    name: str
    kind: str
    observations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RelationPiece:
    """A relation between two nodes, by their names."""

    source: str
    relation: str
    target: str


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A text at a path of a store."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that has no place here, and why."""

    reason: str
    about: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)


Piece = MemoryPiece | MessagePiece | EntityPiece | RelationPiece | TextPiece | LeftOut
