"""Recall in one store: its entries by word and by meaning."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from holdfast.kernel import sight
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.recall.answer import Ask, RecalledThing, Thing, View, answer, check
from holdfast.kernel.recall.model import Miss
from holdfast.kernel.recall.query import Explanation, Matched
from holdfast.stores.model import Store, StoreEntry
from holdfast.stores.passages import queries, scope_of
from holdfast.stores.service import in_sight, must_be_there
from holdfast.stores.service import queries as store_queries


@dataclass(frozen=True, slots=True)
class RecalledEntry:
    """An entry that was recalled, by its best passage, and how."""

    id: str
    text: str
    object: StoreEntry
    score: float
    matched: Matched
    explain: Explanation | None = None
    kind: str = "store_entry"


@dataclass(frozen=True, slots=True)
class RecalledEntries:
    """What a recall answers; `misses` for the ids that were asked about and are not in `data`."""

    data: list[RecalledEntry]
    tokens: int
    misses: list[Miss]


async def recall(db: Database, caller: Caller, store_id: str, ask: Ask) -> RecalledEntries:
    """The entries of a store that fit a query best."""
    check(ask)
    must_be_there(
        await db.one(caller, Store, store_queries.read_store, **in_sight(caller, store_id))
    )
    found = await answer(db, caller, ask, [as_view(db, caller, [store_id])])
    return RecalledEntries([_recalled(each) for each in found.data], found.tokens, found.misses)


def as_view(db: Database, caller: Caller, store_ids: Sequence[str]) -> View:
    """The entries of these stores, as recall searches and reads them."""

    async def read(ids: Sequence[str]) -> Mapping[str, Thing]:
        rows = await read_entries(db, caller, store_ids, ids)
        return {id: Thing(row.content or "", row) for id, row in rows.items()}

    return View(tuple(map(scope_of, store_ids)), {"store_entry": read})


async def stores_in_sight(db: Database, caller: Caller) -> list[str]:
    """The ids of the stores that the caller sees."""
    return await db.all(caller, str, queries.stores_in_sight, **sight.params(caller))


async def read_entries(
    db: Database, caller: Caller, store_ids: Sequence[str], ids: Sequence[str]
) -> Mapping[str, StoreEntry]:
    """Entries by their ids, of stores that the caller sees."""
    if not ids:
        return {}
    rows = await db.all(
        caller,
        StoreEntry,
        queries.recalled_entries,
        ids=list(ids),
        store_ids=list(store_ids),
        **sight.params(caller),
    )
    return {row.id: row for row in rows}


def _recalled(found: RecalledThing) -> RecalledEntry:
    return RecalledEntry(
        id=found.id,
        text=found.text,
        object=found.object,
        score=found.score,
        matched=found.matched,
        explain=found.explain,
    )
