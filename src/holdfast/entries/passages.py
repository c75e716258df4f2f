"""Entries as recall indexes them: a scope for each audience. Entries of a run are not indexed."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from holdfast.entries.model import Entry, NewEntry
from holdfast.entries.reach import Reach
from holdfast.kernel.caller import Caller
from holdfast.kernel.clock import now
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.recall import passages
from holdfast.kernel.recall.model import Document, Kind
from holdfast.kernel.sql import load

queries = load(__file__)

KIND: Kind = "entry"


def scope_of(audience: str) -> str:
    """The scope of an audience's entries in the index."""
    return f"entry/{audience}"


def scopes_of(reach: Reach) -> tuple[str, ...]:
    """The scopes that a caller searches: the user's with the agent, the agent's own, its workspace's."""
    return tuple(scope_of(each.text) for each in reach.within(None).nearest_first())


async def prefetch_embeddings(db: Database, entries: Sequence[NewEntry]) -> None:
    """Embed what is about to be stored, before its transaction."""
    await passages.prefetch_embeddings(
        db,
        [
            _document("", "", e.key, e.content, e.category, list(e.tags), now(), None)
            for e in entries
        ],
    )


async def put(tx: Tx, entry: Entry) -> None:
    """Index an entry by what it says now."""
    if entry.run_id is None:
        await passages.put(tx, [_of(entry)])


async def drop(tx: Tx, entry_ids: Sequence[str]) -> None:
    """Take entries out of the index."""
    await passages.drop(tx, KIND, entry_ids)


async def read_documents(tx: Tx, ids: Sequence[str]) -> list[Document]:
    """Entries of the org, to be embedded again."""
    rows = await tx.all(dict, queries.entries_to_index, ids=list(ids))
    return [_document(**row) for row in rows]


async def read_recalled(
    db: Database, caller: Caller, reach: Reach, ids: Sequence[str]
) -> Mapping[str, Entry]:
    """Entries by their ids, as far as the caller sees them and they have not expired."""
    if not ids:
        return {}
    rows = await db.all(caller, Entry, queries.recalled_entries, ids=list(ids), **reach.params)
    return {row.id: row for row in rows}


async def read_expired(db: Database, caller: Caller, reach: Reach, ids: Sequence[str]) -> list[str]:
    """Those of these ids that are entries which the caller would see, had they not expired."""
    return await db.all(caller, str, queries.expired_entries, ids=list(ids), **reach.params)


def _of(entry: Entry) -> Document:
    return _document(
        entry.id,
        entry.audience.text,
        entry.key,
        entry.content,
        entry.category,
        entry.tags,
        entry.updated_at,
        entry.expires_at,
    )


def _document(
    id: str,
    audience: str,
    key: str,
    content: str,
    category: str,
    tags: list[str],
    updated_at: datetime,
    expires_at: datetime | None,
) -> Document:
    return Document(
        kind=KIND,
        object_id=id,
        scope=scope_of(audience),
        body=content,
        head=key,
        about=" ".join([category, *tags]),
        labels=tuple(tags),
        at=updated_at,
        updated_at=updated_at,
        until=expires_at,
    )
