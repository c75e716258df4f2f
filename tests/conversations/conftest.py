"""A resource in each backend, and shorthand for talking to it."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

BACKENDS = ("postgres", "redis", "in_memory")


@dataclass(frozen=True)
class Talk:
    """One instance of one resource, over HTTP."""

    api: httpx.AsyncClient
    resource_id: str
    key: str = "k"

    async def call(self, operation: str, status: int = 200, **body: Any) -> Any:
        response = await self.api.post(
            f"/conversations/{self.resource_id}/{operation}", json={"key": self.key, **body}
        )
        assert response.status_code == status, response.text
        return response.json()

    async def get(self, operation: str, status: int = 200, **query: Any) -> Any:
        response = await self.api.get(
            f"/conversations/{self.resource_id}/{operation}", params={"key": self.key, **query}
        )
        assert response.status_code == status, response.text
        return response.json()

    async def append(self, messages: Any, status: int = 200, **more: Any) -> Any:
        return await self.call("append", status, messages=messages, **more)

    async def contents(self, **query: Any) -> list[str]:
        found = await self.get("read", **{"limit": 1000, **query})
        return [message["content"] for message in found["messages"]]


def resource(resource_id: str, backend: str = "postgres", **fields: Any) -> dict[str, Any]:
    """A small valid resource."""
    persistence = {"type": backend, **fields.pop("persistence", {})}
    base = {"resource": "memory", "id": resource_id, "persistence": persistence}
    if "type" not in fields:
        base |= {"type": "token_based", "max_tokens": 100_000}
    return {**base, **fields}


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    """Each place where messages can be kept."""
    return str(request.param)


@pytest.fixture
def talk(api: httpx.AsyncClient, backend: str) -> Callable[..., Any]:
    """Makes a resource in the backend and an instance to talk to."""

    async def make(key: str = "k", **fields: Any) -> Talk:
        resource_id = f"r{uuid.uuid4().hex[:8]}"
        made = await api.put(
            f"/memory-resources/{resource_id}", json=resource(resource_id, backend, **fields)
        )
        assert made.status_code == 201, made.text
        return Talk(api, resource_id, key)

    return make
