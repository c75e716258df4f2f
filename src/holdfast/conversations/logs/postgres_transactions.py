"""Transactions on message lists in Postgres: each call bounded by the breaker, each change under the lock of its row."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

import psycopg

from holdfast.conversations.logs.protocol import Terms
from holdfast.kernel.breaker import Breaker
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import LockTimeout
from holdfast.kernel.sql import load

queries = load(__file__)

T = TypeVar("T")

# Shares of the breaker's timeout: one attempt to lock a row; a statement, which the server then ends; a call, which is then
# broken off. Each leaves the next one time to report what happened.
LOCK_ATTEMPT, STATEMENT, CALL = 0.5, 0.9, 0.95


class _RowHeld(Exception):
    """Another transaction holds the row."""


class Transactions:
    """Opens transactions of one resource's log."""

    def __init__(self, db: Database, breaker: Breaker) -> None:
        self.db = db
        self.breaker = breaker

    @asynccontextmanager
    async def locked(
        self, caller: Caller, terms: Terms, take: Callable[[Tx], Awaitable[T]]
    ) -> AsyncIterator[tuple[Tx, T]]:
        """A transaction that holds the instance's row, which `take` locks and returns.

        The row is waited for in attempts that are shorter than the breaker's timeout: so a row that others hold
        (LockTimeout) is told from a database that does not answer (MEM-003).
        """
        deadline, holds = time.monotonic() + terms.lock_wait_s, False
        limit_s = self.breaker.timeout_s
        while True:
            left_s = max(0.001, deadline - time.monotonic())
            attempt_s = left_s if limit_s is None else min(left_s, limit_s * LOCK_ATTEMPT)
            try:
                async with self.writing(caller) as tx:
                    await tx.run(
                        queries.bound_the_lock,
                        wait_ms=_ms(attempt_s),
                        statement_ms="0" if limit_s is None else _ms(limit_s * STATEMENT),
                        ttl_ms=_ms(terms.lock_ttl_s),
                    )
                    taken = await take(tx)
                    holds = True
                    yield tx, taken
                return
            except _RowHeld:
                if holds or time.monotonic() >= deadline:
                    raise LockTimeout(
                        f"others held this conversation for {terms.lock_wait_s:g} s; try again"
                    ) from None

    @asynccontextmanager
    async def reading(self, caller: Caller) -> AsyncIterator[Tx]:
        """Several statements that only read."""
        async with self.breaker.guard(), self.db.read(caller, within_s=self._within_s) as tx:
            yield tx

    @asynccontextmanager
    async def writing(self, caller: Caller) -> AsyncIterator[Tx]:
        """A transaction without a lock."""
        async with self.breaker.guard(), self.db.begin(caller, within_s=self._within_s) as tx:
            try:
                yield tx
            except psycopg.errors.LockNotAvailable as error:
                raise _RowHeld from error

    @property
    def _within_s(self) -> float | None:
        limit_s = self.breaker.timeout_s
        return None if limit_s is None else limit_s * CALL


def _ms(seconds: float) -> str:
    return str(max(1, int(seconds * 1000)))
