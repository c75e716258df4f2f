"""Conversations: resources, instances, and the messages of one with its token bars and what flushes took out."""

from dataclasses import dataclass
from datetime import datetime
from html import escape
from urllib.parse import quote

from fastapi import APIRouter, Response

from holdfast.console.drawing import bars
from holdfast.console.visit import PageRoute, TheVisit, Visit
from holdfast.conversations import service
from holdfast.conversations.flush import past
from holdfast.conversations.instances import InstanceRequest, OpenInstance, open_instance
from holdfast.conversations.model import FlushResult, Span, StoredMessage
from holdfast.conversations.resources import service as resources
from holdfast.kernel.errors import HoldfastError

router = APIRouter(route_class=PageRoute, prefix="/conversations", include_in_schema=False)

MESSAGES_SHOWN = 40
FLUSHES_SHOWN = 10
MESSAGE_CHARS, FEWER_MESSAGE_CHARS = 2_000, 600
MAX_HTML_BYTES = 100_000


@dataclass(frozen=True, slots=True)
class Shown:
    """Messages on a page, each with when it was flushed, and the offsets of the pages around it."""

    total: int
    start: int
    messages: list[tuple[StoredMessage, datetime | None]]

    @classmethod
    def of(
        cls, total: int, offset: int | None, messages: list[tuple[StoredMessage, datetime | None]]
    ) -> "Shown":
        """A page from an offset on, or the last one."""
        return cls(total, max(0, total - len(messages)) if offset is None else offset, messages)

    @property
    def older(self) -> str | None:
        """The offset of the page before."""
        return str(max(0, self.start - MESSAGES_SHOWN)) if self.start else None

    @property
    def newer(self) -> str | None:
        """The offset of the page after."""
        after = self.start + MESSAGES_SHOWN
        return str(after) if after < self.total else None

    @property
    def cut_at(self) -> int:
        """How many characters of a message are shown: fewer where escaping them all would make the page too large."""
        long = (stored.draft.content[:MESSAGE_CHARS] for stored, _ in self.messages)
        taken = sum(len(escape(text).encode()) for text in long)
        return MESSAGE_CHARS if taken <= MAX_HTML_BYTES else FEWER_MESSAGE_CHARS

    @property
    def most_tokens(self) -> int:
        """The tokens of the longest message, at least 1."""
        return max((stored.draft.tokens for stored, _ in self.messages), default=1) or 1


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
    key = visit.query.must("key")
    request = InstanceRequest(resource_id, key)
    opened = await open_instance(visit.backends, visit.caller, request, to_write=False)
    stats = await service.stats(visit.backends, visit.caller, request)
    log = visit.backends.log(opened.caller, opened.resource)
    totals = await log.totals(opened.caller, opened.instance)
    conversation_id = "" if totals is None else totals.conversation_id
    flushed = visit.query.flag("flushed")
    shown = await (_flushed(visit, opened, conversation_id) if flushed else _in_list(visit, opened))
    cursor = visit.cursor(FLUSHES_SHOWN)
    flushes = await past.list_flushes(visit.backends, opened, conversation_id, cursor)
    return visit.page(
        "conversations/messages.html",
        resource=opened.resource,
        key=key,
        stats=stats,
        by_share=bars.cut(
            ((name, float(share.used)) for name, share in stats.allocation.items()),
            whole=stats.token_limit,
        ),
        shown=shown,
        flushed=flushed,
        flushes=flushes.data,
        pages=visit.pager(flushes, cursor),
        rehearsal=await _rehearse(visit, request) if visit.query.flag("rehearse") else None,
    )


@router.post("/{resource_id}/flush", response_model=None)
async def flush(visit: TheVisit, resource_id: str) -> Response:
    """Flush now, whether it is due or not."""
    key = visit.form.must("key")
    await service.flush(visit.backends, visit.caller, InstanceRequest(resource_id, key), force=True)
    return visit.go(f"/conversations/{quote(resource_id)}/messages", "flushed", key=key)


async def _in_list(visit: Visit, opened: OpenInstance) -> Shown:
    """Messages that are in the list; the newest unless an offset is asked for."""
    offset = visit.query.number("offset", 0, 2**53)
    log = visit.backends.log(opened.caller, opened.resource)
    span = Span(offset or 0, MESSAGES_SHOWN, tail=offset is None)
    window = await log.read(opened.caller, opened.instance, span, note_access=False)
    return Shown.of(window.total_count, offset, [(each, None) for each in window.messages])


async def _flushed(visit: Visit, opened: OpenInstance, conversation_id: str) -> Shown:
    """Messages that flushes took out, of all flushes or of one; the newest unless an offset is asked for."""
    offset = visit.query.number("offset", 0, 2**53)
    part = await past.read_flushed_part(
        visit.backends,
        opened,
        conversation_id,
        offset=offset,
        limit=MESSAGES_SHOWN,
        at=visit.query.instant("flush"),
    )
    return Shown.of(part.total, offset, [*part.messages])


async def _rehearse(visit: Visit, request: InstanceRequest) -> FlushResult | HoldfastError:
    """What a flush would do now; what keeps it from being told is told instead."""
    try:
        return await service.flush(visit.backends, visit.caller, request, dry_run=True, force=True)
    except HoldfastError as error:
        if error.status >= 500:
            raise
        return error
