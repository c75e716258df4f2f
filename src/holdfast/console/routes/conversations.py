"""Conversations: resources, instances, and the messages of one with its token bars and what flushes took out."""

from datetime import datetime
from urllib.parse import quote

from fastapi import APIRouter, Response

from holdfast.console.drawing import bars
from holdfast.console.visit import PageRoute, TheVisit, Visit
from holdfast.conversations import service
from holdfast.conversations.everything import read_everything
from holdfast.conversations.instances import InstanceRequest, OpenInstance, open_instance
from holdfast.conversations.model import FlushResult, Span, StoredMessage
from holdfast.conversations.resources import service as resources
from holdfast.kernel.errors import HoldfastError

router = APIRouter(route_class=PageRoute, prefix="/conversations", include_in_schema=False)

MESSAGES_SHOWN = 40
# A message, and when a flush took it out.
Shown = tuple[StoredMessage, datetime | None]


@router.get("", response_model=None)
async def list_resources(visit: TheVisit) -> Response:
    """The org's memory resources."""
    cursor = visit.cursor(named=True)
    page = await resources.list_resources(visit.backends, visit.caller, cursor)
    return visit.page(
        "conversations/resources.html",
        resources=[(each, each.resource) for each in page.data],
        pages=visit.pager(page, cursor),
    )


@router.get("/{resource_id}", response_model=None)
async def list_instances(visit: TheVisit, resource_id: str) -> Response:
    """The instances of a resource that the user sees."""
    cursor = visit.cursor()
    stored = await resources.read_resource(visit.backends, visit.caller, resource_id)
    page = await service.instances(visit.backends, visit.caller, resource_id, cursor)
    return visit.page(
        "conversations/instances.html",
        stored=stored,
        budget=stored.resource.budget,
        instances=page.data,
        pages=visit.pager(page, cursor),
    )


@router.get("/{resource_id}/messages", response_model=None)
async def messages(visit: TheVisit, resource_id: str) -> Response:
    """One conversation. Looking at it does not count as a use: what a flush takes out next stays the same."""
    key, offset = visit.query.must("key"), visit.query.number("offset", 0, 2**53)
    request = InstanceRequest(resource_id, key)
    opened = await open_instance(visit.backends, visit.caller, request, to_write=False)
    stats = await service.stats(visit.backends, visit.caller, request)
    with_flushed = visit.query.flag("flushed")
    total, start, shown = await _read(visit, opened, offset, with_flushed=with_flushed)
    return visit.page(
        "conversations/messages.html",
        resource=opened.resource,
        key=key,
        stats=stats,
        by_share=bars.cut(
            ((name, float(share.used)) for name, share in stats.allocation.items()),
            whole=stats.token_limit,
        ),
        messages=shown,
        longest=max((stored.draft.tokens for stored, _ in shown), default=1) or 1,
        total=total,
        start=start,
        older=str(max(0, start - MESSAGES_SHOWN)) if start else None,
        newer=str(start + MESSAGES_SHOWN) if start + MESSAGES_SHOWN < total else None,
        flushed=with_flushed,
        rehearsal=await _rehearse(visit, request) if visit.query.flag("rehearse") else None,
    )


@router.post("/{resource_id}/flush", response_model=None)
async def flush(visit: TheVisit, resource_id: str) -> Response:
    """Flush now, whether it is due or not."""
    key = visit.form.must("key")
    await service.flush(visit.backends, visit.caller, InstanceRequest(resource_id, key), force=True)
    return visit.go(f"/conversations/{quote(resource_id)}/messages", "flushed", key=key)


async def _read(
    visit: Visit, opened: OpenInstance, offset: int | None, *, with_flushed: bool
) -> tuple[int, int, list[Shown]]:
    """How many messages there are, the place of the first that is shown, and those shown; by default the newest."""
    if with_flushed:
        ordered = (await read_everything(visit.backends, opened)).ordered
        start = max(0, len(ordered) - MESSAGES_SHOWN) if offset is None else offset
        return len(ordered), start, [*ordered[start : start + MESSAGES_SHOWN]]
    log = visit.backends.log(opened.caller, opened.resource)
    span = Span(offset or 0, MESSAGES_SHOWN, tail=offset is None)
    window = await log.read(opened.caller, opened.instance, span, note_access=False)
    start = max(0, window.total_count - len(window.messages)) if offset is None else offset
    return window.total_count, start, [(stored, None) for stored in window.messages]


async def _rehearse(visit: Visit, request: InstanceRequest) -> FlushResult | HoldfastError:
    """What a flush would do now; what keeps it from being told is told instead."""
    try:
        return await service.flush(visit.backends, visit.caller, request, dry_run=True, force=True)
    except HoldfastError as error:
        if error.status >= 500:
            raise
        return error
