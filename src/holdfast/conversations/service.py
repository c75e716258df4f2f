"""Read, append, write, flush, clear, restore, delete, pop; how full an instance is, and whether it is well."""

import asyncio
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from holdfast.conversations import history
from holdfast.conversations.backends import Backends
from holdfast.conversations.counting import Counter
from holdfast.conversations.flush import run as flush_runs
from holdfast.conversations.flush.plan import plan_trim
from holdfast.conversations.instances import InstanceRequest, OpenInstance, open_instance
from holdfast.conversations.intake import as_list, take_in
from holdfast.conversations.logs.postgres import read_ahead, window_of_rows
from holdfast.conversations.logs.protocol import MessageLog, Replacing, Terms, head_of
from holdfast.conversations.model import (
    MAX_MESSAGES_PER_APPEND,
    MAX_MESSAGES_PER_WRITE,
    NEAR_LIMIT,
    AppendResult,
    Draft,
    FlushResult,
    Health,
    Instance,
    InstanceRow,
    Share,
    Span,
    Stats,
    StoredMessage,
    Strategy,
    Totals,
)
from holdfast.conversations.resources.config import BUILT_IN, Resource
from holdfast.conversations.resources.service import find
from holdfast.kernel import clock, durations, metrics
from holdfast.kernel.caller import Caller
from holdfast.kernel.errors import BackendUnavailable, Invalid, NotFound, ScopeDenied
from holdfast.kernel.pages import Cursor, Page
from holdfast.kernel.sql import load

queries = load(__file__)


@dataclass(frozen=True, slots=True)
class ReadResult:
    """Part of a list, oldest first; with `include_flushed`, when each flushed message left."""

    messages: list[tuple[StoredMessage, datetime | None]]
    total_count: int
    has_more: bool


# --- operations ------------------------------------------------------------------------------------------------------


async def resolve(backends: Backends, caller: Caller, ask: InstanceRequest) -> str:
    """The key that variables make."""
    return (await open_instance(backends, caller, ask, to_write=False)).instance.key


async def read(
    backends: Backends,
    caller: Caller,
    ask: InstanceRequest,
    *,
    limit: int,
    offset: int,
    tail: int | None,
    include_flushed: bool,
) -> ReadResult:
    """Messages, oldest first. An instance that does not exist reads as empty."""
    ask.check()
    if include_flushed:
        found = await open_instance(backends, caller, ask, to_write=False)
        return await _read_everything(backends, found, limit, offset, tail)
    span = Span(0 if tail else offset, tail or limit, tail=tail is not None)
    # Most lists are kept in Postgres: where the key is known, the messages travel with the answer of who may read them.
    here = None if ask.key is None else Instance(ask.resource_id, ask.key)
    async with backends.db.together(caller):
        ahead = () if here is None else read_ahead(backends.db, caller, here, span)
        found, *rows = await asyncio.gather(
            open_instance(backends, caller, ask, to_write=False), *ahead
        )
    noted = found.resource.notes_access
    if rows and found.resource.persistence.type == "postgres" and not noted:
        window = window_of_rows(rows[0], rows[1], span)
    else:
        log = backends.log(caller, found.resource)
        window = await log.read(caller, found.instance, span, note_access=noted)
    return ReadResult([(k, None) for k in window.messages], window.total_count, window.has_more)


async def append(
    backends: Backends, caller: Caller, ask: InstanceRequest, messages: Any
) -> AppendResult:
    """Add messages; flush once the threshold is reached."""
    given = as_list(messages, MAX_MESSAGES_PER_APPEND)
    found = await open_instance(backends, caller, ask, to_write=True)
    intake = await take_in(found.resource, Counter(found.resource), given)
    log = backends.log(caller, found.resource)
    appended, duplicates, flushed = 0, 0, None
    if intake.drafts:
        done = await log.append(found.caller, found.instance, intake.drafts, _terms(found.resource))
        appended, duplicates, totals = done.appended, done.duplicates, done.totals
        flushed = await _flush_after(backends, found, totals)
        counts = (totals.message_count, totals.token_count)
    else:
        counts = _counts(await log.totals(caller, found.instance))
    return _appended(appended, duplicates, intake.refused, counts, flushed)


async def write(
    backends: Backends, caller: Caller, ask: InstanceRequest, messages: Any
) -> AppendResult:
    """Replace all messages; an empty list empties it."""
    given = as_list(messages, MAX_MESSAGES_PER_WRITE) if messages != [] else []
    found = await open_instance(backends, caller, ask, to_write=True)
    intake = await take_in(found.resource, Counter(found.resource), given)
    drafts = _that_fit(found.resource, intake.drafts)
    totals = (await _replace(backends, found, drafts, "written"))[1]
    flushed = await _flush_after(backends, found, totals)
    kept = totals.message_count
    duplicates = len(drafts) - kept
    counts = (totals.message_count, totals.token_count)
    return _appended(kept, duplicates, intake.refused, counts, flushed)


