"""What an entry became, written down in the transaction that changed it. Every write of this face ends here."""

from datetime import datetime, timedelta
from typing import Any, Literal

from holdfast.kernel import metrics
from holdfast.kernel.db import Tx
from holdfast.kernel.errors import Conflict, HoldfastError, PreconditionFailed
from holdfast.kernel.recall.model import Document
from holdfast.stores import passages
from holdfast.stores.model import Action, StoreEntry, Text

KIND = "store_entry"

Cause = Literal["version", "content", "path", "if_match"]


async def record(tx: Tx, entry: StoreEntry, action: Action) -> None:
    """Write down an entry as it is now, and index it."""
    document = await record_change(
        tx,
        entry.store_id,
        entry.id,
        entry.path,
        Text(entry.content or "", entry.size, entry.content_sha256),
        entry.metadata,
        version=entry.version,
        action=action,
        at=entry.updated_at,
    )
    await passages.put(tx, [document])


async def record_change(
    tx: Tx,
    store_id: str,
    entry_id: str,
    path: str,
    text: Text,
    metadata: dict[str, str],
    *,
    version: int,
    action: Action,
    at: datetime,
) -> Document:
    """Write down what an entry became: what there is to index of it, which is left to the caller."""
    await tx.revise(
        KIND,
        entry_id,
        version=version,
        action=action,
        parent_id=store_id,
        label=path,
        content=text.content,
        state={"size": text.size, "content_sha256": text.sha256, "metadata": metadata},
        at=at,
    )
    tx.on_commit(metrics.store_entries_written.labels(action).inc)
    return passages.document(store_id, entry_id, path, text.content, at)


async def record_deletion(
    tx: Tx, store_id: str, entry_id: str, path: str, version: int, at: datetime
) -> None:
    """Write down that an entry, last at `version`, went; the caller takes it out of the index."""
    await tx.revise(
        KIND,
        entry_id,
        version=version + 1,
        action="deleted",
        parent_id=store_id,
        label=path,
        state={"size": 0, "content_sha256": ""},
        at=at,
    )
    tx.on_commit(metrics.store_entries_written.labels("deleted").inc)


def write_conflict(cause: Cause, detail: str, current: Any = None) -> HoldfastError:
    """Why a write is refused that met another's: counted, with the entry as it is now."""
    metrics.store_conflicts.labels(cause).inc()
    error = PreconditionFailed if cause == "if_match" else Conflict
    return error(detail, current=current)


def after(tx: Tx, before: datetime) -> datetime:
    """When a change that follows one at `before` happens: now, and later than that."""
    return max(tx.now, before + timedelta(microseconds=1))
