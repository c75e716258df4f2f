"""All messages of an instance, flushed ones too, whichever log keeps it; and those after a given one."""

from dataclasses import dataclass, field
from datetime import datetime

from holdfast.conversations.backends import Backends
from holdfast.conversations.flush import index
from holdfast.conversations.instances import OpenInstance
from holdfast.conversations.logs.protocol import MessageLog
from holdfast.conversations.model import LONG_TERM, MAX_READ, Span, StoredMessage

CONTEXT_MESSAGES = 10


@dataclass(frozen=True, slots=True)
class Everything:
    """Messages in the order in which they were appended, the summary first; each with when it was flushed."""

    ordered: list[tuple[StoredMessage, datetime | None]] = field(default_factory=list)
    live_seqs: list[int] = field(
        default_factory=list
    )  # the places of those that are still in the list


@dataclass(frozen=True, slots=True)
class MessagesAfter:
    """The messages after a given one, oldest first, and a few before them as context. Summaries are in neither.

    `found` is false where the given message is not there (any more): then all messages are in `messages`.
    """

    messages: list[StoredMessage]
    context: list[StoredMessage]
    found: bool


async def read_everything(backends: Backends, opened: OpenInstance) -> Everything:
    """All messages. One that is both in the list and flushed (its removal failed) is not flushed."""
    log = backends.log(opened.caller, opened.resource)
    totals = await log.totals(opened.caller, opened.instance)
    if totals is None:
        return Everything()
    # The list first: a message that leaves it meanwhile is among the flushed ones by then, and is not missed.
    live = await _read_live(log, opened)
    gone = await index.read_flushed(
        backends.db, opened.caller, totals.conversation_id, kept_for=backends.flushed_kept_for
    )
    by_id: dict[str, tuple[StoredMessage, datetime | None]] = {
        stored.draft.id: (stored, flushed_at) for stored, flushed_at in gone
    }
    by_id.update({stored.draft.id: (stored, None) for stored in live})
    # A summary has the place of a message that it stands for, so places alone do not order them.
    ordered = sorted(
        by_id.values(), key=lambda pair: (pair[0].draft.share != LONG_TERM, pair[0].seq)
    )
    return Everything(ordered, [stored.seq for stored in live])


async def read_after(
    backends: Backends,
    opened: OpenInstance,
    message_id: str | None,
    *,
    context: int = CONTEXT_MESSAGES,
) -> MessagesAfter:
    """The messages after the one with this id (None: all), flushed ones too. It does not count as a read of them."""
    everything = await read_everything(backends, opened)
    messages = [stored for stored, _ in everything.ordered if stored.draft.share != LONG_TERM]
    ids = [stored.draft.id for stored in messages]
    if message_id is None or message_id not in ids:
        return MessagesAfter(messages, [], message_id is None)
    first = ids.index(message_id) + 1
    return MessagesAfter(messages[first:], messages[max(0, first - context) : first], True)


async def _read_live(log: MessageLog, opened: OpenInstance) -> list[StoredMessage]:
    """Every message of the list, read in parts."""
    live: list[StoredMessage] = []
    while True:
        span = Span(len(live), MAX_READ)
        window = await log.read(opened.caller, opened.instance, span, note_access=False)
        live += window.messages
        if not window.has_more or not window.messages:
            return live
