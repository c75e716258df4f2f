"""Add, replace or remove one line of a block, with the compare-and-set inside: the block is held from the read to the write."""

from holdfast.blocks import archive
from holdfast.blocks.archive import Archive
from holdfast.blocks.lines import edit_line
from holdfast.blocks.model import Block, BlockType, check_content
from holdfast.blocks.service import (
    IfMatch,
    enter,
    names_of,
    put_text,
    queries,
    refusal,
    speaker_for,
)
from holdfast.kernel import clock
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.errors import Conflict, Invalid
from holdfast.kernel.sight import Audience

# A block that is created twice at once: whoever comes second finds it and edits it.
ATTEMPTS = 3


async def edit_block(
    db: Database,
    caller: Caller,
    where: Audience,
    block_type: BlockType,
    *,
    old_line: str | None = None,
    new_line: str | None = None,
    if_match: IfMatch = None,
) -> Block:
    """Add `new_line` at the end, put it in the place of `old_line`, or remove `old_line`. A first line creates the block.

    Conflict, with the block as it is, where `old_line` is not there or there more than once.
    """
    _check(old_line, new_line)
    if block_type == "archival" and new_line is not None:
        now = clock.now()
        line = Archive("", where.user_id or "", where.agent_id, new_line, [now], now)
        await archive.prefetch_embeddings(db, line, None)
    async with db.begin(speaker_for(caller, where)) as tx:
        await enter(tx, caller, where, to_write=True)
        for _ in range(ATTEMPTS):
            block = await _edit(tx, where, block_type, old_line, new_line, if_match)
            if block is not None:
                return block
    raise Conflict("others were creating this block at the same time: try again")


def _check(old_line: str | None, new_line: str | None) -> None:
    if old_line is None and new_line is None:
        raise Invalid.field(
            "new_line", "give new_line to add a line, old_line to remove one, both to replace one"
        )
    for name, line in (("old_line", old_line), ("new_line", new_line)):
        if line is not None and ("\n" in line or "\r" in line):
            raise Invalid.field(name, "is one line: it may not contain a line break")
        if line is not None and not line.strip():
            raise Invalid.field(name, "may not be blank")


async def _edit(
    tx: Tx,
    where: Audience,
    block_type: BlockType,
    old_line: str | None,
    new_line: str | None,
    if_match: IfMatch,
) -> Block | None:
    """The block after the edit; None where somebody created it meanwhile."""
    current = await tx.one(Block, queries.hold_block, **names_of(where), block_type=block_type)
    if if_match is not None and (current is None or current.version not in if_match):
        raise refusal(current, if_match)
    content = edit_line(current.content if current else "", old_line, new_line)
    if content is None:
        raise Conflict(
            "old_line is not a line of this block, or there more than once: see `current`",
            current=current,
        )
    check_content(block_type, content)
    before = None
    if block_type == "archival":
        before = await tx.one(Archive, queries.archive_before, **names_of(where))
    expected = None if current is None else current.updated_at
    return await put_text(tx, where, block_type, content, before, expected, if_match)
