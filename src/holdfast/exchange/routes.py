"""A person's export over HTTP."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import StreamingResponse

from holdfast.conversations.backends import Backends
from holdfast.edge import zips
from holdfast.edge.route import ApiRoute, TheCaller
from holdfast.exchange import service
from holdfast.exchange.tables import Chosen
from holdfast.memories.assets.objects import ObjectStore

router = APIRouter(route_class=ApiRoute, tags=["exchange"])

CHUNK_BYTES = 256 * 1024


async def the_backends(request: Request) -> Backends:
    """What keeps conversations."""
    backends: Backends = request.app.state.conversations
    return backends


async def the_assets(request: Request) -> ObjectStore:
    """The object store of this app."""
    assets: ObjectStore = request.app.state.assets
    return assets


@router.get(
    "/users/{user_id}/export",
    operation_id="directory.export_user",
    response_class=StreamingResponse,
    responses={200: {"content": zips.ANSWER, "description": "A zip of JSON lines."}},
)
async def export_user(
    user_id: str,
    caller: TheCaller,
    backends: Annotated[Backends, Depends(the_backends)],
    assets: Annotated[ObjectStore, Depends(the_assets)],
    accept: zips.Accept = "",
) -> StreamingResponse:
    """Everything that is held about a person, as a zip: for the person, a service key, or an owner with a fresh step-up."""
    folder = tempfile.TemporaryDirectory(prefix="holdfast-export-")
    try:
        path = Path(folder.name) / "export.zip"
        await service.export(backends, assets, caller, Chosen(user_id=user_id), path)
    except BaseException:
        folder.cleanup()
        raise
    headers = {"Content-Disposition": 'attachment; filename="export.zip"'}
    return StreamingResponse(
        _read_and_remove(folder, path), media_type=zips.media_type(accept), headers=headers
    )


def _read_and_remove(folder: "tempfile.TemporaryDirectory[str]", path: Path) -> Iterator[bytes]:
    with folder, path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk
