"""What a peer must be able to do to be measured."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

ADAPTERS = {
    "LangGraph PostgresStore": "bench.peers.langgraph_store",
    "mem0": "bench.peers.mem0_memory",
}
"""The peers, as the table calls them, and the module that speaks to each."""

DIMENSIONS = 384

Embed = Callable[[Sequence[str]], list[list[float]]]
"""Texts into unit vectors of DIMENSIONS, as the service embeds them."""


class Peer(Protocol):
    """A memory that is filled and asked."""

    def add(self, space: str, unit: dict[str, Any]) -> None:
        """Store one unit; once this returns, it can be found."""
        ...

    def search(self, space: str, question: str, limit: int) -> list[str]:
        """The ids of the units that fit best, best first, of this space alone."""
        ...


class Adapter(Protocol):
    """A module of ADAPTERS."""

    PACKAGE: str
    """Whose version is measured."""

    def opened(self, database: str, embed: Embed) -> AbstractContextManager[Peer]:
        """The peer on an empty database that it may make tables in."""
        ...
