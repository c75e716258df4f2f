"""Every write and every removal of an entry, under its owner's lock.

A shelf is an owner's thousand places, held by one transaction at a time: what is on it under the keys in question, what
was there before, and how many places are taken. `put` and `remove` are the only two ways in which an entry changes.
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
    Place,
    Places,
    StoredEntry,
    state_of,
)
from holdfast.entries.retention import Gone
from holdfast.kernel import metrics
from holdfast.kernel.db import Tx
from holdfast.kernel.errors import CapacityFull
from holdfast.kernel.ids import new_id
from holdfast.kernel.sql import load

queries = load(__file__)

TICK = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Past:
    """What stood last under a key: the id it goes on with, and the version it had."""

    place: str
    key: str
    id: str
    version: int


@dataclass
class Tally:
    """What happened on a shelf, to be counted once it is committed."""

    stored: int = 0
    gone: dict[str, int] = field(default_factory=dict)

    def report(self) -> None:
        """Count it."""
        metrics.entries_stored.inc(self.stored)
        for cause, number in self.gone.items():
            if cause == "evicted":
                metrics.entries_evicted.inc(number)
            elif cause in ("expired", "run_ended"):
                metrics.entries_pruned.labels(cause).inc(number)


class Shelf:
    """An owner's entries, locked until the transaction ends."""

    def __init__(self, tx: Tx, owner: str, used: int) -> None:
        self.tx = tx
        self.owner = owner
        self.used = used
        self.tally = Tally()
        self._used_at_first = used
        self._held: dict[tuple[str, str], Entry] = {}
        self._past: dict[tuple[str, str], Past] = {}
        self._expiries: set[date] = set()

    @classmethod
    async def take(
        cls, tx: Tx, owner: str, keys: Sequence[str] | None, *, run_id: str | None = None
    ) -> Self:
        """Lock an owner's entries and look at `keys` (None: all) in the owner itself and in a run of it."""
        # The three travel together; each looks anew, so the last two see what the lock waited for.
        locked = await tx.send(int, queries.lock_owner, {"owner": owner})
        places = [Place(owner).name] + ([Place(owner, run_id).name] if run_id else [])
        held = await tx.send(
            Entry,
            queries.on_shelf,
            {"owner": owner, "keys": None if keys is None else list(keys), "run_id": run_id},
        )
        past = await tx.send(Past, queries.past_lives, {"places": places, "keys": list(keys or ())})
        used = await locked.fetchone()
        if used is None:
            await tx.run(queries.make_owner, owner=owner)
            return await cls.take(tx, owner, keys, run_id=run_id)
        shelf = cls(tx, owner, used)
        for entry in await held.fetchall():
            shelf._held[Place(owner, entry.run_id).name, entry.key] = entry
        for last in await past.fetchall():
            shelf._past[last.place, last.key] = last
        return shelf

    async def look_back(self, place: Place, keys: Sequence[str]) -> None:
        """Find what stood under keys that were not named when the shelf was taken."""
        for last in await self.tx.all(
            Past, queries.past_lives, places=[place.name], keys=list(keys)
        ):
            self._past[last.place, last.key] = last

    def held(self, place: Place, key: str) -> Entry | None:
        """The living entry under a key."""
        entry = self._held.get((place.name, key))
        return entry if entry is not None and entry.lives_at(self.tx.now) else None

    def every(self) -> list[Entry]:
        """Every living entry that was looked at."""
        return [entry for entry in self._held.values() if entry.lives_at(self.tx.now)]

    def past(self, place: Place, key: str) -> Past | None:
        """What stood last under a key, living or gone."""
        return self._past.get((place.name, key))

    async def put(
        self,
        where: Places,
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
        tx, place = self.tx, where.of(new.category)
        await self._clear_if_dead(place, new.key)
        current = self.held(place, new.key)
        evicted = [] if current else await self._make_room(where, core=new.category == CORE)
        before = current or self.past(place, new.key)
        at = updated_at or tx.now
        if current is not None:
            at = max(at, current.updated_at + TICK)
        stored = StoredEntry(
            id=before.id if before else new_id("ent"),
            agent_id=where.agent_id,
            workspace_id=where.workspace_id,
            run_id=place.run_id,
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
        await self._write(place, stored, action or ("updated" if current else "created"))
        self.used += current is None
        self.tally.stored += 1
        return stored

    async def remove(self, entries: Sequence[Entry | Gone], cause: str) -> None:
        """Take entries off the shelf; what they were stays in the history."""
        if entries:
            await self.tx.run(queries.take_away, ids=[entry.id for entry in entries])
        for entry in entries:
            await self._record_removal(entry, cause)

    async def leave(self) -> None:
        """Write down how many places are taken now, and what is to be cleared later; the last thing to do with a shelf."""
        if self.used != self._used_at_first:
            await self.tx.run(queries.keep_count, owner=self.owner, used=self.used)
        for day in self._expiries:
            await retention.prune_later(self.tx, self.owner, day)

    async def _write(self, place: Place, entry: StoredEntry, action: str) -> None:
        await self.tx.run(
            queries.put_entry,
            owner=self.owner,
            **{name: getattr(entry, name) for name in _COLUMNS},
        )
        await self.tx.revise(
            "entry",
            entry.id,
            version=entry.version,
            action=action,
            state=state_of(entry),
            content=entry.content,
            parent_id=place.name,
            label=entry.key,
        )
        await passages.put(self.tx, self.owner, entry)
        if entry.expires_at is not None:
            self._expiries.add(entry.expires_at.date())
        self._held[place.name, entry.key] = entry
        self._past[place.name, entry.key] = Past(place.name, entry.key, entry.id, entry.version)

    async def _clear_if_dead(self, place: Place, key: str) -> None:
        entry = self._held.get((place.name, key))
        if entry is not None and not entry.lives_at(self.tx.now):
            await self.remove([entry], "expired")

    async def _make_room(self, where: Places, *, core: bool) -> list[str]:
        """One free place: the keys of what was evicted for it."""
        if self.used < MAX_ENTRIES:
            return []
        gone = await retention.make_room(
            self.tx,
            self.owner,
            agent_id=where.agent_id if self.owner == where.agent.owner else None,
            needed=self.used + 1 - MAX_ENTRIES,
            evict_core=core,
        )
        for each in gone:
            await self._record_removal(each, each.cause)
        if self.used >= MAX_ENTRIES:
            raise CapacityFull(
                f"all {MAX_ENTRIES:,} places hold core entries; forget one, or store this as core",
                limit=MAX_ENTRIES,
            )
        return [each.key for each in gone if each.cause == "evicted"]

    async def _record_removal(self, entry: Entry | Gone, cause: str) -> None:
        place = Place(self.owner, entry.run_id)
        version = entry.version + 1
        await self.tx.revise(
            "entry",
            entry.id,
            version=version,
            action=cause,
            parent_id=place.name,
            label=entry.key,
        )
        if entry.run_id is None:
            await passages.drop(self.tx, [entry.id])
        self._held.pop((place.name, entry.key), None)
        self._past[place.name, entry.key] = Past(place.name, entry.key, entry.id, version)
        self.used -= 1
        self.tally.gone[cause] = self.tally.gone.get(cause, 0) + 1


_COLUMNS = (
    "id", "run_id", "key", "category", "content", "tags", "size", "agent_id", "workspace_id", "version",
    "expires_at", "created_at", "updated_at",
)  # fmt: skip
