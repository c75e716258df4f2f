"""A store that an integration finds by its name, and the texts in it."""

from holdfast_client.errors import NotFound
from holdfast_client.flows import Flow
from holdfast_client.scope import Scope
from holdfast_client.stores import calls
from holdfast_client.stores.model import Store, StoreEntry

PAGE = 100


def open_store(scope: Scope, name: str, description: str) -> Flow[str]:
    """The id of the oldest store with this name, made if there is none; two that start at once agree on the oldest."""
    for _ in range(2):
        after: str | None = None
        found: list[Store] = []
        while True:
            page = yield calls.list_stores(scope, name=name, limit=PAGE, after_id=after)
            found += [store for store in page.data if store.name == name]
            if not page.has_more:
                break
            after = page.last_id
        if found:
            return found[-1].id
        yield calls.create_store(scope, name, description=description)
    raise NotFound(f"the store {name!r} was made and is not there")


def list_all(scope: Scope, store_id: str, prefix: str | None = None) -> Flow[list[StoreEntry]]:
    """Every entry below a path prefix, without contents."""
    rows: list[StoreEntry] = []
    after: str | None = None
    while True:
        page = yield calls.list_entries(
            scope, store_id, path_prefix=prefix, limit=PAGE, after_path=after
        )
        rows += [row for row in page.data if isinstance(row, StoreEntry)]
        if not page.has_more:
            return rows
        after = page.next_path
