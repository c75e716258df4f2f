"""Vectors that follow a write: put() commits an object with its words, and this process adds its vectors when they are made.

A write is acknowledged before the local model has embedded it, which takes longer than the transaction. Each such passage has a row in
`embeddings_underway` until its vector is there. Recall waits a moment for what was put before it, by any process. What a process
left behind when it ended, a worker hands to a job.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from contextvars import Context
from dataclasses import dataclass, field
from datetime import timedelta
from time import monotonic
from typing import Any

import psycopg
import structlog

from holdfast.kernel import clock, jobs, metrics
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.embed import Embedder, Embedders
from holdfast.kernel.embedding_models import EmbedderUnavailable, Embedding, Said
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.recall.model import Document
from holdfast.kernel.sql import load

log = structlog.get_logger("holdfast.recall")
queries = load(__file__)

# How long a recall waits for vectors that are being made, and how often it looks for those of another process.
PATIENCE_S = 0.25
LOOK_EVERY_S = 0.01
# What did not follow within this was left behind.
LEFT_BEHIND_AFTER = timedelta(seconds=10)
# How long a process that ends waits for its own.
FINISH_WITHIN_S = 5.0


@dataclass(frozen=True, slots=True, eq=False)
class Followed:
    """An object that was put, and what is embedded of it."""

    caller: Caller
    embedder: Embedder
    document: Document
    texts: Sequence[Said]
    done: asyncio.Event = field(default_factory=asyncio.Event)


class Underway:
    """The objects of this process whose vectors are being made, in the order in which they were put."""

    def __init__(self) -> None:
        self._items: deque[Followed] = deque()
        self._task: asyncio.Task[None] | None = None

    def add(self, db: Database, item: Followed) -> None:
        """Have the vectors of a committed object added."""
        self._items.append(item)
        if self._task is None or self._task.done():
            db.before_close(self.finish)
            # A context of its own: the transaction that has just been committed is still open in this one.
            self._task = asyncio.get_running_loop().create_task(self._run(db), context=Context())

    async def finish(self) -> None:
        """Wait until all are added, if that does not take long."""
        if self._task is not None and not self._task.done():
            await asyncio.wait({self._task}, timeout=FINISH_WITHIN_S)
            self._task.cancel()

    async def wait_for(self, caller: Caller) -> None:
        """Wait a moment for what was put for the same user."""
        mine = [
            item.done.wait()
            for item in self._items
            if (item.caller.org_id, item.caller.user_id) == (caller.org_id, caller.user_id)
        ]
        if mine:
            waiting = [asyncio.ensure_future(each) for each in mine]
            _, late = await asyncio.wait(waiting, timeout=PATIENCE_S)
            for each in late:
                each.cancel()

    async def _run(self, db: Database) -> None:
        while self._items:
            ready = await self._made()
            try:
                await _add(db, ready)
            except (HoldfastError, psycopg.Error) as error:
                log.warning("vectors are left to a job", error=type(error).__name__)
            finally:
                for item, _ in ready:
                    self._items.remove(item)
                    item.done.set()

    async def _made(self) -> list[tuple[Followed, Sequence[Embedding] | None]]:
        """The first object with its embeddings, and others of its org whose are at hand too; None where there are none to be had."""
        first = self._items[0]
        try:
            embeddings = await first.embedder.embed(first.texts)
        except EmbedderUnavailable:
            return [(first, None)]
        others = [item for item in self._items if item is not first]
        return [
            (first, embeddings),
            *(
                (item, made)
                for item in others
                if item.caller.org_id == first.caller.org_id
                and (made := item.embedder.all_at_hand(item.texts)) is not None
            ),
        ]


async def _add(db: Database, ready: Sequence[tuple[Followed, Sequence[Embedding] | None]]) -> None:
    """Write the vectors of objects of one org, in one transaction."""
    made = [(item, embeddings) for item, embeddings in ready if embeddings is not None]
    if not made:
        return
    async with db.begin(made[0][0].caller) as tx:
        await tx.run(queries.flush_later)
        sent = [
            await tx.send(str, queries.follow, filled(item.document, each, item.embedder.model))
            for item, each in made
        ]
        active = await sent[-1].fetchone()
        # While this process looked elsewhere, `holdfast reembed` may have made another model serve. Some of these may have been
        # put before it noticed, others after.
        await db.services.get(Embedders).serving(active)
        if any(item.embedder.model != active for item, _ in made):
            await jobs.enqueue(tx, "embed", "passages")


def filled(document: Document, made: Sequence[Embedding], model: str) -> dict[str, Any]:
    """The vectors of an object's passages, for `fill` and `follow`: they pass over an object that changed since it was read."""
    return {
        "kind": document.kind,
        "object_id": document.object_id,
        "updated_at": document.updated_at,
        "vectors": [each.vector.text for each in made],
        "tokens": [each.tokens for each in made],
        "model": model,
    }


async def wait_for(db: Database, caller: Caller, scopes: Sequence[str], newest: int | None) -> None:
    """Wait a moment for the vectors of these scopes that another process is making; `newest` is the last of them, if there are
    any."""
    deadline = monotonic() + PATIENCE_S
    while newest is not None and monotonic() < deadline:
        await asyncio.sleep(LOOK_EVERY_S)
        if not await db.one(caller, bool, queries.is_underway, scopes=list(scopes), newest=newest):
            return


async def hand_over(db: Database) -> int:
    """Have jobs embed what processes left behind when they ended, in every org: how many passages."""
    before = clock.now() - LEFT_BEHIND_AFTER
    taken = 0
    for org_id in await db.prove(str, queries.orgs_left_behind, "", before=before):
        async with db.begin(Caller(org_id, "job", "embeddings_left_behind", "default")) as tx:
            number = await tx.one(int, queries.hand_over, before=before)
            if number:
                await jobs.enqueue(tx, "embed", "passages")
            taken += number or 0
    metrics.vectors_left_behind.inc(taken)
    return taken
