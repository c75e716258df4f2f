"""Entries of an agent: the list, one entry with its history, and what fits a budget when a run starts."""

from urllib.parse import quote

from fastapi import APIRouter, Response

from holdfast.console.drawing.diffs import side_by_side
from holdfast.console.versions import read_versions
from holdfast.console.visit import PageRoute, TheVisit, Visit
from holdfast.directory import agents
from holdfast.entries import history, service
from holdfast.entries.model import (
    CORE,
    DAILY,
    DEFAULT_BUDGET_BYTES,
    WORKSPACE,
    Entry,
    EntryRevision,
    Filter,
    NewEntry,
    Scope,
)
from holdfast.kernel.errors import Conflict, NotFound
from holdfast.kernel.pages import Cursor, Page
from holdfast.kernel.revisions import MAX_VERSION

router = APIRouter(route_class=PageRoute, prefix="/entries", include_in_schema=False)

CATEGORIES = (CORE, DAILY, WORKSPACE)
SCOPES: tuple[Scope, ...] = ("user", "agent")
MAX_BUDGET_BYTES = 16 * 1024 * 1024
HYDRATED_SHOWN = 200


@router.get("", response_model=None)
async def choose_agent(visit: TheVisit) -> Response:
    """The agents that have entries."""
    cursor = visit.cursor(named=True)
    page = await agents.list_agents(visit.db, visit.caller, cursor)
    return visit.page("entries/agents.html", agents=page.data, pages=visit.pager(page, cursor))


@router.get("/{agent_id}", response_model=None)
async def entries(visit: TheVisit, agent_id: str) -> Response:
    """The entries that the user reaches through an agent, last stored first."""
    query, cursor = visit.query, visit.cursor()
    wanted = Filter(query.text("category"), query.words("tag"), query.text("q"))
    page = await service.list_entries(
        visit.db,
        visit.caller,
        agent_id,
        wanted,
        limit=cursor.limit,
        after_id=cursor.after_id,
        before_id=cursor.before_id,
    )
    return visit.page(
        "entries/list.html",
        agent_id=agent_id,
        entries=page.data,
        pages=visit.pager(page, cursor),
        categories=CATEGORIES,
        scopes=SCOPES,
    )


@router.get("/{agent_id}/hydration", response_model=None)
async def hydration(visit: TheVisit, agent_id: str) -> Response:
    """What the agent would see at the start of a run, for a budget of bytes."""
    given = visit.query.number("budget_bytes", 0, MAX_BUDGET_BYTES)
    budget = DEFAULT_BUDGET_BYTES if given is None else given
    seen = await service.hydrate(visit.db, visit.caller, agent_id, budget_bytes=budget)
    return visit.page(
        "entries/hydration.html",
        agent_id=agent_id,
        seen=seen,
        shown=seen.data[:HYDRATED_SHOWN],
    )


@router.get("/{agent_id}/entry", response_model=None)
async def entry(visit: TheVisit, agent_id: str) -> Response:
    """One entry with its history; also of a key that is gone."""
    key, scope = visit.query.must("key"), visit.query.choice("scope", SCOPES)
    try:
        found = await service.recall(visit.db, visit.caller, agent_id, key, scope=scope)
    except NotFound:
        found = None

    async def past(cursor: Cursor) -> Page[EntryRevision]:
        return await history.history(
            visit.db, visit.caller, agent_id, key, scope=scope, cursor=cursor
        )

    def content(each: EntryRevision) -> str | None:
        return each.content

    versions = await read_versions(visit, past, content)
    if found is None and not versions.shown:
        raise NotFound("there is no such entry")
    return visit.page(
        "entries/entry.html",
        agent_id=agent_id,
        key=key,
        scope=scope or (found.scope if found else None),
        entry=found,
        versions=versions,
        categories=CATEGORIES,
    )


@router.post("/{agent_id}", response_model=None)
async def store(visit: TheVisit, agent_id: str) -> Response:
    """Store an entry, or refresh it at the version that the form was made from; else show both texts to merge by hand."""
    form = visit.form
    new = NewEntry(
        form.must("key"),
        form.raw("content"),
        form.text("category") or CORE,
        form.words("tags"),
        form.choice("scope", SCOPES) or "user",
    )
    expected = form.number("version", 0, MAX_VERSION)
    try:
        await service.store(visit.db, visit.caller, agent_id, new, expected_version=expected)
    except Conflict as conflict:
        current: Entry | None = conflict.current
        return visit.page(
            "entries/conflict.html",
            status=409,
            agent_id=agent_id,
            current=current,
            mine=new,
            rows=side_by_side("" if current is None else current.content, new.content),
        )
    return _to_entry(visit, agent_id, new.key, new.scope, "saved")


@router.post("/{agent_id}/restore", response_model=None)
async def restore(visit: TheVisit, agent_id: str) -> Response:
    """Store again what stood under a key at a version."""
    key, scope = visit.form.must("key"), visit.form.choice("scope", SCOPES)
    version = visit.form.number("version", 1, MAX_VERSION) or 1
    await history.restore(visit.db, visit.caller, agent_id, key, version, scope=scope)
    return _to_entry(visit, agent_id, key, scope, "restored")


@router.post("/{agent_id}/forget", response_model=None)
async def forget(visit: TheVisit, agent_id: str) -> Response:
    """Forget an entry; its history stays."""
    key, scope = visit.form.must("key"), visit.form.choice("scope", SCOPES)
    await service.forget(visit.db, visit.caller, agent_id, key, scope=scope)
    return visit.go(f"/entries/{quote(agent_id)}", "forgotten")


def _to_entry(visit: Visit, agent_id: str, key: str, scope: str | None, notice: str) -> Response:
    return visit.go(f"/entries/{quote(agent_id)}/entry", notice, key=key, scope=scope)
