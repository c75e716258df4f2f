"""Store, recall, list, forget; what became of a key, and bringing it back; what an agent sees when a run starts."""

from dataclasses import dataclass
from datetime import datetime

from holdfast.entries import hydration, passages, runs
from holdfast.entries.model import (
    DEFAULT_BUDGET_BYTES,
    DEFAULT_LIMIT,
    DEFAULT_SEARCH_LIMIT,
    Entry,
    EntryRevision,
    Filter,
    History,
    Hydration,
    NewEntry,
    Place,
    Places,
    StoredEntry,
)
from holdfast.entries.shelf import Past, Shelf
from holdfast.kernel import limits, metrics, revisions
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import Conflict, Malformed, NotFound, PreconditionFailed
from holdfast.kernel.pages import Cursor, Page
from holdfast.kernel.places import enter_agent
from holdfast.kernel.revisions import Revision
from holdfast.kernel.sql import load

queries = load(__file__)

IfMatch = list[int] | None


async def store(
    db: Database,
    caller: Caller,
    agent_id: str,
    new: NewEntry,
    *,
    run_id: str | None = None,
    expected_version: int | None = None,
    if_match: IfMatch = None,
) -> StoredEntry:
    """Store a fact under its key, or refresh what is there.

    `expected_version` is the version last read, 0 for "there is none yet": Conflict otherwise, with what there is.
    """
    new.check()
    where = Places(agent_id, caller.workspace_id, run_id)
    place = where.of(new.category)
    if place.run_id is None:
        await passages.prefetch_embeddings(db, [new])
    async with db.begin(caller.speaking_as(agent_id)) as tx:
        await enter_agent(tx, caller, agent_id, to_write=True)
        await runs.write_under(tx, agent_id, run_id)
        shelf = await Shelf.take(tx, place.owner, [new.key], run_id=place.run_id)
        current = shelf.held(place, new.key)
        _check_if_match(current, if_match)
        if expected_version is not None and expected_version != (current.version if current else 0):
            raise Conflict("the entry is not at the expected version", current=current)
        stored = await shelf.put(where, new)
        await shelf.leave()
    shelf.tally.report()
    return stored


async def recall(
    db: Database, caller: Caller, agent_id: str, key: str, *, run_id: str | None = None
) -> Entry:
    """The entry under a key: in the current run, then the agent, then its workspace."""
    limits.storable(key, field="key")
    async with db.read(caller) as tx:
        where = await _enter_to_read(tx, caller, agent_id, run_id)
        entry = await _recall(tx, where, key)
    if entry is None:
        raise NotFound("nothing is stored under this key")
    return entry


async def list_entries(
    db: Database,
    caller: Caller,
    agent_id: str,
    wanted: Filter,
    *,
    limit: int | None = None,
    after_id: str | None = None,
    before_id: str | None = None,
) -> Page[Entry]:
    """The agent's own entries, its workspace's and a live run's that match; last stored first."""
    for text in (wanted.category, wanted.query, *wanted.tags):
        limits.storable(text or "", field="filter")
    default = DEFAULT_SEARCH_LIMIT if wanted.query else DEFAULT_LIMIT
    cursor = Cursor(limit or default, after_id, before_id)
    async with db.read(caller) as tx:
        where = await _enter_to_read(tx, caller, agent_id, wanted.run_id)
        older_than = await _bound(tx, where, after_id, _AFTER_ALL)
        newer_than = await _bound(tx, where, before_id, _BEFORE_ALL)
        query = queries.list_entries
        rows = await tx.all(
            Entry,
            query if before_id is None else query.backwards,
            owners=where.owners,
            run_id=where.run_id,
            category=wanted.category,
            tags=wanted.tags or None,
            text=wanted.query or None,
            updated_after=wanted.updated_after,
            updated_before=wanted.updated_before,
            older_than_at=older_than.at,
            older_than=older_than.id,
            newer_than_at=newer_than.at,
            newer_than=newer_than.id,
            limit=cursor.limit + 1,
        )
    if wanted.query and not rows:
        metrics.searches_without_a_hit.inc()
    return Page.of(rows, cursor)


async def forget(
    db: Database,
    caller: Caller,
    agent_id: str,
    key: str,
    *,
    run_id: str | None = None,
    category: str | None = None,
    if_match: IfMatch = None,
) -> bool:
    """Forget what recall would have found (of a category, where one is named); whether there was anything."""
    limits.storable(key, field="key")
    async with db.begin(caller.speaking_as(agent_id)) as tx:
        await enter_agent(tx, caller, agent_id, to_write=False)
        await runs.write_under(tx, agent_id, run_id)
        where = Places(agent_id, caller.workspace_id, run_id)
        seen = await _recall(tx, where, key, category=category)
        if seen is None:
            _check_if_match(None, if_match)
            return False
        place = where.holding(seen)
        shelf = await Shelf.take(tx, place.owner, [key], run_id=place.run_id)
        # Somebody may have forgotten it while the lock was waited for.
        current = shelf.held(place, key)
        _check_if_match(current, if_match)
        if current is None:
            return False
        await shelf.remove([current], "forgotten")
        await shelf.leave()
    shelf.tally.report()
    return True


