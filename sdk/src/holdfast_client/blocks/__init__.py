"""Blocks: what an agent should always know about its user, and what it can look up."""

from holdfast_client.blocks import calls
from holdfast_client.face import AsyncFace, Face, awaited, sync


class Blocks(Face):
    """Read, write, restore and search a user's core and archival blocks."""

    list = sync(calls.list_blocks)
    read = sync(calls.read_block)
    write = sync(calls.write_block)
    delete = sync(calls.delete_block)
    history = sync(calls.history)
    restore = sync(calls.restore_block)
    recall = sync(calls.recall_lines)


class AsyncBlocks(AsyncFace):
    """Read, write, restore and search a user's core and archival blocks."""

    list = awaited(calls.list_blocks)
    read = awaited(calls.read_block)
    write = awaited(calls.write_block)
    delete = awaited(calls.delete_block)
    history = awaited(calls.history)
    restore = awaited(calls.restore_block)
    recall = awaited(calls.recall_lines)
