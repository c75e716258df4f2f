"""Memories: rows with a key and a value, recalled by query."""

from typing import TYPE_CHECKING

from holdfast_client.face import AsyncFace, Face, Later, awaited, sync
from holdfast_client.memories import calls

if TYPE_CHECKING:
    from holdfast_client.learning import calls as learning


class Memories(Face):
    """Save, recall, change and retire the memories of a user, a project or an agent."""

    save = sync(calls.save_memory)
    put = save
    batch = sync(calls.save_batch)
    list = sync(calls.list_memories)
    get = sync(calls.read_memory)
    change = sync(calls.change_memory)
    recall = sync(calls.recall_memories)
    if TYPE_CHECKING:
        extract = sync(learning.extract)
    else:  # learning needs much that a save does not
        extract = Later(sync, "learning.calls", "extract")
    search = recall
    history = sync(calls.history)
    diff = sync(calls.diff)
    restore = sync(calls.restore_memory)
    retire = sync(calls.retire_memory)
    delete = sync(calls.delete_memory)
    add_source = sync(calls.add_source)
    list_sources = sync(calls.list_sources)
    remove_sources = sync(calls.remove_sources)
    upload_asset = sync(calls.upload_asset)
    list_assets = sync(calls.list_assets)
    download_asset = sync(calls.download_asset)
    delete_asset = sync(calls.delete_asset)


class AsyncMemories(AsyncFace):
    """Save, recall, change and retire the memories of a user, a project or an agent."""

    save = awaited(calls.save_memory)
    put = save
    batch = awaited(calls.save_batch)
    list = awaited(calls.list_memories)
    get = awaited(calls.read_memory)
    change = awaited(calls.change_memory)
    recall = awaited(calls.recall_memories)
    if TYPE_CHECKING:
        extract = awaited(learning.extract)
    else:  # learning needs much that a save does not
        extract = Later(awaited, "learning.calls", "extract")
    search = recall
    history = awaited(calls.history)
    diff = awaited(calls.diff)
    restore = awaited(calls.restore_memory)
    retire = awaited(calls.retire_memory)
    delete = awaited(calls.delete_memory)
    add_source = awaited(calls.add_source)
    list_sources = awaited(calls.list_sources)
    remove_sources = awaited(calls.remove_sources)
    upload_asset = awaited(calls.upload_asset)
    list_assets = awaited(calls.list_assets)
    download_asset = awaited(calls.download_asset)
    delete_asset = awaited(calls.delete_asset)
