"""The values of the node graph."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypedDict

from holdfast_client.values import called

Direction = Literal["both", "out", "in"]
Visibility = Literal["user", "project", "org"]


@dataclass(frozen=True, slots=True)
class NodeItem:
    """A statement about a node. If it comes from a memory, only those who see that memory see it."""

    id: str
    content: str
    source: str
    memory_id: str | None
    created_at: datetime


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
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A relation from one node to another."""

    id: str
    type: Literal["memory_edge"] = "memory_edge"
    from_id: str = called("from")
    to_id: str = called("to")
    relation: str
    weight: float
    valid_from: datetime | None
    valid_to: datetime | None
    version: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Graph:
    """Some nodes, and the edges between them."""

    nodes: list[Node]
    edges: list[Edge]


@dataclass(frozen=True, slots=True)
class NewItem:
    """A statement to add to a node."""

    content: str
    source: str = "manual"
    memory_id: str | None = None


class NodeChange(TypedDict, total=False):
    """The fields of a node that can be changed."""

    name: str
    kind: str
    aliases: Sequence[str]
    summary: str | None


class EdgeOptions(TypedDict, total=False):
    """The optional fields of an edge. A field that is left out has its default, or on an update is kept."""

    weight: float
    valid_from: datetime | None
    valid_to: datetime | None
