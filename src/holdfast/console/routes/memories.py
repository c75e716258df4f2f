"""Memories: filter, read with sources and history, edit, pin, expire, retire, restore, delete."""

from typing import Any

from fastapi import APIRouter, Response

from holdfast.console.drawing.diffs import side_by_side
from holdfast.console.fields import Fields
from holdfast.console.versions import OLDEST, read_versions
from holdfast.console.visit import PageRoute, TheVisit, Visit
from holdfast.conversations.instances import InstanceRequest, open_instance
from holdfast.conversations.resources.config import BUILT_IN
from holdfast.kernel.errors import Conflict, NotFound, PreconditionFailed
from holdfast.kernel.pages import Cursor, Page
from holdfast.kernel.revisions import MAX_VERSION
from holdfast.memories import deletion, saving, service
from holdfast.memories.graph import nodes
from holdfast.memories.graph.model import Node
from holdfast.memories.model import TRUSTS, Filter, Memory, NewMemory, PastMemory, Place, Scope

router = APIRouter(route_class=PageRoute, prefix="/memories", include_in_schema=False)

SCOPES: tuple[Scope, ...] = ("global", "project", "agent")
NODES_SHOWN = 5


@router.get("", response_model=None)
async def memories(visit: TheVisit) -> Response:
    """The memories that the user sees, newest first."""
    query, cursor = visit.query, visit.cursor()
    which = Filter(
        scope=query.choice("scope", SCOPES),
        category=query.text("category"),
        tag=query.text("tag"),
        source=query.text("source"),
        project_id=query.name("project_id"),
        agent_id=query.name("agent_id"),
        session_id=query.name("session_id"),
        pinned=True if query.flag("pinned") else None,
        min_importance=query.number("min_importance", 1, 10),
        min_trust=query.choice("min_trust", TRUSTS),
        include_expired=query.flag("expired"),
        include_superseded=query.flag("superseded"),
    )
    page = await service.list_memories(visit.db, visit.caller, which, cursor)
    return visit.page(
        "memories/list.html",
        memories=page.data,
        pages=visit.pager(page, cursor),
        is_filtered=which != Filter(),
        scopes=SCOPES,
        trusts=TRUSTS,
    )


@router.get("/new", response_model=None)
async def new_memory(visit: TheVisit) -> Response:
    """The form for a new memory."""
    return visit.page("memories/new.html", scopes=SCOPES)


@router.post("", response_model=None)
async def save_memory(visit: TheVisit) -> Response:
    """Save a memory under its key."""
    form = visit.form
    place = Place(form.name("project_id"), form.name("agent_id"), None)
    new = NewMemory(_fields(form), scope=form.choice("scope", SCOPES) or "global", place=place)
    saved = await saving.save_memory(visit.db, visit.caller, new)
    return visit.go(
        f"/memories/{saved.id}", "created" if saved.created else "saved", **_named(form)
    )


@router.get("/{memory_id}", response_model=None)
async def memory(visit: TheVisit, memory_id: str) -> Response:
    """One memory: what it says, why it is known, what became of it."""
    place = _place(visit.query)
    found = await service.read_memory(
        visit.db, visit.caller, memory_id, place=place, include_expired=True
    )

    async def past(cursor: Cursor) -> Page[PastMemory]:
        return await service.read_history(
            visit.db, visit.caller, memory_id, place=place, include_expired=True, cursor=cursor
        )

    def value(each: PastMemory) -> str | None:
        return each.value

    versions = await read_versions(visit, past, value)
    is_short = versions.older is None and versions.shown
    return visit.page(
        "memories/memory.html",
        memory=found,
        nodes=await _nodes(visit, found),
        has_messages=await _has_messages(visit, found.session_id),
        first=versions.shown[-1][0] if is_short else next(iter((await past(OLDEST)).data), None),
        versions=versions,
        trusts=TRUSTS,
        named=_named(visit.query),
    )


