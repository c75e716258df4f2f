"""Entries: facts under stable keys, which an agent stores and recalls between events."""

from holdfast_client.entries import calls
from holdfast_client.face import AsyncFace, Face, awaited, sync


class Entries(Face):
    """An agent's facts, by key."""

    store = sync(calls.store)
    put = store
    recall = sync(calls.recall)
    get = recall
    recall_markdown = sync(calls.recall_markdown)
    list = sync(calls.list_entries)
    search = sync(calls.search)
    forget = sync(calls.forget)
    delete = forget
    history = sync(calls.history)
    diff = sync(calls.diff)
    restore = sync(calls.restore)
    store_batch = sync(calls.store_batch)
    hydrate = sync(calls.hydrate)
    hydrate_if_changed = sync(calls.hydrate_if_changed)
    start_run = sync(calls.start_run)
    end_run = sync(calls.end_run)
    export = sync(calls.export_entries)
    import_zip = sync(calls.import_entries)


class AsyncEntries(AsyncFace):
    """An agent's facts, by key."""

    store = awaited(calls.store)
    put = store
    recall = awaited(calls.recall)
    get = recall
    recall_markdown = awaited(calls.recall_markdown)
    list = awaited(calls.list_entries)
    search = awaited(calls.search)
    forget = awaited(calls.forget)
    delete = forget
    history = awaited(calls.history)
    diff = awaited(calls.diff)
    restore = awaited(calls.restore)
    store_batch = awaited(calls.store_batch)
    hydrate = awaited(calls.hydrate)
    hydrate_if_changed = awaited(calls.hydrate_if_changed)
    start_run = awaited(calls.start_run)
    end_run = awaited(calls.end_run)
    export = awaited(calls.export_entries)
    import_zip = awaited(calls.import_entries)
