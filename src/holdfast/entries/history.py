"""The revisions under a key, also of what is forgotten, evicted or expired; storing one of them again."""

from datetime import datetime

from holdfast.entries import runs
from holdfast.entries.model import Entry, EntryRevision, NewEntry, Scope, StoredEntry
from holdfast.entries.quota import Past, Quota
from holdfast.entries.reach import Reach, must_change
from holdfast.entries.service import IfMatch, check_if_match, enter_to_change, find
from holdfast.kernel import diffs, limits, revisions
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.diffs import TextDiff
from holdfast.kernel.errors import Conflict, NotFound
from holdfast.kernel.pages import Cursor, Page
from holdfast.kernel.places import enter_agent
from holdfast.kernel.revisions import Revision
from holdfast.kernel.sight import Audience
from holdfast.kernel.sql import load

queries = load(__file__)


async def history(
    db: Database,
    caller: Caller,
    agent_id: str,
    key: str,
    *,
    run_id: str | None = None,
    category: str | None = None,
    scope: Scope | None = None,
    cursor: Cursor = revisions.LATEST,
) -> Page[EntryRevision]:
    """Revisions under a key, newest first, over all its lives."""
    _, past = await _past_of(db, caller, agent_id, key, run_id, category, scope)
    async with db.read(caller) as tx:
        found = await revisions.history(tx, "entry", past.id, cursor)
    return found.showing(lambda each: _as_it_was(each, key))


async def diff(
    db: Database,
    caller: Caller,
    agent_id: str,
    key: str,
    since: str,
    until: str,
    *,
    run_id: str | None = None,
    category: str | None = None,
    scope: Scope | None = None,
) -> TextDiff:
    """What changed under a key between two versions or times."""
    _, past = await _past_of(db, caller, agent_id, key, run_id, category, scope)
    async with db.read(caller) as tx:
        return await diffs.between(tx, "entry", past.id, since, until)


async def as_of(
    db: Database,
    caller: Caller,
    agent_id: str,
    key: str,
    at: datetime,
    *,
    run_id: str | None = None,
    scope: Scope | None = None,
) -> Entry:
    """The entry as it stood under a key at an instant; NotFound where nothing did."""
    audience, past = await _past_of(db, caller, agent_id, key, run_id, None, scope)
    async with db.read(caller) as tx:
        then = await revisions.as_of(tx, "entry", past.id, at)
    if then is None or then.content is None or then.state is None:
        raise NotFound("nothing stood under this key then")
    return Entry(
        id=past.id,
        agent_id=then.state["agent_id"],
        workspace_id=audience.workspace_id or caller.workspace_id,
        run_id=audience.run_id,
        user_id=audience.user_id,
        scope="agent" if audience.user_id is None else "user",
        key=key,
        category=then.state["category"],
        content=then.content,
        tags=then.state["tags"],
        size=then.state["size"],
        version=then.version,
        expires_at=None,
        created_at=datetime.fromisoformat(then.state["created_at"]),
        updated_at=datetime.fromisoformat(then.state["updated_at"]),
    )


async def restore(
    db: Database,
    caller: Caller,
    agent_id: str,
    key: str,
    version: int,
    *,
    run_id: str | None = None,
    category: str | None = None,
    scope: Scope | None = None,
    if_match: IfMatch = None,
) -> StoredEntry:
    """Store again what stood under a key at a version: a new version, also of what was forgotten or evicted."""
    limits.storable(key, field="key")
    async with db.begin(caller.speaking_as(agent_id)) as tx:
        reach = await enter_to_change(tx, caller, agent_id, run_id)
        audience, past = await _trace(tx, reach, key, category, scope)
        must_change(caller, audience)
        then = await revisions.at_version(tx, "entry", past.id, version)
        quota = await Quota.lock(tx, reach.quota_of(audience), [key], [audience])
        current = quota.current(audience, key)
        check_if_match(current, if_match)
        if then.content is None or then.state is None:
            raise Conflict(f"version {version} has no content to bring back", current=current)
        new = NewEntry(
            key,
            then.content,
            then.state["category"],
            then.state["tags"],
            "agent" if audience.user_id is None else "user",
        )
        made = datetime.fromisoformat(then.state["created_at"])
        stored = await quota.put(reach, new, action="restored", created_at=made)
        await quota.save()
    quota.tally.report()
    return stored


async def _past_of(
    db: Database,
    caller: Caller,
    agent_id: str,
    key: str,
    run_id: str | None,
    category: str | None,
    scope: Scope | None,
) -> tuple[Audience, Past]:
    """The audience and the last revision of what stands or stood under a key, for this caller."""
    limits.storable(key, field="key")
    async with db.read(caller) as tx:
        await enter_agent(tx, caller, agent_id, to_write=False)
        # A run's history outlives it: only that there was such a run is checked.
        await runs.read_under(tx, caller, agent_id, run_id)
        reach = Reach.of(caller, agent_id, run_id)
        return await _trace(tx, reach, key, category, scope)


async def _trace(
    tx: Tx, reach: Reach, key: str, category: str | None, scope: Scope | None
) -> tuple[Audience, Past]:
    """The audience and the last revision of what recall finds under a key, else of the nearest that ever had it."""
    audiences = reach.nearest_first(category, scope)
    living = await find(tx, reach, key, category=category, scope=scope)
    if living is not None:
        audiences = [living.audience]
    texts = [each.text for each in audiences]
    found = await tx.all(Past, queries.last_revisions, audiences=texts, keys=[key])
    by_audience = {past.audience: past for past in found}
    for audience in audiences:
        if audience.text in by_audience:
            return audience, by_audience[audience.text]
    raise NotFound("nothing was ever stored under this key")


def _as_it_was(revision: Revision, key: str) -> EntryRevision:
    state = revision.state or {}
    return EntryRevision(
        id=revision.object_id,
        version_id=revision.id,
        key=key,
        version=revision.version,
        action=revision.action,
        actor=revision.actor,
        user_id=revision.user_id,
        created_at=revision.created_at,
        request_id=revision.request_id,
        category=state.get("category"),
        content=revision.content,
        tags=state.get("tags"),
    )
