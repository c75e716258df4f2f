"""A session to talk in, and shorthand for learning from it."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest

WAIT_S = 60.0


@dataclass
class Talk:
    """One session of one user, over HTTP."""

    api: httpx.AsyncClient
    id: str
    headers: dict[str, str] = field(default_factory=dict)
    said: int = 0

    async def call(self, method: str, path: str, status: int | None = None, **more: Any) -> Any:
        reply = await self.api.request(method, path, headers=self.headers, **more)
        expected = (200, 201, 202, 204) if status is None else (status,)
        assert reply.status_code in expected, f"{method} {path}: {reply.status_code} {reply.text}"
        return reply.json() if reply.content else None

    async def say(self, *texts: str, role: str = "user", **more: Any) -> list[str]:
        """Append messages of one role; their ids."""
        messages = []
        for text in texts:
            self.said += 1
            messages.append({"id": f"m{self.said}", "role": role, "content": text})
        await self.call(
            "POST", f"/sessions/{self.id}/messages", json={"messages": messages, **more}
        )
        return [each["id"] for each in messages]

    async def settle(self) -> dict[str, Any]:
        """Settle, and wait for the job; the job as it ended."""
        answer = await self.call("POST", f"/sessions/{self.id}/settle", 202)
        return await self.done(answer["job_id"])

    async def done(self, job_id: str) -> dict[str, Any]:
        """A job, once it is over."""
        async with asyncio.timeout(WAIT_S):
            while True:
                job = await self.call("GET", f"/jobs/{job_id}")
                if job["status"] not in ("queued", "running"):
                    assert job["status"] == "succeeded", job
                    return dict(job)
                await asyncio.sleep(0.05)

    async def proposals(self, **query: Any) -> list[dict[str, Any]]:
        """Proposals, oldest first."""
        found = await self.call("GET", "/proposals", params={"limit": 100, **query})
        return list(reversed(found["data"]))

    async def memories(self, **query: Any) -> list[dict[str, Any]]:
        return list((await self.call("GET", "/memories", params={"limit": 100, **query}))["data"])

    async def core(self, **query: Any) -> list[str]:
        """The lines of core."""
        reply = await self.api.get("/memory/blocks/core", params=query, headers=self.headers)
        return [] if reply.status_code == 404 else reply.json()["content"].split("\n")


@pytest.fixture
def talk(api: httpx.AsyncClient) -> Talk:
    """A session of a user of its own org."""
    return Talk(api, "talk-1", {"Holdfast-User": "ana"})