async def flush(
    backends: Backends,
    caller: Caller,
    ask: InstanceRequest,
    *,
    strategy: Strategy | None = None,
    dry_run: bool = False,
    force: bool = False,
) -> FlushResult:
    """Flush now, or say what a flush would do."""
    found = await open_instance(backends, caller, ask, to_write=not dry_run)
    return await flush_runs.flush(
        backends,
        found.caller,
        found.resource,
        found.instance,
        strategy=strategy,
        dry_run=dry_run,
        force=force,
    )


async def clear(
    backends: Backends, caller: Caller, ask: InstanceRequest, *, confirm: bool, backup: bool
) -> tuple[int, str | None]:
    """Take all messages out: how many, and the id of their copy where one was asked for."""
    if not confirm:
        raise Invalid.field("confirm", "must be true: all messages of this key will be taken out")
    found = await open_instance(backends, caller, ask, to_write=True)
    log = backends.log(caller, found.resource)
    if await log.totals(caller, found.instance) is None:
        return 0, None
    before, _ = await _replace(backends, found, [], "cleared")
    if not (backup and before):
        return len(before), None
    # What is copied is what was taken out; the revision of the clearing holds it too, should this fail.
    return len(before), await history.back_up(backends.db, found.caller, found.instance, before)


async def restore(
    backends: Backends, caller: Caller, ask: InstanceRequest, backup_id: str
) -> tuple[int, Totals]:
    """Put the messages of a backup in the place of what is there."""
    found = await open_instance(backends, caller, ask, to_write=True)
    saved = await history.read_backup(backends.db, caller, found.instance, backup_id)
    if saved is None:
        raise NotFound(f"there is no backup {backup_id!r} of this conversation")
    _, totals = await _replace(backends, found, [kept.draft for kept in saved], "restored")
    return len(saved), totals


async def delete(backends: Backends, caller: Caller, ask: InstanceRequest) -> bool:
    """Remove an instance; whether there was one."""
    found = await open_instance(backends, caller, ask, to_write=True)
    return await backends.log(caller, found.resource).delete(found.caller, found.instance)


async def pop(
    backends: Backends, caller: Caller, ask: InstanceRequest
) -> tuple[StoredMessage | None, int]:
    """Take the newest message off."""
    found = await open_instance(backends, caller, ask, to_write=True)
    log = backends.log(caller, found.resource)
    return await log.pop(found.caller, found.instance, _terms(found.resource))


async def stats(backends: Backends, caller: Caller, ask: InstanceRequest) -> Stats:
    """How full an instance is."""
    found = await open_instance(backends, caller, ask, to_write=False)
    totals = await backends.log(caller, found.resource).totals(caller, found.instance)
    message_count, token_count = _counts(totals)
    budget = found.resource.budget
    used = totals.shares if totals else {}
    return Stats(
        message_count=message_count,
        token_count=token_count,
        token_limit=budget.max_tokens,
        token_utilization=min(1.0, token_count / budget.max_tokens) if budget.max_tokens else 0.0,
        tokens_until_flush=budget.tokens_until_flush(token_count),
        role_distribution=totals.roles if totals else {},
        allocation={
            name: Share(share, budget.cap(name) or 0, used.get(name, 0))
            for name, share in budget.shares.items()
        },
        tokenizer=Counter(found.resource).used,
        last_flush=totals.last_flush if totals else None,
        last_error=totals.last_error if totals else None,
        ttl_remaining=_ttl_remaining(totals),
    )


async def health(backends: Backends, caller: Caller, ask: InstanceRequest) -> Health:
    """Whether an instance can be written to, and will last. A backend that is gone is an answer here, not an error."""
    found = await open_instance(backends, caller, ask, to_write=False)
    log = backends.log(caller, found.resource)
    try:
        totals = await log.totals(caller, found.instance)
    except BackendUnavailable:
        return Health(False, log.durable, False, None, False)
    return Health(
        healthy=totals is None or totals.last_error is None,
        durable=log.durable,
        near_limit=found.resource.budget.fullness(*_counts(totals)) > NEAR_LIMIT,
        last_flush=totals.last_flush if totals else None,
        pending_flush=totals is not None
        and totals.pending_job is not None
        and await flush_runs.is_live(backends, caller, totals.pending_job),
    )


