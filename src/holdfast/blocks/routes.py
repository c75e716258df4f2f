"""Blocks over HTTP."""

from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Response
from pydantic import Field

from holdfast.blocks import edit, past, recall, service
from holdfast.blocks.model import (
    DEFAULT_LINES,
    MAX_LINES,
    Block,
    BlockRevision,
    BlockScope,
    BlockType,
    RecalledLine,
)
from holdfast.edge.preconditions import IfMatch, set_etag
from holdfast.edge.route import ApiRoute, TheCaller, TheDatabase
from holdfast.edge.wire import Body, DiffFrom, DiffTo, VersionCursor
from holdfast.kernel.clock import Instant
from holdfast.kernel.diffs import TextDiff
from holdfast.kernel.ids import ClientId
from holdfast.kernel.pages import Page
from holdfast.kernel.revisions import MAX_VERSION
from holdfast.kernel.sight import Audience

router = APIRouter(route_class=ApiRoute, prefix="/memory", tags=["blocks"])

AgentId = Annotated[str | None, Query(description="the agent of the block")]


async def the_place(
    caller: TheCaller,
    scope: Annotated[
        BlockScope | None, Query(description="`user` unless an agent is named")
    ] = None,
    agent_id: AgentId = None,
) -> Audience:
    """Whose block a call is about."""
    return service.place_of(caller, scope, agent_id)


ThePlace = Annotated[Audience, Depends(the_place)]


@dataclass(frozen=True, slots=True)
class Blocks:
    """Some blocks."""

    data: list[Block]


class BlockWrite(Body):
    """The new text of a block, and the stamp of the one it replaces."""

    content: str = Field(examples=["Prefers green tea\nWorks in Lisbon"])
    expected_updated_at: Instant | None = Field(
        description="the `updated_at` last read; null when there is no block yet",
        examples=[None],
    )


class LineEdit(Body):
    """One line to add (`new_line` alone), to replace (both) or to remove (`old_line` alone)."""

    old_line: str | None = Field(None, description="the line to replace or remove, as it is")
    new_line: str | None = Field(None, examples=["Allergic to nuts"])


class BlockRestore(Body):
    """Which version to bring back, and the stamp of the block it replaces."""

    version: int = Field(ge=1, le=MAX_VERSION, examples=[1])
    expected_updated_at: Instant | None = Field(
        description="the `updated_at` last read; null when the block is deleted",
        examples=[None],
    )


@dataclass(frozen=True, slots=True)
class RecalledLines:
    """What a query found, best first."""

    data: list[RecalledLine]


class LineRecall(Body):
    """What to look for in the archive."""

    query: str = Field(description="empty lists the lines", examples=["which tea?"])
    agent_id: ClientId | None = Field(None, description="look in this agent's archive too")
    limit: int = Field(DEFAULT_LINES, ge=1, le=MAX_LINES)
    min_score: float | None = Field(None, ge=0, le=1)


@router.get("/blocks", operation_id="blocks.list")
async def list_blocks(
    caller: TheCaller,
    db: TheDatabase,
    scope: Annotated[
        Literal["user", "agent", "all"] | None, Query(description="`user` unless an agent is named")
    ] = None,
    agent_id: AgentId = None,
) -> Blocks:
    """The blocks of a user: for all agents, with its agents or one of them, or all."""
    return Blocks(await service.list_blocks(db, caller, scope, agent_id))


@router.get("/blocks/{block_type}", operation_id="blocks.read")
async def get_block(
    block_type: BlockType,
    where: ThePlace,
    response: Response,
    caller: TheCaller,
    db: TheDatabase,
    as_of: Annotated[Instant | None, Query(description="as it stood at this instant")] = None,
) -> Block:
    """One block, now or as it stood at an instant."""
    if as_of is None:
        block = await service.read_block(db, caller, where, block_type)
    else:
        block = await past.read_block_as_of(db, caller, where, block_type, as_of)
    set_etag(response, block.version)
    return block


@router.put("/blocks/{block_type}", operation_id="blocks.write", responses={201: {"model": Block}})
async def put_block(
    block_type: BlockType,
    body: BlockWrite,
    where: ThePlace,
    if_match: IfMatch,
    response: Response,
    caller: TheCaller,
    db: TheDatabase,
) -> Block:
    """Create a block (201) or replace it; 409 with `current` if its `updated_at` is not `expected_updated_at`."""
    block = await service.write_block(
        db,
        caller,
        where,
        block_type,
        body.content,
        expected_updated_at=body.expected_updated_at,
        if_match=if_match,
    )
    response.status_code = 201 if body.expected_updated_at is None else 200
    set_etag(response, block.version)
    return block


@router.patch("/blocks/{block_type}", operation_id="blocks.edit_line")
async def edit_block(
    block_type: BlockType,
    body: LineEdit,
    where: ThePlace,
    if_match: IfMatch,
    response: Response,
    caller: TheCaller,
    db: TheDatabase,
) -> Block:
    """Add, replace or remove one line of a block; 409 with `current` if `old_line` is not there exactly once."""
    block = await edit.edit_block(
        db,
        caller,
        where,
        block_type,
        old_line=body.old_line,
        new_line=body.new_line,
        if_match=if_match,
    )
    set_etag(response, block.version)
    return block


@router.delete("/blocks/{block_type}", operation_id="blocks.delete", status_code=204)
async def delete_block(
    block_type: BlockType,
    where: ThePlace,
    if_match: IfMatch,
    caller: TheCaller,
    db: TheDatabase,
    expected_updated_at: Annotated[
        Instant | None, Query(description="delete it only if this is still its `updated_at`")
    ] = None,
) -> None:
    """Delete a block; its history stays."""
    await service.delete_block(
        db, caller, where, block_type, expected_updated_at=expected_updated_at, if_match=if_match
    )


@router.get("/blocks/{block_type}/history", operation_id="blocks.history")
async def get_history(
    block_type: BlockType,
    where: ThePlace,
    cursor: VersionCursor,
    caller: TheCaller,
    db: TheDatabase,
) -> Page[BlockRevision]:
    """Revisions of a block, newest first, the current one included; also of one that was deleted."""
    return await service.history(db, caller, where, block_type, cursor)


@router.get("/blocks/{block_type}/diff", operation_id="blocks.diff")
async def get_diff(
    block_type: BlockType,
    where: ThePlace,
    since: DiffFrom,
    until: DiffTo,
    caller: TheCaller,
    db: TheDatabase,
) -> TextDiff:
    """What changed in a block between two versions or times, in either order, as a unified diff."""
    return await past.diff_block(db, caller, where, block_type, since, until)


@router.post("/blocks/{block_type}/restore", operation_id="blocks.restore")
async def restore_block(
    block_type: BlockType,
    body: BlockRestore,
    where: ThePlace,
    if_match: IfMatch,
    response: Response,
    caller: TheCaller,
    db: TheDatabase,
) -> Block:
    """Write an earlier text as a new version; 409 as for a write."""
    block = await service.restore_block(
        db,
        caller,
        where,
        block_type,
        body.version,
        expected_updated_at=body.expected_updated_at,
        if_match=if_match,
    )
    set_etag(response, block.version)
    return block


@router.post("/recall", operation_id="blocks.recall")
async def recall_lines(body: LineRecall, caller: TheCaller, db: TheDatabase) -> RecalledLines:
    """Find archival lines of the user, best first; with an agent, also those of the block with that agent."""
    return RecalledLines(
        await recall.recall_lines(
            db,
            caller,
            body.query,
            agent_id=body.agent_id,
            limit=body.limit,
            min_score=body.min_score,
        )
    )
