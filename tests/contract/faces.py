"""One mutable object of every face, and how to make, change, list and outgrow it: what the contract suites run over.

A face that is not here makes `test_faces.py` fail: a new face needs a specimen.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import httpx

Send = Callable[..., Awaitable[httpx.Response]]


@dataclass(frozen=True)
class Past:
    """Where the past of an object is read, from the reply that made it; `text` names the field with its text.

    `query` goes along with `history`.
    """

    history: Callable[[dict[str, Any]], str]
    diff: Callable[[dict[str, Any]], str]
    text: str = "content"
    query: Callable[[dict[str, Any]], dict[str, str]] = lambda _: {}


@dataclass(frozen=True)
class Specimen:
    """An object of a face.

    `make` and `change` send one request and return its reply; both take headers. `path` says where the object is read,
    from the reply that made it. `oversized` makes one that is one past a stated limit, `full` one at that limit.
    `list_path` and `many`: where objects are listed newest first, and how to make the nth.
    """

    room: str
    kind: str
    make: Send
    change: Send
    path: Callable[[dict[str, Any]], str]
    full: Send | None = None
    oversized: Send | None = None
    list_path: str | None = None
    many: Send | None = None
    version: str = "version"
    past: Past | None = None


CORE = "/memory/blocks/core"


async def _make_block(api: Any, content: str = "one", **headers: str) -> httpx.Response:
    body = {"content": content, "expected_updated_at": None}
    return await api.put(CORE, json=body, headers=headers)


async def _change_block(
    api: Any, made: dict[str, Any], text: str = "two", **headers: str
) -> httpx.Response:
    body = {"content": text, "expected_updated_at": made["updated_at"]}
    return await api.put(CORE, json=body, headers=headers)


async def _make_entry(
    api: Any, content: str = "one", key: str = "k", **headers: str
) -> httpx.Response:
    return await api.put(f"/agents/bot/entries/{key}", json={"content": content}, headers=headers)


async def _change_entry(
    api: Any, made: dict[str, Any], text: str = "two", **headers: str
) -> httpx.Response:
    return await _make_entry(api, text, made["key"], **headers)


def _resource(resource_id: str, description: str) -> dict[str, Any]:
    return {
        "resource": "memory",
        "id": resource_id,
        "description": description,
        "type": "buffer",
        "max_messages": 10,
        "persistence": {"type": "postgres"},
    }


async def _make_resource(
    api: Any, description: str = "one", resource_id: str = "chat", **headers: str
) -> httpx.Response:
    body = _resource(resource_id, description)
    return await api.put(f"/memory-resources/{resource_id}", json=body, headers=headers)


async def _change_resource(
    api: Any, made: dict[str, Any], text: str = "two", **headers: str
) -> httpx.Response:
    return await _make_resource(api, text, made["id"], **headers)


async def _message(api: Any, content: str) -> httpx.Response:
    if (await api.get("/memory-resources/chat")).status_code == 404:
        await _make_resource(api)
    body = {"key": "talk", "messages": content}
    return await api.post("/conversations/chat/append", json=body)


async def _make_memory(
    api: Any, value: str = "one", key: str = "k", **headers: str
) -> httpx.Response:
    return await api.post("/memories", json={"key": key, "value": value}, headers=headers)


async def _change_memory(
    api: Any, made: dict[str, Any], text: str = "two", **headers: str
) -> httpx.Response:
    return await api.patch(f"/memories/{made['id']}", json={"value": text}, headers=headers)


async def _make_node(
    api: Any, summary: str = "one", name: str = "Ana", **headers: str
) -> httpx.Response:
    body = {"name": name, "summary": summary}
    return await api.post("/memory-nodes", json=body, headers=headers)


async def _change_node(
    api: Any, made: dict[str, Any], text: str = "two", **headers: str
) -> httpx.Response:
    return await api.patch(f"/memory-nodes/{made['id']}", json={"summary": text}, headers=headers)


async def _make_store(api: Any, description: str = "one", **headers: str) -> httpx.Response:
    body = {"name": "notes", "description": description}
    return await api.post("/memory_stores", json=body, headers=headers)


async def _change_store(
    api: Any, made: dict[str, Any], text: str = "two", **headers: str
) -> httpx.Response:
    path = f"/memory_stores/{made['id']}"
    return await api.patch(path, json={"description": text}, headers=headers)


async def _make_store_entry(api: Any, content: str = "one", **headers: str) -> httpx.Response:
    stores = (await api.get("/memory_stores")).json()["data"]
    store = stores[0]["id"] if stores else (await _make_store(api)).json()["id"]
    body = {"path": f"{len(content)}.md", "content": content}
    return await api.post(f"/memory_stores/{store}/memories", json=body, headers=headers)


async def _change_store_entry(
    api: Any, made: dict[str, Any], text: str = "two", **headers: str
) -> httpx.Response:
    body = {"content": text, "version": made["version"]}
    return await api.put(_store_entry_path(made), json=body, headers=headers)


def _store_entry_path(made: dict[str, Any]) -> str:
    return f"/memory_stores/{made['store_id']}/memories/{made['id']}"


SPECIMENS = [
    Specimen(
        "blocks", "block", _make_block, _change_block, lambda _: CORE,
        full=lambda api: _make_block(api, "x" * 4_000),
        oversized=lambda api: _make_block(api, "x" * 4_001),
        past=Past(lambda _: f"{CORE}/history", lambda _: f"{CORE}/diff"),
    ),
    Specimen(
        "entries", "entry", _make_entry, _change_entry,
        lambda made: f"/agents/bot/entries/{made['key']}",
        full=lambda api: _make_entry(api, "x" * 16_384),
        oversized=lambda api: _make_entry(api, "x" * 16_385),
        list_path="/agents/bot/entries",
        many=lambda api, number: _make_entry(api, "one", f"k{number}"),
        past=Past(
            lambda made: f"/agents/bot/history/{made['key']}",
            lambda made: f"/agents/bot/diff/{made['key']}",
        ),
    ),
    Specimen(
        "conversations", "memory_resource", _make_resource, _change_resource,
        lambda made: f"/memory-resources/{made['id']}",
        full=lambda api: _message(api, "x" * 65_536),
        oversized=lambda api: _message(api, "x" * 65_537),
        list_path="/memory-resources",
        many=lambda api, number: _make_resource(api, "one", f"r{number}"),
        version="revision",
    ),
    Specimen(
        "memories", "memory", _make_memory, _change_memory,
        lambda made: f"/memories/{made['id']}",
        full=lambda api: _make_memory(api, "x" * 8_000),
        oversized=lambda api: _make_memory(api, "x" * 8_001),
        list_path="/memories",
        many=lambda api, number: _make_memory(api, "one", f"k{number}"),
        past=Past(
            lambda made: f"/memories/{made['id']}/history",
            lambda made: f"/memories/{made['id']}/diff",
            "value",
        ),
    ),
    Specimen(
        "memories", "node", _make_node, _change_node,
        lambda made: f"/memory-nodes/{made['id']}",
        list_path="/memory-nodes",
        many=lambda api, number: _make_node(api, "one", f"n{number}"),
    ),
    Specimen(
        "stores", "store", _make_store, _change_store,
        lambda made: f"/memory_stores/{made['id']}",
        full=lambda api: _make_store(api, "x" * 1_024),
        oversized=lambda api: _make_store(api, "x" * 1_025),
        list_path="/memory_stores",
        many=lambda api, number: _make_store(api, f"one {number}"),
    ),
    Specimen(
        "stores", "store_entry", _make_store_entry, _change_store_entry, _store_entry_path,
        full=lambda api: _make_store_entry(api, "x" * 102_400),
        oversized=lambda api: _make_store_entry(api, "x" * 102_401),
        past=Past(
            lambda made: f"/memory_stores/{made['store_id']}/versions",
            lambda made: f"/memory_stores/{made['store_id']}/diff",
            query=lambda made: {"entry_id": made["id"]},
        ),
    ),
]  # fmt: skip
