"""Flushing on demand and after an append: at once, or by a job where a language model writes the summary."""

from dataclasses import replace

from holdfast.conversations.backends import Backends
from holdfast.conversations.flush import summarise
from holdfast.conversations.flush.plan import Plan
from holdfast.conversations.flush.run import (
    ATTEMPTS,
    Target,
    carry_out,
    flush_now,
    lock,
    nothing,
    plan,
    rehearse,
)
from holdfast.conversations.flush.summarise import JOB
from holdfast.conversations.logs.protocol import Overtaken
from holdfast.conversations.model import (
    LOCK_WAIT_S,
    FlushResult,
    Instance,
    LastError,
    Strategy,
    Totals,
)
from holdfast.conversations.resources.service import read_resource
from holdfast.kernel import clock, jobs, metrics
from holdfast.kernel.caller import Caller
from holdfast.kernel.errors import BackendUnavailable, Invalid, LockTimeout, NotFound
from holdfast.kernel.jobs import Handler, Outcome
from holdfast.kernel.ledger import CapReached
from holdfast.kernel.llm import LlmError

_FORCED = "!"  # at the end of a job's subject; no key contains it
_LIVE = ("queued", "running")


async def flush_if_due(target: Target, totals: Totals) -> FlushResult | None:
    """After an append: flush, or have a job do it, if the threshold is reached and nobody else is doing it."""
    resource = target.resource
    if resource.is_buffer or not target.is_due(totals):
        return None
    strategy, wait_s = resource.strategy.type, 0.0
    if strategy == "hybrid_summary" and target.backends.llm is not None:
        if not target.is_over(totals):
            return await _schedule(target, force=False, wait_s=0)
        strategy, wait_s = "simple_fifo", 1.0  # the hard limit does not wait for a model
    try:
        result = await flush_now(target, strategy, force=False, wait_s=wait_s)
    except LockTimeout:
        return None  # the holder of the lock is flushing; the append itself is done
    return result if result is not None and result.flushed else None


async def flush(
    target: Target, *, strategy: Strategy | None, dry_run: bool, force: bool
) -> FlushResult:
    """Flush on demand."""
    chosen = strategy or target.resource.strategy.type
    by_model = chosen == "hybrid_summary" and target.backends.llm is not None
    fallback = target.resource.strategy.fallback
    if chosen == "hybrid_summary" and not by_model and fallback != "extractive":
        raise Invalid.field(
            "strategy",
            "hybrid_summary needs a language model, or a resource with fallback: extractive",
        )
    totals = await target.log.totals(target.caller, target.instance)
    if totals is None or not (force or target.is_due(totals)):
        return nothing(totals, chosen, dry_run=dry_run)
    if dry_run:
        return await rehearse(target, chosen)
    if by_model:
        result = await _schedule(target, force=force, wait_s=LOCK_WAIT_S)
    else:
        result = await flush_now(target, chosen, force=force, wait_s=LOCK_WAIT_S)
    return result or nothing(totals, chosen)


async def is_live(backends: Backends, caller: Caller, job_id: str) -> bool:
    """Whether a job is still to be done. One that failed for good must not keep the next one from being scheduled."""
    try:
        job = await jobs.read_job(backends.db, replace(caller, credential="operator"), job_id)
    except NotFound:
        return False
    return job.status in _LIVE


def handler(backends: Backends) -> Handler:
    """The job that summarises with a language model."""

    async def run(caller: Caller, subject: str) -> Outcome:
        instance = _instance_of(subject.removesuffix(_FORCED))
        stored = await read_resource(backends, caller, instance.resource_id)
        target = Target(backends, caller, stored.resource, instance)
        return await _summarise(target, force=subject.endswith(_FORCED))

    return run


def _subject_of(instance: Instance, *, force: bool) -> str:
    """Resource, owner and key; none of them contains a slash."""
    forced = _FORCED if force else ""
    return f"{instance.resource_id}/{instance.audience}/{instance.key}{forced}"


def _instance_of(subject: str) -> Instance:
    resource_id, audience, key = subject.split("/", 2)
    return Instance.of(resource_id, audience, key)


async def _schedule(target: Target, *, force: bool, wait_s: float) -> FlushResult | None:
    """Have a job summarise; None when one is scheduled already and nobody waits for the answer."""
    backends, caller, instance = target.backends, target.caller, target.instance
    async with lock(target, wait_s) as lease:
        totals = await target.log.totals(caller, instance) if lease is not None else None
        if totals is None:
            return None
        pending = totals.pending_job
        if pending is not None and await is_live(backends, caller, pending):
            return _scheduled(totals, pending) if wait_s else None
        async with backends.db.begin(caller) as tx:
            job_id = await jobs.enqueue(tx, JOB, _subject_of(instance, force=force))
        await target.log.note_pending(caller, instance, job_id)
    return None if job_id is None else _scheduled(totals, job_id)


async def _summarise(target: Target, *, force: bool) -> Outcome:
    """Summarise the oldest messages. The model is called before the lock is taken: nobody waits for it."""
    log, caller, instance = target.log, target.caller, target.instance
    spent = 0
    for _ in range(ATTEMPTS):
        planned = await _plan(target, force=force)
        if planned.is_empty:
            await log.note_pending(caller, instance, None)
            return Outcome({"flushed": False}, spent)
        try:
            draft, tokens = await summarise.by_model(
                target.backends, log, caller, target.resource, instance, planned
            )
        except LlmError as error:
            metrics.conversation_flushes.labels("hybrid_summary", "failed").inc()
            code = "llm_cap" if isinstance(error, CapReached) else "llm_failed"
            await log.note_error(caller, instance, LastError(clock.now(), code, error.detail))
            raise BackendUnavailable(error.detail) from error
        spent += tokens
        async with lock(target, LOCK_WAIT_S) as lease:
            if lease is None:
                continue
            try:
                result = await carry_out(target, lease, planned, draft)
            except Overtaken:
                continue  # the list changed meanwhile: plan again
        return Outcome({"flushed": True, "removed": result.removed}, spent)
    raise LockTimeout("the conversation changed each time before its summary was written")


async def _plan(target: Target, *, force: bool) -> Plan:
    totals = await target.log.totals(target.caller, target.instance)
    if totals is None or not (force or target.is_due(totals)):
        return Plan("hybrid_summary")
    heads = await target.log.heads(target.caller, target.instance)
    return plan(target, heads, "hybrid_summary")


def _scheduled(totals: Totals, job_id: str) -> FlushResult:
    return replace(nothing(totals, "hybrid_summary"), status="scheduled", job_id=job_id)
