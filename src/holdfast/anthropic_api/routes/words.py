"""What the routes of Anthropic's memory stores share: bodies, parameters, the router."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request, Response

from holdfast.anthropic_api.errors import AnthropicRoute
from holdfast.anthropic_api.model import MAX_FULL_PAGE, View
from holdfast.edge.problems import request_id_of
from holdfast.edge.wire import Body
from holdfast.kernel.clock import Instant
from holdfast.kernel.pages import MAX_LIMIT

Limit = Annotated[int, Query(ge=1, le=MAX_LIMIT)]
Since = Annotated[Instant | None, Query(alias="created_at[gte]")]
Until = Annotated[Instant | None, Query(alias="created_at[lte]")]
Depth = Annotated[int, Query(ge=0, le=1024)]


class StoreCreate(Body):
    """A new store."""

    name: str
    description: str | None = None
    metadata: dict[str, str] | None = None


class StoreUpdate(Body):
    """Changes of a store; null or absent stays, a null in the metadata removes its key."""

    name: str | None = None
    description: str | None = None
    metadata: dict[str, str | None] | None = None


class MemoryCreate(Body):
    """A new memory."""

    path: str
    content: str | None = None


class Precondition(Body):
    """What the content has to be."""

    type: Literal["content_sha256"]
    content_sha256: str


class MemoryUpdate(Body):
    """Changes of a memory; null or absent stays."""

    content: str | None = None
    path: str | None = None
    precondition: Precondition | None = None


async def echo_request_id(request: Request, response: Response) -> None:
    """Their clients show this header in errors and logs."""
    response.headers["request-id"] = request_id_of(request)


def new_router() -> APIRouter:
    """A router for operations of their API, which the OpenAPI document leaves out: docs/anthropic.md describes them."""
    return APIRouter(
        prefix="/memory_stores",
        route_class=AnthropicRoute,
        include_in_schema=False,
        dependencies=[Depends(echo_request_id)],
    )


def bounded(limit: int, view: View) -> int:
    """The size of a page: smaller where it shows contents."""
    return min(limit, MAX_FULL_PAGE) if view == "full" else limit
