"""Links from a memory to what produced it: a message, a session, an entry, a page."""

from dataclasses import asdict

from psycopg.types.json import Jsonb

from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.errors import Invalid, NotFound
from holdfast.memories.model import ANYWHERE, IfMatch, Memory, Place, Source, check_sources
from holdfast.memories.rows import change_row, queries, read_row
from holdfast.memories.sight import enter


async def add_source(
    db: Database,
    caller: Caller,
    memory_id: str,
    source: Source,
    *,
    place: Place = ANYWHERE,
    if_match: IfMatch = None,
) -> Memory:
    """Link a memory to what produced it; a link of the same kind and ref takes the newer quote."""
    check_sources((source,))
    async with db.begin(caller) as tx:
        speaking = await enter(tx, caller, place, to_write=False)
        return await change_row(
            tx,
            speaking,
            memory_id,
            queries.change_sources,
            "source_added",
            added=Jsonb([asdict(source)]),
            kind=None,
            ref=None,
            if_match=if_match,
        )


async def remove_sources(
    db: Database,
    caller: Caller,
    memory_id: str,
    *,
    kind: str | None,
    ref: str | None,
    place: Place = ANYWHERE,
    if_match: IfMatch = None,
) -> Memory:
    """Remove the links of a kind, of a ref, or of both; NotFound where there is none."""
    if kind is None and ref is None:
        raise Invalid("name the kind or the ref of the sources to take away")
    async with db.begin(caller) as tx:
        speaking = await enter(tx, caller, place, to_write=False)
        present = await read_row(tx, speaking, memory_id)
        if not any(kind in (None, s.kind) and ref in (None, s.ref) for s in present.sources):
            raise NotFound("this memory has no such source")
        return await change_row(
            tx,
            speaking,
            memory_id,
            queries.change_sources,
            "source_removed",
            added=None,
            kind=kind,
            ref=ref,
            if_match=if_match,
        )
