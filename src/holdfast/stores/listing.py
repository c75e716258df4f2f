"""A store by path, page by page, whole or by folders."""

from dataclasses import dataclass
from datetime import datetime

from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.stores import paths
from holdfast.stores.entries import then_queries, until
from holdfast.stores.model import EntryPrefix, ListItem, PathPage, Store, StoreEntry
from holdfast.stores.service import in_sight, must_be_there, queries


@dataclass(frozen=True, slots=True)
class _Item:
    """A row of a listing by folders: the entry, or the folder that it was the first of."""

    id: str
    store_id: str
    path: str
    size: int
    content_sha256: str
    version: int
    metadata: dict[str, str]
    created_at: datetime
    updated_at: datetime
    content: str | None
    rolled_up: str | None

    @property
    def shown(self) -> ListItem:
        if self.rolled_up is not None:
            return EntryPrefix(self.rolled_up)
        return StoreEntry(
            id=self.id,
            store_id=self.store_id,
            path=self.path,
            size=self.size,
            content_sha256=self.content_sha256,
            version=self.version,
            metadata=self.metadata,
            created_at=self.created_at,
            updated_at=self.updated_at,
            content=self.content,
        )


async def list_entries(
    db: Database,
    caller: Caller,
    store_id: str,
    *,
    limit: int,
    path_prefix: str | None = None,
    depth: int = 0,
    after_path: str | None = None,
    with_content: bool = False,
    as_of: datetime | None = None,
) -> PathPage:
    """A page by path, now or at a time; with `depth`, what lies deeper below the prefix is rolled up into folders."""
    where = in_sight(caller, store_id)
    span = paths.span(path_prefix, after_path, depth)
    asked = {
        "store_id": store_id,
        "start": span.start,
        "end": span.end,
        "limit": limit + 1,
        "with_content": with_content,
    }
    found: list[ListItem]
    async with db.read(caller) as tx:
        store = await tx.send(Store, queries.read_store, where)
        if depth or as_of is not None:
            query = queries.list_folders if as_of is None else then_queries.list_entries
            folders = {**asked, "depth": depth, "prefix": span.prefix, "until_id": until(as_of)}
            found = [item.shown for item in await tx.all(_Item, query, **folders)]
        else:
            found = [*await tx.all(StoreEntry, queries.list_entries, **asked)]
        must_be_there(await store.fetchone())
    has_more, page = len(found) > limit, found[:limit]
    return PathPage(page, has_more, page[-1].path if has_more else None)
