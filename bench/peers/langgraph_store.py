"""LangGraph's PostgresStore as in its documentation: one connection, a namespace per space, default index.

By default the store embeds the whole value, so speaker and date are part of the search.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from langgraph.store.postgres import PostgresStore

from bench.peers.contract import DIMENSIONS, Embed

PACKAGE = "langgraph-checkpoint-postgres"


class Store:
    """A store whose keys are the ids of units."""

    def __init__(self, store: PostgresStore) -> None:
        self._store = store

    def add(self, space: str, unit: dict[str, Any]) -> None:
        """One item, with the same fields as a memory of the service."""
        value = {name: unit[name] for name in ("text", "speaker", "session", "date")}
        self._store.put(("memories", space), unit["id"], value)

    def search(self, space: str, question: str, limit: int) -> list[str]:
        """Semantic search in the namespace."""
        items = self._store.search(("memories", space), query=question, limit=limit)
        return [item.key for item in items]


@contextmanager
def opened(database: str, embed: Embed) -> Iterator[Store]:
    """Open the store and create its tables."""
    index: Any = {"dims": DIMENSIONS, "embed": embed}
    with PostgresStore.from_conn_string(database, index=index) as store:
        store.setup()
        yield Store(store)
