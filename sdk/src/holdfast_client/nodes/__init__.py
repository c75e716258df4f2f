"""Nodes: a graph of the people, topics and events that memories are about."""

from holdfast_client.face import AsyncFace, Face, awaited, sync
from holdfast_client.nodes import calls


class Nodes(Face):
    """People, topics and events, and how they are related."""

    list = sync(calls.list_nodes)
    search = sync(calls.search_nodes)
    create = sync(calls.create_node)
    put = create
    get = sync(calls.read_node)
    change = sync(calls.change_node)
    delete = sync(calls.delete_node)
    add_item = sync(calls.add_item)
    remove_item = sync(calls.remove_item)
    put_edge = sync(calls.put_edge)
    delete_edge = sync(calls.delete_edge)
    neighbors = sync(calls.neighbors)
    path = sync(calls.path)
    merge = sync(calls.merge_node)


class AsyncNodes(AsyncFace):
    """People, topics and events, and how they are related."""

    list = awaited(calls.list_nodes)
    search = awaited(calls.search_nodes)
    create = awaited(calls.create_node)
    put = create
    get = awaited(calls.read_node)
    change = awaited(calls.change_node)
    delete = awaited(calls.delete_node)
    add_item = awaited(calls.add_item)
    remove_item = awaited(calls.remove_item)
    put_edge = awaited(calls.put_edge)
    delete_edge = awaited(calls.delete_edge)
    neighbors = awaited(calls.neighbors)
    path = awaited(calls.path)
    merge = awaited(calls.merge_node)
