"""The assets of a memory over HTTP."""

import base64
import binascii
import re
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import StreamingResponse

from holdfast.edge.openapi import BROWSER_ONLY, ETAG
from holdfast.edge.route import ApiRoute, StreamingApiRoute, TheCaller, TheDatabase
from holdfast.kernel.errors import Malformed, PayloadTooLarge
from holdfast.kernel.pages import Page
from holdfast.memories.assets import service as assets
from holdfast.memories.assets.service import MAX_ASSET_BYTES
from holdfast.memories.model import Asset
from holdfast.memories.routes.words import TheAssets, TheCursor, ThePlace

router = APIRouter(route_class=ApiRoute, tags=["memories"])

OCTETS = {"type": "string", "format": "binary"}


class AssetRoute(StreamingApiRoute):
    """A file streams in under the cap of assets."""

    body_limit = MAX_ASSET_BYTES


upload_router = APIRouter(route_class=AssetRoute, tags=["memories"])


@upload_router.post(
    "/memories/{memory_id}/assets",
    operation_id="memories.upload_asset",
    status_code=201,
    openapi_extra={"requestBody": {"content": {"application/octet-stream": {"schema": OCTETS}}}},
)
async def post_asset(
    memory_id: str,
    request: Request,
    place: ThePlace,
    caller: TheCaller,
    db: TheDatabase,
    store: TheAssets,
    name: Annotated[
        str,
        Query(
            description="the file's name: printable characters",
            examples=["brief.pdf"],
            json_schema_extra={"minLength": 1, "maxLength": 255},
        ),
    ] = "asset",
    content_digest: Annotated[
        str | None, Header(description="RFC 9530: refused where the bytes are others")
    ] = None,
) -> Asset:
    """Attach a file: the raw body, with its content type, of at most 25 MiB."""
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > MAX_ASSET_BYTES:
        raise PayloadTooLarge(MAX_ASSET_BYTES)
    return await assets.attach(
        db,
        store,
        caller,
        memory_id,
        request.stream(),
        name=name,
        content_type=request.headers.get("content-type"),
        expected_sha256=_sha256_in(content_digest),
        place=place,
    )


@router.get("/memories/{memory_id}/assets", operation_id="memories.list_assets")
async def list_assets(
    memory_id: str, cursor: TheCursor, place: ThePlace, caller: TheCaller, db: TheDatabase
) -> Page[Asset]:
    """The files attached to a memory, newest first."""
    return await assets.list_assets(db, caller, memory_id, cursor, place=place)


@router.get(
    "/memories/{memory_id}/assets/{asset_id}",
    operation_id="memories.download_asset",
    response_class=StreamingResponse,
    responses={
        200: {"content": {"application/octet-stream": {"schema": OCTETS}}, "headers": ETAG},
    },
)
async def get_asset(
    memory_id: str,
    asset_id: str,
    place: ThePlace,
    caller: TheCaller,
    db: TheDatabase,
    store: TheAssets,
) -> StreamingResponse:
    """Download a file. It is served so that no browser runs it here: as an attachment, unsniffed, sandboxed."""
    found = await assets.download(db, store, caller, memory_id, asset_id, place=place)
    return StreamingResponse(
        found.chunks,
        media_type=found.asset.content_type,
        headers={
            "Content-Length": str(found.asset.size),
            "Content-Disposition": f"attachment; filename*=UTF-8''{quote(found.asset.name, safe='')}",
            "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy": "sandbox; default-src 'none'",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cache-Control": "private, no-store",
            "ETag": f'"{found.asset.sha256}"',
        },
    )


@router.delete(
    "/memories/{memory_id}/assets/{asset_id}",
    operation_id="memories.delete_asset",
    openapi_extra={BROWSER_ONLY: True},
    status_code=204,
)
async def delete_asset(
    memory_id: str,
    asset_id: str,
    place: ThePlace,
    caller: TheCaller,
    db: TheDatabase,
    store: TheAssets,
) -> None:
    """Erase a file (browser session with a fresh step-up)."""
    await assets.delete_asset(db, store, caller, memory_id, asset_id, place=place)


def _sha256_in(content_digest: str | None) -> str | None:
    """The SHA-256 of a Content-Digest header, in hex; None where the header has no sha-256."""
    if content_digest is None:
        return None
    found = re.search(r"(?:^|,)\s*sha-256=:([A-Za-z0-9+/=]+):", content_digest)
    if found is None:
        return None
    try:
        return base64.b64decode(found[1], validate=True).hex()
    except binascii.Error:
        raise Malformed("Content-Digest: sha-256=:<base64>:") from None
