"""One thing of any face, by the id that recall gave."""

from dataclasses import dataclass
from typing import Any

from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.errors import NotFound
from holdfast.kernel.recall.model import Kind
from holdfast.memories.model import Place
from holdfast.unified_recall.recall import FACES


@dataclass(frozen=True, slots=True)
class Whole:
    """A thing as its face shows it, with all its content."""

    kind: Kind
    id: str
    content: str
    object: Any


async def read_whole(db: Database, caller: Caller, place: Place, id: str) -> Whole:
    """The thing with an id, whatever its kind; NotFound where the caller sees none."""
    for face in FACES:
        view = await face(db, caller, place)
        for kind, reader in view.readers.items():
            thing = (await reader([id])).get(id)
            if thing is not None:
                return Whole(kind, id, thing.content, thing.object)
    raise NotFound(f"there is nothing with the id {id!r}")
