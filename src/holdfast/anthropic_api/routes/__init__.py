"""Anthropic's memory stores over HTTP, under /anthropic/v1."""

from fastapi import APIRouter, Request, Response

from holdfast.anthropic_api.errors import refusal
from holdfast.anthropic_api.routes import memories, stores, versions
from holdfast.kernel.errors import NotFound

ROUTERS = (stores.router, memories.router, versions.router)

elsewhere = APIRouter()


async def refuse_elsewhere(request: Request) -> Response:
    """Anything else that their API has and this does not, refused so that their clients can read it."""
    return refusal(NotFound("there is nothing at this path with this method"), request)


# No methods named: every one that there is.
elsewhere.add_route("/{path:path}", refuse_elsewhere, methods=[], include_in_schema=False)
