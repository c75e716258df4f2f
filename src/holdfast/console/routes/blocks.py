"""Blocks: how full they are, what became of them, and editing them under compare-and-set."""

from datetime import datetime

from fastapi import APIRouter, Response
from pydantic import TypeAdapter

from holdfast.blocks import service
from holdfast.blocks.model import MAX_CHARS, MAX_CORE_ENTRIES, Block, BlockRevision, BlockType
from holdfast.console.drawing.diffs import side_by_side
from holdfast.console.versions import read_versions
from holdfast.console.visit import PageRoute, TheVisit, Visit
from holdfast.directory import agents
from holdfast.kernel.clock import Instant
from holdfast.kernel.errors import Conflict, NotFound
from holdfast.kernel.pages import Cursor, Page
from holdfast.kernel.revisions import MAX_VERSION
from holdfast.kernel.sight import Audience

router = APIRouter(route_class=PageRoute, prefix="/blocks", include_in_schema=False)

_instant: TypeAdapter[datetime] = TypeAdapter(Instant)


@router.get("", response_model=None)
async def blocks(visit: TheVisit) -> Response:
    """All blocks of the user, each with its gauges."""
    found = await service.list_blocks(visit.db, visit.caller, "all")
    known = await agents.list_agents(visit.db, visit.caller, Cursor(100))
    return visit.page(
        "blocks/list.html",
        blocks=found,
        missing=_missing(found),
        agents=known.data,
        max_chars=MAX_CHARS,
        max_entries=MAX_CORE_ENTRIES,
    )


@router.get("/{block_type}", response_model=None)
async def block(visit: TheVisit, block_type: BlockType) -> Response:
    """One block to edit, with its history as differences."""
    agent_id, where = _place(visit)
    try:
        found = await service.read_block(visit.db, visit.caller, where, block_type)
    except NotFound:
        found = None

    async def past(cursor: Cursor) -> Page[BlockRevision]:
        return await service.history(visit.db, visit.caller, where, block_type, cursor)

    def content(each: BlockRevision) -> str | None:
        return each.content

    return visit.page(
        "blocks/edit.html",
        block=found,
        block_type=block_type,
        agent_id=agent_id,
        max_chars=MAX_CHARS[block_type],
        max_entries=MAX_CORE_ENTRIES if block_type == "core" else None,
        versions=await read_versions(visit, past, content),
    )


@router.post("/{block_type}", response_model=None)
async def write_block(visit: TheVisit, block_type: BlockType) -> Response:
    """Write it; where somebody else did meanwhile, show both texts to merge by hand."""
    agent_id, where = _place(visit)
    content, expected = visit.form.raw("content"), _expected(visit)
    try:
        await service.write_block(
            visit.db, visit.caller, where, block_type, content, expected_updated_at=expected
        )
    except Conflict as conflict:
        current: Block | None = conflict.current
        return visit.page(
            "blocks/conflict.html",
            status=409,
            block_type=block_type,
            agent_id=agent_id,
            current=current,
            mine=content,
            rows=side_by_side("" if current is None else current.content, content),
        )
    return visit.go(f"/blocks/{block_type}", "saved", agent_id=agent_id)


@router.post("/{block_type}/restore", response_model=None)
async def restore_block(visit: TheVisit, block_type: BlockType) -> Response:
    """Bring an earlier text back."""
    agent_id, where = _place(visit)
    version = visit.form.number("version", 1, MAX_VERSION) or 1
    await service.restore_block(
        visit.db, visit.caller, where, block_type, version, expected_updated_at=_expected(visit)
    )
    return visit.go(f"/blocks/{block_type}", "restored", agent_id=agent_id)


@router.post("/{block_type}/delete", response_model=None)
async def delete_block(visit: TheVisit, block_type: BlockType) -> Response:
    """Delete it; its history stays."""
    agent_id, where = _place(visit)
    await service.delete_block(
        visit.db, visit.caller, where, block_type, expected_updated_at=_expected(visit)
    )
    return visit.go(f"/blocks/{block_type}", "deleted", agent_id=agent_id)


def _place(visit: Visit) -> tuple[str | None, Audience]:
    agent_id = visit.query.name("agent_id") or visit.form.name("agent_id")
    return agent_id, service.place_of(visit.caller, None, agent_id)


def _expected(visit: Visit) -> datetime | None:
    """The `updated_at` of the text that the form was made from."""
    given = visit.form.text("expected_updated_at")
    return None if given is None else _instant.validate_python(given)


def _missing(found: list[Block]) -> list[BlockType]:
    """The user's own blocks that are not there yet."""
    there = {block.block_type for block in found if block.agent_id is None}
    kinds: tuple[BlockType, ...] = ("core", "archival")
    return [kind for kind in kinds if kind not in there]
