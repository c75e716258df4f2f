"""Recall in one store: its entries by word and by meaning."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from holdfast.kernel import clock
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.recall.budget import fitting
from holdfast.kernel.recall.explain import why_not
from holdfast.kernel.recall.model import Hit, Miss, Mode, Question
from holdfast.kernel.recall.query import Explanation, Matched, check_ids, check_query
from holdfast.kernel.recall.search import rank, understand
from holdfast.stores.model import Store, StoreEntry
from holdfast.stores.passages import queries, scope_of
from holdfast.stores.service import in_sight, must_be_there
from holdfast.stores.service import queries as store_queries


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What to recall, and in which form."""

    query: str
    limit: int = 10
    mode: Mode = "hybrid"
    min_score: float | None = None
    max_tokens: int | None = None
    explain: bool = False
    ids: tuple[str, ...] = ()
    now: datetime | None = None


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
    check_query(ask.query, field="query")
    check_ids(ask.ids)
    must_be_there(
        await db.one(caller, Store, store_queries.read_store, **in_sight(caller, store_id))
    )
    question = Question(
        text=ask.query,
        scopes=(scope_of(store_id),),
        kinds=("store_entry",),
        now=ask.now or clock.now(),
        mode=ask.mode,
        limit=ask.limit,
    )
    asked = await understand(db, caller, question)
    found = await rank(db, caller, question, asked)
    hits = [hit for hit in found.hits if ask.min_score is None or hit.score >= ask.min_score]
    rows = await read_entries(db, caller, [store_id], [hit.object_id for hit in hits[:200]])
    data, used = fitting(
        [_recalled(rows[hit.object_id], hit, ask) for hit in hits if hit.object_id in rows],
        lambda each: each.text,
        limit=ask.limit,
        max_tokens=ask.max_tokens,
    )
    misses: list[Miss] = []
    if ask.explain:
        shown = {each.id for each in data}
        missed = [id for id in dict.fromkeys(ask.ids) if id not in shown]
        there = await read_entries(db, caller, [store_id], missed)
        misses = [
            Miss(id, "not_found", "there is no such entry in this store")
            for id in missed
            if id not in there
        ]
        misses += await why_not(
            db, caller, question, asked, found, "store_entry", list(there), min_score=ask.min_score
        )
    return RecalledEntries(data, used, misses)


async def stores_in_sight(db: Database, caller: Caller) -> list[str]:
    """The ids of the stores that the caller sees."""
    return await db.all(caller, str, queries.stores_in_sight, workspace_id=caller.workspace_id)


async def read_entries(
    db: Database, caller: Caller, store_ids: Sequence[str], ids: Sequence[str]
) -> Mapping[str, StoreEntry]:
    """Entries by their ids, of stores that the caller sees."""
    if not ids:
        return {}
    rows = await db.all(
        caller, StoreEntry, queries.recalled_entries, ids=list(ids), store_ids=list(store_ids)
    )
    return {row.id: row for row in rows}


def _recalled(row: StoreEntry, hit: Hit, ask: Ask) -> RecalledEntry:
    return RecalledEntry(
        id=row.id,
        text=hit.passage_of(row.content or ""),
        object=row,
        score=hit.score,
        matched=Matched.of(hit),
        explain=Explanation.of(hit) if ask.explain else None,
    )