async def hydrate(
    db: Database,
    caller: Caller,
    agent_id: str,
    *,
    budget_bytes: int = DEFAULT_BUDGET_BYTES,
    run_id: str | None = None,
) -> Hydration:
    """What the agent sees at the start of a run, within a budget of bytes."""
    async with db.read(caller) as tx:
        where = await _enter_to_read(tx, caller, agent_id, run_id)
        return await hydration.fill(tx, where, budget_bytes=budget_bytes)


# --- what became of a key --------------------------------------------------------------------------------------------


async def history(
    db: Database,
    caller: Caller,
    agent_id: str,
    key: str,
    *,
    run_id: str | None = None,
    category: str | None = None,
) -> History:
    """Every revision under a key, newest first, over all its lives: also forgotten, evicted and expired ones."""
    limits.storable(key, field="key")
    async with db.read(caller) as tx:
        await enter_agent(tx, caller, agent_id, to_write=False)
        if run_id is not None:
            # A run's history outlives it; that there was such a run is still checked.
            await runs.read_under(tx, agent_id, run_id)
        where = Places(agent_id, caller.workspace_id, run_id)
        _, past = await _trace(tx, where, key, category)
        found = await revisions.history(tx, "entry", past.id)
    return History([_as_it_was(each, key) for each in found])


async def restore(
    db: Database,
    caller: Caller,
    agent_id: str,
    key: str,
    version: int,
    *,
    run_id: str | None = None,
    category: str | None = None,
    if_match: IfMatch = None,
) -> StoredEntry:
    """Store again what stood under a key at a version: a new version, also of what was forgotten or evicted."""
    limits.storable(key, field="key")
    async with db.begin(caller.speaking_as(agent_id)) as tx:
        await enter_agent(tx, caller, agent_id, to_write=False)
        await runs.write_under(tx, agent_id, run_id)
        where = Places(agent_id, caller.workspace_id, run_id)
        place, past = await _trace(tx, where, key, category)
        then = await revisions.at_version(tx, "entry", past.id, version)
        shelf = await Shelf.take(tx, place.owner, [key], run_id=place.run_id)
        current = shelf.held(place, key)
        _check_if_match(current, if_match)
        if then.content is None or then.state is None:
            raise Conflict(f"version {version} has no content to bring back", current=current)
        new = NewEntry(key, then.content, then.state["category"], then.state["tags"])
        made = datetime.fromisoformat(then.state["created_at"])
        stored = await shelf.put(where, new, action="restored", created_at=made)
        await shelf.leave()
    shelf.tally.report()
    return stored


async def _trace(tx: Tx, where: Places, key: str, category: str | None) -> tuple[Place, Past]:
    """Where a key is kept and what it was last: of what recall finds, else of the nearest place that ever had it."""
    places = where.nearest_first(category)
    living = await _recall(tx, where, key, category=category)
    if living is not None:
        places = [where.holding(living)]
    lives = await tx.all(
        Past, queries.past_lives, places=[place.name for place in places], keys=[key]
    )
    by_place = {past.place: past for past in lives}
    for place in places:
        if place.name in by_place:
            return place, by_place[place.name]
    raise NotFound("nothing was ever stored under this key")


def _as_it_was(revision: Revision, key: str) -> EntryRevision:
    state = revision.state or {}
    return EntryRevision(
        id=revision.object_id,
        key=key,
        version=revision.version,
        action=revision.action,
        actor=revision.actor,
        created_at=revision.created_at,
        request_id=revision.request_id,
        category=state.get("category"),
        content=revision.content,
        tags=state.get("tags"),
    )


# --- shared by the above ---------------------------------------------------------------------------------------------


async def _enter_to_read(tx: Tx, caller: Caller, agent_id: str, run_id: str | None) -> Places:
    """Where the agent looks; a run that has ended holds nothing any more."""
    await enter_agent(tx, caller, agent_id, to_write=False)
    live = await runs.read_under(tx, agent_id, run_id)
    return Places(agent_id, caller.workspace_id, live)


async def _recall(tx: Tx, where: Places, key: str, *, category: str | None = None) -> Entry | None:
    return await tx.one(
        Entry,
        queries.recall,
        owners=where.owners,
        run_id=where.run_id,
        key=key,
        category=category,
    )


def _check_if_match(current: Entry | None, if_match: IfMatch) -> None:
    if if_match is not None and (current is None or current.version not in if_match):
        raise PreconditionFailed("the entry is not at the version of that ETag")


@dataclass(frozen=True, slots=True)
class _Bound:
    """A point in the order of the list."""

    at: str
    id: str


_AFTER_ALL, _BEFORE_ALL = _Bound("infinity", "~"), _Bound("-infinity", "")


async def _bound(tx: Tx, where: Places, entry_id: str | None, default: _Bound) -> _Bound:
    if entry_id is None:
        return default
    limits.storable(entry_id, field="after_id, before_id")
    at = await tx.one(
        datetime,
        queries.where_in_list,
        id=entry_id,
        owners=where.owners,
        agent_id=where.agent_id,
    )
    if at is None:
        raise Malformed("after_id, before_id: there never was such an entry here")
    return _Bound(at.isoformat(), entry_id)
