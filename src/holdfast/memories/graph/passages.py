"""Items of nodes as recall indexes them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from holdfast.kernel.db import Database, Tx
from holdfast.kernel.recall import passages as index
from holdfast.kernel.recall.model import Document
from holdfast.kernel.sql import load

queries = load(__file__, "passages.sql")

_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _Item:
    id: str
    content: str
    created_at: datetime
    name: str
    workspace_id: str
    audience: str

    @property
    def document(self) -> Document:
        """An item as recall indexes it: found by its content and by the name of its node."""
        return Document(
            kind="node_item",
            object_id=self.id,
            scope=f"memory/{self.audience}",
            body=self.content,
            head=self.name,
            updated_at=self.created_at,
            at=self.created_at,
            workspace_id=self.workspace_id,
        )


async def index_items(tx: Tx, ids: Sequence[str]) -> None:
    """Put the passages of items that were added, or moved to another node."""
    await index.put(tx, await read_documents(tx, ids))


async def read_documents(tx: Tx, ids: Sequence[str]) -> list[Document]:
    """Items of nodes, whoever sees them, as recall indexes them."""
    return [item.document for item in await tx.all(_Item, queries.items_to_index, ids=list(ids))]


async def prefetch_embeddings(db: Database, name: str, contents: Sequence[str]) -> None:
    """Start embedding the items about to be added to a node, before the write transaction."""
    await index.prefetch_embeddings(
        db, [_Item("", content, _LONG_AGO, name, "", "").document for content in contents]
    )


async def items_of(tx: Tx, node_id: str) -> list[str]:
    """The ids of all items of a node, whoever sees them."""
    return await tx.all(str, queries.items_of_node, node_id=node_id)


async def drop_items(tx: Tx, ids: Sequence[str]) -> None:
    """Drop the passages of items."""
    await index.drop(tx, "node_item", ids)
