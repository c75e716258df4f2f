"""How each kind of thing that recall finds is read, to be indexed or embedded again."""

from collections.abc import Mapping

from holdfast.blocks import archive
from holdfast.kernel.recall.models import Reader

READERS: Mapping[str, Reader] = {
    archive.KIND: archive.read_documents,
}
