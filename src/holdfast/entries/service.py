"""Store, recall, list and forget entries; what an agent sees when a run starts."""

from dataclasses import dataclass
from datetime import datetime

from holdfast.entries import hydration, passages, runs
from holdfast.entries.model import (
    DEFAULT_BUDGET_BYTES,
    DEFAULT_LIMIT,
    DEFAULT_SEARCH_LIMIT,
    Entry,
    Filter,
    Hydration,
    NewEntry,
    Scope,
    StoredEntry,
)
from holdfast.entries.quota import Quota
from holdfast.entries.reach import Reach, must_change
from holdfast.kernel import limits, metrics
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import Conflict, Malformed, NotFound, PreconditionFailed
from holdfast.kernel.pages import Cursor, Page
from holdfast.kernel.places import enter_agent
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
    speaking = caller.speaking_as(agent_id)
    reach = Reach.of(caller, agent_id, run_id)
    audience = reach.for_new(new.category, new.scope)
    must_change(caller, audience)
    if audience.run_id is None:
        await passages.prefetch_embeddings(db, [new])
    async with db.begin(speaking) as tx:
        await enter_agent(tx, caller, agent_id, to_write=True)
        await runs.write_under(tx, caller, agent_id, run_id)
        quota = await Quota.lock(tx, reach.quota_of(audience), [new.key], [audience])
        current = quota.current(audience, new.key)
        check_if_match(current, if_match)
        if expected_version is not None and expected_version != (current.version if current else 0):
            raise Conflict("the entry is not at the expected version", current=current)
        stored = await quota.put(reach, new)
        await quota.save()
    quota.tally.report()
    return stored


async def recall(
    db: Database,
    caller: Caller,
    agent_id: str,
    key: str,
    *,
    run_id: str | None = None,
    scope: Scope | None = None,
) -> Entry:
    """The entry under a key: in the current run, then the user's with this agent, the agent's, its workspace's.

    With a scope, only the user's (`user`) or only the others (`agent`).
    """
    limits.storable(key, field="key")
    async with db.read(caller) as tx:
        reach = await enter_to_read(tx, caller, agent_id, run_id)
        entry = await find(tx, reach, key, scope=scope)
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
    """The entries of every audience in reach that match; last stored first."""
    for text in (wanted.category, wanted.query, *wanted.tags):
        limits.storable(text or "", field="filter")
    default = DEFAULT_SEARCH_LIMIT if wanted.query else DEFAULT_LIMIT
    cursor = Cursor(limit or default, after_id, before_id)
    async with db.read(caller) as tx:
        reach = await enter_to_read(tx, caller, agent_id, wanted.run_id)
        older_than = await _bound(tx, reach, after_id, _AFTER_ALL)
        newer_than = await _bound(tx, reach, before_id, _BEFORE_ALL)
        query = queries.list_entries
        rows = await tx.all(
            Entry,
            query if before_id is None else query.backwards,
            **reach.params,
            quotas=reach.quotas,
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
    scope: Scope | None = None,
    if_match: IfMatch = None,
) -> bool:
    """Forget what recall would have found (of a category or scope, where one is named); whether there was anything."""
    limits.storable(key, field="key")
    async with db.begin(caller.speaking_as(agent_id)) as tx:
        reach = await enter_to_change(tx, caller, agent_id, run_id)
        seen = await find(tx, reach, key, category=category, scope=scope)
        if seen is None:
            check_if_match(None, if_match)
            return False
        audience = seen.audience
        must_change(caller, audience)
        quota = await Quota.lock(tx, reach.quota_of(audience), [key], [audience])
        # Somebody may have forgotten it while the lock was waited for.
        current = quota.current(audience, key)
        check_if_match(current, if_match)
        if current is None:
            return False
        await quota.remove([current], "forgotten")
        await quota.save()
    quota.tally.report()
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
        reach = await enter_to_read(tx, caller, agent_id, run_id)
        return await hydration.fill(tx, reach, budget_bytes=budget_bytes)


# --- shared with history.py ------------------------------------------------------------------------------------------


async def enter_to_read(tx: Tx, caller: Caller, agent_id: str, run_id: str | None) -> Reach:
    """What the caller reaches through an agent (MEM-002 where there is none); a run that has ended holds nothing."""
    await enter_agent(tx, caller, agent_id, to_write=False)
    live = await runs.read_under(tx, caller, agent_id, run_id)
    return Reach.of(caller, agent_id, live)


async def enter_to_change(tx: Tx, caller: Caller, agent_id: str, run_id: str | None) -> Reach:
    """What the caller reaches through an agent that is there already, under a run that lives (RunEnded otherwise)."""
    await enter_agent(tx, caller, agent_id, to_write=False)
    await runs.write_under(tx, caller, agent_id, run_id)
    return Reach.of(caller, agent_id, run_id)


async def find(
    tx: Tx, reach: Reach, key: str, *, category: str | None = None, scope: Scope | None = None
) -> Entry | None:
    """The nearest entry under a key."""
    return await tx.one(
        Entry, queries.recall, **reach.params, key=key, category=category, scope=scope
    )


def check_if_match(current: Entry | None, if_match: IfMatch) -> None:
    """Refuse (412) an entry that is not at one of the versions."""
    if if_match is not None and (current is None or current.version not in if_match):
        raise PreconditionFailed("the entry is not at the version of that ETag")


@dataclass(frozen=True, slots=True)
class _Bound:
    """A point in the order of the list."""

    at: str
    id: str


_AFTER_ALL, _BEFORE_ALL = _Bound("infinity", "~"), _Bound("-infinity", "")


async def _bound(tx: Tx, reach: Reach, entry_id: str | None, default: _Bound) -> _Bound:
    if entry_id is None:
        return default
    limits.storable(entry_id, field="after_id, before_id")
    at = await tx.one(datetime, queries.time_in_list, id=entry_id, **reach.params)
    if at is None:
        raise Malformed("after_id, before_id: there never was such an entry here")
    return _Bound(at.isoformat(), entry_id)
