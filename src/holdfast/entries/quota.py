"""Every write and every removal of an entry, under a lock on the quota that it counts in.

A quota is the 1,000 entries of an agent (its runs' included), of a user with an agent, or of a workspace. One transaction at a
time holds it, so the count is exact and one writer at a time chooses what is evicted. `put` and `remove` are the only two
ways in which an entry changes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Self

from holdfast.entries import passages, retention
from holdfast.entries.model import (
    CORE,
    MAX_ENTRIES,
    Entry,
    NewEntry,
    StoredEntry,
    state_of,
)
from holdfast.entries.reach import Reach
from holdfast.entries.retention import Gone
from holdfast.kernel import metrics, usage
from holdfast.kernel.db import Tx
from holdfast.kernel.errors import CapacityFull
from holdfast.kernel.ids import new_id
from holdfast.kernel.sight import Audience
from holdfast.kernel.sql import load

queries = load(__file__)

TICK = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Past:
    """The last revision under a key: an entry stored again keeps the id and goes on counting versions."""

    audience: str
    key: str
    id: str
    version: int


@dataclass
class Tally:
    """How many entries were stored and removed, for the metrics once it is committed."""

    stored: int = 0
    gone: dict[str, int] = field(default_factory=dict)

    def report(self) -> None:
        """Add it to the metrics."""
        metrics.entries_stored.inc(self.stored)
        for cause, number in self.gone.items():
            if cause == "evicted":
                metrics.entries_evicted.inc(number)
                usage.current().evictions += number
            elif cause in ("expired", "run_ended"):
                metrics.entries_pruned.labels(cause).inc(number)


class Quota:
    """A quota, locked until the transaction ends, with what it holds under the keys in question."""

    def __init__(self, tx: Tx, name: str, used: int) -> None:
        self.tx = tx
        self.name = name
        self.used = used
        self.tally = Tally()
        self._used_at_first = used
        self._entries: dict[tuple[str, str], Entry] = {}
        self._past: dict[tuple[str, str], Past] = {}
        self._expiries: set[date] = set()

    @classmethod
    async def lock(
        cls,
        tx: Tx,
        name: str,
        keys: Sequence[str] | None,
        audiences: Sequence[Audience] = (),
    ) -> Self:
        """Lock a quota and read what `audiences` of it hold under `keys` (None: all), and the keys' last revisions."""
        # The three travel together; each is a statement of its own, so the last two see what the lock waited for.
        texts = [each.text for each in audiences]
        locked = await tx.send(int, queries.lock_quota, {"quota": name})
        held = await tx.send(
            Entry,
            queries.entries_to_change,
            {"audiences": texts, "keys": None if keys is None else list(keys)},
        )
        past = await tx.send(
            Past, queries.last_revisions, {"audiences": texts, "keys": list(keys or ())}
        )
        used = await locked.fetchone()
        if used is None:
            await tx.run(queries.make_quota, quota=name)
            return await cls.lock(tx, name, keys, audiences)
        quota = cls(tx, name, used)
        for entry in await held.fetchall():
            quota._entries[entry.audience.text, entry.key] = entry
        for last in await past.fetchall():
            quota._past[last.audience, last.key] = last
        return quota

    async def look_back(self, audience: Audience, keys: Sequence[str]) -> None:
        """Read the history of keys that were not named when the quota was locked."""
        named = {"audiences": [audience.text], "keys": list(keys)}
        for last in await self.tx.all(Past, queries.last_revisions, **named):
            self._past[last.audience, last.key] = last

    def current(self, audience: Audience, key: str) -> Entry | None:
        """The entry under a key, unless it has expired."""
        entry = self._entries.get((audience.text, key))
        return entry if entry is not None and entry.lives_at(self.tx.now) else None

    def every(self, audience: Audience) -> list[Entry]:
        """Every entry of an audience that was read and has not expired."""
        return [
            entry
            for (text, _), entry in self._entries.items()
            if text == audience.text and entry.lives_at(self.tx.now)
        ]

    async def put(
        self,
        reach: Reach,
        new: NewEntry,
        *,
        action: str | None = None,
        created_at: datetime | None = None,
        updated_at: datetime | None = None,
    ) -> StoredEntry:
        """Store an entry, or refresh the one under its key; at the cap, in place of the coldest.

        `created_at` and `updated_at` are for an entry that comes back; None is now. CapacityFull, before anything
        living is touched, where only core entries could make room for one that is not.
        """
        audience = reach.for_new(new.category, new.scope)
        await self._remove_if_expired(audience, new.key)
        current = self.current(audience, new.key)
        evicted = [] if current else await self._make_room(reach, core=new.category == CORE)
        before = current or self._past.get((audience.text, new.key))
        at = updated_at or self.tx.now
        if current is not None:
            at = max(at, current.updated_at + TICK)
        stored = StoredEntry(
            id=before.id if before else new_id("ent"),
            agent_id=reach.agent_id,
            workspace_id=reach.workspace_id,
            run_id=audience.run_id,
            user_id=audience.user_id,
            scope=new.scope,
            key=new.key,
            category=new.category,
            content=new.content,
            tags=list(new.tags),
            size=new.size,
            version=before.version + 1 if before else 1,
            expires_at=retention.expires_at(new.category, at),
            created_at=current.created_at if current else created_at or at,
            updated_at=at,
            created=current is None,
            evicted=evicted,
        )
        await self._write(stored, action or ("updated" if current else "created"))
        self.used += current is None
        self.tally.stored += 1
        return stored

    async def remove(self, entries: Sequence[Entry | Gone], cause: str) -> None:
        """Delete entries; their history stays."""
        if entries:
            await self.tx.run(queries.delete_entries, ids=[entry.id for entry in entries])
        for entry in entries:
            await self._record_removal(entry, cause)

    async def save(self) -> None:
        """Write the count, and enqueue the jobs for what expires; the last thing to do with a quota."""
        if self.used != self._used_at_first:
            await self.tx.run(queries.save_count, quota=self.name, used=self.used)
        for day in self._expiries:
            await retention.prune_later(self.tx, self.name, day)

    async def _write(self, entry: StoredEntry, action: str) -> None:
        audience = entry.audience.text
        await self.tx.run(
            queries.put_entry, **{name: getattr(entry, name) for name in _WRITTEN_COLUMNS}
        )
        await self.tx.revise(
            "entry",
            entry.id,
            version=entry.version,
            action=action,
            state=state_of(entry),
            content=entry.content,
            parent_id=audience,
            label=entry.key,
        )
        await passages.put(self.tx, entry)
        if entry.expires_at is not None:
            self._expiries.add(entry.expires_at.date())
        self._entries[audience, entry.key] = entry
        self._past[audience, entry.key] = Past(audience, entry.key, entry.id, entry.version)

    async def _remove_if_expired(self, audience: Audience, key: str) -> None:
        entry = self._entries.get((audience.text, key))
        if entry is not None and not entry.lives_at(self.tx.now):
            await self.remove([entry], "expired")

    async def _make_room(self, reach: Reach, *, core: bool) -> list[str]:
        """Room for one more entry: the keys of what was evicted for it."""
        if self.used < MAX_ENTRIES:
            return []
        gone = await retention.make_room(
            self.tx,
            self.name,
            agent_id=reach.agent_id if self.name == reach.agent.text else None,
            needed=self.used + 1 - MAX_ENTRIES,
            evict_core=core,
        )
        for each in gone:
            await self._record_removal(each, each.cause)
        if self.used >= MAX_ENTRIES:
            raise CapacityFull(
                f"all {MAX_ENTRIES:,} entries are core; forget one, or store this as core",
                limit=MAX_ENTRIES,
            )
        return [each.key for each in gone if each.cause == "evicted"]

    async def _record_removal(self, entry: Entry | Gone, cause: str) -> None:
        audience = entry.audience if isinstance(entry, Gone) else entry.audience.text
        version = entry.version + 1
        await self.tx.revise(
            "entry",
            entry.id,
            version=version,
            action=cause,
            parent_id=audience,
            label=entry.key,
        )
        if not audience.startswith("run:"):
            await passages.drop(self.tx, [entry.id])
        self._entries.pop((audience, entry.key), None)
        self._past[audience, entry.key] = Past(audience, entry.key, entry.id, version)
        self.used -= 1
        self.tally.gone[cause] = self.tally.gone.get(cause, 0) + 1


_WRITTEN_COLUMNS = (
    "id", "run_id", "user_id", "key", "category", "content", "tags", "size", "agent_id", "workspace_id", "version",
    "expires_at", "created_at", "updated_at",
)  # fmt: skip
