"""A block as it stood at an instant, and the difference between two of its states."""

from datetime import datetime

from holdfast.blocks.model import Block, BlockType
from holdfast.blocks.service import KIND, enter, must_have_been
from holdfast.kernel import diffs, revisions
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database
from holdfast.kernel.diffs import TextDiff
from holdfast.kernel.errors import NotFound
from holdfast.kernel.sight import Audience


async def read_block_as_of(
    db: Database, caller: Caller, where: Audience, block_type: BlockType, at: datetime
) -> Block:
    """A block as it stood at an instant; NotFound where there was none then."""
    async with db.read(caller) as tx:
        await enter(tx, caller, where, to_write=False)
        block_id = await must_have_been(tx, where, block_type)
        then = await revisions.as_of(tx, KIND, block_id, at)
        if then is None or then.content is None:
            raise NotFound(f"there was no {block_type} block here then")
        first = await revisions.at_version(tx, KIND, block_id, 1)
    state = then.state or {}
    return Block(
        id=block_id,
        block_type=block_type,
        scope="user" if where.agent_id is None else "agent",
        agent_id=where.agent_id,
        content=then.content,
        entries=state["entries"],
        characters=state["characters"],
        version=then.version,
        created_at=first.created_at,
        updated_at=then.created_at,
    )


async def diff_block(
    db: Database, caller: Caller, where: Audience, block_type: BlockType, since: str, until: str
) -> TextDiff:
    """What changed in a block between two versions or times; also of one that was deleted."""
    async with db.read(caller) as tx:
        await enter(tx, caller, where, to_write=False)
        block_id = await must_have_been(tx, where, block_type)
        return await diffs.between(tx, KIND, block_id, since, until)
