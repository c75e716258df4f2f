"""Entries as recall indexes them: a scope for each agent and each workspace. What a run noted for itself is not recalled."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from holdfast.entries.model import Entry, NewEntry, Places
from holdfast.kernel.caller import Caller
from holdfast.kernel.clock import now
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.recall import passages
from holdfast.kernel.recall.model import Document, Kind
from holdfast.kernel.sql import load

queries = load(__file__)

KIND: Kind = "entry"


def scope_of(owner: str) -> str:
    """Where the entries of an agent or of a workspace lie."""
    return f"entry/{owner}"


def scopes_of(where: Places) -> tuple[str, ...]:
    """Where an agent looks: among its own and its workspace's."""
    return tuple(map(scope_of, where.owners))


async def prefetch_embeddings(db: Database, entries: Sequence[NewEntry]) -> None:
    """Embed what is about to be stored, before its transaction."""
    await passages.prefetch_embeddings(
        db,
        [
            _document("", "", e.key, e.content, e.category, list(e.tags), now(), None)
            for e in entries
        ],
    )


async def put(tx: Tx, owner: str, entry: Entry) -> None:
    """Let an entry be found by what it says now."""
    if entry.run_id is None:
        await passages.put(tx, [_of(owner, entry)])


async def drop(tx: Tx, entry_ids: Sequence[str]) -> None:
    """Take entries out of the index."""
    await passages.drop(tx, KIND, entry_ids)


async def read_documents(tx: Tx, ids: Sequence[str]) -> list[Document]:
    """Entries of the org, to be embedded again."""
    rows = await tx.all(dict, queries.entries_to_index, ids=list(ids))
    return [_document(**row) for row in rows]


async def read_recalled(
    db: Database, caller: Caller, where: Places, ids: Sequence[str]
) -> Mapping[str, Entry]:
    """Living entries by their ids, of the agent itself and of its workspace."""
    if not ids:
        return {}
    rows = await db.all(caller, Entry, queries.recalled_entries, ids=list(ids), owners=where.owners)
    return {row.id: row for row in rows}


def _of(owner: str, entry: Entry) -> Document:
    return _document(
        entry.id,
        owner,
        entry.key,
        entry.content,
        entry.category,
        entry.tags,
        entry.updated_at,
        entry.expires_at,
    )


def _document(
    id: str,
    owner: str,
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
        scope=scope_of(owner),
        body=content,
        head=key,
        about=" ".join([category, *tags]),
        labels=tuple(tags),
        at=updated_at,
        updated_at=updated_at,
        until=expires_at,
    )
