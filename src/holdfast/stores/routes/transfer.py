"""A store as a zip over HTTP, out and in."""

from collections.abc import Iterator
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse

from holdfast.edge import zips
from holdfast.edge.json_body import read_body
from holdfast.edge.preconditions import IfMatch
from holdfast.edge.route import ApiRoute, StreamingApiRoute, TheCaller, TheDatabase
from holdfast.stores import transfer
from holdfast.stores.archive import MAX_ZIP_BYTES
from holdfast.stores.model import Imported, ImportMode
from holdfast.stores.routes.words import PREFIX

CHUNK_BYTES = 64 * 1024


router = APIRouter(prefix=PREFIX, route_class=ApiRoute, tags=["stores"])


import_router = APIRouter(prefix=PREFIX, route_class=StreamingApiRoute, tags=["stores"])


@router.get(
    "/{store_id}/export",
    operation_id="stores.export",
    response_class=StreamingResponse,
    responses={200: {"content": zips.ANSWER, "description": "The zip"}},
)
async def export_store(
    store_id: str, caller: TheCaller, db: TheDatabase, accept: zips.Accept = ""
) -> StreamingResponse:
    """The store as a zip: files at their paths, and a manifest with their metadata."""
    exported = await transfer.export_store(db, caller, store_id)

    def chunks() -> Iterator[bytes]:
        with exported.file as file:
            while chunk := file.read(CHUNK_BYTES):
                yield chunk

    name = quote(f"{exported.store.name}.zip", safe="")
    return StreamingResponse(
        chunks(),
        media_type=zips.media_type(accept),
        headers={
            "Content-Length": str(exported.size),
            "Content-Disposition": f"attachment; filename*=UTF-8''{name}",
        },
    )


@import_router.post(
    "/{store_id}/import",
    operation_id="stores.import_zip",
    openapi_extra=zips.BODY,
)
async def import_store(
    store_id: str,
    request: Request,
    if_match: IfMatch,
    caller: TheCaller,
    db: TheDatabase,
    mode: ImportMode = "upsert",
) -> Imported:
    """Write every file of a zip to its path, or nothing of it; `replace` also deletes what is not in it."""
    body = await read_body(request, MAX_ZIP_BYTES)
    return await transfer.import_store(db, caller, store_id, body, mode=mode, if_match=if_match)
