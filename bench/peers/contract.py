"""The interface of a peer that can be measured."""

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
    """A memory that stores units and searches them."""

    def add(self, space: str, unit: dict[str, Any]) -> None:
        """Store one unit, so that it can be found when this returns."""
        ...

    def search(self, space: str, question: str, limit: int) -> list[str]:
        """The ids of the best units of this space, best first."""
        ...


class Adapter(Protocol):
    """A module in ADAPTERS."""

    PACKAGE: str
    """Whose version is measured."""

    def opened(self, database: str, embed: Embed) -> AbstractContextManager[Peer]:
        """Open the peer on an empty database, in which it may create tables."""
        ...
