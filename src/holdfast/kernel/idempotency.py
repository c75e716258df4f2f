"""Idempotency keys: the same request twice is applied once.

The answer is kept in the same transaction as what it answers for, so that not even a crash between the two can make a
retry apply again. Requests with one key wait for each other on an advisory lock of Postgres, which dies with its
holder. A refusal (4xx) is an answer too and is kept; a failure of ours (5xx) is not.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import sha256

from psycopg.types.json import Jsonb

from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import IdempotencyMismatch, Malformed
from holdfast.kernel.sql import load

queries = load(__file__, "idempotency.sql")

KEPT_FOR = timedelta(hours=24)
MAX_KEY_CHARS = 255


@dataclass(frozen=True, slots=True)
class Answer:
    """A response as it was sent."""

    status: int
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class _Kept:
    body_digest: str
    status: int
    headers: dict[str, str]
    body: bytes


@dataclass(slots=True)
class Attempt:
    """One request under a key: replay `first` if there is one, else set `answer`."""

    first: Answer | None = None
    answer: Answer | None = field(default=None)


@asynccontextmanager
async def once(
    db: Database, caller: Caller, *, method: str, path: str, key: str, body: bytes
) -> AsyncIterator[Attempt]:
    """Everything done in the block, and the answer set in it, are kept together or not at all."""
    if not 1 <= len(key) <= MAX_KEY_CHARS or not key.isprintable():
        raise Malformed(f"Idempotency-Key: 1–{MAX_KEY_CHARS} printable characters")
    which = {
        "credential_id": caller.credential_id,
        "endpoint": sha256(f"{method} {path}".encode()).hexdigest(),
        "key": key,
    }
    body_digest = sha256(body).hexdigest()
    async with db.begin(caller) as tx:
        await tx.run(queries.wait_for_the_other, **which)
        kept = await tx.one(_Kept, queries.find_answer, since=tx.now - KEPT_FOR, **which)
        if kept is not None and kept.body_digest != body_digest:
            raise IdempotencyMismatch(
                "this Idempotency-Key was used with another body; use a new key for a new request"
            )
        attempt = Attempt(first=Answer(kept.status, kept.headers, kept.body) if kept else None)
        yield attempt
        if attempt.answer is not None and attempt.first is None:
            await tx.run(
                queries.keep_answer,
                body_digest=body_digest,
                status=attempt.answer.status,
                headers=Jsonb(attempt.answer.headers),
                body=attempt.answer.body,
                before=tx.now - KEPT_FOR,
                **which,
            )


async def forget_mentions(tx: Tx, ids: Sequence[str]) -> None:
    """Take away what kept answers tell of these objects, which are being erased.

    The keys stay, so that a late retry does not apply again what was erased: it is told that this is gone.
    """
    if ids:
        await tx.run(queries.forget_mentions, ids=list(ids))
