"""The sources of a memory over HTTP."""

from typing import Annotated

from fastapi import APIRouter, Body, Response
from pydantic import Field

from holdfast.edge import wire
from holdfast.edge.preconditions import IfMatch, set_etag
from holdfast.edge.route import ApiRoute, TheCaller, TheDatabase
from holdfast.memories import service, sources
from holdfast.memories.model import Source, SourceKind
from holdfast.memories.routes.words import SourceBody, ThePlace

router = APIRouter(route_class=ApiRoute, tags=["memories"])


class SourceList(wire.Body):
    """The sources of a memory."""

    data: list[Source]


class SourceRemoval(wire.Body):
    """Which sources to take away."""

    kind: SourceKind | None = None
    ref: str | None = Field(None, examples=["https://example.com/brief"])


@router.post("/memories/{memory_id}/sources", operation_id="memories.add_source", status_code=201)
async def post_source(
    memory_id: str,
    body: SourceBody,
    place: ThePlace,
    if_match: IfMatch,
    response: Response,
    caller: TheCaller,
    db: TheDatabase,
) -> Source:
    """Link a memory to what produced it; the ETag is the memory's."""
    source = body.as_source()
    memory = await sources.add_source(db, caller, memory_id, source, place=place, if_match=if_match)
    set_etag(response, memory.version)
    return source


@router.get("/memories/{memory_id}/sources", operation_id="memories.list_sources")
async def get_sources(
    memory_id: str, place: ThePlace, caller: TheCaller, db: TheDatabase
) -> SourceList:
    """What produced a memory."""
    memory = await service.read_memory(db, caller, memory_id, place=place)
    return SourceList(data=memory.sources)


@router.delete(
    "/memories/{memory_id}/sources", operation_id="memories.remove_sources", status_code=204
)
async def delete_sources(
    memory_id: str,
    place: ThePlace,
    if_match: IfMatch,
    caller: TheCaller,
    db: TheDatabase,
    body: Annotated[SourceRemoval | None, Body()] = None,
    kind: SourceKind | None = None,
    ref: str | None = None,
) -> None:
    """Remove the links of a kind, of a ref, or of both; named in the query or in the body."""
    asked = body or SourceRemoval()
    await sources.remove_sources(
        db,
        caller,
        memory_id,
        kind=kind or asked.kind,
        ref=ref or asked.ref,
        place=place,
        if_match=if_match,
    )
