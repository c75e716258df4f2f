"""When a flush runs, and how: once per crossing of the threshold, under a lock, without a model on the path of an answer."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from holdfast.conversations.backends import Backends
from holdfast.conversations.flush import index, summarise
from holdfast.conversations.flush.plan import Plan, plan_flush, plan_summary
from holdfast.conversations.logs.protocol import MessageLog, Overtaken
from holdfast.conversations.model import (
    Draft,
    FlushResult,
    Instance,
    LastFlush,
    Lease,
    MessageHead,
    Removal,
    Strategy,
    Totals,
)
from holdfast.conversations.resources.config import Flushing, Resource
from holdfast.kernel import clock, durations, metrics
from holdfast.kernel.caller import Caller
from holdfast.kernel.errors import LockTimeout
from holdfast.kernel.redis import releasing

ATTEMPTS = 5
_POLL_S = 0.05


@dataclass(frozen=True, slots=True)
class Target:
    """What is flushed: an instance, its resource and log, and for whom."""

    backends: Backends
    caller: Caller
    resource: Resource
    instance: Instance

    @property
    def log(self) -> MessageLog:
        """The log that keeps the instance."""
        return self.backends.log(self.caller, self.resource)

    def is_due(self, totals: Totals) -> bool:
        """Whether the threshold is reached."""
        return self.resource.budget.is_due(totals.message_count, totals.token_count)

    def is_over(self, totals: Totals) -> bool:
        """Whether a limit itself is passed."""
        return self.resource.budget.is_over(totals.message_count, totals.token_count)


async def flush_now(
    target: Target, strategy: Strategy, *, force: bool, wait_s: float
) -> FlushResult | None:
    """Flush under the lock; None when others hold it and are not waited for. Plans on what it finds under the lock."""
    log, caller, instance = target.log, target.caller, target.instance
    async with lock(target, wait_s) as lease:
        if lease is None:
            return None
        for _ in range(ATTEMPTS):
            totals = await log.totals(caller, instance)
            if totals is None:
                return None
            if not (force or target.is_due(totals)):
                return nothing(totals, strategy)
            planned = plan(target, await log.heads(caller, instance), strategy)
            if planned.is_empty:
                return nothing(totals, strategy)
            draft = await summarise.extractive(
                target.backends, log, caller, target.resource, instance, planned
            )
            try:
                return await carry_out(target, lease, planned, draft)
            except Overtaken:
                if lease.expires_at <= clock.now():
                    break
        metrics.conversation_flushes.labels(strategy, "overtaken").inc()
        return None


async def rehearse(target: Target, strategy: Strategy) -> FlushResult:
    """What a flush would do now. Where a model would write the summary, an extracted one stands in for it."""
    log, caller, instance = target.log, target.caller, target.instance
    heads = await log.heads(caller, instance)
    planned = plan(target, heads, strategy)
    gone = set(planned.removed)
    tokens = sum(head.tokens for head in heads if head.seq not in gone)
    draft = await summarise.extractive(
        target.backends, log, caller, target.resource, instance, planned
    )
    return FlushResult(
        flushed=False,
        summary_generated=False,
        message_count=len(heads) - len(gone) + (draft is not None),
        token_count=tokens + (0 if draft is None else draft.tokens),
        removed=len(gone),
        actual_strategy=strategy,
        would_flush=bool(gone),
    )


def plan(target: Target, heads: list[MessageHead], strategy: Strategy) -> Plan:
    """What a flush by this strategy removes."""
    resource = target.resource
    if not heads:
        return Plan(strategy)
    if strategy != "hybrid_summary":
        return plan_flush(heads, resource.budget, strategy)
    flushing = resource.strategy if resource.strategy.type == "hybrid_summary" else Flushing()
    return plan_summary(
        heads,
        resource.budget,
        oldest_share=flushing.summarize_oldest_percent,
        summary_tokens=summarise.room_of(resource),
    )


async def carry_out(target: Target, lease: Lease, plan: Plan, draft: Draft | None) -> FlushResult:
    """Remove what was planned and add the summary, under the lock; Overtaken when either is not possible any more."""
    flush = LastFlush(
        at=clock.now(),
        strategy=plan.strategy,
        removed=len(plan.removed),
        summary_generated=draft is not None,
        message_count=0,  # the log fills in both counts
        token_count=0,
    )
    if draft is not None:
        await index.prefetch_embeddings(target.backends.db, draft)
    if target.backends.listener is not None and plan.removed:
        await target.backends.listener.before_removal(target.caller, target.instance)
    removal = Removal(plan.removed, draft, flush)
    totals = await target.log.remove(target.caller, target.instance, lease, removal)
    metrics.conversation_flushes.labels(plan.strategy, "flushed").inc()
    return FlushResult(
        flushed=True,
        summary_generated=draft is not None,
        message_count=totals.message_count,
        token_count=totals.token_count,
        removed=len(plan.removed),
        actual_strategy=plan.strategy,
    )


@asynccontextmanager
async def lock(target: Target, wait_s: float) -> AsyncIterator[Lease | None]:
    """The lock of a flush; None where another holds it and `wait_s` is 0. LockTimeout after `wait_s` of waiting."""
    log, caller, instance = target.log, target.caller, target.instance
    ttl_s = durations.seconds(target.resource.locking.flush_ttl)
    lease = await log.lock(caller, instance, ttl_s)
    waited = 0.0
    while lease is None and waited < wait_s:
        if await log.totals(caller, instance) is None:
            break
        await asyncio.sleep(_POLL_S)
        waited += _POLL_S
        lease = await log.lock(caller, instance, ttl_s)
    if lease is None and wait_s and waited >= wait_s:
        raise LockTimeout(f"another flush held this conversation for {wait_s:g} s; try again")
    if lease is None:
        yield None
        return
    async with releasing(log.release(caller, instance, lease)):
        yield lease


def nothing(totals: Totals | None, strategy: Strategy, *, dry_run: bool = False) -> FlushResult:
    """The answer of a flush that removed nothing."""
    return FlushResult(
        flushed=False,
        summary_generated=False,
        message_count=totals.message_count if totals else 0,
        token_count=totals.token_count if totals else 0,
        removed=0,
        actual_strategy=strategy,
        would_flush=False if dry_run else None,
    )
