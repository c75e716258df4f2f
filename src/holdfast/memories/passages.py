"""Memories as recall indexes them."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from holdfast.kernel.db import Database, Tx
from holdfast.kernel.recall import passages
from holdfast.kernel.recall.model import Document
from holdfast.kernel.sql import load
from holdfast.memories.model import DEFAULTS, TRUSTS, Memory, NewMemory, Trust, audience_of

queries = load(__file__, "recall.sql")

# Sources that do not name a speaker.
_NOBODY = frozenset({"manual", "auto"})
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


def trust_label(min_trust: Trust) -> str:
    """The label of passages whose memory has at least this trust."""
    return f"trust:{min_trust}"


def document(row: Memory) -> Document:
    """A memory as recall indexes it."""
    return _document(
        {name: getattr(row, name) for name in ("key", "value", *DEFAULTS)},
        object_id=row.id,
        audience=audience_of(row).text,
        workspace_id=row.workspace_id,
        session_id=row.session_id,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def new_document(
    new: NewMemory,
    *,
    object_id: str = "",
    audience: str = "",
    workspace_id: str | None = None,
    session_id: str | None = None,
    now: datetime = _LONG_AGO,
) -> Document:
    """The document of a memory that a save is about to make."""
    return _document(
        {**DEFAULTS, **new.fields},
        object_id=object_id,
        audience=audience,
        workspace_id=workspace_id,
        session_id=session_id,
        created_at=now,
        updated_at=now,
    )


def _document(
    fields: Mapping[str, Any],
    *,
    object_id: str,
    audience: str,
    workspace_id: str | None,
    session_id: str | None,
    created_at: datetime,
    updated_at: datetime,
) -> Document:
    category, tags, source = fields["category"], dict.fromkeys(fields["tags"]), fields["source"]
    ends = [at for at in (fields["expires_at"], fields["valid_to"]) if at is not None]
    return Document(
        kind="memory",
        object_id=object_id,
        scope=f"memory/{audience}",
        body=fields["value"],
        head=fields["key"],
        summary=fields["summary"] or "",
        about=" ".join([category, *tags]),
        updated_at=updated_at,
        at=fields["valid_from"] or created_at,
        workspace_id=workspace_id,
        session_id=session_id,
        actor=None if source in _NOBODY else source,
        labels=(
            f"category:{category}",
            *(f"tag:{tag}" for tag in tags),
            *map(trust_label, TRUSTS[TRUSTS.index(fields["trust"]) : -1]),
        ),
        until=min(ends) if ends else None,
        importance=fields["importance"],
        pinned=fields["pinned"],
    )


async def prefetch_embeddings(db: Database, news: Sequence[NewMemory]) -> None:
    """Start embedding these memories before the write transaction; their key, summary and value are what is embedded."""
    await passages.prefetch_embeddings(db, [new_document(new) for new in news])


async def index_new(tx: Tx, new: Document, revision_id: str) -> None:
    """Put the passage of a new row, without waiting for the insert: skipped where the insert wrote no such revision."""
    await passages.put(tx, [new], revision_id=revision_id)


async def index(tx: Tx, rows: Sequence[Memory]) -> None:
    """Put the passages of rows as a write left them; a superseded row has none."""
    await passages.put(tx, [document(row) for row in rows if row.superseded_by is None])
    await passages.drop(tx, "memory", [row.id for row in rows if row.superseded_by is not None])


async def read_documents(tx: Tx, ids: Sequence[str]) -> list[Document]:
    """Memories of the org, whatever their audience, to be embedded again."""
    rows = await tx.all(Memory, queries.memories_to_index, ids=list(ids))
    return [document(row) for row in rows]
