"""Store entries as recall indexes them: a scope for each store."""

from collections.abc import Sequence
from datetime import datetime

from holdfast.kernel.clock import now
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.recall import passages
from holdfast.kernel.recall.model import Document, Kind
from holdfast.kernel.recall.passages import put
from holdfast.kernel.sql import load

queries = load(__file__, "recall.sql")

KIND: Kind = "store_entry"


def scope_of(store_id: str) -> str:
    """Where the entries of a store lie."""
    return f"store/{store_id}"


def document(store_id: str, entry_id: str, path: str, content: str, at: datetime) -> Document:
    """An entry as recall indexes it: by its text, and by its path."""
    return Document(
        kind=KIND,
        object_id=entry_id,
        scope=scope_of(store_id),
        body=content,
        head=path,
        updated_at=at,
        at=at,
    )


async def prefetch_embeddings(db: Database, path: str | None, content: str) -> None:
    """Embed what is about to be written, before its transaction."""
    await prefetch_all(db, [(path or "", content)])


async def prefetch_all(db: Database, texts: Sequence[tuple[str, str]]) -> None:
    """`prefetch_embeddings` for several, each a path and a content."""
    await passages.prefetch_embeddings(
        db, [document("", "", path, content, now()) for path, content in texts]
    )


async def drop(tx: Tx, entry_ids: Sequence[str]) -> None:
    """Take entries out of the index."""
    await passages.drop(tx, KIND, entry_ids)


async def drop_store(tx: Tx, store_id: str) -> None:
    """Take a whole store out of the index."""
    await passages.drop_scope(tx, scope_of(store_id))


async def read_documents(tx: Tx, ids: Sequence[str]) -> list[Document]:
    """Entries of the org, to be embedded again."""
    rows = await tx.all(dict, queries.entries_to_index, ids=list(ids))
    return [document(**row) for row in rows]


__all__ = [
    "document",
    "drop",
    "drop_store",
    "prefetch_all",
    "prefetch_embeddings",
    "put",
    "read_documents",
    "scope_of",
]
