"""Background work, and which face does which kind of job."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import timedelta
from functools import partial

import psycopg
import structlog

from holdfast.conversations import sweep as conversations
from holdfast.conversations.flush import service as flushing
from holdfast.conversations.flush.summarise import JOB as FLUSH_JOB
from holdfast.deployment import Config, Deployment, open_deployment, owner_url
from holdfast.entries import sweep as entries
from holdfast.erasure import service as erasure
from holdfast.erasure.service import Erasing
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.job_worker import Worker
from holdfast.kernel.jobs import Handler
from holdfast.kernel.recall import language, underway, vectors
from holdfast.learning import settle
from holdfast.learning.consolidation import measuring
from holdfast.learning.consolidation import service as consolidation
from holdfast.learning.sessions import JOB as SETTLE_JOB
from holdfast.learning.sessions import settle_rested, sweep_given
from holdfast.memories.assets import service as assets
from holdfast.unified_recall.documents import READERS

log = structlog.get_logger("holdfast.worker")

SWEEP_EVERY_S = 3600.0
LOOK_FOR_RESTED_EVERY_S = 15.0
LOOK_FOR_VECTORS_EVERY_S = 5.0
RESTART_AFTER_S = 2.0
# Longer than jobs that have begun are given to finish.
CANCEL_AGAIN_AFTER_S = 25.0


def handlers(deployment: Deployment) -> Mapping[str, Handler]:
    """Every kind of job and the function that does it."""
    backends, db = deployment.conversations, deployment.db
    erasing = Erasing(backends, deployment.assets, partial(owner_url, deployment.config))
    return {
        **entries.handlers(db),
        "embed": vectors.embed_later(db, READERS),
        FLUSH_JOB: flushing.handler(backends),
        "index": vectors.index_later(db, READERS),
        language.JOB: language.handler(db, READERS),
        SETTLE_JOB: settle.handler(deployment.learning),
        consolidation.JOB: consolidation.handler(db),
        measuring.JOB: measuring.handler(db),
        erasure.JOB: erasure.handler(erasing, everything=False),
        erasure.JOB_EVERYTHING: erasure.handler(erasing, everything=True),
    }


async def keep_working(
    ready: Callable[[], None], stop: asyncio.Event, config: Config, concurrency: int = 4
) -> None:
    """Run a worker until `stop` is set, and start it again when it fails. Jobs that have begun are finished first."""
    ready()
    while not stop.is_set():
        working = asyncio.create_task(run_worker(config, concurrency=concurrency))
        stopping = asyncio.create_task(stop.wait())
        await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        while not working.done():
            # The queue's library may take a cancellation for an end of its own, and the worker would begin anew.
            working.cancel()
            await asyncio.wait({working}, timeout=CANCEL_AGAIN_AFTER_S)
        try:
            await working
        except asyncio.CancelledError:
            continue
        except Exception as error:  # whatever it is: without a worker jobs would wait for ever
            log.error("the worker failed and is started again", error=type(error).__name__)
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), RESTART_AFTER_S)


async def run_worker(config: Config, *, concurrency: int = 4) -> None:
    """Do jobs until cancelled, and tidy up at the start and from time to time."""
    async with open_deployment(config, max_size=concurrency + 1) as deployment:
        tidying = asyncio.create_task(_tidy(deployment))
        settling = asyncio.create_task(_settle(deployment))
        consolidating = asyncio.create_task(_consolidate(deployment))
        embedding = asyncio.create_task(_embed_what_was_left(deployment))
        try:
            worker = Worker(config.database_url, deployment.db, handlers(deployment))
            await worker.run(concurrency=concurrency)
        finally:
            tidying.cancel()
            settling.cancel()
            consolidating.cancel()
            embedding.cancel()


async def _tidy(deployment: Deployment) -> None:
    """Clear away what is past its time and what crashes left. It goes through every org, so it is no job of one."""
    while True:
        await _attempt("assets", assets.sweep(deployment.db, deployment.assets))
        await _attempt("conversations", conversations.sweep(deployment.conversations))
        await _attempt("given texts", sweep_given(deployment.db))
        await asyncio.sleep(SWEEP_EVERY_S)


async def _settle(deployment: Deployment) -> None:
    """Look for sessions that rest and have no job."""
    settle_after_s = deployment.config.settle_after_s
    every_s = min(LOOK_FOR_RESTED_EVERY_S, max(0.5, settle_after_s / 4))
    while True:
        rested = settle_rested(deployment.db, timedelta(seconds=settle_after_s))
        await _attempt("rested sessions", rested)
        await asyncio.sleep(every_s)


async def _embed_what_was_left(deployment: Deployment) -> None:
    """Look for passages whose process ended before it added their vectors."""
    while True:
        await _attempt("vectors left behind", underway.hand_over(deployment.db))
        await asyncio.sleep(LOOK_FOR_VECTORS_EVERY_S)


async def _consolidate(deployment: Deployment) -> None:
    """Ask for consolidation as often as the settings say, if they do."""
    every_s = deployment.config.consolidate_every_s
    if every_s is None:
        return
    while True:
        due = consolidation.consolidate_due(deployment.db, timedelta(seconds=every_s))
        await _attempt("owners to consolidate", due)
        await asyncio.sleep(min(SWEEP_EVERY_S, max(0.5, every_s / 4)))


async def _attempt(what: str, sweep: Awaitable[object]) -> None:
    """One that fails is tried again with the next round, and keeps no other from its turn."""
    try:
        swept = await sweep
    except (HoldfastError, OSError, psycopg.Error) as error:
        log.warning("cannot be swept now", what=what, error=type(error).__name__)
    else:
        if swept:
            log.info("swept", what=what)