async def instances(
    backends: Backends, caller: Caller, resource_id: str, cursor: Cursor
) -> Page[InstanceRow]:
    """The instances of a resource, newest first."""
    async with backends.db.read(caller) as tx:
        resource = (await find(tx, resource_id)).resource
    if resource_id == BUILT_IN and not caller.administers:
        raise ScopeDenied("other people's sessions are among these; ask for one by its key")
    return await backends.log(caller, resource).instances(caller, resource_id, cursor)


# --- small things ----------------------------------------------------------------------------------------------------


async def _replace(
    backends: Backends, found: OpenInstance, drafts: list[Draft], action: Replacing
) -> tuple[list[StoredMessage], Totals]:
    """Put drafts in the place of all messages."""
    log = backends.log(found.caller, found.resource)
    terms = _terms(found.resource, clearing=True)
    return await log.replace(found.caller, found.instance, drafts, terms, action)


async def _flush_after(
    backends: Backends, found: OpenInstance, totals: Totals
) -> FlushResult | None:
    """Flush, if that is due. The messages are kept by now: should it fail, the next append is due as well."""
    try:
        return await flush_runs.flush_if_due(
            backends, found.caller, found.resource, found.instance, totals
        )
    except BackendUnavailable:
        metrics.conversation_flushes.labels(found.resource.strategy.type, "failed").inc()
        return None


def _that_fit(resource: Resource, drafts: list[Draft]) -> list[Draft]:
    """What a buffer keeps of a list: the newest that are within its limits."""
    if not resource.is_buffer:
        return drafts
    heads = [head_of(seq, draft, draft.created_at) for seq, draft in enumerate(drafts)]
    gone = set(plan_trim(heads, resource.budget))
    return [draft for seq, draft in enumerate(drafts) if seq not in gone]


async def _read_everything(
    backends: Backends, found: OpenInstance, limit: int, offset: int, tail: int | None
) -> ReadResult:
    """Live and flushed messages in the order they came in; one that is both is live."""
    log = backends.log(found.caller, found.resource)
    totals = await log.totals(found.caller, found.instance)
    if totals is None:
        return ReadResult([], 0, False)
    gone = await history.flushed(
        backends.db, found.caller, totals.conversation_id, kept_for=backends.flushed_kept_for
    )
    seqs = [head.seq for head in await log.heads(found.caller, found.instance)]
    live = await log.fetch(found.caller, found.instance, seqs)
    everything: dict[str, tuple[StoredMessage, datetime | None]] = {
        k.draft.id: (k, at) for k, at in gone
    }
    everything.update({kept.draft.id: (kept, None) for kept in live})
    ordered = sorted(everything.values(), key=lambda pair: (pair[0].seq, pair[0].draft.created_at))
    part = ordered[-tail:] if tail else ordered[offset : offset + limit]
    await _note_access(log, found, live, part)
    shown = len(part) + (0 if tail else offset)
    return ReadResult(part, len(ordered), shown < len(ordered))


async def _note_access(
    log: MessageLog,
    found: OpenInstance,
    live: list[StoredMessage],
    part: list[tuple[StoredMessage, datetime | None]],
) -> None:
    """A look at live messages among flushed ones is a look; they follow each other in the list."""
    shown = [kept.seq for kept, flushed_at in part if flushed_at is None]
    if found.resource.notes_access and shown:
        first = [kept.seq for kept in live].index(shown[0])
        await log.read(found.caller, found.instance, Span(first, len(shown)), note_access=True)


def _terms(resource: Resource, *, clearing: bool = False) -> Terms:
    locking = resource.locking
    return Terms(
        ttl_s=resource.ttl_s,
        lock_ttl_s=durations.seconds(locking.clear_ttl if clearing else locking.append_ttl),
        buffer=resource.budget if resource.is_buffer else None,
    )


def _appended(
    appended: int,
    duplicates: int,
    refused: list[Any],
    counts: tuple[int, int],
    flushed: FlushResult | None,
) -> AppendResult:
    if flushed is not None and flushed.flushed:
        counts = (flushed.message_count, flushed.token_count)
    return AppendResult(
        appended=appended,
        duplicates=duplicates,
        not_persisted=len(refused),
        not_persisted_reasons=refused,
        total_count=counts[0],
        token_count=counts[1],
        flush=flushed,
    )


def _counts(totals: Totals | None) -> tuple[int, int]:
    return (0, 0) if totals is None else (totals.message_count, totals.token_count)


def _ttl_remaining(totals: Totals | None) -> int | None:
    if totals is None or totals.expires_at is None:
        return None
    return max(0, round((totals.expires_at - clock.now()).total_seconds()))
