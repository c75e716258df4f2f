"""Blocks: what an agent should always know about its user, and what it can look up."""

from collections.abc import Callable

from holdfast_client.blocks import calls
from holdfast_client.blocks.model import Block, BlockScope, BlockType
from holdfast_client.errors import Conflict, NotFound
from holdfast_client.face import AsyncFace, Face, awaited, sync


class Blocks(Face):
    """Read, write, edit, restore and search a user's core and archival blocks."""

    list = sync(calls.list_blocks)
    read = sync(calls.read_block)
    get = read
    write = sync(calls.write_block)
    put = write
    delete = sync(calls.delete_block)
    history = sync(calls.history)
    diff = sync(calls.diff)
    restore = sync(calls.restore_block)
    edit_line = sync(calls.edit_line)
    recall = sync(calls.recall_lines)
    search = recall

    def edit(
        self,
        block_type: BlockType,
        change: Callable[[str], str],
        *,
        scope: BlockScope | None = None,
        agent_id: str | None = None,
    ) -> Block | None:
        """Write what `change` makes of the block's text ("" if there is no block), whoever else is writing: after a conflict
        it is called again, with the text as it is then. Writes nothing if the text stays the same.
        """
        current = self._present(block_type, scope, agent_id)
        while True:
            before = "" if current is None else current.content
            after = change(before)
            if after == before:
                return current
            try:
                return self.write(
                    block_type,
                    after,
                    expected_updated_at=None if current is None else current.updated_at,
                    scope=scope,
                    agent_id=agent_id,
                )
            except Conflict as lost:
                current = lost.current

    def _present(
        self, block_type: BlockType, scope: BlockScope | None, agent_id: str | None
    ) -> Block | None:
        try:
            return self.read(block_type, scope=scope, agent_id=agent_id)
        except NotFound:
            return None


class AsyncBlocks(AsyncFace):
    """Read, write, edit, restore and search a user's core and archival blocks."""

    list = awaited(calls.list_blocks)
    read = awaited(calls.read_block)
    get = read
    write = awaited(calls.write_block)
    put = write
    delete = awaited(calls.delete_block)
    history = awaited(calls.history)
    diff = awaited(calls.diff)
    restore = awaited(calls.restore_block)
    edit_line = awaited(calls.edit_line)
    recall = awaited(calls.recall_lines)
    search = recall

    async def edit(
        self,
        block_type: BlockType,
        change: Callable[[str], str],
        *,
        scope: BlockScope | None = None,
        agent_id: str | None = None,
    ) -> Block | None:
        """Write what `change` makes of the block's text ("" if there is no block), whoever else is writing: after a conflict
        it is called again, with the text as it is then. Writes nothing if the text stays the same.
        """
        current = await self._present(block_type, scope, agent_id)
        while True:
            before = "" if current is None else current.content
            after = change(before)
            if after == before:
                return current
            try:
                return await self.write(
                    block_type,
                    after,
                    expected_updated_at=None if current is None else current.updated_at,
                    scope=scope,
                    agent_id=agent_id,
                )
            except Conflict as lost:
                current = lost.current

    async def _present(
        self, block_type: BlockType, scope: BlockScope | None, agent_id: str | None
    ) -> Block | None:
        try:
            return await self.read(block_type, scope=scope, agent_id=agent_id)
        except NotFound:
            return None
