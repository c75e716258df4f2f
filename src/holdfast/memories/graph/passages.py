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
    context: str | None  # of the memory it comes of

    @property
    def document(self) -> Document:
        """An item is found by what it says and by the name of its node; one of a memory lies where the memory does."""
        return Document(
            kind="node_item",
            object_id=self.id,
            scope="node/items" if self.context is None else f"memory/{self.context}",
            body=self.content,
            head=self.name,
            updated_at=self.created_at,
            at=self.created_at,
            workspace_id=self.workspace_id,
        )


async def index_items(tx: Tx, ids: Sequence[str]) -> None:
    """Put items as they are now: added, or moved to a node of another name."""
    await index.put(tx, await read_documents(tx, ids))


async def read_documents(tx: Tx, ids: Sequence[str]) -> list[Document]:
    """Items of the org's nodes, whoever sees them, as recall indexes them."""
    return [item.document for item in await tx.all(_Item, queries.items_to_index, ids=list(ids))]


async def prefetch_embeddings(db: Database, name: str, contents: Sequence[str]) -> None:
    """Start embedding the items about to be added to a node, before the write transaction."""
    await index.prefetch_embeddings(
        db, [_Item("", content, _LONG_AGO, name, "", None).document for content in contents]
    )


async def items_of(tx: Tx, node_id: str) -> list[str]:
    """The ids of all that is said of a node, whoever sees it."""
    return await tx.all(str, queries.items_of_node, node_id=node_id)


async def drop_items(tx: Tx, ids: Sequence[str]) -> None:
    """Take items out of the index."""
    await index.drop(tx, "node_item", ids)
