"""How each kind of thing that recall finds is read, to be embedded again."""

from collections.abc import Mapping

from holdfast.blocks import archive as blocks
from holdfast.kernel.recall.models import Reader
from holdfast.memories import passages as memories

READERS: Mapping[str, Reader] = {
    "block_line": blocks.read_documents,
    "memory": memories.read_documents,
}
