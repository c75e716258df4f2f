"""Blocks for a model: what is known about the user, read, replaced whole, and searched."""

from typing import Annotated, Any, Literal

from pydantic import Field

from holdfast.blocks import edit, recall, service
from holdfast.blocks.model import (
    DEFAULT_LINES,
    MAX_LINES,
    Block,
    BlockScope,
    BlockType,
    RecalledLine,
)
from holdfast.edge import compact
from holdfast.edge.toolbox import CHANGES, READS, REPLACES, Call, Listed, Shelf, Toolbox, Worded
from holdfast.kernel.clock import Instant
from holdfast.kernel.errors import AgentNotFound, NotFound
from holdfast.kernel.ids import ClientId

box = Toolbox("blocks")

AgentId = Annotated[ClientId | None, Field(description="Another agent than the one you act as.")]
Detail = Annotated[bool, Field(description="Whole objects.")]


@box.tool("Update the memory of the user", REPLACES)
async def update_memory(
    call: Call,
    block_type: Annotated[
        BlockType,
        Field(
            description="core: read with every request, at most 4,000 characters and 20 lines. archival: searched on "
            "demand, at most 8,000 characters."
        ),
    ],
    content: Annotated[
        str, Field(description="The whole new text, one fact per line: it replaces what was there.")
    ],
    expected_updated_at: Annotated[
        Instant | None,
        Field(
            description="The block's `when` as read_memory gave it; null when there is no such block yet."
        ),
    ],
    scope: Annotated[
        BlockScope | None,
        Field(description="user: for all agents (the default). agent: between the user and you."),
    ] = None,
    agent_id: AgentId = None,
) -> Block:
    """Replace what is remembered about the user. Read the block first: the text is replaced as a whole, and only if nobody
    else changed it since (a conflict shows how it is now).

    Use it when you learn something lasting about the user: who they are, how they like things. One fact per line.
    Example: update_memory(block_type="core", content="Prefers tea\\nLives in Lisbon",
    expected_updated_at="2026-01-31T09:00:00.000000Z")
    """
    if scope == "agent":
        agent_id = agent_id or call.agent_id
    where = service.place_of(call.caller, scope, agent_id)
    return await service.write_block(
        call.db,
        call.caller,
        where,
        block_type,
        content,
        expected_updated_at=expected_updated_at,
    )


@box.tool("Read the memory of the user", READS, "core")
async def read_memory(
    call: Call,
    block_type: BlockType | None = None,
    scope: Annotated[
        Literal["user", "agent", "all"] | None,
        Field(description="agent: between the user and you."),
    ] = None,
    agent_id: AgentId = None,
    detail: Detail = False,
) -> Worded:
    """Read the texts that are kept about the user: core (always shown to you) and archival (searched)."""
    scope = scope or ("all" if agent_id is None else "agent")
    found = await _blocks(call, scope, agent_id)
    wanted = [each for each in found if block_type in (None, each.block_type)]
    return compact.listed([each if detail else _compact(each) for each in wanted])


@box.tool("Edit a line of the memory of the user", CHANGES, "core")
async def edit_memory(
    call: Call,
    block_type: BlockType,
    old_line: Annotated[str | None, Field(description="As it is now.")] = None,
    new_line: str | None = None,
    scope: Annotated[BlockScope | None, Field(description="user: for all agents.")] = None,
) -> dict[str, Any]:
    """Add a line about the user (new_line alone), replace one (both), or remove one (old_line alone). core holds at most 20 lines
    and is shown with every request: who the user is, how they like things. archival holds details. Single facts: remember."""
    where = service.place_of(call.caller, scope, call.agent_id if scope == "agent" else None)
    return _compact(
        await edit.edit_block(
            call.db, call.caller, where, block_type, old_line=old_line, new_line=new_line
        )
    )


def _compact(block: Block) -> dict[str, Any]:
    """`when` is the stamp that update_memory takes."""
    source = f"{block.scope}/{block.block_type}"
    return compact.stamped(block.id, block.content, block.updated_at, source)


@box.tool("Search the archive about the user", READS)
async def recall_memory(
    call: Call,
    query: Annotated[
        str, Field(description="What you want to know; empty lists the lines from the top.")
    ],
    agent_id: AgentId = None,
    limit: Annotated[
        int, Field(ge=1, le=MAX_LINES, description="At most this many lines.")
    ] = DEFAULT_LINES,
    detail: Detail = False,
) -> Worded:
    """Search the archival memory of the user, yours included, line by line, best first.

    Use it when the core memory does not say and the user may have told before. To search every kind of memory, use recall.
    Example: recall_memory(query="allergies", limit=5)
    """
    try:
        lines = await recall.recall_lines(
            call.db, call.caller, query, agent_id=agent_id or call.agent_id, limit=limit
        )
    except AgentNotFound:
        if agent_id is not None:
            raise
        lines = await recall.recall_lines(call.db, call.caller, query, agent_id=None, limit=limit)
    return compact.listed([each if detail else _compact_line(each) for each in lines])


def _compact_line(line: RecalledLine) -> dict[str, Any]:
    source = f"{line.scope}/{line.block_type}"
    return compact.line(f"{source}:{line.line_number}", line.content, line.updated_at, source)


async def _blocks(
    call: Call, scope: Literal["user", "agent", "all"], agent_id: str | None
) -> list[Block]:
    """The blocks of a scope. The agent one acts as may have written nothing yet: then there are none of its own."""
    if scope == "user":
        return await service.list_blocks(call.db, call.caller, "user", agent_id)
    try:
        return await service.list_blocks(call.db, call.caller, scope, agent_id or call.agent_id)
    except AgentNotFound:
        if agent_id is not None:
            raise
        return [] if scope == "agent" else await service.list_blocks(call.db, call.caller, "user")


async def _list(call: Call, _: str | None) -> tuple[list[Listed], str | None]:
    if call.caller.user_id is None:
        return [], None
    found = await _blocks(call, "all", None)
    return [
        Listed(
            f"{each.scope}/{each.block_type}",
            f"{each.block_type} memory",
            "About the user, for every agent."
            if each.scope == "user"
            else "About the user, for this agent.",
        )
        for each in found
    ], None


async def _read(call: Call, path: str) -> str:
    for block in await _blocks(call, "all", None):
        if path == f"{block.scope}/{block.block_type}":
            return block.content
    raise NotFound("there is no such block")


box.shelves.append(
    Shelf(
        prefix="blocks",
        template="{scope}/{block_type}",
        name="block",
        description="What is remembered about the user: scope user or agent, block_type core or archival.",
        media_type="text/plain",
        list=_list,
        read=_read,
    )
)