@router.post("/{memory_id}", response_model=None)
async def change_memory(visit: TheVisit, memory_id: str) -> Response:
    """Change it, unless somebody else did after the form was opened."""
    fields, version = _fields(visit.form), visit.form.number("version", 1, MAX_VERSION)
    try:
        await _change_fields(visit, memory_id, fields, version)
    except PreconditionFailed as failed:
        current = await service.read_memory(
            visit.db, visit.caller, memory_id, place=_place(visit.form), include_expired=True
        )
        if current.version == version:
            raise Conflict(failed.detail) from failed
        return visit.page(
            "memories/conflict.html",
            status=409,
            memory=current,
            mine=fields,
            typed=visit.form.typed(),
            address=visit.link(f"/memories/{memory_id}", **_named(visit.form)),
            rows=side_by_side(current.value, fields["value"]),
        )
    return _back(visit, memory_id, "saved")


@router.post("/{memory_id}/pin", response_model=None)
async def pin(visit: TheVisit, memory_id: str) -> Response:
    """Pin it, or unpin it."""
    pinned = visit.form.flag("pinned")
    await _change_fields(visit, memory_id, {"pinned": pinned})
    return _back(visit, memory_id, "pinned" if pinned else "unpinned")


@router.post("/{memory_id}/expire", response_model=None)
async def expire(visit: TheVisit, memory_id: str) -> Response:
    """Set when it expires; a blank clears that."""
    await _change_fields(visit, memory_id, {"expires_at": visit.form.instant("expires_at")})
    return _back(visit, memory_id, "saved")


@router.post("/{memory_id}/retire", response_model=None)
async def retire(visit: TheVisit, memory_id: str) -> Response:
    """End its validity now; nothing is erased."""
    place = _place(visit.form)
    await service.retire_memory(visit.db, visit.caller, memory_id, place=place)
    return _back(visit, memory_id, "retired")


@router.post("/{memory_id}/restore", response_model=None)
async def restore(visit: TheVisit, memory_id: str) -> Response:
    """Make an earlier version the newest."""
    version = visit.form.number("version", 1, MAX_VERSION) or 1
    await service.restore_memory(
        visit.db, visit.caller, memory_id, version, place=_place(visit.form), include_expired=True
    )
    return _back(visit, memory_id, "restored")


@router.post("/{memory_id}/delete", response_model=None)
async def delete(visit: TheVisit, memory_id: str) -> Response:
    """Erase it with everything derived from it (needs step-up)."""
    place = _place(visit.form)
    await deletion.delete_memory(
        visit.db, visit.assets, visit.caller, memory_id, place=place, include_expired=True
    )
    return visit.go("/memories", "erased")


async def _nodes(visit: Visit, memory: Memory) -> list[Node]:
    """Some of the nodes that a memory is about, as far as the user sees them."""
    return await nodes.read_nodes(visit.db, visit.caller, memory.node_ids[:NODES_SHOWN])


async def _has_messages(visit: Visit, session_id: str | None) -> bool:
    """Whether the session that a memory comes from has messages that the user sees."""
    if session_id is None:
        return False
    request = InstanceRequest(BUILT_IN, session_id)
    try:
        opened = await open_instance(visit.backends, visit.caller, request, to_write=False)
    except NotFound:
        return False
    log = visit.backends.log(opened.caller, opened.resource)
    return await log.totals(opened.caller, opened.instance) is not None


def _fields(form: Fields) -> dict[str, Any]:
    """The fields of a save or an edit."""
    return {
        "key": form.must("key"),
        "value": form.raw("value"),
        "summary": form.text("summary"),
        "category": form.text("category") or "fact",
        "tags": form.words("tags"),
        "importance": form.number("importance", 1, 10) or 5,
    }


async def _change_fields(
    visit: Visit, memory_id: str, fields: dict[str, Any], version: int | None = None
) -> Memory:
    return await service.change_memory(
        visit.db,
        visit.caller,
        memory_id,
        fields,
        place=_place(visit.form),
        include_expired=True,
        if_match=None if version is None else [version],
    )


def _place(fields: Fields) -> Place:
    """Where a memory of a project or an agent is spoken of from."""
    return Place(fields.name("project_id"), fields.name("agent_id"), None)


def _named(fields: Fields) -> dict[str, str]:
    place = _place(fields)
    named = {"project_id": place.project_id, "agent_id": place.agent_id}
    return {name: value for name, value in named.items() if value is not None}


def _back(visit: Visit, memory_id: str, notice: str) -> Response:
    return visit.go(f"/memories/{memory_id}", notice, **_named(visit.form))
