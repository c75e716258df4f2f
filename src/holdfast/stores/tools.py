"""Stores for a model: look at a path, write there, delete there."""

from typing import Annotated, Any

from pydantic import Field

from holdfast.edge.toolbox import DELETES, READS, REPLACES, Call, Toolbox
from holdfast.kernel.errors import Conflict, NotFound
from holdfast.kernel.ids import is_id
from holdfast.kernel.pages import MAX_LIMIT, Cursor
from holdfast.kernel.revisions import MAX_VERSION
from holdfast.stores import entries, listing, service
from holdfast.stores.entries import Expected
from holdfast.stores.model import Store, StoreEntry

box = Toolbox("stores")

# How many stores an error names, for a model that does not know which there are.
STORES_NAMED = 20

StoreName = Annotated[
    str, Field(description="The store's name or its id (memstore_…).", examples=["handbook"])
]
Path = Annotated[
    str, Field(description="The path of a text in the store.", examples=["notes/tea.md"])
]


@box.tool("Look into a store", READS)
async def store_view(
    call: Call,
    store: StoreName,
    path: Annotated[
        str | None,
        Field(
            description="A text's path shows the text, a folder's path what lies below it; left out, the whole store.",
            examples=["notes/tea.md", "notes"],
        ),
    ] = None,
    after_path: Annotated[
        str | None, Field(description="To go on with a long list: its next_path.")
    ] = None,
) -> Any:
    """Read a text of a store, with the version that store_write needs; or list what lies in a folder.

    Use it to find and read shared documents: handbooks, notes, plans. A name that is not known shows the names that are.
    Example: store_view(store="handbook", path="notes/tea.md")
    """
    found = await _find(call, store)
    folder = (path or "").strip("/")
    if folder and path is not None and not path.endswith("/"):
        try:
            return await entries.read_entry_at(call.db, call.caller, found.id, path.lstrip("/"))
        except NotFound:
            pass  # no text there: a folder, perhaps
    page = await listing.list_entries(
        call.db,
        call.caller,
        found.id,
        limit=MAX_LIMIT,
        path_prefix=folder or None,
        after_path=after_path,
    )
    if folder and not page.data and after_path is None:
        raise NotFound(f"there is nothing at {path!r} in this store")
    return {
        "store": {"id": found.id, "name": found.name, "description": found.description},
        "path": folder,
        "data": page.data,
        "has_more": page.has_more,
        "next_path": page.next_path,
    }


@box.tool("Write a text into a store", REPLACES)
async def store_write(
    call: Call,
    store: StoreName,
    path: Path,
    content: Annotated[str, Field(description="The whole text; at most 102,400 bytes.")],
    version: Annotated[
        int | None,
        Field(
            ge=1,
            le=MAX_VERSION,
            description="To replace a text: its version as store_view gave it. Left out: a new text.",
        ),
    ] = None,
) -> StoreEntry:
    """Write a text at a path of a store: a new one, or with `version` a new version of one that is there.

    Use it for documents that are shared or grow: notes, plans, handbooks. Every version is kept. Without `version` a path
    that is taken is a conflict, and so is a version that is no longer the current one.
    Example: store_write(store="handbook", path="notes/tea.md", content="Ana drinks green tea.\\n", version=3)
    """
    found = await _find(call, store)
    if version is None:
        return await entries.create_entry(call.db, call.caller, found.id, path, content)
    present = await entries.read_entry_at(call.db, call.caller, found.id, path)
    return await entries.update_entry(
        call.db,
        call.caller,
        found.id,
        present.id,
        content=content,
        expected=Expected(version=version),
    )


@box.tool("Delete a text of a store", DELETES)
async def store_delete(call: Call, store: StoreName, path: Path) -> dict[str, Any]:
    """Delete the text at a path of a store; its earlier versions stay and can be restored by a person.

    Use it when a document is obsolete. To correct it, write a new version instead.
    Example: store_delete(store="handbook", path="notes/tea.md")
    """
    found = await _find(call, store)
    present = await entries.read_entry_at(call.db, call.caller, found.id, path)
    await entries.delete_entry(
        call.db, call.caller, found.id, present.id, expected=Expected(version=present.version)
    )
    return {"deleted": True, "path": path, "version": present.version + 1}


async def _find(call: Call, store: str) -> Store:
    """The store of an id or a name. An unknown name is answered with those there are, a shared one with their ids."""
    if is_id(store, "memstore"):
        return await service.read_store(call.db, call.caller, store)
    named = await _called(call, store.strip())
    if len(named) == 1:
        return named[0]
    if named:
        ids = ", ".join(each.id for each in named)
        raise Conflict(f"several stores are called {store!r}; use one of their ids: {ids}")
    every = await service.list_stores(call.db, call.caller, Cursor(STORES_NAMED))
    names = ", ".join(repr(each.name) for each in every.data) or "none yet; a person makes them"
    raise NotFound(f"there is no store {store!r}; there are: {names}")


async def _called(call: Call, name: str) -> list[Store]:
    """Every store of this name, in any case."""
    found: list[Store] = []
    cursor = Cursor(MAX_LIMIT)
    while True:
        page = await service.list_stores(call.db, call.caller, cursor, name=name)
        found += [each for each in page.data if each.name.casefold() == name.casefold()]
        if not page.has_more:
            return found
        cursor = Cursor(MAX_LIMIT, after_id=page.last_id)
