"""What the tests of stores share."""

import io
import zipfile
from dataclasses import dataclass
from typing import Any

import httpx
import pytest


def _zip_of_one_file() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a", "from a zip")
    return file.getvalue()


ONE_FILE = _zip_of_one_file()


@dataclass(frozen=True)
class StoreApi:
    """A store as a client has it: its id, and the calls below it."""

    api: httpx.AsyncClient
    id: str

    @property
    def path(self) -> str:
        return f"/memory_stores/{self.id}"

    async def get(self, below: str = "", **params: Any) -> httpx.Response:
        return await self.api.get(f"{self.path}{below}", params=params)

    async def read(self) -> dict[str, Any]:
        return (await self.get()).json()

    async def write(self, path: str, content: str = "text", **fields: Any) -> dict[str, Any]:
        """Create an entry that has to be created."""
        made = await self.create(path, content, **fields)
        assert made.status_code == 201, made.text
        return made.json()

    async def create(self, path: Any, content: Any = "text", **fields: Any) -> httpx.Response:
        return await self.api.post(
            f"{self.path}/memories", json={"path": path, "content": content, **fields}
        )

    async def put(
        self, entry: dict[str, Any], content: Any = "text", headers: Any = None, **fields: Any
    ) -> httpx.Response:
        """Update an entry from the version in hand."""
        body = {"content": content, "version": entry["version"], **fields}
        return await self.api.put(f"{self.path}/memories/{entry['id']}", json=body, headers=headers)

    async def update(self, entry: dict[str, Any], content: str, **fields: Any) -> dict[str, Any]:
        """Update an entry that has to be updated."""
        done = await self.put(entry, content, **fields)
        assert done.status_code == 200, done.text
        return done.json()

    async def delete(self, entry: dict[str, Any], **params: Any) -> httpx.Response:
        return await self.api.delete(f"{self.path}/memories/{entry['id']}", params=params)

    async def versions(self, **params: Any) -> list[dict[str, Any]]:
        """The newest versions, newest first."""
        answer = await self.get("/versions", **{"limit": 100, **params})
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]

    async def restore(self, entry_id: str, version_id: str, version: int) -> httpx.Response:
        return await self.api.post(
            f"{self.path}/memories/{entry_id}/restore",
            json={"version_id": version_id, "version": version},
        )

    async def redact(self, version_id: str) -> httpx.Response:
        return await self.api.post(f"{self.path}/versions/{version_id}/redact")

    async def archive(self) -> httpx.Response:
        return await self.api.post(f"{self.path}/archive")

    async def must_count(self, contents: list[str]) -> None:
        """The counts are those of these contents."""
        store = await self.read()
        assert store["entry_count"] == len(contents)
        assert store["total_size"] == sum(len(content.encode()) for content in contents)


async def make_store(api: httpx.AsyncClient, name: str = "notes", **fields: Any) -> StoreApi:
    """A new store."""
    made = await api.post("/memory_stores", json={"name": name, **fields})
    assert made.status_code == 201, made.text
    return StoreApi(api, made.json()["id"])


@pytest.fixture
async def store(api: httpx.AsyncClient) -> StoreApi:
    """An empty store."""
    return await make_store(api)
