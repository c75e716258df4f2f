"""How each kind of thing that recall finds is read, to be embedded again."""

from collections.abc import Mapping

from holdfast.blocks import archive as blocks
from holdfast.conversations.flush import index as conversations
from holdfast.entries import passages as entries
from holdfast.kernel.recall.vectors import DocumentReader
from holdfast.memories import passages as memories
from holdfast.memories.graph import passages as node_items
from holdfast.stores import passages as stores

READERS: Mapping[str, DocumentReader] = {
    "block_line": blocks.read_documents,
    "entry": entries.read_documents,
    "memory": memories.read_documents,
    "node_item": node_items.read_documents,
    "store_entry": stores.read_documents,
    "summary": conversations.read_documents,
    "flushed": conversations.read_flushed_documents,
}
