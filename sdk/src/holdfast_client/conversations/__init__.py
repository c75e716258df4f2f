"""Conversations: message lists inside a token budget, and the memory resources that configure them."""

from holdfast_client.conversations import calls
from holdfast_client.face import AsyncFace, Face, awaited, sync


class Conversations(Face):
    """Message lists, by resource and key."""

    list_resources = sync(calls.list_resources)
    read_resource = sync(calls.read_resource)
    put_resource = sync(calls.put_resource)
    delete_resource = sync(calls.delete_resource)
    validate_resource = sync(calls.validate_resource)
    read_schema = sync(calls.read_schema)
    resolve = sync(calls.resolve)
    read = sync(calls.read)
    get = read
    append = sync(calls.append)
    write = sync(calls.write)
    put = write
    flush = sync(calls.flush)
    clear = sync(calls.clear)
    restore = sync(calls.restore)
    delete = sync(calls.delete_instance)
    pop = sync(calls.pop)
    stats = sync(calls.stats)
    health = sync(calls.health)
    list_instances = sync(calls.list_instances)
    search = sync(calls.search)
    list = list_instances


class AsyncConversations(AsyncFace):
    """Message lists, by resource and key."""

    list_resources = awaited(calls.list_resources)
    read_resource = awaited(calls.read_resource)
    put_resource = awaited(calls.put_resource)
    delete_resource = awaited(calls.delete_resource)
    validate_resource = awaited(calls.validate_resource)
    read_schema = awaited(calls.read_schema)
    resolve = awaited(calls.resolve)
    read = awaited(calls.read)
    get = read
    append = awaited(calls.append)
    write = awaited(calls.write)
    put = write
    flush = awaited(calls.flush)
    clear = awaited(calls.clear)
    restore = awaited(calls.restore)
    delete = awaited(calls.delete_instance)
    pop = awaited(calls.pop)
    stats = awaited(calls.stats)
    health = awaited(calls.health)
    list_instances = awaited(calls.list_instances)
    search = awaited(calls.search)
    list = list_instances
