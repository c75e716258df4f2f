"""How each kind of thing that recall finds is read, to be embedded again."""

from collections.abc import Mapping

from holdfast.kernel.recall.models import Reader
from holdfast.memories import passages as memories

READERS: Mapping[str, Reader] = {
    "memory": memories.read_documents,
}
