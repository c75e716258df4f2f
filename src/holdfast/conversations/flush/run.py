"""When a flush runs, and how: once per crossing of the threshold, under a lock, without a model on the path of an answer."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from holdfast.conversations.backends import Backends
from holdfast.conversations.counting import OVERHEAD, Counter
from holdfast.conversations.flush import index, summarise
from holdfast.conversations.flush.plan import Plan, plan_flush, plan_summary, summary_room
from holdfast.conversations.logs.protocol import MessageLog, Overtaken
from holdfast.conversations.model import (
    LOCK_WAIT_S,
    LONG_TERM,
    Draft,
    FlushResult,
    Head,
    Instance,
    LastError,
    LastFlush,
    Lease,
    Removal,
    StoredMessage,
    Strategy,
    Totals,
)
from holdfast.conversations.resources.config import Flushing, Resource
from holdfast.conversations.resources.service import read_resource
from holdfast.kernel import clock, durations, jobs, metrics
from holdfast.kernel.caller import Caller
from holdfast.kernel.errors import BackendUnavailable, Invalid, LockTimeout, NotFound
from holdfast.kernel.ids import new_id
from holdfast.kernel.jobs import Handler, Outcome
from holdfast.kernel.ledger import CapReached
from holdfast.kernel.llm import LlmError
from holdfast.kernel.redis import releasing

JOB = "conversation_flush"
_FORCED = "!"  # at the end of a job's subject; no key has it
_ATTEMPTS = 5
_LIVE = ("queued", "running")


async def flush_if_due(
    backends: Backends, caller: Caller, resource: Resource, instance: Instance, totals: Totals
) -> FlushResult | None:
    """After an append: flush, or have a job do it, if the threshold is reached and nobody else is at it."""
    budget = resource.budget
    if resource.is_buffer or not budget.is_due(totals.message_count, totals.token_count):
        return None
    strategy, wait_s = resource.strategy.type, 0.0
    if strategy == "hybrid_summary" and backends.llm is not None:
        if not budget.is_over(totals.message_count, totals.token_count):
            return await _schedule(backends, caller, resource, instance, force=False, wait_s=0)
        strategy, wait_s = "simple_fifo", 1.0  # the hard limit waits for no model
    try:
        result = await _flush_now(
            backends, caller, resource, instance, strategy, force=False, wait_s=wait_s
        )
    except LockTimeout:
        return None  # whoever has the lock is at it; the append itself is done
    return result if result is not None and result.flushed else None


async def flush(
    backends: Backends,
    caller: Caller,
    resource: Resource,
    instance: Instance,
    *,
    strategy: Strategy | None,
    dry_run: bool,
    force: bool,
) -> FlushResult:
    """Flush because somebody asks for it."""
    chosen = strategy or resource.strategy.type
    by_model = chosen == "hybrid_summary" and backends.llm is not None
    if chosen == "hybrid_summary" and not by_model and resource.strategy.fallback != "extractive":
        raise Invalid.field(
            "strategy",
            "hybrid_summary needs a language model, or a resource with fallback: extractive",
        )
    log = backends.log(caller, resource)
    totals = await log.totals(caller, instance)
    if totals is None:
        return _nothing(None, chosen, dry_run=dry_run)
    due = resource.budget.is_due(totals.message_count, totals.token_count)
    if not (force or due):
        return _nothing(totals, chosen, dry_run=dry_run)
    if dry_run:
        return await _rehearse(log, caller, resource, instance, chosen)
    if by_model:
        scheduled = await _schedule(
            backends, caller, resource, instance, force=force, wait_s=LOCK_WAIT_S
        )
        return scheduled or _nothing(totals, chosen, dry_run=False)
    result = await _flush_now(
        backends, caller, resource, instance, chosen, force=force, wait_s=LOCK_WAIT_S
    )
    return result or _nothing(totals, chosen, dry_run=False)


def handler(backends: Backends) -> Handler:
    """The job that summarises with a language model."""

    async def run(caller: Caller, subject: str) -> Outcome:
        resource_id, _, key = subject.removesuffix(_FORCED).partition("/")
        resource = (await read_resource(backends, caller, resource_id)).resource
        instance = Instance(resource_id, key)
        return await _summarise(
            backends, caller, resource, instance, force=subject.endswith(_FORCED)
        )

    return run


# --- at once ---------------------------------------------------------------------------------------------------------


async def _flush_now(
    backends: Backends,
    caller: Caller,
    resource: Resource,
    instance: Instance,
    strategy: Strategy,
    *,
    force: bool,
    wait_s: float,
) -> FlushResult | None:
    """Flush under the lock; None when others have it and are not waited for. Decides on what it finds once it has it."""
    log = backends.log(caller, resource)
    async with _lock(log, caller, resource, instance, wait_s) as lease:
        if lease is None:
            return None
        for _ in range(_ATTEMPTS):
            totals = await log.totals(caller, instance)
            if totals is None:
                return None
            budget = resource.budget
            if not (force or budget.is_due(totals.message_count, totals.token_count)):
                return _nothing(totals, strategy, dry_run=False)
            plan = _plan(resource, await log.heads(caller, instance), strategy)
            if plan.is_empty:
                return _nothing(totals, strategy, dry_run=False)
            draft, _ = await _extractive(log, caller, resource, instance, plan)
            try:
                return await _carry_out(backends, log, caller, instance, lease, plan, draft)
            except Overtaken:
                if lease.expires_at <= clock.now():
                    break
        metrics.conversation_flushes.labels(strategy, "overtaken").inc()
        return None


async def _rehearse(
    log: MessageLog,
    caller: Caller,
    resource: Resource,
    instance: Instance,
    strategy: Strategy,
) -> FlushResult:
    """What a flush would do now. A summary is taken at its longest where a model would write it."""
    heads = await log.heads(caller, instance)
    plan = _plan(resource, heads, strategy)
    gone = set(plan.removed)
    tokens = sum(head.tokens for head in heads if head.seq not in gone)
    summarises = bool(plan.summarised)
    if summarises:
        draft, _ = await _extractive(log, caller, resource, instance, plan)
        tokens += draft.tokens if draft is not None else 0
    return FlushResult(
        flushed=False,
        summary_generated=False,
        message_count=len(heads) - len(gone) + summarises,
        token_count=tokens,
        removed=len(gone),
        actual_strategy=strategy,
        would_flush=bool(gone),
    )


def _plan(resource: Resource, heads: list[Head], strategy: Strategy) -> Plan:
    if not heads:
        return Plan(strategy)
    if strategy != "hybrid_summary":
        return plan_flush(heads, resource.budget, strategy)
    flushing = resource.strategy if resource.strategy.type == "hybrid_summary" else Flushing()
    return plan_summary(
        heads,
        resource.budget,
        oldest_share=flushing.summarize_oldest_percent,
        summary_tokens=_room(resource),
    )


def _room(resource: Resource) -> int:
    return summary_room(resource.budget, resource.strategy.summary_tokens)


async def _carry_out(
    backends: Backends,
    log: MessageLog,
    caller: Caller,
    instance: Instance,
    lease: Lease,
    plan: Plan,
    draft: Draft | None,
) -> FlushResult:
    flush = LastFlush(
        at=clock.now(),
        strategy=plan.strategy,
        removed=len(plan.removed),
        summary_generated=draft is not None,
        message_count=0,  # the log knows, and fills them in
        token_count=0,
    )
    if draft is not None:
        await index.prefetch_embeddings(backends.db, draft)
    totals = await log.remove(caller, instance, lease, Removal(plan.removed, draft, flush))
    metrics.conversation_flushes.labels(plan.strategy, "flushed").inc()
    return FlushResult(
        flushed=True,
        summary_generated=draft is not None,
        message_count=totals.message_count,
        token_count=totals.token_count,
        removed=len(plan.removed),
        actual_strategy=plan.strategy,
    )


# --- by a job --------------------------------------------------------------------------------------------------------


async def _schedule(
    backends: Backends,
    caller: Caller,
    resource: Resource,
    instance: Instance,
    *,
    force: bool,
    wait_s: float,
) -> FlushResult | None:
    """Have a job summarise; None when one is asked for already and nobody waits for the answer."""
    log = backends.log(caller, resource)
    async with _lock(log, caller, resource, instance, wait_s) as lease:
        totals = await log.totals(caller, instance) if lease is not None else None
        if totals is None:
            return None
        pending = totals.pending_job
        if pending is not None and await is_live(backends, caller, pending):
            return _scheduled(totals, pending) if wait_s else None
        subject = f"{instance.resource_id}/{instance.key}{_FORCED if force else ''}"
        async with backends.db.begin(caller) as tx:
            job_id = await jobs.enqueue(tx, JOB, subject)
        await log.note_pending(caller, instance, job_id)
    return None if job_id is None else _scheduled(totals, job_id)


async def is_live(backends: Backends, caller: Caller, job_id: str) -> bool:
    """Whether a job will still do something. One that failed for good must not keep the next from being asked for."""
    try:
        job = await jobs.read_job(backends.db, replace(caller, credential="operator"), job_id)
    except NotFound:
        return False
    return job.status in _LIVE


async def _summarise(
    backends: Backends, caller: Caller, resource: Resource, instance: Instance, *, force: bool
) -> Outcome:
    """Summarise the oldest. The model is asked before the lock is taken: nobody waits for it."""
    log = backends.log(caller, resource)
    spent = 0
    for _ in range(_ATTEMPTS):
        totals = await log.totals(caller, instance)
        due = totals is not None and resource.budget.is_due(
            totals.message_count, totals.token_count
        )
        plan = Plan("hybrid_summary")
        if due or (force and totals is not None):
            plan = _plan(resource, await log.heads(caller, instance), "hybrid_summary")
        if plan.is_empty:
            await log.note_pending(caller, instance, None)
            return Outcome({"flushed": False}, spent)
        try:
            draft, tokens = await _by_model(backends, log, caller, resource, instance, plan)
        except LlmError as error:
            metrics.conversation_flushes.labels("hybrid_summary", "failed").inc()
            code = "llm_cap" if isinstance(error, CapReached) else "llm_failed"
            await log.note_error(caller, instance, LastError(clock.now(), code, error.detail))
            raise BackendUnavailable(error.detail) from error
        spent += tokens
        async with _lock(log, caller, resource, instance, LOCK_WAIT_S) as lease:
            if lease is None:
                continue
            try:
                result = await _carry_out(backends, log, caller, instance, lease, plan, draft)
            except Overtaken:
                continue  # others changed the list meanwhile: look again
        return Outcome({"flushed": True, "removed": result.removed}, spent)
    raise LockTimeout("the conversation changed each time before its summary was written")


async def _by_model(
    backends: Backends,
    log: MessageLog,
    caller: Caller,
    resource: Resource,
    instance: Instance,
    plan: Plan,
) -> tuple[Draft | None, int]:
    if backends.llm is None:
        return await _extractive(log, caller, resource, instance, plan)
    messages, earlier = await _to_summarise(log, caller, instance, plan)
    if not messages:
        return None, 0
    counter, room = Counter(resource), _room(resource)
    room_for_text = room - counter.role("system") - OVERHEAD
    try:
        completion = await backends.llm.complete(
            caller,
            JOB,
            summarise.PROMPT,
            summarise.prompt_for([kept.draft for kept in messages], earlier),
            max_tokens=max(1, room_for_text),
        )
    except LlmError:
        if resource.strategy.fallback != "extractive":
            raise
        return await _extractive(log, caller, resource, instance, plan)
    # What a model says is text from outside: the privacy policy covers it too.
    text = resource.redactor.text(completion.text)
    text = await asyncio.to_thread(summarise.within, text, counter.local, room_for_text)
    return _summary_message(text, counter, len(messages), backends.llm.name), completion.tokens


async def _extractive(
    log: MessageLog, caller: Caller, resource: Resource, instance: Instance, plan: Plan
) -> tuple[Draft | None, int]:
    if not plan.summarised:
        return None, 0
    messages, earlier = await _to_summarise(log, caller, instance, plan)
    counter = Counter(resource)
    room = _room(resource) - counter.role("system") - OVERHEAD
    text = await asyncio.to_thread(
        summarise.extract, [kept.draft for kept in messages], earlier, counter.local, max(1, room)
    )
    return _summary_message(text, counter, len(messages), "extractive"), 0


async def _to_summarise(
    log: MessageLog, caller: Caller, instance: Instance, plan: Plan
) -> tuple[list[StoredMessage], str | None]:
    found = await log.fetch(caller, instance, plan.removed)
    earlier = [kept.draft.content for kept in found if kept.draft.share == LONG_TERM]
    messages = [kept for kept in found if kept.seq in set(plan.summarised)]
    return messages, "\n".join(earlier) or None


def _summary_message(text: str, counter: Counter, summarised: int, by: str) -> Draft | None:
    if not text:
        return None
    return Draft(
        id=new_id("msg"),
        role="system",
        content=text,
        tokens=counter.local.count(text) + counter.role("system") + OVERHEAD,
        share=LONG_TERM,
        created_at=clock.now(),
        metadata={"summary": {"by": by, "messages": summarised}},
    )


# --- what they share -------------------------------------------------------------------------------------------------


@asynccontextmanager
async def _lock(
    log: MessageLog, caller: Caller, resource: Resource, instance: Instance, wait_s: float
) -> AsyncIterator[Lease | None]:
    """The lock of a flush; None where somebody else has it and nobody waits. LockTimeout after `wait_s` of waiting."""
    ttl_s = durations.seconds(resource.locking.flush_ttl)
    lease = await log.lock(caller, instance, ttl_s)
    waited = 0.0
    while lease is None and waited < wait_s:
        if await log.totals(caller, instance) is None:
            break
        await asyncio.sleep(0.05)
        waited += 0.05
        lease = await log.lock(caller, instance, ttl_s)
    if lease is None and wait_s and waited >= wait_s:
        raise LockTimeout(f"another flush held this conversation for {wait_s:g} s; try again")
    if lease is None:
        yield None
        return
    async with releasing(log.release(caller, instance, lease)):
        yield lease


def _nothing(totals: Totals | None, strategy: Strategy, *, dry_run: bool) -> FlushResult:
    return FlushResult(
        flushed=False,
        summary_generated=False,
        message_count=totals.message_count if totals else 0,
        token_count=totals.token_count if totals else 0,
        removed=0,
        actual_strategy=strategy,
        would_flush=False if dry_run else None,
    )


def _scheduled(totals: Totals, job_id: str) -> FlushResult:
    return replace(
        _nothing(totals, "hybrid_summary", dry_run=False), status="scheduled", job_id=job_id
    )
