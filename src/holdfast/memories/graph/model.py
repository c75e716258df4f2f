"""What the node graph is made of, and how big its parts may be."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from holdfast.kernel import limits
from holdfast.kernel.clock import Instant
from holdfast.kernel.errors import Invalid

Direction = Literal["both", "out", "in"]
Visibility = Literal["user", "project", "org"]

MAX_NAME_CHARS = 255
MAX_LABEL_CHARS = 64  # a kind, a relation, a source
MAX_ALIASES = 64
MAX_SUMMARY_CHARS = 1_000
MAX_ITEM_CHARS = 8_000
MAX_ITEMS = 1_000  # of one node; a merge may bring more together
MAX_DEPTH = 3
MAX_NEIGHBORS = 500
MAX_HOPS = 8


@dataclass(frozen=True, slots=True)
class NodeItem:
    """A fact about a node; one with a `memory_id` is seen only by those who also see that memory."""

    id: str
    content: str
    source: str
    memory_id: str | None
    created_at: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A person, a topic, an event: something that memories are about.

    `visibility` says who sees it: the user that made it (`user_id`), a project, or the whole org.
    """

    id: str
    type: Literal["memory_node"] = "memory_node"
    name: str
    kind: str
    visibility: Visibility
    user_id: str | None
    project_id: str | None
    aliases: list[str]
    summary: str | None
    items: list[NodeItem]
    version: int
    created_at: Instant
    updated_at: Instant

    def __post_init__(self) -> None:
        """A row brings its items as JSON: they become values too."""
        object.__setattr__(self, "items", [_as_item(each) for each in self.items])


def _as_item(given: Any) -> NodeItem:
    if isinstance(given, NodeItem):
        return given
    return NodeItem(**{**given, "created_at": datetime.fromisoformat(given["created_at"])})


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """One node's relation to another."""

    id: str
    type: Literal["memory_edge"] = "memory_edge"
    from_id: Annotated[str, Field(serialization_alias="from")]
    to_id: Annotated[str, Field(serialization_alias="to")]
    relation: str
    weight: float
    valid_from: Instant | None
    valid_to: Instant | None
    version: int
    created_at: Instant
    updated_at: Instant


@dataclass(frozen=True, slots=True)
class Graph:
    """Some nodes, and the edges between them."""

    nodes: list[Node]
    edges: list[Edge]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewNode:
    """A node to make."""

    name: str
    kind: str = "entity"
    visibility: Visibility = "user"
    project_id: str | None = None
    aliases: tuple[str, ...] = ()
    summary: str | None = None


@dataclass(frozen=True, slots=True)
class NewItem:
    """An item to add."""

    content: str
    source: str = "manual"
    memory_id: str | None = None


def check_node(fields: Mapping[str, Any]) -> None:
    """Refuse the fields of a node that are blank or too long."""
    for name, limit in (("name", MAX_NAME_CHARS), ("kind", MAX_LABEL_CHARS)):
        if name in fields:
            _check_label(fields[name], name, limit)
    if fields.get("summary") is not None:
        limits.at_most_chars(fields["summary"], MAX_SUMMARY_CHARS, what="the summary")
    if "aliases" in fields:
        if fields["aliases"] is None:
            raise Invalid.field("aliases", "may not be null")
        limits.at_most(len(fields["aliases"]), MAX_ALIASES, what="aliases")
        for alias in fields["aliases"]:
            _check_label(alias, "aliases", MAX_NAME_CHARS)


def check_items(items: Sequence[NewItem]) -> None:
    """Refuse items that are blank or too long, or too many."""
    limits.at_most(len(items), MAX_ITEMS, what="items")
    for item in items:
        if not item.content.strip():
            raise Invalid.field("content", "may not be blank")
        limits.at_most_chars(item.content, MAX_ITEM_CHARS, what="the content of an item")
        _check_label(item.source, "source", MAX_LABEL_CHARS)


def check_edge(relation: str, weight: float | None) -> None:
    """Refuse a relation that is blank or too long, or a weight that is no number."""
    _check_label(relation, "relation", MAX_LABEL_CHARS)
    if weight is not None and not math.isfinite(weight):
        raise Invalid.field("weight", "must be a finite number")


def _check_label(text: str | None, field: str, limit: int) -> None:
    if text is None or not text.strip():
        raise Invalid.field(field, "may not be blank")
    limits.at_most_chars(text, limit, what=field)
