"""A store that an integration finds by its name, and the texts in it."""

import json
from contextlib import suppress
from hashlib import sha256

from holdfast_client.errors import NotFound
from holdfast_client.flows import Flow
from holdfast_client.scope import Scope
from holdfast_client.stores import calls
from holdfast_client.stores.model import StoreEntry

PAGE = 100


def open_store(scope: Scope, name: str, description: str) -> Flow[str]:
    """The id of the oldest store with this name, made if there is none; all that start at once get the same one."""
    make = calls.create_store(scope, name, description=description)
    # Those who find none at once make one, under one idempotency key. Of two stores the older may be committed last: what was
    # written to the newer one until then would not be found any more. A store of that key may be gone since; then another is made.
    for call in (make.under(_key_of(name, description)), make):
        found = yield from _oldest(scope, name)
        if found is not None:
            return found
        with suppress(NotFound):
            yield call
    found = yield from _oldest(scope, name)
    if found is None:
        raise NotFound(f"the store {name!r} was made and is not there")
    return found


def _oldest(scope: Scope, name: str) -> Flow[str | None]:
    after: str | None = None
    oldest: str | None = None
    while True:
        page = yield calls.list_stores(scope, name=name, limit=PAGE, after_id=after)
        oldest = next((store.id for store in reversed(page.data) if store.name == name), oldest)
        if not page.has_more:
            return oldest
        after = page.last_id


def _key_of(name: str, description: str) -> str:
    return f"open-store-{sha256(json.dumps([name, description]).encode()).hexdigest()}"


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
