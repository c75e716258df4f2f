"""Stores: text entries at paths, with every version kept."""

from holdfast_client.face import AsyncFace, Face, awaited, sync
from holdfast_client.flows import awaited_flow, sync_flow
from holdfast_client.stores import calls, flows


class Stores(Face):
    """Read and write stores: texts at paths, with their versions. `get`, `put`, `delete` and `list` are of entries by path."""

    create = sync(calls.create_store)
    list_stores = sync(calls.list_stores)
    open = sync(calls.read_store)
    change = sync(calls.change_store)
    delete_store = sync(calls.delete_store)
    archive = sync(calls.archive_store)
    create_entry = sync(calls.create_entry)
    list = sync(calls.list_entries)
    read_entry = sync(calls.read_entry)
    get = sync(calls.read_entry_at)
    put = sync_flow(flows.put)
    delete = sync_flow(flows.delete)
    update_entry = sync(calls.update_entry)
    delete_entry = sync(calls.delete_entry)
    restore_entry = sync(calls.restore_entry)
    list_versions = sync(calls.list_versions)
    read_version = sync(calls.read_version)
    redact_version = sync(calls.redact_version)
    diff = sync(calls.diff)
    recall = sync(calls.recall_entries)
    search = recall
    export = sync(calls.export_store)
    import_zip = sync(calls.import_store)


class AsyncStores(AsyncFace):
    """Read and write stores: texts at paths, with their versions. `get`, `put`, `delete` and `list` are of entries by path."""

    create = awaited(calls.create_store)
    list_stores = awaited(calls.list_stores)
    open = awaited(calls.read_store)
    change = awaited(calls.change_store)
    delete_store = awaited(calls.delete_store)
    archive = awaited(calls.archive_store)
    create_entry = awaited(calls.create_entry)
    list = awaited(calls.list_entries)
    read_entry = awaited(calls.read_entry)
    get = awaited(calls.read_entry_at)
    put = awaited_flow(flows.put)
    delete = awaited_flow(flows.delete)
    update_entry = awaited(calls.update_entry)
    delete_entry = awaited(calls.delete_entry)
    restore_entry = awaited(calls.restore_entry)
    list_versions = awaited(calls.list_versions)
    read_version = awaited(calls.read_version)
    redact_version = awaited(calls.redact_version)
    diff = awaited(calls.diff)
    recall = awaited(calls.recall_entries)
    search = recall
    export = awaited(calls.export_store)
    import_zip = awaited(calls.import_store)
