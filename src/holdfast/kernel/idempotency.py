"""Idempotency keys: the same request twice is applied once.

A key belongs to one credential, user acted for, workspace, method, path and query: the same key with another of these is
another request.

The answer is kept in the same transaction as what it answers for, so that not even a crash between the two can make a
retry apply again. Requests with one key wait for each other on an advisory lock of Postgres, which dies with its
holder. A refusal (4xx) is an answer too and is kept; a failure of ours (5xx) is not.

What is erased or redacted goes from kept answers too, also from those of requests that read it before and end after: each
erasure leaves a mark, and a request that keeps an answer looks for marks that were not there when it began.
"""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from hashlib import sha256
from operator import itemgetter
from typing import Any
from urllib.parse import parse_qsl

from psycopg.types.json import Jsonb

from holdfast.kernel import clock
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import IdempotencyMismatch, Malformed
from holdfast.kernel.sql import load

queries = load(__file__, "idempotency.sql")

KEPT_FOR = timedelta(hours=24)
MAX_KEY_CHARS = 255
# An answer says when it was kept by the clock of its server; those of two servers are never this far apart.
CLOCKS_AGREE_WITHIN = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Answer:
    """A response as it was sent."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def is_erased(self) -> bool:
        """Whether its body was removed because something in it was erased; a refusal always has a body."""
        return self.status == 404 and not self.body


@dataclass(frozen=True, slots=True)
class _Kept:
    """What is kept under a key, if anything is, and the last thing forgotten before this request looked."""

    body_digest: str | None
    status: int
    headers: dict[str, str]
    body: bytes
    forgotten_before: int


@dataclass(frozen=True, slots=True)
class _Which:
    credential_id: str
    endpoint: str
    key: str


@dataclass(slots=True)
class Attempt:
    """One request under a key: replay `first` if there is one, else set `answer`."""

    first: Answer | None = None
    answer: Answer | None = field(default=None)


@asynccontextmanager
async def once(
    db: Database,
    caller: Caller,
    *,
    method: str,
    path: str,
    query: str = "",
    key: str,
    body: bytes,
) -> AsyncIterator[Attempt]:
    """Everything done in the block, and the answer set in it, are kept together or not at all."""
    which = _which(caller, method, path, query, key)
    body_digest = sha256(body).hexdigest()
    async with db.begin(caller) as tx:
        await tx.run(queries.wait_for_the_other, **which)
        kept = await tx.one(_Kept, queries.find_answer, since=tx.now - KEPT_FOR, **which)
        if kept is None:
            raise RuntimeError("the question for a kept answer was not answered")
        if kept.body_digest not in (None, body_digest):
            raise IdempotencyMismatch(
                "this Idempotency-Key was used with another body; use a new key for a new request"
            )
        first = Answer(kept.status, kept.headers, kept.body) if kept.body_digest else None
        attempt = Attempt(first=first)
        yield attempt
        if attempt.answer is not None and first is None:
            which |= {"body_digest": body_digest, "forgotten_before": kept.forgotten_before}
            which |= {"user_id": caller.user_id}
            tx.before_commit(partial(_keep, answer=attempt.answer, which=which))


async def is_answered(
    db: Database, caller: Caller, *, method: str, path: str, query: str = "", key: str
) -> bool:
    """Whether an answer is kept under a key now: what the request would do first need not be done again."""
    which = _which(caller, method, path, query, key)
    kept = await db.one(caller, _Kept, queries.find_answer, since=clock.now() - KEPT_FOR, **which)
    return kept is not None and kept.body_digest is not None


def _which(caller: Caller, method: str, path: str, query: str, key: str) -> dict[str, Any]:
    if not 1 <= len(key) <= MAX_KEY_CHARS or not key.isprintable():
        raise Malformed(f"Idempotency-Key: 1–{MAX_KEY_CHARS} printable characters")
    return {
        "credential_id": caller.credential_id,
        "endpoint": _endpoint(caller, method, path, query),
        "key": key,
    }


def _endpoint(caller: Caller, method: str, path: str, query: str) -> str:
    """A digest of everything but the credential that a key belongs to. Query parameters count in any order, except those
    of one name. JSON keeps the parts apart: no user id can be read as the end of a path."""
    parameters = sorted(parse_qsl(query, keep_blank_values=True), key=itemgetter(0))
    parts = [caller.user_id, caller.workspace_id, method, path, parameters]
    return sha256(json.dumps(parts).encode()).hexdigest()


async def forget_mentions(tx: Tx, ids: Sequence[str]) -> None:
    """Remove the bodies of kept answers that mention these objects, which are being erased.

    The keys stay, so that a late retry does not apply again what was erased: it is answered with 404.
    """
    if ids:
        tx.before_commit(partial(_forget, ids=list(ids)))


# --- the last steps of a transaction: nothing waits for a lock after them --------------------------------------------


async def _keep(tx: Tx, *, answer: Answer, which: dict[str, Any]) -> None:
    # Each a statement of its own, so that the second sees what was committed while the first waited.
    await tx.run(queries.wait_for_erasures)
    await tx.run(
        queries.keep_answer,
        status=answer.status,
        headers=Jsonb(answer.headers),
        body=answer.body,
        kept_at=clock.now(),
        before=tx.now - KEPT_FOR,
        **which,
    )


async def _forget(tx: Tx, *, ids: list[str]) -> None:
    found = await tx.all(_Which, queries.find_mentions, ids=ids)
    since = clock.now() - CLOCKS_AGREE_WITHIN
    await tx.run(queries.wait_for_keepers)
    await tx.run(queries.mark_forgotten, ids=ids, before=tx.now - KEPT_FOR)
    await tx.run(
        queries.forget_found,
        credential_ids=[each.credential_id for each in found],
        endpoints=[each.endpoint for each in found],
        keys=[each.key for each in found],
    )
    await tx.run(queries.forget_latest, ids=ids, since=since)
