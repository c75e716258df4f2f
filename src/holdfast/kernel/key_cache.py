"""A cache of API key lookups, so that not every request asks the database whose key it carries.

Triggers notify a channel of Postgres when a change of a key, its agent, a user or a workspace commits; a process that is
notified empties its cache. A process uses the cache only while its LISTEN connection works: it notifies itself every second
while keys are looked up, and after TRUSTED_FOR_S without a notification looks every key up again. So a revoked key is refused
at once by the process that revoked it, milliseconds later by the others, and after TRUSTED_FOR_S by one whose LISTEN connection
was lost at that moment. Decision 10 says why.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from time import monotonic
from typing import Literal

import psycopg
import structlog

from holdfast.kernel import metrics
from holdfast.kernel.db import Database
from holdfast.kernel.errors import BackendUnavailable
from holdfast.kernel.ids import new_id
from holdfast.kernel.sql import load

queries = load(__file__, "key_cache.sql")
log = structlog.get_logger("holdfast.keys")

BEAT_EVERY_S = 1.0
TRUSTED_FOR_S = 3.0
MAX_KEPT = 4_096

KeyKind = Literal["service", "user", "agent"]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a request shows and asks for: the digest of its key, and its headers."""

    proof: str
    user: str | None
    workspace: str | None


@dataclass(frozen=True, slots=True)
class KnownKey:
    """A key, and what there is of what the headers ask for."""

    org_id: str
    id: str
    kind: KeyKind
    user_id: str | None
    agent_id: str | None
    workspace_id: str | None
    expires_at: datetime | None
    revoked_at: datetime | None
    requests_per_minute: int | None
    read_only: bool
    owner_id: str | None
    agent_workspace_id: str | None
    workspace_known: bool
    user_known: bool
    acts_for_owner: bool

    def is_settled_for(self, asked: Asked) -> bool:
        """Whether everything the headers name exists. What does not may be made at any time, without a notification."""
        return (
            (asked.user is None or self.user_known)
            and (asked.workspace is None or self.workspace_known)
            and (self.agent_id is None or self.agent_workspace_id is not None)
        )


class KeyCache:
    """What the database warned of keys, as long as it still holds."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Asked, KnownKey] = OrderedDict()
        self._forgot = 0  # how often it was emptied
        self._notified_at = float("-inf")
        self._wanted = asyncio.Event()
        self._nonce = new_id("evt")

    async def look_up(self, db: Database, asked: Asked) -> KnownKey | None:
        """The key of a request; None where there is none."""
        self._wanted.set()
        if self._is_listening:
            kept = self._kept.get(asked)
            if kept is not None:
                self._kept.move_to_end(asked)
                metrics.key_lookups.labels("memory").inc()
                return kept
        metrics.key_lookups.labels("database").inc()
        before = self._forgot
        found = await db.prove(
            KnownKey, queries.find_key, asked.proof, user=asked.user, workspace=asked.workspace
        )
        known = found[0] if found else None
        # What was changed while the answer was under way may not be in it.
        if known and known.is_settled_for(asked) and self._is_listening and before == self._forgot:
            self._kept[asked] = known
            if len(self._kept) > MAX_KEPT:
                self._kept.popitem(last=False)
        return known

    def forget(self) -> None:
        """Empty the cache."""
        self._forgot += 1
        self._kept.clear()

    @property
    def _is_listening(self) -> bool:
        return monotonic() - self._notified_at < TRUSTED_FOR_S

    # --- notifications -----------------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def listening(self, db: Database) -> AsyncIterator[None]:
        """Keep keys within this block. A pooler in between does not pass notifications on: then none are kept."""
        if db.pooled:
            log.info("keys are looked up for every request", reason="a pooler is in between")
            yield
            return
        tasks = [asyncio.create_task(self._listen(db.url)), asyncio.create_task(self._beat(db))]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _listen(self, url: str) -> None:
        warned = False
        while True:
            try:
                async with await psycopg.AsyncConnection.connect(
                    url, autocommit=True, application_name=f"holdfast keys {self._nonce}"
                ) as connection:
                    await connection.execute("LISTEN holdfast_keys")
                    warned = False
                    async for notification in connection.notifies():
                        self._notified(notification.payload)
            except psycopg.Error as error:
                if (
                    not warned
                ):  # once for each time that the channel is lost, however long that lasts
                    log.warning("keys are looked up one by one", error=type(error).__name__)
                warned = True
            self._notified_at = float("-inf")
            self.forget()
            await asyncio.sleep(BEAT_EVERY_S)

    def _notified(self, payload: str) -> None:
        if payload != self._nonce:
            if not payload:
                self.forget()
            return  # or it is another process's own
        if not self._is_listening:  # notifications in between may have been missed
            self.forget()
        self._notified_at = monotonic()

    async def _beat(self, db: Database) -> None:
        """Notify this process itself every second while keys are looked up, to find out whether LISTEN works."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            with suppress(
                BackendUnavailable, psycopg.Error
            ):  # then no notification comes back either
                await db.prove(str, queries.beat, proof="", nonce=self._nonce)
            await asyncio.sleep(BEAT_EVERY_S)
