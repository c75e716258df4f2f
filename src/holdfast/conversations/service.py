"""Read, append, write, flush, clear, restore, delete, pop; stats and health of an instance; the list of instances."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from holdfast.conversations import history
from holdfast.conversations.backends import Backends
from holdfast.conversations.everything import read_everything
from holdfast.conversations.flush import service as flushing
from holdfast.conversations.flush.plan import plan_trim
from holdfast.conversations.flush.run import Target
from holdfast.conversations.instances import (
    InstanceRequest,
    OpenInstance,
    instance_for,
    open_instance,
    owner_of,
)
from holdfast.conversations.intake import as_list, take_in
from holdfast.conversations.logs.protocol import Replacing, Terms
from holdfast.conversations.logs.values import head_of
from holdfast.conversations.model import (
    MAX_MESSAGES_PER_APPEND,
    MAX_MESSAGES_PER_WRITE,
    NEAR_LIMIT,
    AppendResult,
    Draft,
    FlushResult,
    Health,
    InstanceRow,
    Share,
    Span,
    Stats,
    StoredMessage,
    Strategy,
    Totals,
    Window,
)
from holdfast.conversations.resources.config import Resource
from holdfast.conversations.resources.service import find
from holdfast.kernel import clock, durations, metrics
from holdfast.kernel.caller import Caller
from holdfast.kernel.errors import BackendUnavailable, Invalid, NotFound
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


async def resolve(backends: Backends, caller: Caller, request: InstanceRequest) -> str:
    """The key that variables make."""
    return (await open_instance(backends, caller, request, to_write=False)).instance.key


async def read(
    backends: Backends,
    caller: Caller,
    request: InstanceRequest,
    *,
    limit: int,
    offset: int,
    tail: int | None,
    include_flushed: bool,
) -> ReadResult:
    """Messages, oldest first. An instance that does not exist reads as empty."""
    request.check()
    if include_flushed:
        opened = await open_instance(backends, caller, request, to_write=False)
        return await _read_with_flushed(backends, opened, limit, offset, tail)
    span = Span(0 if tail else offset, tail or limit, tail=tail is not None)
    opened, window = await _read_at_once(backends, caller, request, span)
    if window is None:
        log = backends.log(caller, opened.resource)
        window = await log.read(opened.caller, opened.instance, span)
    return ReadResult([(m, None) for m in window.messages], window.total_count, window.has_more)


async def _read_at_once(
    backends: Backends, caller: Caller, request: InstanceRequest, span: Span
) -> tuple[OpenInstance, Window | None]:
    """Open the instance, and read it in the same round trip where the resource is known from the last time.

    The guess may be wrong (the resource changed since): then what was read is thrown away, and the window is None.
    """
    guess = None if request.key is None else backends.guess(caller, request.resource_id)
    if guess is None or request.key is None or request.agent_id or not caller.user_id:
        return await open_instance(backends, caller, request, to_write=False), None
    resource, workspaces_enabled = guess
    instance = instance_for(caller, resource, request.key, workspaces_enabled=workspaces_enabled)
    log = backends.log(caller, resource)
    async with backends.db.together(caller):
        opened, window = await asyncio.gather(
            open_instance(backends, caller, request, to_write=False),
            log.read(caller, instance, span),
        )
    is_right = opened.resource == resource and opened.instance == instance
    return opened, window if is_right else None


async def append(
    backends: Backends, caller: Caller, request: InstanceRequest, messages: Any
) -> AppendResult:
    """Add messages; flush once the threshold is reached."""
    given = as_list(messages, MAX_MESSAGES_PER_APPEND)
    opened = await open_instance(backends, caller, request, to_write=True)
    intake = await take_in(opened.resource, backends.counter(opened.resource), given)
    log = backends.log(caller, opened.resource)
    appended, duplicates, flushed = 0, 0, None
    if intake.drafts:
        done = await log.append(
            opened.caller, opened.instance, intake.drafts, _terms(opened.resource)
        )
        appended, duplicates, totals = done.appended, done.duplicates, done.totals
        await _note_session(backends, opened, request.session_id, appended)
        await _note_dropped(backends, opened, done.dropped)
        flushed = await _flush_after(backends, opened, totals)
        counts = (totals.message_count, totals.token_count)
    else:
        counts = _counts(await log.totals(caller, opened.instance))
    return _appended(appended, duplicates, intake.refused, counts, flushed)


async def write(
    backends: Backends, caller: Caller, request: InstanceRequest, messages: Any
) -> AppendResult:
    """Replace all messages; an empty list empties it."""
    given = as_list(messages, MAX_MESSAGES_PER_WRITE) if messages != [] else []
    opened = await open_instance(backends, caller, request, to_write=True)
    intake = await take_in(opened.resource, backends.counter(opened.resource), given)
    drafts = _that_fit(opened.resource, intake.drafts)
    totals = (await _replace(backends, opened, drafts, "written"))[1]
    await _note_session(backends, opened, request.session_id, totals.message_count)
    flushed = await _flush_after(backends, opened, totals)
    kept = totals.message_count
    duplicates = len(drafts) - kept
    counts = (totals.message_count, totals.token_count)
    return _appended(kept, duplicates, intake.refused, counts, flushed)


async def flush(
    backends: Backends,
    caller: Caller,
    request: InstanceRequest,
    *,
    strategy: Strategy | None = None,
    dry_run: bool = False,
    force: bool = False,
) -> FlushResult:
    """Flush now, or say what a flush would do."""
    opened = await open_instance(backends, caller, request, to_write=not dry_run)
    return await flushing.flush(
        _target(backends, opened), strategy=strategy, dry_run=dry_run, force=force
    )


async def clear(
    backends: Backends, caller: Caller, request: InstanceRequest, *, confirm: bool, backup: bool
) -> tuple[int, str | None]:
    """Take all messages out: how many, and the id of their copy where one was asked for."""
    if not confirm:
        raise Invalid.field("confirm", "must be true: all messages of this key will be taken out")
    opened = await open_instance(backends, caller, request, to_write=True)
    log = backends.log(caller, opened.resource)
    if await log.totals(caller, opened.instance) is None:
        return 0, None
    before, _ = await _replace(backends, opened, [], "cleared")
    if not (backup and before):
        return len(before), None
    # What is copied is what was taken out; the revision of the clearing holds it too, should this fail.
    return len(before), await history.back_up(backends.db, opened.caller, opened.instance, before)


async def restore(
    backends: Backends, caller: Caller, request: InstanceRequest, backup_id: str
) -> tuple[int, Totals]:
    """Put the messages of a backup in the place of what is there."""
    opened = await open_instance(backends, caller, request, to_write=True)
    saved = await history.read_backup(backends.db, caller, opened.instance, backup_id)
    if saved is None:
        raise NotFound(f"there is no backup {backup_id!r} of this conversation")
    _, totals = await _replace(backends, opened, [kept.draft for kept in saved], "restored")
    return len(saved), totals


async def delete(backends: Backends, caller: Caller, request: InstanceRequest) -> bool:
    """Remove an instance; whether there was one."""
    opened = await open_instance(backends, caller, request, to_write=True)
    return await backends.log(caller, opened.resource).delete(opened.caller, opened.instance)


async def pop(
    backends: Backends, caller: Caller, request: InstanceRequest
) -> tuple[StoredMessage | None, int]:
    """Take the newest message off."""
    opened = await open_instance(backends, caller, request, to_write=True)
    log = backends.log(caller, opened.resource)
    return await log.pop(opened.caller, opened.instance, _terms(opened.resource))


async def stats(backends: Backends, caller: Caller, request: InstanceRequest) -> Stats:
    """How full an instance is."""
    opened = await open_instance(backends, caller, request, to_write=False)
    totals = await backends.log(caller, opened.resource).totals(caller, opened.instance)
    message_count, token_count = _counts(totals)
    budget = opened.resource.budget
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
        tokenizer=backends.counter(opened.resource).used,
        last_flush=totals.last_flush if totals else None,
        last_error=totals.last_error if totals else None,
        ttl_remaining=_ttl_remaining(totals),
    )


async def health(backends: Backends, caller: Caller, request: InstanceRequest) -> Health:
    """Whether an instance can be written to, and will last. A backend that is gone is an answer here, not an error."""
    opened = await open_instance(backends, caller, request, to_write=False)
    log = backends.log(caller, opened.resource)
    try:
        totals = await log.totals(caller, opened.instance)
    except BackendUnavailable:
        return Health(False, log.durable, False, None, False)
    return Health(
        healthy=totals is None or totals.last_error is None,
        durable=log.durable,
        near_limit=opened.resource.budget.fullness(*_counts(totals)) > NEAR_LIMIT,
        last_flush=totals.last_flush if totals else None,
        pending_flush=totals is not None
        and totals.pending_job is not None
        and await flushing.is_live(backends, caller, totals.pending_job),
    )


async def instances(
    backends: Backends,
    caller: Caller,
    resource_id: str,
    cursor: Cursor,
    *,
    every_owner: bool = False,
) -> Page[InstanceRow]:
    """The instances of a resource that the caller sees, newest first; those of every owner for service keys alone."""
    if every_owner:
        caller.must_administer("listing the instances of every owner")
    async with backends.db.read(caller) as tx:
        resource = (await find(tx, resource_id)).resource
    owner = None if every_owner else await owner_of(backends, caller, resource)
    return await backends.log(caller, resource).instances(caller, resource_id, owner, cursor)


# --- shared by them ----------------------------------------------------------------------------------------------------


async def _replace(
    backends: Backends, opened: OpenInstance, drafts: list[Draft], action: Replacing
) -> tuple[list[StoredMessage], Totals]:
    """Put drafts in the place of all messages."""
    log = backends.log(opened.caller, opened.resource)
    terms = _terms(opened.resource, clearing=True)
    return await log.replace(opened.caller, opened.instance, drafts, terms, action)


async def _note_session(
    backends: Backends, opened: OpenInstance, session_id: str | None, appended: int
) -> None:
    """Report messages of a session. They are kept by now: should it fail, the next append reports again."""
    if backends.listener is None or session_id is None or not appended:
        return
    with suppress(BackendUnavailable):
        await backends.listener.appended(opened.caller, session_id, opened.instance, appended)


async def _note_dropped(backends: Backends, opened: OpenInstance, dropped: int) -> None:
    """Report that a buffer dropped messages, so that they are learned from while they are kept as flushed ones."""
    if backends.listener is not None and dropped:
        with suppress(BackendUnavailable):
            await backends.listener.before_removal(opened.caller, opened.instance)


async def _flush_after(
    backends: Backends, opened: OpenInstance, totals: Totals
) -> FlushResult | None:
    """Flush, if that is due. The messages are kept by now: should it fail, the next append is due as well."""
    try:
        return await flushing.flush_if_due(_target(backends, opened), totals)
    except BackendUnavailable:
        metrics.conversation_flushes.labels(opened.resource.strategy.type, "failed").inc()
        return None


def _that_fit(resource: Resource, drafts: list[Draft]) -> list[Draft]:
    """What a buffer keeps of a list: the newest that are within its limits."""
    if not resource.is_buffer:
        return drafts
    heads = [head_of(seq, draft, draft.created_at) for seq, draft in enumerate(drafts)]
    gone = set(plan_trim(heads, resource.budget))
    return [draft for seq, draft in enumerate(drafts) if seq not in gone]


async def _read_with_flushed(
    backends: Backends, opened: OpenInstance, limit: int, offset: int, tail: int | None
) -> ReadResult:
    """A part of all messages, flushed ones too; those that are still in the list count as read."""
    everything = await read_everything(backends, opened)
    ordered = everything.ordered
    part = ordered[-tail:] if tail else ordered[offset : offset + limit]
    shown = [stored.seq for stored, flushed_at in part if flushed_at is None]
    if shown:  # in the list they follow each other
        span = Span(everything.live_seqs.index(shown[0]), len(shown))
        log = backends.log(opened.caller, opened.resource)
        await log.read(opened.caller, opened.instance, span)
    until = len(part) + (0 if tail else offset)
    return ReadResult(part, len(ordered), until < len(ordered))


def _target(backends: Backends, opened: OpenInstance) -> Target:
    return Target(backends, opened.caller, opened.resource, opened.instance)


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
